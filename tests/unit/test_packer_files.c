/* SPDX-License-Identifier: MIT */
/*
 * Files that cannot be taken: missing, pipes, folders, too large, changing while they are read; and
 * what keep_going leaves out, which is always the whole PSO.
 */
#define _GNU_SOURCE
#include "test_packer_set.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "packer/build.h"

static char *folder, *out;

static int make_folder(void **state)
{
    (void)state;
    folder = test_folder_make();
    out = test_path(folder, "out.psopack");
    assert_int_equal(chdir(folder), 0);
    test_write_file("a", "a", 1);
    test_write_file("big", "12345678901", 11);
    test_write_file("tree/p/s", "a", 1);
    test_write_file("tree/p/t", "b", 1);
    test_write_file("tree/q/s", "c", 1);
    assert_int_equal(mkfifo("pipe", 0600), 0);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    free(out);
    assert_int_equal(chdir("/"), 0);
    test_folder_remove(folder);
    return 0;
}

static const struct {
    const char *path;
    psopack_status status;
} bad_files[] = {{"nowhere", PSOPACK_E_NO_ENTRY},
                 {"a/b", PSOPACK_E_FILE_TYPE},
                 {"pipe", PSOPACK_E_FILE_TYPE},
                 {"tree", PSOPACK_E_FILE_TYPE},
                 {"big", PSOPACK_E_LIMIT}};
#define BAD_FILES (sizeof bad_files / sizeof bad_files[0])

static psopack_build *list_with(const psopack_build_options *options, const char *path)
{
    char text[200];
    psopack_build *build = test_build(options);
    int size = snprintf(text, sizeof text, "bad\tr\ta\nbad\ts\t%s\nbad\tt\ta\ngood\ts\ta\n", path);
    assert_int_equal(psopack_build_add_list(build, "list", text, (size_t)size, 0, NULL),
                     PSOPACK_OK);
    return build;
}

static void test_bad_files(void **state)
{
    (void)state;
    for (size_t i = 0; i < BAD_FILES; i++) {
        psopack_diag diag;
        psopack_build_options options = test_options(NULL);
        options.limits.file_size = 10;
        psopack_build *build = list_with(&options, bad_files[i].path);
        if (i == 1) { /* some systems say ENOTDIR as "no such file" */
            psopack_status status = psopack_build_write(build, out, NULL, &diag);
            assert_true(status == PSOPACK_E_NO_ENTRY || status == PSOPACK_E_FILE_TYPE ||
                        status == PSOPACK_E_IO);
            psopack_build_destroy(&build);
        } else {
            test_refused(build, out, bad_files[i].status, &diag);
        }
        assert_non_null(strstr(diag.text, bad_files[i].path));
        assert_int_equal(access(out, F_OK), -1);
    }
}

/* The slots that could be read must not make a PSO of their own. */
static void test_keep_going(void **state)
{
    (void)state;
    for (size_t i = 0; i < BAD_FILES; i++) {
        heard messages = {0};
        psopack_build_options options = test_options(&messages);
        options.limits.file_size = 10;
        options.keep_going = 1;
        set left = {0};
        set_add(&left, "good", "s", "a", 1);
        psopack_build_result result = test_finish(list_with(&options, bad_files[i].path), out);
        assert_int_equal(result.skipped_psos, 1);
        assert_int_equal(result.psos, 1);
        assert_int_equal(messages.warnings, 1);
        assert_non_null(strstr(messages.text, bad_files[i].path));
        test_holds(out, &left);
        set_free(&left);
        unlink(out);
    }
}

/* The same name elsewhere: which of the two is right is not ours to say. */
static void test_keep_going_namesake(void **state)
{
    (void)state;
    for (int order = 0; order < 2; order++) {
        heard messages = {0};
        psopack_build_options options = test_options(&messages);
        options.keep_going = 1;
        psopack_build *build = test_build(&options);
        static const char *const lists[] = {"p\ts\tnowhere\nq\ts\ta\n", "p\ts\ta\n"};
        for (int i = 0; i < 2; i++) {
            const char *text = lists[i ^ order];
            assert_int_equal(psopack_build_add_list(build, "l", text, strlen(text), 0, NULL),
                             PSOPACK_OK);
        }
        set left = {0};
        set_add(&left, "q", "s", "a", 1);
        psopack_build_result result = test_finish(build, out);
        assert_int_equal(result.skipped_psos, 1);
        test_holds(out, &left);
        set_free(&left);
        unlink(out);
    }
}

static void test_keep_going_tree(void **state)
{
    (void)state;
    heard messages = {0};
    psopack_build_options options = test_options(&messages);
    options.keep_going = 1;
    assert_int_equal(symlink("nowhere", "tree/p/link"), 0);
    set left = {0};
    set_add(&left, "q", "s", "c", 1);
    psopack_build *build = test_build(&options);
    assert_int_equal(psopack_build_add_tree(build, "tree", NULL), PSOPACK_OK);
    psopack_build_result result = test_finish(build, out);
    assert_int_equal(result.skipped_psos, 1);
    assert_int_equal(messages.warnings, 1);
    test_holds(out, &left);
    unlink(out);
    set_free(&left);
    /* Without keep_going it is the end, and named. */
    psopack_diag diag = {0};
    build = test_build(NULL);
    assert_int_equal(psopack_build_add_tree(build, "tree", &diag), PSOPACK_E_NO_ENTRY);
    assert_non_null(strstr(diag.text, "p/link"));
    psopack_build_destroy(&build);
    unlink("tree/p/link");
}

/* An INPUT that is not there is no matter of single PSOs. */
static void test_missing_input(void **state)
{
    (void)state;
    for (int keep_going = 0; keep_going < 2; keep_going++) {
        psopack_build_options options = test_options(NULL);
        psopack_diag diag = {0};
        options.keep_going = keep_going;
        psopack_build *build = test_build(&options);
        assert_int_equal(psopack_build_add_tree(build, "absent", &diag), PSOPACK_E_NO_ENTRY);
        assert_non_null(strstr(diag.text, "absent"));
        psopack_build_destroy(&build);
    }
}

static void test_layout(void **state)
{
    (void)state;
    psopack_diag diag = {0};
    test_write_file("mixed/p/s", "a", 1);
    test_write_file("mixed/loose", "a", 1);
    psopack_build *build = test_build(NULL);
    assert_int_equal(psopack_build_add_tree(build, "mixed", &diag), PSOPACK_E_LAYOUT);
    assert_non_null(strstr(diag.text, "mixed/loose"));
    assert_non_null(strstr(diag.text, "--flat"));
    psopack_build_destroy(&build);
}

/* ---- files that change ------------------------------------------------------------------------
 */

/* Read once it is what it was; the second read, for want of memory, finds it changed. */
static psopack_status change_then_read(void *user, uint64_t id, void *buffer, size_t size)
{
    int *reads = user;
    memset(buffer, id == 1 && (*reads)++ > 0 ? 'y' : 'x', size);
    return PSOPACK_OK;
}

static void test_changed_between_reads(void **state)
{
    (void)state;
    int reads = 0;
    psopack_diag diag;
    psopack_build_options options = test_options(NULL);
    psopack_build *build = test_build(&options);
    psopack_build_set_store_budget(build, 0);
    for (uint64_t id = 0; id < 2; id++) {
        psopack_virtual_file file = {change_then_read, &reads, id, 100 + id};
        assert_int_equal(psopack_build_add_virtual(build, id ? "b" : "a", 1, "s", &file, NULL),
                         PSOPACK_OK);
    }
    test_refused(build, out, PSOPACK_E_CHANGED, &diag);
    assert_non_null(strstr(diag.text, "b/s"));
    assert_true(reads >= 2);
}

/* A file of which more comes than its size said: /proc says 0 for all. */
static void test_grows(void **state)
{
    (void)state;
    psopack_diag diag;
    if (access("/proc/self/status", R_OK) != 0)
        skip();
    psopack_build *build = list_with(NULL, "/proc/self/status");
    test_refused(build, out, PSOPACK_E_CHANGED, &diag);
    assert_non_null(strstr(diag.text, "/proc/self/status"));
}

static psopack_status fail_read(void *user, uint64_t id, void *buffer, size_t size)
{
    (void)user, (void)id, (void)buffer, (void)size;
    return PSOPACK_E_BUSY;
}

/* The caller's status comes back, whatever it is, keep_going or not. */
static void test_virtual_fails(void **state)
{
    (void)state;
    for (int keep_going = 0; keep_going < 2; keep_going++) {
        psopack_diag diag;
        psopack_build_options options = test_options(NULL);
        options.keep_going = keep_going;
        psopack_build *build = test_build(&options);
        psopack_virtual_file file = {fail_read, NULL, 0, 10};
        assert_int_equal(psopack_build_add_virtual(build, "p", 1, "s", &file, NULL), PSOPACK_OK);
        test_refused(build, out, PSOPACK_E_BUSY, &diag);
        assert_non_null(strstr(diag.text, "p/s"));
    }
}

static void test_limits(void **state)
{
    (void)state;
    psopack_build_options options = test_options(NULL);
    psopack_diag diag;
    options.limits.psos = 2;
    psopack_build *build = test_build(&options);
    assert_int_equal(psopack_build_add_pso(build, "a", 1, NULL), PSOPACK_OK);
    assert_int_equal(psopack_build_add_pso(build, "b", 1, NULL), PSOPACK_OK);
    assert_int_equal(psopack_build_add_pso(build, "a", 1, NULL), PSOPACK_OK);
    assert_int_equal(psopack_build_add_pso(build, "c", 1, &diag), PSOPACK_E_LIMIT);
    psopack_build_destroy(&build);
    options.limits.file_size = 10;
    build = test_build(&options);
    assert_int_equal(psopack_build_add_memory(build, "a", 1, "s", "12345678901", 11, NULL),
                     PSOPACK_OK);
    test_refused(build, out, PSOPACK_E_LIMIT, &diag);
    options.limits.file_size = UINT64_C(1) << 32;
    assert_int_equal(psopack_build_create(&options, &build, NULL), PSOPACK_E_ARGUMENT);
    options = test_options(NULL);
    options.profile = (psopack_profile)5;
    assert_int_equal(psopack_build_create(&options, &build, NULL), PSOPACK_E_ARGUMENT);
    options = test_options(NULL);
    options.struct_size--;
    assert_int_equal(psopack_build_create(&options, &build, NULL), PSOPACK_E_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bad_files),
        cmocka_unit_test(test_keep_going),
        cmocka_unit_test(test_keep_going_namesake),
        cmocka_unit_test(test_keep_going_tree),
        cmocka_unit_test(test_missing_input),
        cmocka_unit_test(test_layout),
        cmocka_unit_test(test_changed_between_reads),
        cmocka_unit_test(test_grows),
        cmocka_unit_test(test_virtual_fails),
        cmocka_unit_test(test_limits),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
