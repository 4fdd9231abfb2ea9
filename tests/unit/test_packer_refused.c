/* SPDX-License-Identifier: MIT */
/*
 * What a build refuses, under which status, and whom it names: names, slots, duplicates, keys,
 * files that cannot be taken; and what keep_going leaves out, which is always the whole PSO.
 */
#define _GNU_SOURCE
#include "test_packer_set.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

static psopack_status add(psopack_build *build, const char *pso, size_t size, const char *slot)
{
    psopack_diag diag = {0};
    psopack_status status = psopack_build_add_memory(build, pso, size, slot, "x", 1, &diag);
    if (status != PSOPACK_OK)
        assert_int_equal(diag.code, status);
    return status;
}

/* ---- names ------------------------------------------------------------------------------------
 */

static void test_names(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        size_t size;
    } bad[] = {{"", 0},      {"a\0b", 3}, {"a\n", 2},  {"\x1f", 1}, {"a\x7f", 2},
               {"..", 2},    {".", 1},    {"a/..", 4}, {"../a", 4}, {"a/../b", 6},
               {"a/./b", 5}, {"/a", 2},   {"a/", 2},   {"a//b", 4}, {"/", 1}};
    static const char *const good[] = {"a",          "...",  "a/..b", ".a",  "a b",   "\xff\xfe",
                                       "\xc3\xa9/x", "a\\b", "C:",    "-rf", "a'b\"c"};
    psopack_build *build = test_build(NULL);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(add(build, bad[i].name, bad[i].size, "slot"), PSOPACK_E_NAME);
        if (strlen(bad[i].name) == bad[i].size)
            assert_int_equal(add(build, "fine", 4, bad[i].name), PSOPACK_E_NAME);
    }
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
        assert_int_equal(add(build, good[i], strlen(good[i]), "slot"), PSOPACK_OK);
    assert_int_equal(add(build, "fine", 4, "a/b"), PSOPACK_E_NAME); /* slots do not nest */
    assert_int_equal(add(build, "fine", 4, "a\\b"), PSOPACK_OK);
    psopack_build_destroy(&build);
}

static void test_name_sizes(void **state)
{
    (void)state;
    static char name[5000], slot[300];
    memset(name, 'n', sizeof name - 1);
    memset(slot, 's', sizeof slot - 1);
    psopack_build *build = test_build(NULL);
    set all = {0};
    assert_int_equal(add(build, name, 4096, "slot"), PSOPACK_OK);
    assert_int_equal(add(build, name, 4097, "slot"), PSOPACK_E_NAME);
    slot[256] = '\0';
    assert_int_equal(add(build, "a", 1, slot), PSOPACK_E_NAME);
    slot[255] = '\0';
    name[4096] = '\0';
    assert_int_equal(add(build, name, 4096, slot), PSOPACK_OK);
    set_add(&all, name, "slot", "x", 1);
    set_add(&all, name, slot, "x", 1);
    psopack_build *whole = test_build(NULL);
    test_add_memory(whole, &all);
    test_finish(whole, out);
    test_holds(out, &all);
    unlink(out);
    set_free(&all);
    psopack_build_destroy(&build);
}

static void test_slot_count(void **state)
{
    (void)state;
    char slot[16];
    set all = {0};
    for (int i = 0; i < 256; i++) {
        snprintf(slot, sizeof slot, "slot%03d", i);
        set_add(&all, i % 2 ? "odd" : "even", slot, slot, strlen(slot));
    }
    psopack_build *build = test_build(NULL);
    test_add_memory(build, &all);
    assert_int_equal(add(build, "odd", 3, "slot256"), PSOPACK_E_LIMIT);
    psopack_build_destroy(&build);
    build = test_build(NULL);
    test_add_memory(build, &all);
    test_finish(build, out);
    test_holds(out, &all);
    unlink(out);
    set_free(&all);
}

/* An alignment for a slot that no PSO has is no slot of the archive, however many there are. */
static void test_align(void **state)
{
    (void)state;
    static const uint32_t bad[] = {0, 3, 12, 65537, 131072, UINT32_MAX};
    char slot[16], *other = test_path(folder, "other.psopack");
    for (int aligned = 0; aligned < 2; aligned++) {
        psopack_build *build = test_build(NULL);
        for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
            assert_int_equal(psopack_build_align(build, "s", bad[i], NULL), PSOPACK_E_ARGUMENT);
        for (int i = 0; i < 256; i++) {
            snprintf(slot, sizeof slot, "t%03d", i);
            assert_int_equal(add(build, "pso", 3, slot), PSOPACK_OK);
            if (aligned)
                assert_int_equal(psopack_build_align(build, slot + 1, 4096, NULL), PSOPACK_OK);
        }
        if (aligned)
            assert_int_equal(psopack_build_align(build, "a/b", 16, NULL), PSOPACK_OK);
        test_finish(build, aligned ? other : out);
    }
    assert_true(test_same_files(out, other));
    unlink(out);
    free(other);
}

/* ---- duplicates -------------------------------------------------------------------------------
 */

static psopack_status add_list(psopack_build *build, const char *name, const char *text,
                               psopack_diag *diag)
{
    *diag = (psopack_diag){0};
    return psopack_build_add_list(build, name, text, strlen(text), 0, diag);
}

/* Files a, b, c with the contents "a", "b", "a" in the test's folder, which is the current one. */
static void make_files(void)
{
    assert_int_equal(chdir(folder), 0);
    test_write_file("a", "a", 1);
    test_write_file("b", "b", 1);
    test_write_file("c", "a", 1);
}

static void test_two_contents(void **state)
{
    (void)state;
    psopack_diag diag;
    make_files();
    psopack_build *build = test_build(NULL);
    assert_int_equal(add_list(build, "first.list", "p\ts\ta\n", &diag), PSOPACK_OK);
    assert_int_equal(add_list(build, "second.list", "p\ts\tb\n", &diag), PSOPACK_OK);
    test_refused(build, out, PSOPACK_E_DUPLICATE, &diag);
    assert_non_null(strstr(diag.text, "'p'"));
    assert_non_null(strstr(diag.text, "first.list"));
    assert_non_null(strstr(diag.text, "second.list"));
    /* One slot more is another content too; so is absent instead of empty. */
    build = test_build(NULL);
    assert_int_equal(add_list(build, "first.list", "p\ts\ta\n", &diag), PSOPACK_OK);
    assert_int_equal(add_list(build, "second.list", "p\ts\ta\np\tt\ta\n", &diag), PSOPACK_OK);
    test_refused(build, out, PSOPACK_E_DUPLICATE, &diag);
}

static void test_same_content(void **state)
{
    (void)state;
    psopack_diag diag;
    heard messages = {0};
    psopack_build_options options = test_options(&messages);
    make_files();
    psopack_build *build = test_build(&options);
    assert_int_equal(add_list(build, "first.list", "p\ts\ta\n", &diag), PSOPACK_OK);
    assert_int_equal(add_list(build, "second.list", "p\ts\tc\n", &diag), PSOPACK_OK);
    psopack_build_result result = test_finish(build, out);
    assert_int_equal(result.psos, 1);
    assert_int_equal(result.references, 1);
    assert_int_equal(messages.notes, 1);
    assert_string_equal(messages.text,
                        "PSO 'p' is in first.list and in second.list, with the same content\n");
    unlink(out);
}

static void test_slot_twice(void **state)
{
    (void)state;
    psopack_diag diag;
    heard messages = {0};
    psopack_build_options options = test_options(&messages);
    make_files();
    psopack_build *build = test_build(&options);
    assert_int_equal(add_list(build, "l", "p\ts\ta\np\ts\tc\np\tt\tb\n", &diag), PSOPACK_OK);
    psopack_build_result result = test_finish(build, out);
    assert_int_equal(result.references, 2);
    assert_int_equal(messages.notes, 1);
    unlink(out);
    build = test_build(NULL);
    assert_int_equal(add_list(build, "l", "p\ts\ta\np\tt\tb\np\ts\tb\n", &diag), PSOPACK_OK);
    test_refused(build, out, PSOPACK_E_DUPLICATE, &diag);
    assert_non_null(strstr(diag.text, "slot 's' is given twice in l"));
}

/* ---- keys -------------------------------------------------------------------------------------
 */

#define LINE(pso, key) "{\"pso\":\"" pso "\",\"slot\":\"s\",\"path\":\"a\",\"key\":" key "}\n"
#define LINE_PLAIN(pso) "{\"pso\":\"" pso "\",\"slot\":\"s\",\"path\":\"a\"}\n"

static void refuse_keys(const char *text, const char *said)
{
    psopack_diag diag;
    psopack_build *build = test_build(NULL);
    assert_int_equal(add_list(build, "l", text, &diag), PSOPACK_OK);
    test_refused(build, out, PSOPACK_E_DUPLICATE, &diag);
    if (!strstr(diag.text, said))
        fail_msg("'%s' does not say '%s'", diag.text, said);
}

static void test_given_keys(void **state)
{
    (void)state;
    psopack_diag diag;
    make_files();
    psopack_build *build = test_build(NULL);
    assert_int_equal(add_list(build, "l",
                              LINE("p", "1") LINE("q", "2") LINE("r", "\"3\"") LINE("s", "0")
                                  LINE("t", "\"0xffffffffffffffff\""),
                              &diag),
                     PSOPACK_OK);
    test_finish(build, out);
    static const uint64_t keys[] = {1, 2, 3, 0, UINT64_MAX};
    psopack_archive *archive;
    uint32_t pso;
    assert_int_equal(psopack_archive_open(out, NULL, &archive, NULL), PSOPACK_OK);
    for (uint32_t i = 0; i < 5; i++) {
        assert_int_equal(psopack_pso_find_key(archive, NULL, keys[i], &pso), PSOPACK_OK);
        assert_int_equal(pso, i);
    }
    assert_int_equal(psopack_pso_find_key(archive, NULL, 4, &pso), PSOPACK_E_NOT_FOUND);
    psopack_archive_close(&archive);
    unlink(out);
}

static void test_wrong_keys(void **state)
{
    (void)state;
    psopack_diag diag;
    make_files();
    refuse_keys(LINE("p", "7") LINE("q", "7"), "PSOs 'p' and 'q' have the same key 0x7");
    refuse_keys(LINE("p", "7") LINE_PLAIN("q"), "some PSOs come with a key and some without");
    psopack_build *build = test_build(NULL);
    assert_int_equal(add_list(build, "l", LINE("p", "7") LINE("p", "8"), &diag),
                     PSOPACK_E_DUPLICATE);
    psopack_build_destroy(&build);
    static const char *const bad[] = {
        LINE("p", "-1"),          LINE("p", "1.5"),    LINE("p", "\"\""),
        LINE("p", "\"0x\""),      LINE("p", "\"-1\""), LINE("p", "\"1 \""),
        LINE("p", "null"),        LINE("p", "[]"),     LINE("p", "\"18446744073709551616\""),
        LINE("p", "\"1\\u0000\"")};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        build = test_build(NULL);
        if (add_list(build, "l", bad[i], &diag) != PSOPACK_E_SYNTAX)
            fail_msg("taken: %s", bad[i]);
        psopack_build_destroy(&build);
    }
}

/* The same PSO in two lists, with two keys: which one counts is not ours to say. */
static void test_key_in_two_lists(void **state)
{
    (void)state;
    psopack_diag diag;
    make_files();
    psopack_build *build = test_build(NULL);
    assert_int_equal(add_list(build, "one", LINE("p", "7"), &diag), PSOPACK_OK);
    assert_int_equal(add_list(build, "two", LINE("p", "8"), &diag), PSOPACK_OK);
    test_refused(build, out, PSOPACK_E_DUPLICATE, &diag);
    assert_non_null(strstr(diag.text, "'p'"));
}

/* ---- malformed lists --------------------------------------------------------------------------
 */

static void test_list_lines(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        psopack_status status;
        uint64_t line;
    } rows[] = {
        {"p\ts\ta\np\n", PSOPACK_E_SYNTAX, 2},
        {"p\ts\n", PSOPACK_E_SYNTAX, 1},
        {"p\ts\t\n", PSOPACK_E_SYNTAX, 1},
        {"p\ts\ta\n\n\n../p\ts\ta\n", PSOPACK_E_NAME, 4},
        {"{\"pso\":\"p\",\"slot\":\"s\"}\n", PSOPACK_E_SYNTAX, 1},
        {"{\"pso\":1,\"slot\":\"s\",\"path\":\"a\"}\n", PSOPACK_E_SYNTAX, 1},
        {LINE_PLAIN("p") "{\n", PSOPACK_E_SYNTAX, 2},
        {LINE_PLAIN("p") "[]\n", PSOPACK_E_SYNTAX, 2},
        {"{\"pso\":\"p\",\"slot\":\"s\",\"path\":\"a\\u0000b\"}\n", PSOPACK_E_SYNTAX, 1},
        {"{\"pso\":\"p\\u0000\",\"slot\":\"s\",\"path\":\"a\"}\n", PSOPACK_E_NAME, 1},
        {"{\"pso\":\"p\",\"pso\":\"q\",\"slot\":\"s\",\"path\":\"a\"}\n", PSOPACK_E_SYNTAX, 1},
        {"", PSOPACK_OK, 0},
        {"\n\n", PSOPACK_OK, 0},
        {"p\ts\ta", PSOPACK_OK, 0}, /* the last newline may be missing */
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        psopack_diag diag;
        psopack_build *build = test_build(NULL);
        if (add_list(build, "list", rows[i].text, &diag) != rows[i].status)
            fail_msg("row %zu: %s", i, diag.text);
        if (rows[i].status != PSOPACK_OK) {
            assert_int_equal(diag.object, PSOPACK_OBJECT_LINE);
            assert_int_equal(diag.index, rows[i].line);
            assert_memory_equal(diag.text, "list:", 5);
        }
        psopack_build_destroy(&build);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),        cmocka_unit_test(test_name_sizes),
        cmocka_unit_test(test_slot_count),   cmocka_unit_test(test_align),
        cmocka_unit_test(test_two_contents), cmocka_unit_test(test_same_content),
        cmocka_unit_test(test_slot_twice),   cmocka_unit_test(test_given_keys),
        cmocka_unit_test(test_wrong_keys),   cmocka_unit_test(test_key_in_two_lists),
        cmocka_unit_test(test_list_lines),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
