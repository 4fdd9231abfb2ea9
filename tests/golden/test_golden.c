/* SPDX-License-Identifier: MIT */
/*
 * test_golden FOLDER: archives of format 1, made once and kept, still decode to what their listings
 * say; damaged ones still get the status that was noted. They are never compared with what today's
 * packer or zstd makes.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "golden.h"

static const char *folder;

static char *golden_path(const char *name, const char *suffix)
{
    char *path;
    if (asprintf(&path, "%s/%s%s", folder, name, suffix) < 0)
        abort();
    return path;
}

static char *read_text(const char *name)
{
    char *path = golden_path(name, ".list"), *text = calloc(1, 1 << 20);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t size = fread(text, 1, (1 << 20) - 1, file);
    assert_true(size > 0 && feof(file));
    fclose(file);
    free(path);
    return text;
}

static void check(const char *name, uint32_t flags)
{
    char *path = golden_path(name, ".psopack"), *wanted = read_text(name), *found;
    size_t size;
    psopack_open_options options = PSOPACK_OPEN_OPTIONS_INIT;
    psopack_archive *archive;
    psopack_diag diag = {0};
    options.flags = flags;
    FILE *out = open_memstream(&found, &size);
    if (psopack_archive_open(path, &options, &archive, &diag) != PSOPACK_OK)
        fail_msg("%s: %s", path, diag.text);
    assert_int_equal(golden_list(archive, out), PSOPACK_OK);
    assert_int_equal(psopack_archive_verify(archive, 0, NULL, NULL, NULL, NULL), PSOPACK_OK);
    psopack_archive_close(&archive);
    fclose(out);
    assert_string_equal(found, wanted);
    free(found);
    free(wanted);
    free(path);
}

static void test_archives(void **state)
{
    static const char *const names[] = {"balanced",      "fast", "small", "stored",
                                        "directstorage", "keys", "empty"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        check(names[i], 0);
        check(names[i], PSOPACK_OPEN_NO_MAP | PSOPACK_OPEN_CHECK_ALL);
    }
}

/* The keys of "keys" came with its list: 1 to 9. */
static void test_given_keys(void **state)
{
    (void)state;
    char *path = golden_path("keys", ".psopack");
    psopack_archive *archive;
    uint32_t pso;
    assert_int_equal(psopack_archive_open(path, NULL, &archive, NULL), PSOPACK_OK);
    for (uint64_t key = 1; key <= 9; key++) {
        assert_int_equal(psopack_pso_find_key(archive, NULL, key, &pso), PSOPACK_OK);
        assert_int_equal(pso, key - 1);
    }
    assert_int_equal(psopack_pso_find_key(archive, NULL, 10, &pso), PSOPACK_E_NOT_FOUND);
    psopack_archive_close(&archive);
    free(path);
}

/* What the set is there for: if a new set loses it, the set is no use. */
static void test_features_are_there(void **state)
{
    static const char *const wanted[][2] = {
        {"balanced", "transform=spirv"}, {"balanced", "transform=amdgpu"},
        {"balanced", "based=1"},         {"balanced", "size=0\t"},
        {"small", "hashes=1"},           {"small", "version=18446744073709551615"},
        {"stored", "align=256"},         {"directstorage", "pieces=3"},
        {"keys", "key=given"},           {"empty", "psos=0"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        char *text = read_text(wanted[i][0]);
        if (!strstr(text, wanted[i][1]))
            fail_msg("%s has no %s", wanted[i][0], wanted[i][1]);
        free(text);
    }
}

static void test_damaged(void **state)
{
    (void)state;
    char *text = read_text("damaged"), *left = text, *line;
    size_t seen = 0;
    while ((line = strsep(&left, "\n")) && *line) {
        char *name = strsep(&line, "\t"), *opened = strsep(&line, "\t");
        char *path = golden_path(name, ".psopack");
        psopack_archive *archive;
        psopack_status verified = PSOPACK_OK;
        psopack_status status = psopack_archive_open(path, NULL, &archive, NULL);
        if (status == PSOPACK_OK) {
            verified = psopack_archive_verify(archive, 0, NULL, NULL, NULL, NULL);
            psopack_archive_close(&archive);
        }
        assert_string_equal(psopack_status_name(status), opened);
        assert_string_equal(psopack_status_name(verified), line);
        assert_true(status != PSOPACK_OK || verified != PSOPACK_OK);
        free(path);
        seen++;
    }
    assert_true(seen > 15);
    free(text);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_archives),
        cmocka_unit_test(test_given_keys),
        cmocka_unit_test(test_features_are_there),
        cmocka_unit_test(test_damaged),
    };
    if (argc != 2)
        return 2;
    folder = argv[1];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
