/* SPDX-License-Identifier: MIT */
/* The table of resource binding tiers, row by row. */
#include "lint/tiers.h"

#define NO_LIMIT UINT64_MAX
#define FULL_HEAP UINT64_C(1000000) /* descriptors in a CBV/SRV/UAV heap on tiers 1 and 2 */
#define SAMPLER_HEAP UINT64_C(2048) /* samplers in a shader-visible heap, on every tier */
#define BIT(type) (1u << (type))

typedef struct tier_row {
    psopack_feature_level lowest_level;
    uint64_t heap;      /* CBV, SRV and UAV descriptors */
    uint64_t cbv;       /* per stage */
    uint64_t srv;       /* per stage */
    uint64_t uav;       /* across stages; 8 instead of 64 on tier 1 at feature level 11.0 */
    uint64_t sampler;   /* per stage */
    uint32_t unbounded; /* range types that may be, as a bit mask */
} tier_row;

static const tier_row tier_rows[PSOPACK_TIER_MAX] = {
    {PSOPACK_FEATURE_LEVEL_11_0, FULL_HEAP, 14, 128, 64, 16, 0},
    {PSOPACK_FEATURE_LEVEL_11_0, FULL_HEAP, 14, FULL_HEAP, 64, SAMPLER_HEAP,
     BIT(PSOPACK_RANGE_SRV) | BIT(PSOPACK_RANGE_SAMPLER)},
    {PSOPACK_FEATURE_LEVEL_11_1, NO_LIMIT, NO_LIMIT, NO_LIMIT, NO_LIMIT, SAMPLER_HEAP,
     BIT(PSOPACK_RANGE_SRV) | BIT(PSOPACK_RANGE_SAMPLER) | BIT(PSOPACK_RANGE_CBV) |
         BIT(PSOPACK_RANGE_UAV)},
};

#define UAV_AT_11_0 UINT64_C(8)

typedef struct misfit_list {
    psopack_misfit *items;
    size_t count;
} misfit_list;

static void check_number(misfit_list *list, psopack_rule_number rule, uint64_t measured,
                         uint64_t limit)
{
    if (measured > limit)
        list->items[list->count++] = (psopack_misfit){.rule = rule,
                                                      .stage = PSOPACK_STAGE_NONE,
                                                      .has_limit = true,
                                                      .measured = measured,
                                                      .limit = limit};
}

/* Checks the stage with the highest count; the first of equals. */
static void check_stages(misfit_list *list, psopack_rule_number rule,
                         const uint64_t count[PSOPACK_STAGE_COUNT], uint64_t limit)
{
    unsigned highest = 0;
    for (unsigned stage = 1; stage < PSOPACK_STAGE_COUNT; stage++) {
        if (count[stage] > count[highest])
            highest = stage;
    }
    size_t before = list->count;
    check_number(list, rule, count[highest], limit);
    if (list->count > before)
        list->items[before].stage = (psopack_stage)highest;
}

static psopack_stage first_stage(uint32_t stages)
{
    unsigned stage = 0;
    while (stage < PSOPACK_STAGE_COUNT && !(stages & BIT(stage)))
        stage++;
    return (psopack_stage)stage;
}

static void check_unbounded(misfit_list *list, const psopack_binding *binding, uint32_t allowed)
{
    static const psopack_range_type order[PSOPACK_RANGE_TYPES] = {
        PSOPACK_RANGE_CBV, PSOPACK_RANGE_SRV, PSOPACK_RANGE_UAV, PSOPACK_RANGE_SAMPLER};
    for (unsigned i = 0; i < PSOPACK_RANGE_TYPES; i++) {
        psopack_range_type type = order[i];
        if (!binding->unbounded[type] || allowed & BIT(type))
            continue;
        list->items[list->count++] =
            (psopack_misfit){.rule = (psopack_rule_number)(PSOPACK_RULE_UNBOUNDED_CBV + i),
                             .stage = first_stage(binding->unbounded[type])};
    }
}

size_t psopack_tier_misfits(const psopack_binding *binding, int tier, psopack_feature_level level,
                            psopack_misfit ret_misfits[PSOPACK_MISFITS_MAX])
{
    const tier_row *row = &tier_rows[tier - 1];
    misfit_list list = {ret_misfits, 0};
    if (level == PSOPACK_FEATURE_LEVEL_UNSET)
        level = PSOPACK_FEATURE_LEVEL_11_1;
    if (level < row->lowest_level)
        list.items[list.count++] =
            (psopack_misfit){.rule = PSOPACK_RULE_FEATURE_LEVEL, .stage = PSOPACK_STAGE_NONE};
    uint64_t uav = tier == 1 && level == PSOPACK_FEATURE_LEVEL_11_0 ? UAV_AT_11_0 : row->uav;
    check_number(&list, PSOPACK_RULE_HEAP, binding->resource_table, row->heap);
    check_stages(&list, PSOPACK_RULE_CBV, binding->count[PSOPACK_RANGE_CBV], row->cbv);
    check_stages(&list, PSOPACK_RULE_SRV, binding->count[PSOPACK_RANGE_SRV], row->srv);
    check_number(&list, PSOPACK_RULE_UAV, binding->uav_all_stages, uav);
    if (list.count && list.items[list.count - 1].rule == PSOPACK_RULE_UAV)
        list.items[list.count - 1].all_stages = true;
    check_stages(&list, PSOPACK_RULE_SAMPLER, binding->count[PSOPACK_RANGE_SAMPLER], row->sampler);
    check_number(&list, PSOPACK_RULE_SAMPLER_HEAP, binding->sampler_table, SAMPLER_HEAP);
    check_unbounded(&list, binding, row->unbounded);
    return list.count;
}

int psopack_tier_lowest(const psopack_binding *binding, psopack_feature_level level,
                        psopack_misfit *ret_first)
{
    psopack_misfit misfits[PSOPACK_MISFITS_MAX];
    for (int tier = 1; tier <= PSOPACK_TIER_MAX; tier++) {
        if (!psopack_tier_misfits(binding, tier, level, misfits))
            return tier;
        *ret_first = misfits[0];
    }
    return PSOPACK_TIER_NONE;
}
