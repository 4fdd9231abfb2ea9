/* SPDX-License-Identifier: MIT */
/*
 * Keys, names and the tuple CRC: the small algorithms of the format, against values computed here
 * from their definition, and name pages that lie.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

#include "format/crc32c.h"
#include "format/keys.h"
#include "format/transform.h"
#include "format/tuple.h"
#include "format/view.h"
#include "test_format_random.h"

/* ---- keys -------------------------------------------------------------------------------------
 */

static uint64_t unmix(uint64_t key)
{
    key ^= key >> 33;
    key *= UINT64_C(0x9cb4b2f8129337db); /* inverses of the finalizer's factors modulo 2^64 */
    key ^= key >> 33;
    key *= UINT64_C(0x4f74430c22a54005);
    return key ^ key >> 33;
}

static void test_mix_is_a_bijection(void **state)
{
    (void)state;
    uint64_t random = 41;
    assert_int_equal(psopack_key_mix(0), 0);
    assert_true(psopack_key_mix(1) == UINT64_C(0xb456bcfc34c2cb2c)); /* MurmurHash3's fmix64 */
    for (int i = 0; i < 100000; i++) {
        uint64_t key = i < 1000 ? (uint64_t)i : test_random(&random);
        assert_true(unmix(psopack_key_mix(key)) == key);
    }
}

static void test_bucket_bits(void **state)
{
    (void)state;
    static const uint64_t rows[][2] = {{0, 0},      {1, 0},      {8, 0},      {9, 1},
                                       {16, 1},     {17, 2},     {32, 2},     {33, 3},
                                       {20000, 12}, {32768, 12}, {32769, 13}, {UINT32_MAX, 29}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_int_equal(psopack_key_bucket_bits(rows[i][0]), rows[i][1]);
}

/* Bucket and rest together are the mixed key. */
static void test_bucket_and_rest(void **state)
{
    (void)state;
    uint64_t random = 42;
    for (unsigned bits = 0; bits <= 32; bits++) {
        uint64_t mixed = test_random(&random) | 1;
        uint64_t bucket = psopack_key_bucket(mixed, bits);
        for (unsigned width = 0; width <= 64 - bits; width++) {
            uint64_t rest = psopack_key_rest(mixed, bits, width);
            assert_true(width == 64 || rest >> width == 0);
            if (width == 0)
                continue;
            unsigned below = 64 - bits - width;
            uint64_t joined = rest << below;
            if (bits != 0)
                joined |= bucket << (64 - bits);
            assert_true(joined == (below == 0 ? mixed : mixed >> below << below));
        }
    }
}

static void test_name_key(void **state)
{
    (void)state;
    assert_true(psopack_name_key("abc", 3, 0) == XXH3_64bits("abc", 3));
    assert_true(psopack_name_key("abc", 3, 7) == XXH3_64bits_withSeed("abc", 3, 7));
    assert_true(psopack_name_key("abc", 3, 7) != psopack_name_key("abc", 3, 8));
}

/* ---- tuple CRC --------------------------------------------------------------------------------
 */

static uint32_t crc_of(const char *bytes, size_t size)
{
    return psopack_crc32c(0, bytes, size);
}

/* The record, byte by byte, as the format page has it. */
static void test_tuple_vector(void **state)
{
    (void)state;
    uint32_t crc = crc_of("123456789", 9); /* e3069283 */
    const uint8_t record[] = {5, 0, 's', 't', 'a', 't',  'e',  9,    0,   0,
                              0, 0, 0,   0,   0,   0x83, 0x92, 0x06, 0xe3};
    uint32_t tuple = psopack_tuple_add(0, "state", 5, 9, crc);
    assert_int_equal(tuple, psopack_crc32c(0, record, sizeof record));
    assert_int_equal(tuple, UINT32_C(0xa460fa99));
    /* An empty component leaves a record, an absent one none. */
    uint32_t with_empty = psopack_tuple_add(tuple, "vs", 2, 0, 0);
    assert_int_not_equal(with_empty, tuple);
    const uint8_t empty[14] = {2, 0, 'v', 's'};
    assert_int_not_equal(with_empty, 0);
    uint8_t both[sizeof record + 16] = {0};
    memcpy(both, record, sizeof record);
    memcpy(both + sizeof record, empty, 4);
    assert_int_equal(with_empty, psopack_crc32c(0, both, sizeof record + 2 + 2 + 8 + 4));
}

static void test_tuple_depends_on_all(void **state)
{
    (void)state;
    uint32_t base = psopack_tuple_add(0, "a", 1, 5, 6);
    assert_int_not_equal(psopack_tuple_add(0, "b", 1, 5, 6), base);
    assert_int_not_equal(psopack_tuple_add(0, "a", 1, 4, 6), base);
    assert_int_not_equal(psopack_tuple_add(0, "a", 1, 5, 7), base);
    assert_int_not_equal(psopack_tuple_add(0, "a", 1, UINT64_C(5) << 32, 6), base);
    uint32_t ab = psopack_tuple_add(base, "b", 1, 5, 6);
    uint32_t ba = psopack_tuple_add(psopack_tuple_add(0, "b", 1, 5, 6), "a", 1, 5, 6);
    assert_int_not_equal(ab, ba);
}

/* ---- transform table --------------------------------------------------------------------------
 */

static void test_transform_ids(void **state)
{
    (void)state;
    static const char *const names[] = {NULL, "amdgpu-gfx8", "amdgpu-gfx10", "spirv"};
    size_t count;
    const psopack_transform *all = psopack_transform_all(&count);
    assert_int_equal(count, 3);
    for (uint32_t id = 1; id <= 3; id++) {
        const psopack_transform *transform = psopack_transform_find(id);
        assert_non_null(transform);
        assert_int_equal(transform->id, id);
        assert_string_equal(transform->name, names[id]);
        assert_true(transform >= all && transform < all + count);
    }
    assert_null(psopack_transform_find(PSOPACK_TRANSFORM_NONE));
    assert_null(psopack_transform_find(4));
    assert_null(psopack_transform_find(UINT32_MAX));
    assert_null(psopack_transform_find(1u << 16 | 1));
}

/* ---- name pages -------------------------------------------------------------------------------
 */

static size_t put_varint(uint8_t *at, size_t value)
{
    if (value < 128) {
        at[0] = (uint8_t)value;
        return 1;
    }
    at[0] = (uint8_t)(value | 0x80);
    at[1] = (uint8_t)(value >> 7);
    return 2;
}

/* A page as the format page describes it. */
static size_t write_page(uint8_t *page, const char *const *names, const size_t *sizes, size_t count)
{
    size_t at = 0, shared[PSOPACK_NAMES_PER_PAGE] = {0};
    for (size_t i = 0; i < count; i++) {
        size_t most = i == 0 ? 0 : sizes[i - 1] < sizes[i] ? sizes[i - 1] : sizes[i];
        while (shared[i] < most && names[i][shared[i]] == names[i - 1][shared[i]])
            shared[i]++;
        at += put_varint(page + at, shared[i]);
    }
    for (size_t i = 0; i < count; i++)
        at += put_varint(page + at, sizes[i] - shared[i]);
    for (size_t i = 0; i < count; i++) {
        memcpy(page + at, names[i] + shared[i], sizes[i] - shared[i]);
        at += sizes[i] - shared[i];
    }
    return at;
}

#define NAMES 6u

static size_t sample_page(uint8_t *page, const char **names, size_t *sizes)
{
    static char longest[PSOPACK_PSO_NAME_MAX + 1], longer[PSOPACK_PSO_NAME_MAX + 1];
    memset(longest, 'x', PSOPACK_PSO_NAME_MAX);
    memset(longer, 'x', PSOPACK_PSO_NAME_MAX);
    longest[PSOPACK_PSO_NAME_MAX - 1] = 'y';
    const char *const wanted[NAMES] = {"a",    "a/b",  "materials/one", "materials/two",
                                       longer, longest};
    for (size_t i = 0; i < NAMES; i++) {
        names[i] = wanted[i];
        sizes[i] = strlen(wanted[i]);
    }
    return write_page(page, names, sizes, NAMES);
}

static void test_name_page(void **state)
{
    (void)state;
    static uint8_t page[3 * PSOPACK_PSO_NAME_MAX];
    const char *names[NAMES];
    size_t sizes[NAMES], size = sample_page(page, names, sizes);
    uint8_t *exact = test_exact_copy(page, size), *buffer = malloc(PSOPACK_PSO_NAME_MAX);
    for (uint32_t i = 0; i < NAMES; i++) {
        uint32_t found = 0;
        assert_int_equal(psopack_name_decode(exact, size, NAMES, i, buffer, &found, NULL),
                         PSOPACK_OK);
        assert_int_equal(found, sizes[i]);
        assert_memory_equal(buffer, names[i], found);
    }
    uint32_t found;
    assert_int_equal(psopack_name_decode(exact, size, NAMES, NAMES, buffer, &found, NULL),
                     PSOPACK_E_CORRUPT);
    free(buffer);
    free(exact);
}

/* Cut, and with bytes changed: CORRUPT or some name of at most 4,096 bytes, never out of bounds. */
static void test_hostile_name_page(void **state)
{
    (void)state;
    static uint8_t page[3 * PSOPACK_PSO_NAME_MAX];
    const char *names[NAMES];
    size_t sizes[NAMES], size = sample_page(page, names, sizes);
    uint8_t *buffer = malloc(PSOPACK_PSO_NAME_MAX);
    uint64_t random = 43;
    uint32_t found = 0;
    for (size_t cut = 0; cut < size; cut++) {
        uint8_t *exact = test_exact_copy(page, cut);
        assert_int_equal(psopack_name_decode(exact, cut, NAMES, NAMES - 1, buffer, &found, NULL),
                         PSOPACK_E_CORRUPT);
        free(exact);
    }
    for (int round = 0; round < 20000; round++) {
        uint8_t *exact = test_exact_copy(page, size);
        for (int i = 0; i < 3; i++)
            exact[test_random(&random) % 24] = (uint8_t)test_random(&random);
        uint32_t count = 1 + (uint32_t)test_random(&random) % PSOPACK_NAMES_PER_PAGE;
        psopack_status status = psopack_name_decode(
            exact, size, count, (uint32_t)test_random(&random) % count, buffer, &found, NULL);
        assert_true(status == PSOPACK_OK || status == PSOPACK_E_CORRUPT);
        assert_true(status != PSOPACK_OK || found <= PSOPACK_PSO_NAME_MAX);
        free(exact);
    }
    free(buffer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mix_is_a_bijection), cmocka_unit_test(test_bucket_bits),
        cmocka_unit_test(test_bucket_and_rest),    cmocka_unit_test(test_name_key),
        cmocka_unit_test(test_tuple_vector),       cmocka_unit_test(test_tuple_depends_on_all),
        cmocka_unit_test(test_transform_ids),      cmocka_unit_test(test_name_page),
        cmocka_unit_test(test_hostile_name_page),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
