/* SPDX-License-Identifier: MIT */
/* A psopack_build as the packer's files see it. */
#ifndef PSOPACK_PACKER_BUILD_STATE_H
#define PSOPACK_PACKER_BUILD_STATE_H

#include "packer/build.h"
#include "packer/build_olds.h"
#include "packer/compress.h"
#include "packer/order.h"

struct psopack_build {
    psopack_build_options options;
    char *target;
    psopack_inputs inputs;
    psopack_align_rule *align;
    size_t align_count, align_capacity;
    uint32_t memory_origin, virtual_origin;
    bool has_memory, has_virtual;
    psopack_hooks hooks;
    uint64_t store_budget;
    psopack_build_olds olds;
    uint64_t lost_psos; /* of damaged archives: those without even a name */
    bool is_stripped;   /* some slot of an archive was left out, now or before */
    psopack_order order;
    char *cache_path;      /* of the hash cache; NULL: none */
    uint64_t cached_files; /* not read: the hash cache knew them */
    char **depfile_inputs;
    size_t depfile_count;
};

/* Opens older archives, reads all inputs and makes the model. The caller frees both, also after a
 * failure. */
psopack_status psopack_build_collect(psopack_build *build, psopack_store *ret_store,
                                     psopack_model *ret_model, psopack_diag *diag);

/* What a result says of any archive. */
void psopack_build_count(const psopack_model *model, const psopack_plan *plan,
                         const psopack_compress_result *compressed, uint64_t file_bytes,
                         psopack_publish_outcome outcome, psopack_build_result *ret_result);

#endif
