/* SPDX-License-Identifier: MIT */
/* A psopack_build as the packer's files see it. */
#ifndef PSOPACK_PACKER_BUILD_STATE_H
#define PSOPACK_PACKER_BUILD_STATE_H

#include "packer/build.h"
#include "packer/build_olds.h"

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
    uint32_t source_count; /* archives added */
    bool is_stripped;      /* some slot of an archive was left out, now or before */
    char *cache_path;      /* of the hash cache; NULL: none */
    char **depfile_inputs;
    size_t depfile_count;
};

#endif
