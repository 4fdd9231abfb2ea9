/* SPDX-License-Identifier: MIT */
/* Counting rules one by one, and the tier table at, below and above each of its numbers. */
#include "fixture.h"

#include "lint/tiers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#define BIT(n) (1u << (n))
#define PS PSOPACK_STAGE_PS
#define VS PSOPACK_STAGE_VS
#define CS PSOPACK_STAGE_CS

static psopack_binding count(made_rootsig *made, uint32_t stages)
{
    psopack_rootsig rootsig;
    psopack_binding binding;
    size_t size;
    if (!made->version)
        made->version = 2;
    uint8_t *bytes = make_rootsig(made, &size);
    assert_int_equal(psopack_rootsig_parse(bytes, size, &rootsig, NULL), PSOPACK_OK);
    assert_int_equal(psopack_binding_count(&rootsig, stages, &binding), PSOPACK_OK);
    psopack_rootsig_free(&rootsig);
    free(bytes);
    free_made(made);
    return binding;
}

static void test_all_counts_for_each_stage_of_the_pso(void **state)
{
    (void)state;
    made_rootsig made = {0};
    add_table(&made, SEE_ALL);
    add_range(&made, PSOPACK_RANGE_SRV, 7, 0, 0, APPEND);
    psopack_binding binding = count(&made, BIT(VS) | BIT(PS));
    assert_int_equal(binding.count[PSOPACK_RANGE_SRV][VS], 7);
    assert_int_equal(binding.count[PSOPACK_RANGE_SRV][PS], 7);
    assert_int_equal(binding.count[PSOPACK_RANGE_SRV][PSOPACK_STAGE_GS], 0);
    assert_int_equal(binding.count[PSOPACK_RANGE_CBV][PS], 0);
    assert_int_equal(binding.resource_table, 7);
    assert_int_equal(binding.sampler_table, 0);
}

static void test_visibility_names_one_stage(void **state)
{
    (void)state;
    for (uint32_t visibility = SEE_VS; visibility <= SEE_MS; visibility++) {
        made_rootsig made = {0};
        add_table(&made, visibility);
        add_range(&made, PSOPACK_RANGE_CBV, 3, 0, 0, APPEND);
        psopack_binding binding = count(&made, 0xff);
        for (unsigned stage = 0; stage < PSOPACK_STAGE_COUNT; stage++)
            assert_int_equal(binding.count[PSOPACK_RANGE_CBV][stage],
                             stage + 1 == visibility ? 3 : 0);
    }
}

static void test_deny_removes_a_stage(void **state)
{
    (void)state;
    const struct {
        uint32_t flag;
        psopack_stage stage;
    } rows[] = {
        {PSOPACK_ROOTSIG_DENY_VS, PSOPACK_STAGE_VS}, {PSOPACK_ROOTSIG_DENY_HS, PSOPACK_STAGE_HS},
        {PSOPACK_ROOTSIG_DENY_DS, PSOPACK_STAGE_DS}, {PSOPACK_ROOTSIG_DENY_GS, PSOPACK_STAGE_GS},
        {PSOPACK_ROOTSIG_DENY_PS, PSOPACK_STAGE_PS}, {PSOPACK_ROOTSIG_DENY_AS, PSOPACK_STAGE_AS},
        {PSOPACK_ROOTSIG_DENY_MS, PSOPACK_STAGE_MS},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        made_rootsig made = {.flags = rows[i].flag};
        add_table(&made, SEE_ALL);
        add_range(&made, PSOPACK_RANGE_SAMPLER, 9, 0, 0, APPEND);
        psopack_binding binding = count(&made, 0xff);
        for (unsigned stage = 0; stage < PSOPACK_STAGE_COUNT; stage++)
            assert_int_equal(binding.count[PSOPACK_RANGE_SAMPLER][stage],
                             stage == rows[i].stage ? 0 : 9);
    }
}

static void test_denied_everywhere_is_nothing(void **state)
{
    (void)state;
    made_rootsig made = {.flags = PSOPACK_ROOTSIG_DENY_PS};
    add_table(&made, SEE_PS);
    add_range(&made, PSOPACK_RANGE_UAV, 200, 0, 0, APPEND);
    add_range(&made, PSOPACK_RANGE_CBV, UNBOUNDED, 0, 0, APPEND);
    psopack_binding binding = count(&made, GRAPHICS);
    assert_int_equal(binding.uav_all_stages, 0);
    assert_int_equal(binding.unbounded[PSOPACK_RANGE_CBV], 0);
    assert_int_equal(binding.resource_table, 0);
}

static void test_compute_is_one_stage(void **state)
{
    (void)state;
    made_rootsig made = {.flags = PSOPACK_ROOTSIG_DENY_VS | PSOPACK_ROOTSIG_DENY_PS};
    add_table(&made, SEE_ALL);
    add_range(&made, PSOPACK_RANGE_CBV, 4, 0, 0, APPEND);
    add_table(&made, SEE_PS);
    add_range(&made, PSOPACK_RANGE_CBV, 8, 4, 0, APPEND);
    psopack_binding binding = count(&made, BIT(CS));
    assert_int_equal(binding.count[PSOPACK_RANGE_CBV][CS], 4);
    assert_int_equal(binding.count[PSOPACK_RANGE_CBV][PS], 0);
}

static void test_root_parameters_do_not_count(void **state)
{
    (void)state;
    made_rootsig made = {.constants = 30};
    psopack_binding binding = count(&made, GRAPHICS);
    for (unsigned type = 0; type < PSOPACK_RANGE_TYPES; type++)
        assert_int_equal(binding.count[type][PS], 0);
}

static void test_tables_add_up(void **state)
{
    (void)state;
    made_rootsig made = {0};
    add_table(&made, SEE_ALL);
    add_range(&made, PSOPACK_RANGE_SRV, 10, 0, 0, APPEND);
    add_range(&made, PSOPACK_RANGE_CBV, 2, 0, 0, APPEND);
    add_range(&made, PSOPACK_RANGE_SRV, 10, 10, 0, APPEND);
    add_table(&made, SEE_PS);
    add_range(&made, PSOPACK_RANGE_SRV, 5, 20, 0, APPEND);
    psopack_binding binding = count(&made, GRAPHICS);
    assert_int_equal(binding.count[PSOPACK_RANGE_SRV][PS], 25);
    assert_int_equal(binding.count[PSOPACK_RANGE_SRV][VS], 20);
    assert_int_equal(binding.count[PSOPACK_RANGE_CBV][VS], 2);
    assert_int_equal(binding.resource_table, 22);
}

/* One place under two registers, as bindless textures of several types declare it. */
static void test_same_places_count_once(void **state)
{
    (void)state;
    made_rootsig made = {0};
    add_table(&made, SEE_ALL);
    add_range(&made, PSOPACK_RANGE_SRV, 10, 0, 0, 0);
    add_range(&made, PSOPACK_RANGE_SRV, 10, 0, 1, 0);
    add_range(&made, PSOPACK_RANGE_SRV, 10, 0, 2, 5);
    psopack_binding binding = count(&made, BIT(PS) | BIT(VS));
    assert_int_equal(binding.count[PSOPACK_RANGE_SRV][PS], 15);
    assert_int_equal(binding.resource_table, 15);
}

static void test_same_registers_count_once(void **state)
{
    (void)state;
    made_rootsig made = {0};
    add_table(&made, SEE_ALL);
    add_range(&made, PSOPACK_RANGE_SRV, 10, 0, 0, APPEND);
    add_range(&made, PSOPACK_RANGE_SRV, 10, 5, 0, APPEND);
    add_table(&made, SEE_PS);
    add_range(&made, PSOPACK_RANGE_SRV, 10, 8, 0, APPEND);
    psopack_binding binding = count(&made, BIT(PS) | BIT(VS));
    assert_int_equal(binding.count[PSOPACK_RANGE_SRV][VS], 15);
    assert_int_equal(binding.count[PSOPACK_RANGE_SRV][PS], 18);
}

static void test_uavs_across_stages(void **state)
{
    (void)state;
    made_rootsig made = {0};
    add_table(&made, SEE_ALL); /* one descriptor each, however many stages see it */
    add_range(&made, PSOPACK_RANGE_UAV, 4, 0, 0, APPEND);
    psopack_binding binding = count(&made, GRAPHICS);
    assert_int_equal(binding.uav_all_stages, 4);
    assert_int_equal(binding.count[PSOPACK_RANGE_UAV][PS], 4);

    made = (made_rootsig){0};
    add_table(&made, SEE_VS); /* the same registers, but two descriptors */
    add_range(&made, PSOPACK_RANGE_UAV, 4, 0, 0, APPEND);
    add_table(&made, SEE_PS);
    add_range(&made, PSOPACK_RANGE_UAV, 4, 0, 0, APPEND);
    add_table(&made, SEE_GS);
    add_range(&made, PSOPACK_RANGE_UAV, 4, 0, 0, APPEND);
    binding = count(&made, BIT(VS) | BIT(PS));
    assert_int_equal(binding.uav_all_stages, 8);

    made = (made_rootsig){0};
    add_table(&made, SEE_ALL);
    add_range(&made, PSOPACK_RANGE_UAV, 4, 0, 0, APPEND);
    add_table(&made, SEE_PS);
    add_range(&made, PSOPACK_RANGE_UAV, 4, 2, 0, APPEND);
    binding = count(&made, BIT(VS) | BIT(PS));
    assert_int_equal(binding.uav_all_stages, 6);
}

static void test_unbounded_is_kept_apart(void **state)
{
    (void)state;
    made_rootsig made = {0};
    add_table(&made, SEE_PS);
    add_range(&made, PSOPACK_RANGE_SRV, 3, 0, 0, APPEND);
    add_range(&made, PSOPACK_RANGE_SRV, UNBOUNDED, 0, 1, APPEND);
    psopack_binding binding = count(&made, GRAPHICS);
    assert_int_equal(binding.count[PSOPACK_RANGE_SRV][PS], 3);
    assert_int_equal(binding.unbounded[PSOPACK_RANGE_SRV], BIT(PS));
}

static void test_large_counts_do_not_wrap(void **state)
{
    (void)state;
    made_rootsig made = {0};
    for (uint32_t i = 0; i < 8; i++) {
        add_table(&made, SEE_PS);
        add_range(&made, PSOPACK_RANGE_SRV, UINT32_MAX - 1, 0, i, UINT32_MAX - 1);
    }
    psopack_binding binding = count(&made, BIT(PS));
    assert_true(binding.count[PSOPACK_RANGE_SRV][PS] == 8 * UINT64_C(0xfffffffe));
    assert_true(binding.resource_table == 2 * UINT64_C(0xfffffffe));
}

typedef struct tier_case {
    uint32_t type, count;
    psopack_feature_level level;
    int tier;
    psopack_rule_number rule; /* of the tier below */
    uint64_t limit;
} tier_case;

static void check_case(const tier_case *row, uint32_t visibility, uint32_t stages)
{
    made_rootsig made = {0};
    add_table(&made, visibility);
    add_range(&made, row->type, row->count, 0, 0, APPEND);
    psopack_binding binding = count(&made, stages);
    psopack_misfit first = {0};
    int tier = psopack_tier_lowest(&binding, row->level, &first);
    if (tier != row->tier)
        fail_msg("type %u, %u descriptors: tier %d, expected %d", (unsigned)row->type,
                 (unsigned)row->count, tier, row->tier);
    if (tier == 1)
        return;
    assert_int_equal(first.rule, row->rule);
    if (first.has_limit) {
        assert_int_equal(first.limit, row->limit);
        assert_int_equal(first.measured, row->count);
    }
}

#define L11_0 PSOPACK_FEATURE_LEVEL_11_0
#define L11_1 PSOPACK_FEATURE_LEVEL_11_1
#define L12_2 PSOPACK_FEATURE_LEVEL_12_2
#define NO_LEVEL PSOPACK_FEATURE_LEVEL_UNSET

static void test_table_boundaries(void **state)
{
    (void)state;
    static const tier_case rows[] = {
        {PSOPACK_RANGE_CBV, 13, L11_1, 1, 0, 0},
        {PSOPACK_RANGE_CBV, 14, L11_1, 1, 0, 0},
        {PSOPACK_RANGE_CBV, 15, L11_1, 3, PSOPACK_RULE_CBV, 14},
        {PSOPACK_RANGE_CBV, 14, L11_0, 1, 0, 0},
        {PSOPACK_RANGE_CBV, 15, L11_0, PSOPACK_TIER_NONE, PSOPACK_RULE_FEATURE_LEVEL, 0},
        {PSOPACK_RANGE_CBV, 15, L12_2, 3, PSOPACK_RULE_CBV, 14},
        {PSOPACK_RANGE_SRV, 127, L11_1, 1, 0, 0},
        {PSOPACK_RANGE_SRV, 128, L11_1, 1, 0, 0},
        {PSOPACK_RANGE_SRV, 129, L11_1, 2, PSOPACK_RULE_SRV, 128},
        {PSOPACK_RANGE_SRV, 999999, L11_1, 2, PSOPACK_RULE_SRV, 128},
        {PSOPACK_RANGE_SRV, 1000000, L11_1, 2, PSOPACK_RULE_SRV, 128},
        {PSOPACK_RANGE_SRV, 1000001, L11_1, 3, PSOPACK_RULE_HEAP, 1000000},
        {PSOPACK_RANGE_SRV, 1000001, L11_0, PSOPACK_TIER_NONE, PSOPACK_RULE_FEATURE_LEVEL, 0},
        {PSOPACK_RANGE_UAV, 7, L11_0, 1, 0, 0},
        {PSOPACK_RANGE_UAV, 8, L11_0, 1, 0, 0},
        {PSOPACK_RANGE_UAV, 9, L11_0, 2, PSOPACK_RULE_UAV, 8},
        {PSOPACK_RANGE_UAV, 9, L11_1, 1, 0, 0},
        {PSOPACK_RANGE_UAV, 9, NO_LEVEL, 1, 0, 0},
        {PSOPACK_RANGE_UAV, 63, L11_1, 1, 0, 0},
        {PSOPACK_RANGE_UAV, 64, L11_1, 1, 0, 0},
        {PSOPACK_RANGE_UAV, 65, L11_1, 3, PSOPACK_RULE_UAV, 64},
        {PSOPACK_RANGE_UAV, 64, L11_0, 2, PSOPACK_RULE_UAV, 8},
        {PSOPACK_RANGE_UAV, 65, L11_0, PSOPACK_TIER_NONE, PSOPACK_RULE_FEATURE_LEVEL, 0},
        {PSOPACK_RANGE_SAMPLER, 15, L11_1, 1, 0, 0},
        {PSOPACK_RANGE_SAMPLER, 16, L11_1, 1, 0, 0},
        {PSOPACK_RANGE_SAMPLER, 17, L11_1, 2, PSOPACK_RULE_SAMPLER, 16},
        {PSOPACK_RANGE_SAMPLER, 2047, L11_1, 2, PSOPACK_RULE_SAMPLER, 16},
        {PSOPACK_RANGE_SAMPLER, 2048, L11_1, 2, PSOPACK_RULE_SAMPLER, 16},
        {PSOPACK_RANGE_SAMPLER, 2049, L11_1, PSOPACK_TIER_NONE, PSOPACK_RULE_SAMPLER, 2048},
        {PSOPACK_RANGE_CBV, UNBOUNDED, L11_1, 3, PSOPACK_RULE_UNBOUNDED_CBV, 0},
        {PSOPACK_RANGE_SRV, UNBOUNDED, L11_1, 2, PSOPACK_RULE_UNBOUNDED_SRV, 0},
        {PSOPACK_RANGE_UAV, UNBOUNDED, L11_1, 3, PSOPACK_RULE_UNBOUNDED_UAV, 0},
        {PSOPACK_RANGE_SAMPLER, UNBOUNDED, L11_1, 2, PSOPACK_RULE_UNBOUNDED_SAMPLER, 0},
        {PSOPACK_RANGE_CBV, UNBOUNDED, L11_0, PSOPACK_TIER_NONE, PSOPACK_RULE_FEATURE_LEVEL, 0},
        {PSOPACK_RANGE_CBV, UNBOUNDED - 1, L11_1, 3, PSOPACK_RULE_HEAP, 1000000},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        check_case(&rows[i], SEE_ALL, GRAPHICS);
        check_case(&rows[i], SEE_PS, GRAPHICS);
        check_case(&rows[i], SEE_ALL, BIT(CS));
    }
}

/* Two tables below the heap limit each, above it together: a full heap is per stage too. */
static void test_srvs_of_two_tables_fill_a_heap(void **state)
{
    (void)state;
    for (uint32_t extra = 0; extra < 2; extra++) {
        made_rootsig made = {0};
        add_table(&made, SEE_PS);
        add_range(&made, PSOPACK_RANGE_SRV, 500000, 0, 0, APPEND);
        add_table(&made, SEE_PS);
        add_range(&made, PSOPACK_RANGE_SRV, 500000 + extra, 500000, 0, APPEND);
        psopack_binding binding = count(&made, GRAPHICS);
        psopack_misfit first;
        assert_int_equal(psopack_tier_lowest(&binding, L11_1, &first), extra ? 3 : 2);
        assert_int_equal(first.rule, PSOPACK_RULE_SRV);
        assert_int_equal(first.limit, extra ? 1000000 : 128);
        assert_int_equal(first.stage, PS);
    }
}

static void test_sampler_heap_bounds_one_table(void **state)
{
    (void)state;
    for (uint32_t extra = 0; extra < 3; extra++) { /* a gap: few samplers, a long table */
        made_rootsig made = {0};
        add_table(&made, SEE_PS);
        add_range(&made, PSOPACK_RANGE_SAMPLER, 1, 0, 0, 2046 + extra);
        psopack_binding binding = count(&made, GRAPHICS);
        psopack_misfit first;
        int tier = psopack_tier_lowest(&binding, L11_1, &first);
        assert_int_equal(tier, extra == 2 ? PSOPACK_TIER_NONE : 1);
        if (extra == 2)
            assert_int_equal(first.rule, PSOPACK_RULE_SAMPLER_HEAP);
    }
}

static void test_stages_from_slots(void **state)
{
    (void)state;
    assert_int_equal(psopack_stage_of_slot("ps.instructions"), PS);
    assert_int_equal(psopack_stage_of_slot("ps"), PS);
    assert_int_equal(psopack_stage_of_slot("psx.instructions"), PSOPACK_STAGE_NONE);
    assert_int_equal(psopack_stage_of_slot("state"), PSOPACK_STAGE_NONE);
    assert_int_equal(psopack_stage_of_slot(""), PSOPACK_STAGE_NONE);
    assert_int_equal(psopack_stages_complete(BIT(PS)), BIT(PS) | BIT(VS));
    assert_int_equal(psopack_stages_complete(BIT(CS)), BIT(CS));
    assert_int_equal(psopack_stages_complete(BIT(PSOPACK_STAGE_HS)), BIT(VS) | 6u);
    assert_int_equal(psopack_stages_complete(BIT(PSOPACK_STAGE_GS)), BIT(VS) | 8u);
    assert_int_equal(psopack_stages_complete(BIT(PSOPACK_STAGE_MS)), BIT(PSOPACK_STAGE_MS));
    assert_int_equal(psopack_stages_complete(0), GRAPHICS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_counts_for_each_stage_of_the_pso),
        cmocka_unit_test(test_visibility_names_one_stage),
        cmocka_unit_test(test_deny_removes_a_stage),
        cmocka_unit_test(test_denied_everywhere_is_nothing),
        cmocka_unit_test(test_compute_is_one_stage),
        cmocka_unit_test(test_root_parameters_do_not_count),
        cmocka_unit_test(test_tables_add_up),
        cmocka_unit_test(test_same_places_count_once),
        cmocka_unit_test(test_same_registers_count_once),
        cmocka_unit_test(test_uavs_across_stages),
        cmocka_unit_test(test_unbounded_is_kept_apart),
        cmocka_unit_test(test_large_counts_do_not_wrap),
        cmocka_unit_test(test_table_boundaries),
        cmocka_unit_test(test_srvs_of_two_tables_fill_a_heap),
        cmocka_unit_test(test_sampler_heap_bounds_one_table),
        cmocka_unit_test(test_stages_from_slots),
    };
    return cmocka_run_group_tests_name("lint binding", tests, NULL, NULL);
}
