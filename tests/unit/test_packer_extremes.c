/* SPDX-License-Identifier: MIT */
/*
 * Counts and names at their limits, in every profile: no PSO, 256 slots in many PSOs, pages full of
 * names of 4 KiB, names of all bytes that a name may have. With PSOPACK_BIG=1 in the environment
 * also what takes minutes and gigabytes: a component of 3 GiB, and an archive past 4 GiB.
 */
#define _GNU_SOURCE
#include "test_packer_set.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "format/crc32c.h"
#include "test_format_random.h"

#define GIB (UINT64_C(1) << 30)

enum { NAME_MAX_BYTES = 4096, PROFILES = PSOPACK_PROFILE_DIRECTSTORAGE + 1 };

static char *folder, *out;

static int make_folder(void **state)
{
    (void)state;
    folder = test_folder_make();
    out = test_path(folder, "out.psopack");
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    free(out);
    test_folder_remove(folder);
    return 0;
}

static void pack_in_all_profiles(const set *all)
{
    for (int profile = 0; profile < PROFILES; profile++) {
        psopack_build_options options = test_options(NULL);
        options.profile = (psopack_profile)profile;
        psopack_build *build = test_build(&options);
        test_add_memory(build, all);
        test_finish(build, out);
        test_holds(out, all);
        unlink(out);
    }
}

static void test_nothing(void **state)
{
    (void)state;
    set none = {0};
    pack_in_all_profiles(&none);
}

static void test_all_slots(void **state)
{
    (void)state;
    set all = {0};
    char pso[16], slot[16], bytes[32];
    for (unsigned p = 0; p < 40; p++) {
        for (unsigned s = 0; s < 256; s++) {
            if ((p + s) % 11 == 0)
                continue; /* absent */
            snprintf(pso, sizeof pso, "pso%02u", p);
            snprintf(slot, sizeof slot, "slot%03u", s);
            snprintf(bytes, sizeof bytes, "%u of %u", s, p / (1 + s % 4));
            set_add(&all, pso, slot, bytes, s % 7 == 0 ? 0 : strlen(bytes));
        }
    }
    pack_in_all_profiles(&all);
    set_free(&all);
}

/* ---- names ------------------------------------------------------------------------------------
 */

/* A page of names decodes to 64 times 4 KiB: the most that a page can be. */
static void test_long_names(void **state)
{
    (void)state;
    set all = {0};
    uint64_t random = 4711;
    char name[NAME_MAX_BYTES + 1] = "";
    for (unsigned i = 0; i < 200; i++) {
        /* One begins like the last; the next shares nothing with it. */
        for (size_t at = i % 2 ? NAME_MAX_BYTES - 3 : 0; at < NAME_MAX_BYTES; at++)
            name[at] = (char)('a' + test_random(&random) % 26);
        set_add(&all, name, "state", name, 40);
    }
    pack_in_all_profiles(&all);
    set_free(&all);
}

/* Names are bytes: Latin-1, cut UTF-8, surrogates, overlong forms, each byte that may be. */
static void test_any_bytes(void **state)
{
    (void)state;
    static const char *const odd[] = {
        "\xff",         "\xfe\xff",     "caf\xe9",      "\xc3",     "\xc3\xa9",
        "\xed\xa0\x80", "\xc0\xafroot", "\xf5\x80\x80", "\x80\x81", "\xe2\x82",
    };
    set all = {0};
    for (int byte = ' '; byte < 256; byte++) {
        char pso[] = {'a', (char)byte, 'b', (char)byte, '\0'}, slot[] = {'s', (char)byte, '\0'};
        if (byte == '/' || byte == 0x7f) /* no control characters */
            continue;
        set_add(&all, pso, byte % 2 ? slot : "slot", pso, 4);
    }
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++)
        set_add(&all, odd[i], odd[i], odd[i], strlen(odd[i]));
    pack_in_all_profiles(&all);
    set_free(&all);
}

/* ---- gigabytes, when asked for ----------------------------------------------------------------
 */

static bool is_big_run(void)
{
    const char *big = getenv("PSOPACK_BIG");
    return big && strcmp(big, "1") == 0;
}

/* Words that count up, so that any range can be computed; little-endian. */
static void fill_counting(uint8_t *bytes, uint64_t offset, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        uint64_t at = offset + i;
        bytes[i] = (uint8_t)((at / 4) >> (at % 4 * 8));
    }
}

static psopack_status fill(void *user, uint64_t id, void *buffer, size_t size)
{
    (void)user;
    fill_counting(buffer, id, size);
    return PSOPACK_OK;
}

static void add_counting(psopack_build *build, const char *pso, uint64_t id, uint64_t size)
{
    psopack_virtual_file file = {fill, NULL, id, size};
    psopack_diag diag = {0};
    if (psopack_build_add_virtual(build, pso, strlen(pso), "data", &file, &diag) != PSOPACK_OK)
        fail_msg("%s: %s", pso, diag.text);
}

static psopack_build_result finish_counting(psopack_build *build)
{
    psopack_build_result result;
    psopack_diag diag = {0};
    if (psopack_build_write(build, out, &result, &diag) != PSOPACK_OK)
        fail_msg("write: %s", diag.text);
    psopack_build_destroy(&build);
    printf("%llu bytes of components in a file of %llu, peak memory %llu\n",
           (unsigned long long)result.component_bytes, (unsigned long long)result.file_bytes,
           (unsigned long long)result.peak_memory);
    return result;
}

/* Reads a component whole, and compares it part by part. */
static void check_counting(const char *pso, uint64_t id, uint64_t size)
{
    psopack_archive *archive;
    psopack_context *context;
    psopack_diag diag = {0};
    uint32_t index, component, crc;
    uint8_t *bytes = malloc((size_t)size), expected[4096];
    assert_non_null(bytes);
    assert_int_equal(psopack_archive_open(out, NULL, &archive, NULL), PSOPACK_OK);
    assert_int_equal(psopack_context_create(archive, NULL, &context), PSOPACK_OK);
    assert_int_equal(psopack_pso_find(archive, context, pso, strlen(pso), &index, NULL),
                     PSOPACK_OK);
    assert_int_equal(psopack_pso_component(archive, index, 0, &component, NULL), PSOPACK_OK);
    if (psopack_component_read(archive, context, component, bytes, (size_t)size, &crc, &diag) !=
        PSOPACK_OK)
        fail_msg("%s: %s", pso, diag.text);
    for (uint64_t at = 0; at < size; at += sizeof expected) {
        size_t run = size - at < sizeof expected ? (size_t)(size - at) : sizeof expected;
        fill_counting(expected, id + at, run);
        assert_memory_equal(bytes + at, expected, run);
    }
    assert_int_equal(crc, psopack_crc32c(0, bytes, (size_t)size));
    psopack_context_destroy(&context);
    psopack_archive_close(&archive);
    free(bytes);
}

static void verify_all(void)
{
    psopack_archive *archive;
    psopack_diag diag = {0};
    assert_int_equal(psopack_archive_open(out, NULL, &archive, NULL), PSOPACK_OK);
    if (psopack_archive_verify(archive, 0, NULL, NULL, NULL, &diag) != PSOPACK_OK)
        fail_msg("verify: %s", diag.text);
    psopack_archive_close(&archive);
}

static void test_large_component(void **state)
{
    (void)state;
    if (!is_big_run())
        skip();
    psopack_build_options options = test_options(NULL);
    options.profile = PSOPACK_PROFILE_FAST;
    psopack_build *build = test_build(&options);
    add_counting(build, "large", 0, 3 * GIB + 5);
    add_counting(build, "small", 0, 5);
    finish_counting(build);
    verify_all();
    check_counting("large", 0, 3 * GIB + 5);
    check_counting("small", 0, 5);
    unlink(out);
}

/* Stored as it is, so that blocks and manifest lie past 4 GiB of a real file. */
static void test_large_archive(void **state)
{
    (void)state;
    if (!is_big_run())
        skip();
    psopack_build_options options = test_options(NULL);
    options.profile = PSOPACK_PROFILE_STORED;
    psopack_build *build = test_build(&options);
    char pso[16];
    for (unsigned i = 0; i < 17; i++) {
        snprintf(pso, sizeof pso, "part%02u", i);
        add_counting(build, pso, i * GIB, GIB / 4 + i);
    }
    psopack_build_result result = finish_counting(build);
    assert_true(result.file_bytes > 4 * GIB);
    verify_all();
    for (unsigned i = 0; i < 17; i += 4) {
        snprintf(pso, sizeof pso, "part%02u", i);
        check_counting(pso, i * GIB, GIB / 4 + i);
    }
    unlink(out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing),         cmocka_unit_test(test_all_slots),
        cmocka_unit_test(test_long_names),      cmocka_unit_test(test_any_bytes),
        cmocka_unit_test(test_large_component), cmocka_unit_test(test_large_archive),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
