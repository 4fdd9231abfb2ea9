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

/* Where the stored form of a block comes from when it is made already: bytes that stay until the
 * job ends, and its row. */
typedef psopack_status psopack_fetch_block(void *user, uint64_t block, const uint8_t **ret_bytes,
                                           psopack_written_block *ret_written, psopack_diag *diag);

typedef struct psopack_compress_job {
    const psopack_model *model;
    const psopack_store *store;
    psopack_plan *plan;
    const psopack_profile_settings *settings;
    const psopack_build_events *events;
    unsigned threads;
    uint64_t first, end;        /* blocks of the plan */
    bool is_part;               /* bytes one behind the other, as if nothing had an alignment */
    const psopack_old *output;  /* an archive of the same recipe: blocks that it has are copied, as
                                   they would come out the same. NULL: none */
    psopack_fetch_block *fetch; /* NULL: blocks are made here */
    void *fetch_user;
    psopack_publish *publish;
} psopack_compress_job;

/* Makes blocks and writes them behind what `publish` holds so far. */
psopack_status psopack_compress(const psopack_compress_job *job,
                                psopack_compress_result *ret_result, psopack_diag *diag);

#endif
