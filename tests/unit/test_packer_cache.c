/* SPDX-License-Identifier: MIT */
/*
 * The hash cache: files that did not change are not read, files that did are, whatever their size
 * and times say; the archive is the same with any cache, damaged ones too.
 */
#define _GNU_SOURCE
#include "test_packer_set.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "packer/build.h"

#define FILES 4

static char *folder, *start;
static uint8_t *fresh; /* the archive of the tree, made without a cache */
static size_t fresh_size;

/* Longer than the steps of the file system's clock: what was written before is not racy. */
static void settle(void)
{
    const struct timespec pause = {0, 200 * 1000000L};
    nanosleep(&pause, NULL);
}

static void write_tree(void)
{
    test_write_file("tree/p/s", "shared", 6);
    test_write_file("tree/p/t", "other", 5);
    test_write_file("tree/q/s", "shared", 6);
    test_write_file("tree/q/t", "", 0);
}

static psopack_build_result pack(const char *cache, heard *messages, const psopack_hooks *hooks)
{
    psopack_build_options options = test_options(messages);
    options.threads = 2;
    options.force_write = 1;
    psopack_build *build = test_build(&options);
    if (hooks)
        psopack_build_set_hooks(build, hooks);
    assert_int_equal(psopack_build_add_tree(build, "tree", NULL), PSOPACK_OK);
    if (cache)
        assert_int_equal(psopack_build_cache(build, cache, NULL), PSOPACK_OK);
    return test_finish(build, "out");
}

static void is_fresh(void)
{
    size_t size;
    uint8_t *bytes = test_read_file("out", &size);
    assert_int_equal(size, fresh_size);
    assert_memory_equal(bytes, fresh, size);
    free(bytes);
}

static int begin(void **state)
{
    (void)state;
    folder = test_folder_make();
    start = getcwd(NULL, 0);
    assert_int_equal(chdir(folder), 0);
    write_tree();
    settle();
    pack(NULL, NULL, NULL);
    fresh = test_read_file("out", &fresh_size);
    return 0;
}

static int end(void **state)
{
    (void)state;
    free(fresh);
    assert_int_equal(chdir(start), 0);
    free(start);
    test_folder_remove(folder);
    return 0;
}

static void test_second_build(void **state)
{
    (void)state;
    heard messages = {0};
    assert_int_equal(pack("cache", &messages, NULL).cached_files, 0);
    is_fresh();
    size_t size, again_size;
    uint8_t *cache = test_read_file("cache", &size);
    assert_int_equal(size, 64 + FILES * 80);
    assert_int_equal(pack("cache", &messages, NULL).cached_files, FILES);
    is_fresh();
    uint8_t *again = test_read_file("cache", &again_size);
    assert_int_equal(size, again_size);
    assert_memory_equal(cache, again, size);
    free(cache);
    free(again);
    assert_int_equal(messages.notes, 0);
}

/* Paths count from where they were meant to. */
static void test_other_directory(void **state)
{
    (void)state;
    psopack_build_options options = test_options(NULL);
    char *absolute = test_path(folder, "tree");
    pack("cache", NULL, NULL);
    psopack_build *build = test_build(&options);
    assert_int_equal(psopack_build_add_tree(build, absolute, NULL), PSOPACK_OK);
    assert_int_equal(psopack_build_cache(build, "cache", NULL), PSOPACK_OK);
    assert_int_equal(test_finish(build, "out").cached_files, FILES);
    free(absolute);
}

static void set_times(const char *path, const struct stat *times)
{
    const struct timespec both[2] = {times->st_atim, times->st_mtim};
    assert_int_equal(utimensat(AT_FDCWD, path, both, 0), 0);
}

/* Same size, same modification time, other bytes. */
static void test_forged_time(void **state)
{
    (void)state;
    struct stat before;
    pack("cache", NULL, NULL);
    assert_int_equal(stat("tree/p/t", &before), 0);
    test_write_file("tree/p/t", "OTHER", 5);
    set_times("tree/p/t", &before);
    assert_int_equal(pack("cache", NULL, NULL).cached_files, FILES - 1);
    set all = {0};
    set_add(&all, "p", "s", "shared", 6);
    set_add(&all, "p", "t", "OTHER", 5);
    set_add(&all, "q", "s", "shared", 6);
    set_add(&all, "q", "t", "", 0);
    test_holds("out", &all);
    set_free(&all);
    write_tree();
    settle();
}

/* A file that was written just before it was read may be written once more at the same time. */
static void test_racy(void **state)
{
    (void)state;
    unlink("cache");
    test_write_file("tree/p/t", "other", 5);
    pack("cache", NULL, NULL);
    settle();
    assert_true(pack("cache", NULL, NULL).cached_files < FILES);
    assert_int_equal(pack("cache", NULL, NULL).cached_files, FILES);
    is_fresh();
}

/* A time that the clock has not reached can come again. */
static void test_future(void **state)
{
    (void)state;
    struct stat times;
    assert_int_equal(stat("tree/p/t", &times), 0);
    times.st_mtim = (struct timespec){time(NULL) + 100, 0};
    set_times("tree/p/t", &times);
    settle();
    unlink("cache");
    pack("cache", NULL, NULL);
    assert_int_equal(pack("cache", NULL, NULL).cached_files, FILES - 1);
    test_write_file("tree/p/t", "other", 5);
    settle();
}

/* ---- what is not a good cache -----------------------------------------------------------------
 */

static void ignored(const uint8_t *bytes, size_t size)
{
    heard messages = {0};
    test_write_file("cache", bytes, size);
    assert_int_equal(pack("cache", &messages, NULL).cached_files, 0);
    assert_int_equal(messages.notes, 1);
    assert_non_null(strstr(messages.text, "cache"));
    is_fresh();
}

static void test_damage(void **state)
{
    (void)state;
    size_t size;
    unlink("cache");
    pack("cache", NULL, NULL);
    uint8_t *cache = test_read_file("cache", &size);
    for (size_t cut = 0; cut < size; cut += cut < 70 ? 7 : 37)
        ignored(cache, cut);
    for (size_t at = 0; at < size; at += at < 64 ? 1 : 3) {
        cache[at] ^= 0x10;
        ignored(cache, size);
        cache[at] ^= 0x10;
    }
    test_write_file("cache", cache, size);
    assert_int_equal(pack("cache", NULL, NULL).cached_files, FILES);
    free(cache);
}

static void test_foreign(void **state)
{
    (void)state;
    static const char text[] = "int main(void) { return 0; }";
    size_t size;
    ignored((const uint8_t *)text, sizeof text);
    uint8_t *bytes = test_read_file("cache", &size);
    assert_int_equal(size, sizeof text);
    assert_memory_equal(bytes, text, size);
    free(bytes);
    unlink("cache");

    heard messages = {0};
    assert_int_equal(pack("tree", &messages, NULL).cached_files, 0);
    assert_int_equal(pack("no/folder/cache", &messages, NULL).cached_files, 0);
    assert_true(messages.notes >= 2);
    is_fresh();
}

/* ---- equal hashes ------------------------------------------------------------------------------
 */

static XXH128_hash_t one_hash(XXH128_hash_t hash)
{
    (void)hash;
    return (XXH128_hash_t){7, 0};
}

/* Files of one hash and size are one component only when their bytes were compared. */
static void test_equal_hashes(void **state)
{
    (void)state;
    const psopack_hooks hooks = {.weaken = one_hash};
    test_write_file("tree/r/s", "SHARED", 6);
    test_write_file("tree/r/t", "ShArEd", 6);
    settle();
    unlink("cache");
    for (int i = 0; i < 3; i++) {
        psopack_build_result result = pack("cache", NULL, &hooks);
        assert_int_equal(result.components, 5);
        assert_int_equal(result.collisions, 2);
        if (i != 0)
            assert_true(result.cached_files >= FILES); /* one of each group may be read */
        set all = {0};
        set_add(&all, "p", "s", "shared", 6);
        set_add(&all, "p", "t", "other", 5);
        set_add(&all, "q", "s", "shared", 6);
        set_add(&all, "q", "t", "", 0);
        set_add(&all, "r", "s", "SHARED", 6);
        set_add(&all, "r", "t", "ShArEd", 6);
        test_holds("out", &all);
        set_free(&all);
    }
    unlink("tree/r/s");
    unlink("tree/r/t");
    rmdir("tree/r");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_second_build), cmocka_unit_test(test_other_directory),
        cmocka_unit_test(test_forged_time),  cmocka_unit_test(test_racy),
        cmocka_unit_test(test_future),       cmocka_unit_test(test_damage),
        cmocka_unit_test(test_foreign),      cmocka_unit_test(test_equal_hashes),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
