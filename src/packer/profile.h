/* SPDX-License-Identifier: MIT */
/* What a profile means, in numbers. */
#ifndef PSOPACK_PACKER_PROFILE_H
#define PSOPACK_PACKER_PROFILE_H

#include <psopack/build.h>
#include <stdbool.h>

#include "packer/block_cut.h"

/* zstd's parameters for one kind of block; 0 in a field leaves it to the level. */
typedef struct psopack_codec_params {
    int level;
    unsigned window_log;
    unsigned hash_log;
    unsigned chain_log;
    unsigned search_log;
    unsigned target_length;
} psopack_codec_params;

typedef struct psopack_profile_settings {
    psopack_profile profile;
    bool compress;     /* false: blocks hold their bytes as they are */
    bool plain_frames; /* standard frames with magic and content size */
    bool transforms;   /* try transforms and strip */
    bool bases;
    bool similarity;            /* gather similar components; else keep the order of first use */
    psopack_cut_aim blocks;     /* how large ordinary blocks are */
    uint32_t members_max;       /* components in a block */
    uint64_t split_size;        /* larger components become pieces of this size */
    uint64_t base_budget;       /* decoded bytes of all bases together */
    uint32_t block_align;       /* of a block's offset in the file, at least */
    psopack_codec_params block; /* without a base */
    psopack_codec_params with_base;
    unsigned few_search_log;   /* its search where a rebuild adds little to a base; 0: the same */
    psopack_codec_params base; /* of a base block itself */
    int name_level;
    bool keys_paged; /* keys lead to pages of names */
    bool tuple_delta;
} psopack_profile_settings;

const psopack_profile_settings *psopack_profile_get(psopack_profile profile);

#endif
