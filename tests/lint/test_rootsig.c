/* SPDX-License-Identifier: MIT */
/*
 * Root signatures made by hand, versions 1.0 to 1.2 (no serializer here writes 1.2): what is read,
 * and that cut, flipped and hostile bytes end in a status. All inputs lie in blocks of exactly
 * their size, so that a sanitizer sees one byte too far.
 */
#include "fixture.h"

#include "lint/binding.h"
#include "lint/dxbc.h"
#include "lint/words.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define RTS0 44u /* where the part begins in made containers */

static void describe(made_rootsig *made, uint32_t version)
{
    *made = (made_rootsig){.version = version, .flags = PSOPACK_ROOTSIG_DENY_GS, .constants = 2};
    add_table(made, SEE_ALL);
    add_range(made, PSOPACK_RANGE_SRV, 5, 0, 0, APPEND);
    add_range(made, PSOPACK_RANGE_CBV, 3, 2, 1, APPEND);
    add_range(made, PSOPACK_RANGE_UAV, 2, 0, 0, 100);
    add_range(made, PSOPACK_RANGE_SRV, UNBOUNDED, 0, 7, APPEND);
    add_table(made, SEE_PS);
    add_range(made, PSOPACK_RANGE_SAMPLER, 4, 0, 0, APPEND);
    add_sampler(made, 11, 3, SEE_VS, 1);
    add_sampler(made, 11, 4, SEE_PS, 2);
}

static void test_every_field_is_read(void **state)
{
    (void)state;
    for (uint32_t version = 1; version <= 3; version++) {
        made_rootsig made;
        psopack_rootsig rootsig;
        size_t size;
        describe(&made, version);
        uint8_t *bytes = make_rootsig(&made, &size);
        assert_int_equal(psopack_rootsig_parse(bytes, size, &rootsig, NULL), PSOPACK_OK);
        assert_int_equal(rootsig.version, version);
        assert_int_equal(rootsig.flags, PSOPACK_ROOTSIG_DENY_GS);
        assert_int_equal(rootsig.parameter_count, 4);
        assert_int_equal(rootsig.table_count, 2);
        assert_int_equal(rootsig.range_count, 5);
        const uint64_t offsets[5] = {0, 5, 100, 102, 0};
        for (size_t i = 0; i < 5; i++)
            assert_int_equal(rootsig.ranges[i].offset, offsets[i]);
        assert_int_equal(rootsig.ranges[1].type, PSOPACK_RANGE_CBV);
        assert_int_equal(rootsig.ranges[1].count, 3);
        assert_int_equal(rootsig.ranges[1].base, 2);
        assert_int_equal(rootsig.ranges[1].space, 1);
        assert_true(rootsig.ranges[3].unbounded);
        assert_int_equal(rootsig.ranges[4].visibility, SEE_PS);
        assert_int_equal(rootsig.ranges[4].table, 1);
        assert_int_equal(rootsig.sampler_count, 2);
        assert_int_equal(rootsig.samplers[1].shader_register, 4);
        assert_int_equal(rootsig.samplers[1].visibility, SEE_PS);
        assert_int_equal(rootsig.samplers[0].state[4], 11);
        assert_int_equal(rootsig.samplers[1].state[10], version == 3 ? 2 : 0);
        psopack_rootsig_free(&rootsig);
        free(bytes);
        free_made(&made);
    }
}

static void test_cut_at_every_length_fails(void **state)
{
    (void)state;
    for (uint32_t version = 1; version <= 3; version++) {
        made_rootsig made;
        size_t size;
        describe(&made, version);
        uint8_t *bytes = make_rootsig(&made, &size);
        for (size_t cut = 0; cut < size; cut++) {
            uint8_t *copy = malloc(cut ? cut : 1);
            memcpy(copy, bytes, cut);
            psopack_rootsig rootsig;
            psopack_diag diag = {0};
            assert_true(psopack_dxbc_is(copy, cut));
            assert_int_equal(psopack_rootsig_parse(copy, cut, &rootsig, &diag),
                             PSOPACK_E_TRUNCATED);
            assert_true(diag.text[0] != '\0' && diag.offset <= cut);
            free(copy);
        }
        free(bytes);
        free_made(&made);
    }
}

/* Cut, with a total size that lies about it: the parts then say what is missing. */
static void test_cut_with_patched_size_fails(void **state)
{
    (void)state;
    made_rootsig made;
    size_t size;
    describe(&made, 3);
    uint8_t *bytes = make_rootsig(&made, &size);
    for (size_t cut = 32; cut < size; cut++) {
        uint8_t *copy = malloc(cut);
        memcpy(copy, bytes, cut);
        psopack_lint_store32(copy + 24, (uint32_t)cut);
        if (cut >= RTS0)
            psopack_lint_store32(copy + 40, (uint32_t)(cut - RTS0));
        psopack_rootsig rootsig;
        psopack_status status = psopack_rootsig_parse(copy, cut, &rootsig, NULL);
        assert_true(status == PSOPACK_E_TRUNCATED || status == PSOPACK_E_CORRUPT);
        free(copy);
    }
    free(bytes);
    free_made(&made);
}

static void use(const psopack_rootsig *rootsig)
{
    psopack_binding binding;
    uint32_t problems;
    assert_int_equal(psopack_binding_count(rootsig, 0xff, &binding), PSOPACK_OK);
    assert_int_equal(psopack_rootsig_problems(rootsig, &problems), PSOPACK_OK);
    psopack_binding_longest(rootsig, false);
}

/* A flipped register or flag is still a root signature; a flipped count or offset may not be. */
static void test_every_bit_flipped_is_answered(void **state)
{
    (void)state;
    size_t refused = 0;
    for (uint32_t version = 1; version <= 3; version++) {
        made_rootsig made;
        size_t size;
        describe(&made, version);
        uint8_t *bytes = make_rootsig(&made, &size);
        for (size_t bit = 0; bit < 8 * size; bit++) {
            psopack_rootsig rootsig;
            psopack_diag diag = {0};
            bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
            psopack_status status = psopack_rootsig_parse(bytes, size, &rootsig, &diag);
            if (status == PSOPACK_OK) {
                use(&rootsig);
                psopack_rootsig_free(&rootsig);
            } else {
                assert_int_equal(diag.code, status);
                assert_true(diag.text[0] != '\0' && diag.offset <= size);
                refused++;
            }
            bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        }
        free(bytes);
        free_made(&made);
    }
    assert_true(refused > 100);
}

/* Offsets are those of the container that describe() gives in version 2. */
static void test_hostile_words_are_refused(void **state)
{
    (void)state;
    const struct {
        size_t at;
        uint32_t value;
        psopack_status status;
    } rows[] = {
        {0, 0x30425844, PSOPACK_E_CORRUPT},    /* magic */
        {20, 2, PSOPACK_E_VERSION},            /* container version */
        {24, UINT32_MAX, PSOPACK_E_TRUNCATED}, /* total size */
        {24, 1, PSOPACK_E_EXTENDED},
        {28, UINT32_MAX, PSOPACK_E_CORRUPT}, /* parts */
        {28, 0, PSOPACK_E_NOT_FOUND},
        {32, UINT32_MAX, PSOPACK_E_CORRUPT}, /* offset of the part */
        {32, UINT32_MAX - 7, PSOPACK_E_CORRUPT},
        {32, 35, PSOPACK_E_CORRUPT},
        {36, 0x31535452, PSOPACK_E_NOT_FOUND}, /* RTS1 */
        {40, UINT32_MAX, PSOPACK_E_CORRUPT},   /* size of the part */
        {40, 23, PSOPACK_E_TRUNCATED},
        {RTS0, 0, PSOPACK_E_VERSION},
        {RTS0, 4, PSOPACK_E_VERSION},
        {RTS0 + 4, UINT32_MAX, PSOPACK_E_CORRUPT}, /* parameters */
        {RTS0 + 8, UINT32_MAX, PSOPACK_E_CORRUPT}, /* their offset */
        {RTS0 + 8, UINT32_MAX - 47, PSOPACK_E_CORRUPT},
        {RTS0 + 12, UINT32_MAX, PSOPACK_E_CORRUPT}, /* samplers */
        {RTS0 + 16, UINT32_MAX - 51, PSOPACK_E_CORRUPT},
        {RTS0 + 24, 5, PSOPACK_E_CORRUPT},          /* parameter type */
        {RTS0 + 28, 8, PSOPACK_E_CORRUPT},          /* visibility */
        {RTS0 + 32, UINT32_MAX, PSOPACK_E_CORRUPT}, /* payload */
        {RTS0 + 72, UINT32_MAX, PSOPACK_E_CORRUPT}, /* ranges of the first table */
        {RTS0 + 72, 0x10000000, PSOPACK_E_CORRUPT},
        {RTS0 + 76, UINT32_MAX - 95, PSOPACK_E_CORRUPT}, /* their offset */
        {RTS0 + 80, 4, PSOPACK_E_CORRUPT},               /* range type */
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        made_rootsig made;
        psopack_rootsig rootsig;
        psopack_diag diag = {0};
        size_t size;
        describe(&made, 2);
        uint8_t *bytes = make_rootsig(&made, &size);
        psopack_lint_store32(bytes + rows[i].at, rows[i].value);
        psopack_status status = psopack_rootsig_parse(bytes, size, &rootsig, &diag);
        if (status != rows[i].status)
            fail_msg("row %zu: %s, %s", i, psopack_status_name(status), diag.text);
        free(bytes);
        free_made(&made);
    }
}

/* All parameters share one long list of ranges: small input, large claim. */
static void test_shared_payloads_hit_the_limit(void **state)
{
    (void)state;
    made_rootsig made = {.version = 1};
    psopack_rootsig rootsig;
    psopack_diag diag = {0};
    size_t size;
    for (uint32_t table = 0; table < 64; table++)
        add_table(&made, SEE_ALL);
    for (uint32_t i = 0; i < 257; i++)
        add_range(&made, PSOPACK_RANGE_SRV, 1, i, 0, APPEND);
    uint8_t *bytes = make_rootsig(&made, &size);
    uint32_t last = psopack_lint_load32(bytes + RTS0 + 24 + 12 * 63 + 8);
    for (uint32_t table = 0; table < 64; table++)
        psopack_lint_store32(bytes + RTS0 + 24 + 12 * table + 8, last);
    assert_int_equal(psopack_rootsig_parse(bytes, size, &rootsig, &diag), PSOPACK_E_LIMIT);
    assert_non_null(strstr(diag.text, "16384 descriptor ranges"));
    psopack_lint_store32(bytes + RTS0 + last, 256); /* 64 * 256 is the limit */
    assert_int_equal(psopack_rootsig_parse(bytes, size, &rootsig, NULL), PSOPACK_OK);
    assert_int_equal(rootsig.range_count, PSOPACK_ROOTSIG_RANGES_MAX);
    use(&rootsig);
    psopack_rootsig_free(&rootsig);
    free(bytes);
    free_made(&made);
}

static void test_two_parts_and_other_parts(void **state)
{
    (void)state;
    /* Header with three parts: SHEX, RTS0, and a third that the rows name. */
    uint8_t bytes[32 + 12 + 8 + 4 + 8 + 24 + 8] = {0};
    psopack_rootsig rootsig;
    psopack_diag diag = {0};
    memcpy(bytes, "DXBC", 4);
    psopack_lint_store32(bytes + 20, 1);
    psopack_lint_store32(bytes + 24, sizeof bytes);
    psopack_lint_store32(bytes + 28, 3);
    psopack_lint_store32(bytes + 32, 44);
    psopack_lint_store32(bytes + 36, 56);
    psopack_lint_store32(bytes + 40, 88);
    memcpy(bytes + 44, "SHEX\4", 5);
    memcpy(bytes + 56, "RTS0\x18", 5);
    psopack_lint_store32(bytes + 64, 2);
    memcpy(bytes + 88, "PRIV", 4);
    assert_int_equal(psopack_rootsig_parse(bytes, sizeof bytes, &rootsig, NULL), PSOPACK_OK);
    assert_int_equal(rootsig.range_count, 0);
    psopack_rootsig_free(&rootsig);
    memcpy(bytes + 88, "RTS0", 4);
    assert_int_equal(psopack_rootsig_parse(bytes, sizeof bytes, &rootsig, &diag),
                     PSOPACK_E_CORRUPT);
    assert_non_null(strstr(diag.text, "two RTS0 parts"));
    memcpy(bytes + 88, "PRIV\1", 5); /* a foreign part is checked too */
    assert_int_equal(psopack_rootsig_parse(bytes, sizeof bytes, &rootsig, NULL), PSOPACK_E_CORRUPT);
}

static uint32_t problems_of(made_rootsig *made)
{
    psopack_rootsig rootsig;
    uint32_t problems;
    size_t size;
    uint8_t *bytes = make_rootsig(made, &size);
    assert_int_equal(psopack_rootsig_parse(bytes, size, &rootsig, NULL), PSOPACK_OK);
    assert_int_equal(psopack_rootsig_problems(&rootsig, &problems), PSOPACK_OK);
    psopack_rootsig_free(&rootsig);
    free(bytes);
    free_made(made);
    return problems;
}

static void test_what_d3d12_refuses_is_told(void **state)
{
    (void)state;
    made_rootsig made = {.version = 2};
    add_table(&made, SEE_ALL);
    add_range(&made, PSOPACK_RANGE_SRV, 0, 0, 0, APPEND);
    assert_int_equal(problems_of(&made), PSOPACK_ROOTSIG_EMPTY_RANGE);

    made = (made_rootsig){.version = 2};
    add_table(&made, SEE_ALL);
    add_range(&made, PSOPACK_RANGE_SRV, UNBOUNDED, 0, 0, APPEND);
    add_range(&made, PSOPACK_RANGE_UAV, 1, 0, 0, APPEND);
    assert_int_equal(problems_of(&made), PSOPACK_ROOTSIG_AFTER_UNBOUNDED);

    made = (made_rootsig){.version = 2};
    add_table(&made, SEE_ALL);
    add_range(&made, PSOPACK_RANGE_SRV, 2, UINT32_MAX, 0, APPEND);
    assert_int_equal(problems_of(&made), PSOPACK_ROOTSIG_REGISTER_END);

    made = (made_rootsig){.version = 2};
    add_table(&made, SEE_ALL);
    add_range(&made, PSOPACK_RANGE_SRV, 1, UINT32_MAX, 0, APPEND);
    add_range(&made, PSOPACK_RANGE_SAMPLER, 1, 0, 0, APPEND);
    assert_int_equal(problems_of(&made), PSOPACK_ROOTSIG_MIXED_TABLE);
}

static void test_register_overlap_is_per_stage_space_and_type(void **state)
{
    (void)state;
    const struct {
        uint32_t type, visibility, base, space;
        bool overlaps;
    } rows[] = {
        {PSOPACK_RANGE_SRV, SEE_ALL, 3, 0, true},  {PSOPACK_RANGE_SRV, SEE_ALL, 4, 0, false},
        {PSOPACK_RANGE_SRV, SEE_VS, 3, 0, true},   {PSOPACK_RANGE_SRV, SEE_ALL, 3, 1, false},
        {PSOPACK_RANGE_CBV, SEE_ALL, 3, 0, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        made_rootsig made = {.version = 1};
        add_table(&made, SEE_ALL);
        add_range(&made, PSOPACK_RANGE_SRV, 4, 0, 0, APPEND);
        add_table(&made, rows[i].visibility);
        add_range(&made, rows[i].type, 1, rows[i].base, rows[i].space, APPEND);
        assert_int_equal(problems_of(&made),
                         rows[i].overlaps ? PSOPACK_ROOTSIG_REGISTER_OVERLAP : 0);
    }
    made_rootsig made = {.version = 1}; /* two stages, each its own register 0 */
    add_table(&made, SEE_VS);
    add_range(&made, PSOPACK_RANGE_SRV, 4, 0, 0, APPEND);
    add_table(&made, SEE_PS);
    add_range(&made, PSOPACK_RANGE_SRV, 4, 0, 0, APPEND);
    assert_int_equal(problems_of(&made), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_field_is_read),
        cmocka_unit_test(test_cut_at_every_length_fails),
        cmocka_unit_test(test_cut_with_patched_size_fails),
        cmocka_unit_test(test_every_bit_flipped_is_answered),
        cmocka_unit_test(test_hostile_words_are_refused),
        cmocka_unit_test(test_shared_payloads_hit_the_limit),
        cmocka_unit_test(test_two_parts_and_other_parts),
        cmocka_unit_test(test_what_d3d12_refuses_is_told),
        cmocka_unit_test(test_register_overlap_is_per_stage_space_and_type),
    };
    return cmocka_run_group_tests_name("lint root signatures", tests, NULL, NULL);
}
