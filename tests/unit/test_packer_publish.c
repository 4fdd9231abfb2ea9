/* SPDX-License-Identifier: MIT */
/*
 * The archive appears whole or not at all: what was at its place stays as it was when it is
 * identical, on failure, when the check refuses and on cancel at any moment; and nothing is left
 * beside it.
 */
#define _GNU_SOURCE
#include "test_packer_set.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char *folder, *out;
static set all;

static int make_folder(void **state)
{
    (void)state;
    folder = test_folder_make();
    out = test_path(folder, "out.psopack");
    all = set_like_a_game(30);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    set_free(&all);
    free(out);
    test_folder_remove(folder);
    return 0;
}

/* Sets the output's time to 1970, so that any write shows. */
static struct stat mark(void)
{
    const struct timespec old[2] = {{100, 0}, {100, 0}};
    struct stat stat_of;
    assert_int_equal(utimensat(AT_FDCWD, out, old, 0), 0);
    assert_int_equal(stat(out, &stat_of), 0);
    return stat_of;
}

static void untouched(const struct stat *before)
{
    struct stat now;
    assert_int_equal(stat(out, &now), 0);
    assert_int_equal(now.st_ino, before->st_ino);
    assert_int_equal(now.st_mtime, before->st_mtime);
    assert_int_equal(now.st_size, before->st_size);
    assert_int_equal(test_count_entries(folder), 1);
}

static psopack_build_result pack(const psopack_build_options *options)
{
    psopack_build *build = test_build(options);
    test_add_memory(build, &all);
    return test_finish(build, out);
}

static void test_identical(void **state)
{
    (void)state;
    psopack_build_options options = test_options(NULL);
    assert_false(pack(&options).unchanged);
    struct stat before = mark();
    options.threads = 3;
    assert_true(pack(&options).unchanged);
    untouched(&before);
    options.force_write = 1;
    assert_false(pack(&options).unchanged);
    struct stat now;
    assert_int_equal(stat(out, &now), 0);
    assert_int_not_equal(now.st_mtime, before.st_mtime);
    assert_int_equal(test_count_entries(folder), 1);
    options.force_write = 0;
    options.content_version = 1; /* one field differs */
    assert_false(pack(&options).unchanged);
    test_holds(out, &all);
}

/* The same size and one byte else: replaced. */
static void test_same_size(void **state)
{
    (void)state;
    psopack_build_options options = test_options(NULL);
    pack(&options);
    size_t size;
    uint8_t *bytes = test_read_file(out, &size);
    bytes[size / 2] ^= 1;
    test_write_file(out, bytes, size);
    assert_false(pack(&options).unchanged);
    test_holds(out, &all);
    free(bytes);
}

static psopack_status fail_read(void *user, uint64_t id, void *buffer, size_t size)
{
    (void)user, (void)id, (void)buffer, (void)size;
    return PSOPACK_E_IO;
}

static void test_failure(void **state)
{
    (void)state;
    psopack_build_options options = test_options(NULL);
    pack(&options);
    struct stat before = mark();
    psopack_build *build = test_build(&options);
    const psopack_virtual_file file = {fail_read, NULL, 0, 5};
    psopack_diag diag = {0};
    test_add_memory(build, &all);
    assert_int_equal(psopack_build_add_virtual(build, "p", 1, "s", &file, NULL), PSOPACK_OK);
    assert_int_equal(psopack_build_write(build, out, NULL, &diag), PSOPACK_E_IO);
    psopack_build_destroy(&build);
    untouched(&before);
}

static psopack_status refuse(void *user, const char *path, psopack_diag *diag)
{
    int *called = user;
    ++*called;
    (void)diag;
    test_holds(path, &all); /* what is checked is the whole archive */
    return *called == 1 ? PSOPACK_E_CHECKSUM : PSOPACK_OK;
}

static void test_check(void **state)
{
    (void)state;
    int called = 0;
    psopack_build_options options = test_options(NULL);
    pack(&options);
    struct stat before = mark();
    options.content_version = 99;
    options.check = refuse;
    options.check_user = &called;
    psopack_build *build = test_build(&options);
    test_add_memory(build, &all);
    assert_int_equal(psopack_build_write(build, out, NULL, NULL), PSOPACK_E_CHECKSUM);
    psopack_build_destroy(&build);
    untouched(&before);
    assert_false(pack(&options).unchanged);
    assert_int_equal(called, 2);
}

/* ---- cancel -----------------------------------------------------------------------------------
 */

typedef struct cancel {
    atomic_uint asked;
    unsigned at;
} cancel;

static int cancelled(void *user)
{
    cancel *when = user;
    return atomic_fetch_add(&when->asked, 1) >= when->at;
}

/* Cancelled at the first question, the second and so on, later in steps, until a build gets
 * through.
 */
static void test_cancel(void **state)
{
    (void)state;
    static const unsigned threads[] = {1, 3};
    psopack_build_options plain = test_options(NULL);
    plain.content_version = 1;
    pack(&plain);
    struct stat before = mark();
    for (size_t i = 0; i < 2; i++) {
        psopack_status status = PSOPACK_E_CANCELLED;
        cancel when = {0, 0};
        for (; status != PSOPACK_OK && when.at < 1000; when.at += when.at < 12 ? 1 : 5) {
            psopack_build_options options = test_options(NULL);
            psopack_diag diag = {0};
            atomic_store(&when.asked, 0);
            options.content_version = 2 + i;
            options.threads = threads[i];
            options.events.cancelled = cancelled;
            options.events.user = &when;
            psopack_build *build = test_build(&options);
            test_add_memory(build, &all);
            status = psopack_build_write(build, out, NULL, &diag);
            psopack_build_destroy(&build);
            if (status == PSOPACK_OK)
                break;
            assert_int_equal(status, PSOPACK_E_CANCELLED);
            assert_int_equal(diag.code, status);
            untouched(&before);
        }
        assert_int_equal(status, PSOPACK_OK);
        assert_true(when.at >= 3); /* reading, planning and compressing all ask */
        assert_int_equal(test_count_entries(folder), 1);
        test_holds(out, &all);
        before = mark();
    }
}

/* ---- places -----------------------------------------------------------------------------------
 */

static void test_no_folder(void **state)
{
    (void)state;
    psopack_build *build = test_build(NULL);
    psopack_diag diag = {0};
    char *path = test_path(folder, "nowhere/out.psopack");
    test_add_memory(build, &all);
    assert_int_equal(psopack_build_write(build, path, NULL, &diag), PSOPACK_E_NO_ENTRY);
    assert_non_null(strstr(diag.text, "nowhere"));
    psopack_build_destroy(&build);
    free(path);
}

/* One build may be written twice, and to two places. */
static void test_write_twice(void **state)
{
    (void)state;
    psopack_build *build = test_build(NULL);
    char *second = test_path(folder, "second.psopack");
    test_add_memory(build, &all);
    assert_int_equal(psopack_build_write(build, out, NULL, NULL), PSOPACK_OK);
    test_finish(build, second);
    assert_true(test_same_files(out, second));
    unlink(second);
    free(second);
}

/* ---- inputs for a depfile ---------------------------------------------------------------------
 */

static void test_inputs(void **state)
{
    (void)state;
    char *tree = test_path(folder, "tree");
    static const char *const files[] = {"b/y", "b/x", "a/c/z"};
    static const char *const wanted[] = {"", "/a", "/a/c", "/a/c/z", "/b", "/b/x", "/b/y"};
    for (size_t i = 0; i < 3; i++) {
        char *path = test_path(tree, files[i]);
        test_write_file(path, "x", 1);
        free(path);
    }
    psopack_build *build = test_build(NULL);
    const char *found;
    test_add_memory(build, &all); /* no file: not in it */
    assert_int_equal(psopack_build_add_tree(build, tree, NULL), PSOPACK_OK);
    assert_int_equal(psopack_build_add_tree(build, tree, NULL), PSOPACK_OK); /* each once */
    assert_int_equal(psopack_build_write(build, out, NULL, NULL), PSOPACK_OK);
    for (size_t i = 0; i < 7; i++) {
        assert_int_equal(psopack_build_input(build, i, &found), PSOPACK_OK);
        assert_memory_equal(found, tree, strlen(tree));
        assert_string_equal(found + strlen(tree), wanted[i]);
    }
    assert_int_equal(psopack_build_input(build, 7, &found), PSOPACK_E_NOT_FOUND);
    psopack_build_destroy(&build);
    test_folder_remove(tree);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_identical),   cmocka_unit_test(test_same_size),
        cmocka_unit_test(test_failure),     cmocka_unit_test(test_check),
        cmocka_unit_test(test_cancel),      cmocka_unit_test(test_no_folder),
        cmocka_unit_test(test_write_twice), cmocka_unit_test(test_inputs),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
