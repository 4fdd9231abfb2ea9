/* SPDX-License-Identifier: MIT */
/* Sketches tell likeness; block cuts keep limits, bring like items together, stay near-linear. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "packer/block_cut.h"

static uint32_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (uint32_t)(*state >> 32);
}

/* `families` random strings; item i is family i % families with one byte of its own. */
typedef struct item_set {
    psopack_item *items;
    psopack_sketch *sketches;
    uint8_t *bytes;
    size_t count;
} item_set;

static item_set make_families(size_t count, size_t families, size_t size)
{
    item_set set = {.count = count};
    uint64_t state = 42;
    set.bytes = malloc(count * size);
    set.items = malloc(count * sizeof *set.items);
    set.sketches = malloc(count * sizeof *set.sketches);
    assert_true(set.bytes != NULL && set.items != NULL && set.sketches != NULL);
    for (size_t i = 0; i < count; i++) {
        uint8_t *bytes = set.bytes + i * size;
        for (size_t at = 0; at < size; at++)
            bytes[at] =
                i < families ? (uint8_t)next_random(&state) : set.bytes[i % families * size + at];
        bytes[next_random(&state) % size] ^= 0x55;
        set.items[i] = (psopack_item){bytes, size};
        psopack_sketch_item(&set.sketches[i], bytes, size, 4);
    }
    return set;
}

static void free_set(item_set *set)
{
    free(set->bytes);
    free(set->items);
    free(set->sketches);
}

/* A cut is a permutation in which every block keeps the limits. */
static void assert_cut_is_valid(const psopack_cut *cut, const psopack_item *items, size_t count,
                                const psopack_cut_limits *limits)
{
    uint8_t *seen = calloc(count + 1, 1);
    assert_non_null(seen);
    assert_int_equal(cut->first[0], 0);
    assert_int_equal(cut->first[cut->block_count], count);
    for (size_t block = 0; block < cut->block_count; block++) {
        size_t bytes = 0, members = cut->first[block + 1] - cut->first[block];
        assert_in_range(members, 1, limits->members_max);
        for (size_t i = cut->first[block]; i < cut->first[block + 1]; i++) {
            assert_true(cut->order[i] < count);
            assert_int_equal(seen[cut->order[i]]++, 0);
            bytes += items[cut->order[i]].size;
        }
        assert_true(bytes <= limits->target_bytes || members == 1);
    }
    free(seen);
}

static psopack_cut cut_set(const item_set *set, size_t target, uint32_t members)
{
    psopack_cut cut;
    psopack_cut_limits limits = {target, members};
    assert_int_equal(
        psopack_cut_by_similarity(&cut, set->items, set->sketches, set->count, &limits, NULL),
        PSOPACK_OK);
    assert_cut_is_valid(&cut, set->items, set->count, &limits);
    return cut;
}

static void test_step_follows_sizes(void **state)
{
    (void)state;
    psopack_item words[2] = {{NULL, 0}, {(const uint8_t *)"abcdefgh", 8}};
    psopack_item text[2] = {{(const uint8_t *)"abcd", 4}, {(const uint8_t *)"abcde", 5}};
    assert_int_equal(psopack_window_step(words, 2), 4);
    assert_int_equal(psopack_window_step(text, 2), 1);
}

static void test_sketch_tells_likeness(void **state)
{
    (void)state;
    item_set set = make_families(4, 2, 2048);
    assert_int_equal(psopack_sketch_equal_lanes(&set.sketches[0], &set.sketches[0]),
                     PSOPACK_SKETCH_LANES);
    assert_in_range(psopack_sketch_equal_lanes(&set.sketches[0], &set.sketches[2]),
                    PSOPACK_SKETCH_LANES / 2, PSOPACK_SKETCH_LANES);
    assert_int_equal(psopack_sketch_equal_lanes(&set.sketches[0], &set.sketches[1]), 0);
    free_set(&set);
}

/* Exactly sized copies: the sanitizer sees a window that reaches past the end. */
static void test_sketch_of_every_small_size(void **state)
{
    (void)state;
    for (size_t size = 0; size < 100; size++) {
        uint8_t *bytes = calloc(size + (size == 0), 1);
        psopack_sketch sketch;
        assert_non_null(bytes);
        psopack_sketch_item(&sketch, bytes, size, 1);
        assert_int_equal(psopack_sketch_equal_lanes(&sketch, &sketch), size >= 4 ? 1 : 0);
        free(bytes);
    }
}

static void test_blocks_hold_one_family(void **state)
{
    (void)state;
    enum { FAMILIES = 7, COUNT = FAMILIES * 8, SIZE = 1024 };
    item_set set = make_families(COUNT, FAMILIES, SIZE);
    psopack_cut cut = cut_set(&set, 8 * SIZE, 128);
    assert_int_equal(cut.block_count, FAMILIES);
    for (size_t block = 0; block < cut.block_count; block++)
        for (size_t i = cut.first[block]; i < cut.first[block + 1]; i++)
            assert_int_equal(cut.order[i] % FAMILIES, cut.order[cut.first[block]] % FAMILIES);
    psopack_cut_free(&cut);
    free_set(&set);
}

static void test_limits_hold_for_any_sizes(void **state)
{
    (void)state;
    enum { COUNT = 3000 };
    item_set set = make_families(COUNT, 50, 600);
    uint64_t random = 7;
    for (size_t i = 0; i < COUNT; i++) {
        set.items[i].size = next_random(&random) % 10 == 0 ? 0 : next_random(&random) % 601;
        psopack_sketch_item(&set.sketches[i], set.items[i].bytes, set.items[i].size, 4);
    }
    const psopack_cut_limits limits[] = {{512, 128}, {4096, 3}, {16384, 128}, {0, 1}, {1, 4096}};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        psopack_cut cut = cut_set(&set, limits[i].target_bytes, limits[i].members_max);
        psopack_cut_free(&cut);
        assert_int_equal(psopack_cut_in_order(&cut, set.items, COUNT, &limits[i], NULL),
                         PSOPACK_OK);
        assert_cut_is_valid(&cut, set.items, COUNT, &limits[i]);
        for (uint32_t at = 0; at < COUNT; at++)
            assert_int_equal(cut.order[at], at);
        psopack_cut_free(&cut);
    }
    free_set(&set);
}

static void test_result_depends_on_items_only(void **state)
{
    (void)state;
    item_set one = make_families(500, 9, 700), two = make_families(500, 9, 700);
    psopack_cut first = cut_set(&one, 16384, 128), second = cut_set(&two, 16384, 128);
    assert_int_equal(first.block_count, second.block_count);
    assert_memory_equal(first.order, second.order, 500 * sizeof *first.order);
    assert_memory_equal(first.first, second.first, (first.block_count + 1) * sizeof *first.first);
    psopack_cut_free(&first);
    psopack_cut_free(&second);
    free_set(&one);
    free_set(&two);
}

/* All pairs of 200,000 would be 4e10 comparisons: the test would not end. */
static void test_equal_items_stay_linear(void **state)
{
    (void)state;
    enum { COUNT = 200000 };
    static const uint8_t bytes[64] = {1, 2, 3};
    item_set set = {.count = COUNT};
    set.items = malloc(COUNT * sizeof *set.items);
    set.sketches = malloc(COUNT * sizeof *set.sketches);
    assert_true(set.items != NULL && set.sketches != NULL);
    for (size_t i = 0; i < COUNT; i++) {
        set.items[i] = (psopack_item){bytes, sizeof bytes};
        psopack_sketch_item(&set.sketches[i], bytes, sizeof bytes, 4);
    }
    psopack_cut cut = cut_set(&set, 65536, 100);
    assert_int_equal(cut.block_count, COUNT / 100);
    psopack_cut_free(&cut);
    free_set(&set);
}

static void test_no_items_and_bad_limits(void **state)
{
    (void)state;
    psopack_cut cut;
    psopack_diag diag = {0};
    psopack_cut_limits limits = {4096, 16};
    assert_int_equal(psopack_cut_by_similarity(&cut, NULL, NULL, 0, &limits, NULL), PSOPACK_OK);
    assert_int_equal(cut.block_count, 0);
    assert_int_equal(cut.first[0], 0);
    psopack_cut_free(&cut);
    assert_null(cut.order);
    limits.members_max = PSOPACK_CUT_MEMBERS_MAX + 1;
    assert_int_equal(psopack_cut_in_order(&cut, NULL, 0, &limits, &diag), PSOPACK_E_ARGUMENT);
    assert_non_null(strstr(diag.text, "4097"));
    limits.members_max = 0;
    assert_int_equal(psopack_cut_by_similarity(&cut, NULL, NULL, 0, &limits, NULL),
                     PSOPACK_E_ARGUMENT);
}

static void test_target_follows_compressed_size(void **state)
{
    (void)state;
    const psopack_cut_aim aim = {1024, 4096, 32768};
    assert_int_equal(psopack_cut_target(&aim, 1 << 20, 1 << 17, 1000), 8192); /* ratio 8 */
    assert_int_equal(psopack_cut_target(&aim, 1 << 20, 1 << 10, 1000), 32768);
    assert_int_equal(psopack_cut_target(&aim, 1 << 20, 1 << 20, 1000), 4096);
    assert_int_equal(psopack_cut_target(&aim, 1 << 20, 1 << 20, 64), 3 * (1 << 14)); /* mean 16 K */
    assert_int_equal(psopack_cut_target(&aim, 1 << 20, 1 << 20, 1), 65536);
    assert_int_equal(psopack_cut_target(&aim, 0, 0, 0), 32768);
    /* Kinds of terabytes: the same ratios. */
    uint64_t much = UINT64_C(1) << 62;
    assert_int_equal(psopack_cut_target(&aim, much, much / 8, much / 1000), 8192);
    assert_int_equal(psopack_cut_target(&aim, much, 1, much / 1000), 32768);
    assert_int_equal(psopack_cut_target(&aim, much, much, 1), 65536);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_step_follows_sizes),
        cmocka_unit_test(test_sketch_tells_likeness),
        cmocka_unit_test(test_sketch_of_every_small_size),
        cmocka_unit_test(test_blocks_hold_one_family),
        cmocka_unit_test(test_limits_hold_for_any_sizes),
        cmocka_unit_test(test_result_depends_on_items_only),
        cmocka_unit_test(test_equal_items_stay_linear),
        cmocka_unit_test(test_no_items_and_bad_limits),
        cmocka_unit_test(test_target_follows_compressed_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
