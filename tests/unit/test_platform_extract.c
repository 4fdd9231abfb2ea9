/* SPDX-License-Identifier: MIT */
/* Extraction: good names make the tree, hostile names and hostile trees make nothing outside. */
#define _GNU_SOURCE 1
#include "test_platform_scratch.h"

#include "platform/extract.h"

#include <errno.h>

static psopack_extract *begin(const char *directory)
{
    psopack_extract *extract = NULL;
    psopack_diag diag;
    if (psopack_extract_begin(directory, &extract, &diag) != PSOPACK_OK)
        fail_msg("%s", diag.text);
    return extract;
}

static psopack_status put(psopack_extract *extract, const char *name, const char *text,
                          psopack_extract_policy policy, psopack_diag *diag)
{
    /* An exact copy without terminator, so that the sanitizer sees one byte over. */
    size_t size = strlen(name);
    char *exact = malloc(size ? size : 1);
    assert_non_null(exact);
    memcpy(exact, name, size);
    psopack_status status =
        psopack_extract_write_file(extract, exact, size, policy, text, strlen(text), diag);
    free(exact);
    return status;
}

static void names_make_directories(void **state)
{
    (void)state;
    psopack_extract *extract = begin("out/");
    psopack_diag diag = {0};
    const char *const names[] = {"top", "a/x", "a/y",   "a/b/c/z", "a/b/w",   "b/x",
                                 "a/v", "...", "a/..b", "a/.c",    "\xff\n/ "};
    char path[64];
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        assert_int_equal(put(extract, names[i], names[i], PSOPACK_EXTRACT_REFUSE, &diag),
                         PSOPACK_OK);
    assert_int_equal(put(extract, "empty", "", PSOPACK_EXTRACT_REFUSE, &diag), PSOPACK_OK);
    psopack_extract_end(&extract);
    assert_null(extract);
    psopack_extract_end(&extract);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        snprintf(path, sizeof path, "out/%s", names[i]);
        assert_content(path, names[i]);
    }
    assert_content("out/empty", "");
}

static void bad_names_are_refused(void **state)
{
    (void)state;
    psopack_extract *extract = begin("out");
    psopack_diag diag;
    const char *const names[] = {"",   "/",   "/etc/x", ".",    "..",  "../x", "a/../x",   "a//b",
                                 "a/", "./a", "a/./b",  "a/..", "a/.", "//",   "x/../../y"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        assert_int_equal(put(extract, names[i], "x", PSOPACK_EXTRACT_REPLACE, &diag),
                         PSOPACK_E_NAME);
    assert_text_has(&diag, "out/x/../../y: not created: ");
    assert_int_equal(
        psopack_extract_write_file(extract, "a\0b", 3, PSOPACK_EXTRACT_REFUSE, "", 0, &diag),
        PSOPACK_E_NAME);
    assert_int_equal(
        psopack_extract_write_file(extract, "a/b\0", 4, PSOPACK_EXTRACT_REFUSE, "", 0, &diag),
        PSOPACK_E_NAME);
    psopack_extract_end(&extract);
    assert_int_equal(rmdir("out"), 0); /* nothing was made, not even directories */
}

static void links_in_the_way_lead_nowhere(void **state)
{
    (void)state;
    make_directory("outside");
    put_text("outside/victim", "safe");
    make_directory("out");
    assert_int_equal(symlink("../outside", "out/dir"), 0);
    assert_int_equal(symlink("../outside/victim", "out/file"), 0);
    assert_int_equal(symlink("../outside/new", "out/dangling"), 0);
    assert_int_equal(mkdir("out/deep", 0777), 0);
    assert_int_equal(symlink("../../outside", "out/deep/dir"), 0);
    put_text("out/plain", "p");

    psopack_extract *extract = begin("out");
    psopack_diag diag;
    assert_int_equal(put(extract, "dir/x", "x", PSOPACK_EXTRACT_REPLACE, &diag),
                     PSOPACK_E_FILE_TYPE);
    assert_string_equal(diag.text, "out/dir: a link or file is in the way of a directory");
    assert_int_equal(put(extract, "deep/dir/x", "x", PSOPACK_EXTRACT_REPLACE, &diag),
                     PSOPACK_E_FILE_TYPE);
    assert_string_equal(diag.text, "out/deep/dir: a link or file is in the way of a directory");
    assert_int_equal(put(extract, "deep/dir/sub/x", "x", PSOPACK_EXTRACT_REPLACE, &diag),
                     PSOPACK_E_FILE_TYPE);
    assert_int_equal(put(extract, "plain/x", "x", PSOPACK_EXTRACT_REPLACE, &diag),
                     PSOPACK_E_FILE_TYPE);
    assert_int_equal(put(extract, "file", "x", PSOPACK_EXTRACT_REFUSE, &diag), PSOPACK_E_EXISTS);
    assert_int_equal(put(extract, "dangling", "x", PSOPACK_EXTRACT_REFUSE, &diag),
                     PSOPACK_E_EXISTS);
    assert_false(is_there("outside/x"));
    assert_false(is_there("outside/new"));

    assert_int_equal(put(extract, "file", "own", PSOPACK_EXTRACT_REPLACE, &diag), PSOPACK_OK);
    assert_int_equal(put(extract, "dangling", "own", PSOPACK_EXTRACT_REPLACE, &diag), PSOPACK_OK);
    psopack_extract_end(&extract);
    assert_content("outside/victim", "safe");
    assert_false(is_there("outside/new"));
    assert_content("out/file", "own");
}

static void existing_files_stay_unless_replaced(void **state)
{
    (void)state;
    psopack_extract *extract = begin("out");
    psopack_diag diag;
    assert_int_equal(put(extract, "a/x", "first", PSOPACK_EXTRACT_REFUSE, NULL), PSOPACK_OK);
    assert_int_equal(link("out/a/x", "other"), 0);
    assert_int_equal(put(extract, "a/x", "second", PSOPACK_EXTRACT_REFUSE, &diag),
                     PSOPACK_E_EXISTS);
    assert_string_equal(diag.text, "out/a/x: cannot create: File exists");
    assert_content("out/a/x", "first");
    assert_int_equal(put(extract, "a/x", "second", PSOPACK_EXTRACT_REPLACE, NULL), PSOPACK_OK);
    assert_content("out/a/x", "second");
    assert_content("other", "first"); /* removed and made anew, not written through */
    assert_int_equal(put(extract, "a", "x", PSOPACK_EXTRACT_REPLACE, &diag), PSOPACK_E_FILE_TYPE);
    psopack_extract_end(&extract);
    extract = begin("out"); /* an existing target is fine */
    assert_int_equal(put(extract, "b", "x", PSOPACK_EXTRACT_REFUSE, NULL), PSOPACK_OK);
    psopack_extract_end(&extract);
}

static void files_can_be_written_in_parts(void **state)
{
    (void)state;
    psopack_extract *extract = begin("out");
    psopack_file file;
    assert_int_equal(psopack_extract_create(extract, "a/b", 3, PSOPACK_EXTRACT_REFUSE, &file, NULL),
                     PSOPACK_OK);
    assert_string_equal(file.path, "out/a/b");
    assert_int_equal(psopack_file_write_at(&file, 2, "cd", 2, NULL), PSOPACK_OK);
    assert_int_equal(psopack_file_write_at(&file, 0, "ab", 2, NULL), PSOPACK_OK);
    assert_int_equal(psopack_file_close(&file, NULL), PSOPACK_OK);
    psopack_extract_end(&extract);
    assert_content("out/a/b", "abcd");
}

static void names_of_any_length(void **state)
{
    (void)state;
    psopack_extract *extract = begin("out");
    psopack_diag diag;
    char name[6000];
    memset(name, 'n', sizeof name);
    for (size_t i = 200; i < sizeof name; i += 200)
        name[i] = '/';
    /* Longer than any path the system takes in one piece. */
    assert_int_equal(psopack_extract_write_file(extract, name, sizeof name, PSOPACK_EXTRACT_REFUSE,
                                                "x", 1, &diag),
                     PSOPACK_OK);
    assert_int_equal(psopack_extract_write_file(extract, name, sizeof name, PSOPACK_EXTRACT_REFUSE,
                                                "x", 1, &diag),
                     PSOPACK_E_EXISTS);
    memset(name, 'm', 256);
    assert_int_equal(
        psopack_extract_write_file(extract, name, 256, PSOPACK_EXTRACT_REFUSE, "x", 1, &diag),
        PSOPACK_E_LIMIT);
    psopack_extract_end(&extract);
    /* nftw in the teardown cannot reach so deep. */
    assert_int_equal(system("rm -r out"), 0);
}

static void targets_that_are_no_directories(void **state)
{
    (void)state;
    psopack_extract *extract = NULL;
    psopack_diag diag;
    put_text("file", "");
    assert_int_equal(psopack_extract_begin("file", &extract, &diag), PSOPACK_E_EXISTS);
    assert_string_equal(diag.text, "file: cannot make the directory: File exists");
    assert_int_equal(psopack_extract_begin("none/out", &extract, &diag), PSOPACK_E_NO_ENTRY);
    assert_null(extract);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCRATCH_TEST(names_make_directories),
        SCRATCH_TEST(bad_names_are_refused),
        SCRATCH_TEST(links_in_the_way_lead_nowhere),
        SCRATCH_TEST(existing_files_stay_unless_replaced),
        SCRATCH_TEST(files_can_be_written_in_parts),
        SCRATCH_TEST(names_of_any_length),
        SCRATCH_TEST(targets_that_are_no_directories),
    };
    return cmocka_run_group_tests_name("platform extract", tests, NULL, NULL);
}
