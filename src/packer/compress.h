/* SPDX-License-Identifier: MIT */
/* Carries out a layout plan: bases first, then all blocks in file order, in parallel. */
#ifndef PSOPACK_PACKER_COMPRESS_H
#define PSOPACK_PACKER_COMPRESS_H

#include "packer/layout_plan.h"
#include "platform/publish.h"

typedef struct psopack_written_block {
    uint64_t offset;
    uint64_t check;
    uint32_t stored_size;
    uint32_t raw_size;
    uint32_t flags; /* PSOPACK_BLOCK_* */
} psopack_written_block;

typedef struct psopack_compress_result {
    psopack_written_block *blocks; /* by plan block; the caller frees */
    uint64_t data_bytes;
    uint64_t base_bytes;
    uint64_t reused_blocks;
} psopack_compress_result;

/* Compresses every block and writes it behind what `publish` holds so far. Blocks that `output`
 * (may be NULL; made by the same recipe) has are copied: they would come out the same. */
psopack_status psopack_compress(const psopack_model *model, const psopack_store *store,
                                psopack_plan *plan, const psopack_profile_settings *settings,
                                const psopack_old *output, unsigned threads,
                                const psopack_build_events *events, psopack_publish *publish,
                                psopack_compress_result *ret_result, psopack_diag *diag);

#endif
