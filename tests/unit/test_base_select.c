/* SPDX-License-Identifier: MIT */
/* Base selection takes what repeats and nothing else; entropy tables fit the content they get. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>

#include "packer/base_select.h"
#include "packer/dictionary.h"

enum { COUNT = 64, SIZE = 512 };

static uint8_t bytes[COUNT][SIZE];
static psopack_item items[COUNT];

static uint32_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (uint32_t)(*state >> 32);
}

static int fill_random_items(void **state)
{
    (void)state;
    uint64_t random = 99;
    for (size_t i = 0; i < COUNT; i++) {
        for (size_t at = 0; at < SIZE; at++)
            bytes[i][at] = (uint8_t)next_random(&random);
        items[i] = (psopack_item){bytes[i], SIZE};
    }
    return 0;
}

static size_t select_base(uint32_t *ret_chosen, size_t max_bytes)
{
    size_t count;
    assert_int_equal(psopack_base_select(ret_chosen, &count, items, COUNT, max_bytes, NULL),
                     PSOPACK_OK);
    return count;
}

static void test_nothing_repeats_nothing_chosen(void **state)
{
    (void)state;
    uint32_t chosen[COUNT];
    assert_int_equal(select_base(chosen, COUNT * SIZE), 0);
}

static void test_most_shared_first_and_once(void **state)
{
    (void)state;
    uint32_t chosen[COUNT];
    for (size_t i = 10; i < 20; i++)
        memcpy(bytes[i] + 64, bytes[10] + 64, 256); /* ten share 256 bytes */
    for (size_t i = 30; i < 34; i++)
        memcpy(bytes[i] + 64, bytes[30] + 64, 256); /* four share 256 others */
    assert_int_equal(select_base(chosen, COUNT * SIZE), 2);
    assert_int_equal(chosen[0], 10);
    assert_int_equal(chosen[1], 30);
}

static void test_denser_item_wins(void **state)
{
    (void)state;
    uint32_t chosen[COUNT];
    for (size_t i = 1; i < 8; i++)
        memcpy(bytes[i], bytes[0], 128);
    items[5].size = 128; /* all of it is shared; a quarter of the others */
    assert_int_equal(select_base(chosen, COUNT * SIZE), 1);
    assert_int_equal(chosen[0], 5);
}

/* A run inside one item is that item's own matter; it must not look like sharing. */
static void test_runs_do_not_count_as_sharing(void **state)
{
    (void)state;
    uint32_t chosen[COUNT];
    memset(bytes[3], 0, SIZE);
    assert_int_equal(select_base(chosen, COUNT * SIZE), 0);
}

static void test_size_limit_holds(void **state)
{
    (void)state;
    uint32_t chosen[COUNT];
    for (size_t i = 0; i < COUNT; i += 2)
        memcpy(bytes[i], bytes[i + 1], SIZE);
    assert_int_equal(select_base(chosen, 5 * SIZE + SIZE - 1), 5);
    assert_int_equal(select_base(chosen, SIZE - 1), 0);
    assert_int_equal(select_base(chosen, 0), 0);
    items[0].size = items[1].size = 100; /* fills the rest that no other item fits */
    assert_int_equal(select_base(chosen, 5 * SIZE + 100), 6);
}

static void test_small_and_empty_items(void **state)
{
    (void)state;
    uint32_t chosen[COUNT];
    size_t count = 1;
    for (size_t i = 0; i < COUNT; i++)
        items[i] = (psopack_item){i == 0 ? NULL : bytes[0], i % 16};
    assert_int_equal(select_base(chosen, 1000), 0);
    assert_int_equal(psopack_base_select(chosen, &count, NULL, 0, 1000, NULL), PSOPACK_OK);
    assert_int_equal(count, 0);
}

/* Above PSOPACK_BASE_WINDOWS_MAX windows are sampled: the shared ones must still be found. */
static void test_sampling_finds_the_same(void **state)
{
    (void)state;
    enum { BIG = 1 << 20, BIG_COUNT = 16 };
    uint64_t random = 3;
    uint8_t *big = malloc((size_t)BIG * BIG_COUNT + 1);
    psopack_item big_items[BIG_COUNT];
    uint32_t chosen[BIG_COUNT];
    size_t count;
    assert_non_null(big);
    for (size_t at = 0; at < (size_t)BIG * BIG_COUNT; at++)
        big[at] = (uint8_t)next_random(&random);
    memcpy(big + (size_t)9 * BIG, big + (size_t)4 * BIG, BIG / 2);
    for (size_t i = 0; i < BIG_COUNT; i++)
        big_items[i] = (psopack_item){big + i * BIG, BIG};
    big_items[0].size--; /* step 1: 16 Mi windows */
    assert_int_equal(
        psopack_base_select(chosen, &count, big_items, BIG_COUNT, (size_t)4 * BIG, NULL),
        PSOPACK_OK);
    assert_int_equal(count, 1);
    assert_true(chosen[0] == 4 || chosen[0] == 9);
    free(big);
}

/* ---- shared entropy tables ---- */

/* Text-like items: skewed symbols, shared phrases. */
static int fill_skewed_items(void **state)
{
    uint64_t random = 5;
    fill_random_items(state);
    for (size_t i = 0; i < COUNT; i++)
        for (size_t at = 0; at < SIZE; at++)
            bytes[i][at] = (uint8_t)('a' + (next_random(&random) % 26 & next_random(&random) % 26));
    for (size_t i = 1; i < COUNT; i++)
        for (size_t at = 0; at + 40 <= SIZE; at += 64)
            memcpy(bytes[i] + at, bytes[0] + next_random(&random) % (SIZE - 40), 40);
    return 0;
}

static size_t compress_item(uint8_t *out, size_t room, const psopack_item *item,
                            const uint8_t *dictionary, size_t size, ZSTD_dictContentType_e type)
{
    ZSTD_CCtx *context = ZSTD_createCCtx();
    ZSTD_CDict *dict = ZSTD_createCDict_advanced(dictionary, size, ZSTD_dlm_byRef, type,
                                                 ZSTD_getCParams(19, SIZE, size), ZSTD_defaultCMem);
    assert_non_null(context);
    assert_non_null(dict);
    assert_false(ZSTD_isError(ZSTD_CCtx_refCDict(context, dict)));
    size_t written = ZSTD_compress2(context, out, room, item->bytes, item->size);
    assert_false(ZSTD_isError(written));
    ZSTD_freeCDict(dict);
    ZSTD_freeCCtx(context);
    return written;
}

static void assert_decodes(const uint8_t *frame, size_t frame_size, const psopack_item *item,
                           const uint8_t *dictionary, size_t size)
{
    uint8_t back[SIZE];
    ZSTD_DCtx *context = ZSTD_createDCtx();
    ZSTD_DDict *dict = ZSTD_createDDict_advanced(dictionary, size, ZSTD_dlm_byRef,
                                                 ZSTD_dct_fullDict, ZSTD_defaultCMem);
    assert_non_null(context);
    assert_non_null(dict);
    assert_int_equal(
        ZSTD_decompress_usingDDict(context, back, sizeof back, frame, frame_size, dict),
        item->size);
    assert_memory_equal(back, item->bytes, item->size);
    ZSTD_freeDDict(dict);
    ZSTD_freeDCtx(context);
}

static void test_tables_help_and_round_trip(void **state)
{
    (void)state;
    static uint8_t dictionary[PSOPACK_DICTIONARY_HEADER_MAX + 2 * SIZE];
    psopack_dictionary_header header;
    psopack_item content = {bytes[0], (size_t)2 * SIZE};
    size_t with = 0, without = 0;
    assert_int_equal(psopack_dictionary_finalize(&header, &content, items + 2, COUNT - 2, 19, NULL),
                     PSOPACK_OK);
    assert_null(header.declined);
    assert_in_range(header.size, 9, PSOPACK_DICTIONARY_HEADER_MAX);
    memcpy(dictionary, header.bytes, header.size);
    memcpy(dictionary + header.size, content.bytes, content.size);
    for (size_t i = 2; i < COUNT; i++) {
        uint8_t frame[2 * SIZE];
        without += compress_item(frame, sizeof frame, &items[i], dictionary + header.size,
                                 content.size, ZSTD_dct_rawContent);
        size_t size = compress_item(frame, sizeof frame, &items[i], dictionary,
                                    header.size + content.size, ZSTD_dct_fullDict);
        assert_decodes(frame, size, &items[i], dictionary, header.size + content.size);
        with += size;
    }
    assert_true(with < without);
}

static void test_tables_are_declined_not_failed(void **state)
{
    (void)state;
    psopack_dictionary_header header;
    psopack_item content = {bytes[0], 100};
    assert_int_equal(psopack_dictionary_finalize(&header, &content, items, COUNT, 19, NULL),
                     PSOPACK_OK);
    assert_int_equal(header.size, 0);
    assert_non_null(header.declined);
    content.size = SIZE;
    assert_int_equal(psopack_dictionary_finalize(&header, &content, NULL, 0, 19, NULL), PSOPACK_OK);
    assert_int_equal(header.size, 0);
    assert_non_null(header.declined);
}

static void test_tables_are_deterministic(void **state)
{
    (void)state;
    psopack_dictionary_header one, two;
    psopack_item content = {bytes[0], SIZE};
    assert_int_equal(psopack_dictionary_finalize(&one, &content, items + 1, 40, 19, NULL),
                     PSOPACK_OK);
    assert_int_equal(psopack_dictionary_finalize(&two, &content, items + 1, 40, 19, NULL),
                     PSOPACK_OK);
    assert_int_equal(one.size, two.size);
    assert_memory_equal(one.bytes, two.bytes, one.size);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_nothing_repeats_nothing_chosen, fill_random_items),
        cmocka_unit_test_setup(test_most_shared_first_and_once, fill_random_items),
        cmocka_unit_test_setup(test_denser_item_wins, fill_random_items),
        cmocka_unit_test_setup(test_runs_do_not_count_as_sharing, fill_random_items),
        cmocka_unit_test_setup(test_size_limit_holds, fill_random_items),
        cmocka_unit_test_setup(test_small_and_empty_items, fill_random_items),
        cmocka_unit_test(test_sampling_finds_the_same),
        cmocka_unit_test_setup(test_tables_help_and_round_trip, fill_skewed_items),
        cmocka_unit_test_setup(test_tables_are_declined_not_failed, fill_skewed_items),
        cmocka_unit_test_setup(test_tables_are_deterministic, fill_skewed_items),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
