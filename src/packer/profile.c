/* SPDX-License-Identifier: MIT */
/* The five profiles: names and settings. doc/compression.md says where each number was measured. */
#include "packer/profile.h"

#include <string.h>

#include "format/error.h"

#define KIB UINT32_C(1024)
#define MIB (KIB * KIB)

static const psopack_profile_settings profiles[] = {
    {
        .profile = PSOPACK_PROFILE_BALANCED,
        .compress = true,
        .transforms = true,
        .bases = true,
        .similarity = true,
        .blocks = {1400, 4 * KIB, 32 * KIB},
        .members_max = 128,
        .split_size = 8 * MIB,
        .base_budget = 4 * MIB,
        .block_align = 1,
        .block = {.level = 19},
        .with_base = {.level = 19,
                      .window_log = 22,
                      .hash_log = 22,
                      .chain_log = 23,
                      .search_log = 5,
                      .target_length = 256},
        .few_search_log = 2,
        .base = {.level = 19},
        .name_level = 19,
    },
    {
        .profile = PSOPACK_PROFILE_FAST,
        .compress = true,
        .blocks = {32 * KIB, 32 * KIB, 32 * KIB},
        .members_max = 128,
        .split_size = 8 * MIB,
        .block_align = 1,
        .block = {.level = 3},
        .with_base = {.level = 3},
        .base = {.level = 3},
        .name_level = 3,
    },
    {
        .profile = PSOPACK_PROFILE_SMALL,
        .compress = true,
        .transforms = true,
        .bases = true,
        .similarity = true,
        .blocks = {12 * KIB, 16 * KIB, 128 * KIB},
        .members_max = 256,
        .split_size = 8 * MIB,
        .base_budget = 6 * MIB,
        .block_align = 1,
        .block = {.level = 22},
        .with_base = {.level = 19,
                      .window_log = 23,
                      .hash_log = 22,
                      .chain_log = 23,
                      .search_log = 9,
                      .target_length = 999},
        .base = {.level = 22},
        .name_level = 22,
        .keys_paged = true,
        .tuple_delta = true,
    },
    {
        .profile = PSOPACK_PROFILE_STORED,
        .blocks = {64 * KIB, 64 * KIB, 64 * KIB},
        .members_max = 1,
        .split_size = 8 * MIB,
        .block_align = 16,
        .name_level = 3,
    },
    {
        .profile = PSOPACK_PROFILE_DIRECTSTORAGE,
        .compress = true,
        .plain_frames = true,
        .similarity = true,
        .blocks = {256 * KIB, 256 * KIB, 256 * KIB},
        .members_max = 256,
        .split_size = 256 * KIB,
        .block_align = 4,
        .block = {.level = 19},
        .name_level = 19,
    },
};

static const char *const profile_names[] = {"balanced", "fast", "small", "stored", "directstorage"};

#define PROFILE_COUNT (sizeof profile_names / sizeof profile_names[0])

const psopack_profile_settings *psopack_profile_get(psopack_profile profile)
{
    return (size_t)profile < PROFILE_COUNT ? &profiles[profile] : NULL;
}

const char *psopack_profile_name(psopack_profile profile)
{
    return (size_t)profile < PROFILE_COUNT ? profile_names[profile] : "unknown";
}

psopack_status psopack_profile_find(const char *name, psopack_profile *ret_profile)
{
    for (size_t i = 0; i < PROFILE_COUNT; i++) {
        if (strcmp(name, profile_names[i]) == 0) {
            *ret_profile = (psopack_profile)i;
            return PSOPACK_OK;
        }
    }
    return PSOPACK_E_NOT_FOUND;
}
