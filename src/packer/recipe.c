/* SPDX-License-Identifier: MIT */
#include "packer/recipe.h"

#include <psopack/psopack.h>
#include <stdio.h>

/* The fields of zstd's parameters, 0: as the level says. */
#define PARAMS "%d:%u:%u:%u:%u:%u"
#define PARAMS_OF(p)                                                                               \
    (p).level, (p).window_log, (p).hash_log, (p).chain_log, (p).search_log, (p).target_length

int psopack_recipe_describe(const psopack_profile_settings *settings, const uint8_t *order,
                            char *text, size_t size)
{
    const psopack_profile_settings *s = settings;
    int used =
        snprintf(text, size,
                 "psopack %s, plan %d; blocks %u/%u/%u x%u, split %llu, align %u, bases %llu; "
                 "level " PARAMS ", under bases " PARAMS ", bases " PARAMS ", names %d",
                 PSOPACK_VERSION, PSOPACK_PLAN_REVISION, s->blocks.packed_bytes, s->blocks.raw_min,
                 s->blocks.raw_max, s->members_max, (unsigned long long)s->split_size,
                 s->block_align, (unsigned long long)s->base_budget, PARAMS_OF(s->block),
                 PARAMS_OF(s->with_base), PARAMS_OF(s->base), s->name_level);
    const struct {
        bool set;
        const char *name;
    } ways[] = {{s->compress, "compress"},     {s->plain_frames, "frames"},
                {s->transforms, "transforms"}, {s->bases, "bases"},
                {s->similarity, "similarity"}, {s->tuple_delta, "tuple-delta"},
                {s->keys_paged, "paged keys"}};
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        if (ways[i].set)
            used += snprintf(text + used, size - (size_t)used, ", %s", ways[i].name);
    }
    if (!order)
        return used;
    used += snprintf(text + used, size - (size_t)used, "; order ");
    for (int i = 0; i < 16; i++)
        used += snprintf(text + used, size - (size_t)used, "%02x", order[i]);
    return used;
}
