/* SPDX-License-Identifier: MIT */
/* Files, paths and maps on a real file system. */
#define _GNU_SOURCE 1
#include "test_platform_scratch.h"

#include "platform/file.h"
#include "platform/map.h"
#include "platform/os_error.h"
#include "platform/path.h"

#include <errno.h>
#include <locale.h>

static psopack_file open_read(const char *path)
{
    psopack_file file;
    psopack_diag diag;
    assert_int_equal(psopack_file_open_read(path, &file, NULL, &diag), PSOPACK_OK);
    return file;
}

static void close_file(psopack_file *file)
{
    assert_int_equal(psopack_file_close(file, NULL), PSOPACK_OK);
    assert_int_equal(file->handle, -1);
    assert_int_equal(psopack_file_close(file, NULL), PSOPACK_OK);
}

static void opening_reports_size_and_identity(void **state)
{
    (void)state;
    put_text("a", "hello");
    assert_int_equal(link("a", "b"), 0);
    psopack_file file;
    psopack_file_stat a, b;
    assert_int_equal(psopack_file_open_read("a", &file, &a, NULL), PSOPACK_OK);
    assert_int_equal(psopack_path_stat("b", &b, NULL), PSOPACK_OK);
    assert_true(psopack_file_stat_equal(&a, &b));
    assert_int_equal(a.size, 5);
    assert_int_equal(a.type, PSOPACK_FILE_REGULAR);
    struct stat st;
    assert_int_equal(stat("a", &st), 0);
    assert_true(a.mtime_ns == (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec);
    assert_true(a.inode == st.st_ino && a.device == st.st_dev);

    put_text("a", "hell!");
    const struct timespec times[2] = {{1, 0}, {1, 1}};
    assert_int_equal(utimensat(AT_FDCWD, "a", times, 0), 0);
    assert_int_equal(psopack_file_get_stat(&file, &b, NULL), PSOPACK_OK);
    assert_false(psopack_file_stat_equal(&a, &b));
    assert_true(b.mtime_ns == 1000000001);
    close_file(&file);
}

static void opening_fails_by_cause(void **state)
{
    (void)state;
    psopack_file file = PSOPACK_FILE_NONE;
    psopack_diag diag;
    make_directory("dir");
    assert_int_equal(mkfifo("pipe", 0666), 0);
    assert_int_equal(symlink("round", "round"), 0);
    put_text("file", "x");

    assert_int_equal(psopack_file_open_read("none", &file, NULL, &diag), PSOPACK_E_NO_ENTRY);
    assert_string_equal(diag.text, "none: cannot open: No such file or directory");
    assert_int_equal(diag.code, PSOPACK_E_NO_ENTRY);
    assert_int_equal(psopack_file_open_read("dir", &file, NULL, &diag), PSOPACK_E_FILE_TYPE);
    assert_string_equal(diag.text, "dir: a directory, not a regular file");
    assert_int_equal(psopack_file_open_read("pipe", &file, NULL, &diag), PSOPACK_E_FILE_TYPE);
    assert_string_equal(diag.text, "pipe: a pipe, socket or device, not a regular file");
    assert_int_equal(psopack_file_open_read("round", &file, NULL, &diag), PSOPACK_E_LOOP);
    assert_int_equal(psopack_file_open_read("file/x", &file, NULL, &diag), PSOPACK_E_NO_ENTRY);
    assert_int_equal(psopack_file_create("file", &file, &diag), PSOPACK_E_EXISTS);
    assert_string_equal(diag.text, "file: cannot create: File exists");
    assert_int_equal(psopack_file_open_update("dir", &file, &diag), PSOPACK_E_FILE_TYPE);
    assert_int_equal(psopack_file_open_read("none", &file, NULL, NULL), PSOPACK_E_NO_ENTRY);
    assert_int_equal(file.handle, -1); /* written only on success */
}

static void reads_end_where_the_file_ends(void **state)
{
    (void)state;
    put_text("a", "0123456789");
    psopack_file file = open_read("a");
    char buffer[16] = {0};
    size_t got = 0;
    psopack_diag diag;
    assert_int_equal(psopack_file_read_at(&file, 3, buffer, 7, &diag), PSOPACK_OK);
    assert_string_equal(buffer, "3456789");
    assert_int_equal(psopack_file_read_at(&file, 3, buffer, 8, &diag), PSOPACK_E_TRUNCATED);
    assert_int_equal(diag.offset, 10);
    assert_string_equal(diag.text, "a: no bytes at offset 10, 1 more wanted");
    assert_int_equal(psopack_file_read_up_to(&file, 8, buffer, 8, &got, &diag), PSOPACK_OK);
    assert_int_equal(got, 2);
    assert_int_equal(psopack_file_read_up_to(&file, 99, buffer, 8, &got, &diag), PSOPACK_OK);
    assert_int_equal(got, 0);
    assert_int_equal(psopack_file_read_at(&file, 10, buffer, 0, &diag), PSOPACK_OK);
    assert_int_equal(psopack_file_read_at(&file, UINT64_MAX - 2, buffer, 8, &diag),
                     PSOPACK_E_LIMIT);
    close_file(&file);
    assert_int_equal(psopack_file_read_at(&file, 0, buffer, 1, &diag), PSOPACK_E_IO);
}

static void offsets_reach_past_4_gib(void **state)
{
    (void)state;
    const uint64_t at = (UINT64_C(5) << 30) + 7;
    psopack_file file;
    char buffer[4] = {0};
    assert_int_equal(psopack_file_create("sparse", &file, NULL), PSOPACK_OK);
    assert_int_equal(psopack_file_truncate(&file, at + 4096, NULL), PSOPACK_OK);
    assert_int_equal(psopack_file_write_at(&file, at, "end", 3, NULL), PSOPACK_OK);
    assert_int_equal(psopack_file_read_at(&file, at, buffer, 3, NULL), PSOPACK_OK);
    assert_string_equal(buffer, "end");
    assert_int_equal(psopack_file_read_at(&file, at & UINT32_MAX, buffer, 3, NULL), PSOPACK_OK);
    assert_memory_equal(buffer, "\0\0\0", 3);
    psopack_file_stat stat;
    assert_int_equal(psopack_file_get_stat(&file, &stat, NULL), PSOPACK_OK);
    assert_true(stat.size == at + 4096);

    psopack_map map;
    assert_int_equal(psopack_map_range(&file, at, 3, &map, NULL), PSOPACK_OK);
    assert_memory_equal(map.data, "end", 3);
    psopack_map_unmap(&map);
    close_file(&file);
}

static void appending_and_updating(void **state)
{
    (void)state;
    psopack_file log, same;
    psopack_diag diag;
    assert_int_equal(psopack_file_open_append("log", &log, NULL), PSOPACK_OK);
    assert_int_equal(psopack_file_append(&log, "one ", 4, NULL), PSOPACK_OK);
    assert_int_equal(psopack_file_open_append("log", &same, NULL), PSOPACK_OK);
    assert_int_equal(psopack_file_append(&same, "two ", 4, NULL), PSOPACK_OK);
    assert_int_equal(psopack_file_append(&log, "three", 5, NULL), PSOPACK_OK);
    assert_content("log", "one two three");
    assert_int_equal(psopack_file_write_at(&log, 0, "x", 1, &diag), PSOPACK_E_ARGUMENT);
    close_file(&same);
    close_file(&log);

    assert_int_equal(psopack_file_open_update("log", &log, NULL), PSOPACK_OK);
    assert_int_equal(psopack_file_append(&log, "x", 1, &diag), PSOPACK_E_ARGUMENT);
    assert_int_equal(psopack_file_write_at(&log, 4, "TWO", 3, NULL), PSOPACK_OK);
    assert_int_equal(psopack_file_truncate(&log, 7, NULL), PSOPACK_OK);
    assert_int_equal(psopack_file_truncate(&log, UINT64_MAX, &diag), PSOPACK_E_LIMIT);
    assert_int_equal(psopack_file_sync(&log, NULL), PSOPACK_OK);
    psopack_file_advise_sequential(&log);
    close_file(&log);
    assert_content("log", "one TWO");
}

static void maps_begin_anywhere(void **state)
{
    (void)state;
    uint8_t bytes[3 * 4096 + 5];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i * 7 + i / 256);
    put_file("a", bytes, sizeof bytes);
    psopack_file file = open_read("a");
    psopack_map map;
    psopack_diag diag;
    assert_int_equal(psopack_map_file(&file, &map, NULL), PSOPACK_OK);
    assert_int_equal(map.size, sizeof bytes);
    assert_memory_equal(map.data, bytes, sizeof bytes);
    psopack_map_unmap(&map);
    assert_null(map.data);

    for (uint64_t at = 0; at < sizeof bytes; at += 1021) {
        size_t size = sizeof bytes - (size_t)at;
        assert_int_equal(psopack_map_range(&file, at, size, &map, NULL), PSOPACK_OK);
        assert_memory_equal(map.data, bytes + at, size);
        for (int advice = PSOPACK_MAP_NORMAL; advice <= PSOPACK_MAP_DONT_NEED; advice++)
            psopack_map_advise(&map, 1, SIZE_MAX, (psopack_map_advice)advice);
        psopack_map_advise(&map, map.size, 1, PSOPACK_MAP_WILL_NEED);
        assert_memory_equal(map.data, bytes + at, size);
        psopack_map_unmap(&map);
    }
    assert_int_equal(psopack_map_range(&file, sizeof bytes, 0, &map, NULL), PSOPACK_OK);
    assert_non_null(map.data);
    psopack_map_unmap(&map);
    assert_int_equal(psopack_map_range(&file, 1, sizeof bytes, &map, &diag), PSOPACK_E_TRUNCATED);
    assert_int_equal(diag.offset, sizeof bytes);
    assert_int_equal(psopack_map_range(&file, UINT64_MAX, 2, &map, &diag), PSOPACK_E_TRUNCATED);
    close_file(&file);

    put_text("empty", "");
    file = open_read("empty");
    assert_int_equal(psopack_map_file(&file, &map, NULL), PSOPACK_OK);
    assert_non_null(map.data);
    assert_int_equal(map.size, 0);
    psopack_map_advise(&map, 0, 1, PSOPACK_MAP_RANDOM);
    psopack_map_unmap(&map);
    close_file(&file);
}

static void a_map_outlives_its_file(void **state)
{
    (void)state;
    put_text("a", "stay");
    psopack_file file = open_read("a");
    psopack_map map;
    assert_int_equal(psopack_map_file(&file, &map, NULL), PSOPACK_OK);
    close_file(&file);
    assert_int_equal(psopack_path_remove("a", NULL), PSOPACK_OK);
    assert_memory_equal(map.data, "stay", 4);
    psopack_map_unmap(&map);
    psopack_map_unmap(&map);
}

static void paths(void **state)
{
    (void)state;
    psopack_diag diag;
    psopack_file_stat stat;
    assert_int_equal(psopack_path_make_directory("d", NULL), PSOPACK_OK);
    assert_int_equal(psopack_path_make_directory("d", NULL), PSOPACK_OK);
    put_text("d/f", "");
    assert_int_equal(psopack_path_make_directory("d/f", &diag), PSOPACK_E_EXISTS);
    assert_int_equal(psopack_path_make_directory("x/y", &diag), PSOPACK_E_NO_ENTRY);
    assert_int_equal(psopack_path_sync_directory("d", NULL), PSOPACK_OK);
    assert_int_equal(psopack_path_sync_directory("d/f", &diag), PSOPACK_E_NO_ENTRY);
    assert_int_equal(psopack_path_stat("d", &stat, NULL), PSOPACK_OK);
    assert_int_equal(stat.type, PSOPACK_FILE_DIRECTORY);
    assert_int_equal(psopack_path_stat("/dev/null", &stat, NULL), PSOPACK_OK);
    assert_int_equal(stat.type, PSOPACK_FILE_OTHER);
    assert_int_equal(psopack_path_stat("none", &stat, &diag), PSOPACK_E_NO_ENTRY);
    assert_int_equal(psopack_path_remove("d/f", NULL), PSOPACK_OK);
    assert_int_equal(psopack_path_remove("d/f", &diag), PSOPACK_E_NO_ENTRY);

    assert_int_equal(psopack_path_directory_size("a"), 0);
    assert_int_equal(psopack_path_directory_size("/a"), 1);
    assert_int_equal(psopack_path_directory_size("a/b/c"), 3);
    assert_int_equal(psopack_path_directory_size("a/"), 1);
}

static void messages_show_any_path_on_one_line(void **state)
{
    (void)state;
    psopack_diag diag;
    psopack_file file;
    assert_int_equal(psopack_file_open_read("a\nb\x7f\xff", &file, NULL, &diag),
                     PSOPACK_E_NO_ENTRY);
    assert_string_equal(diag.text, "a\\x0ab\\x7f\xff: cannot open: No such file or directory");

    char path[3000];
    memset(path, '\n', sizeof path);
    memcpy(path + sizeof path - 5, "/end", 5);
    psopack_fail_errno(&diag, ENOENT, "open", path);
    assert_memory_equal(diag.text, "...\\x0a", 7);
    assert_text_has(&diag, "\\x0a/end: cannot open: No such file or directory");
    char shown[PSOPACK_SHOWN_PATH_SIZE];
    assert_true(strlen(psopack_show_path(shown, path)) < sizeof shown);

    /* Exactly as long as fits, and one more. */
    memset(path, 'p', sizeof path);
    path[PSOPACK_SHOWN_PATH_SIZE - 1] = '\0';
    assert_string_equal(psopack_show_path(shown, path), path);
    path[PSOPACK_SHOWN_PATH_SIZE - 1] = 'p';
    path[PSOPACK_SHOWN_PATH_SIZE] = '\0';
    assert_memory_equal(psopack_show_path(shown, path), "...p", 4);
    assert_int_equal(strlen(shown), PSOPACK_SHOWN_PATH_SIZE - 1);
}

static void each_errno_has_its_status(void **state)
{
    (void)state;
    assert_int_equal(psopack_status_from_errno(ENOSPC), PSOPACK_E_NO_SPACE);
    assert_int_equal(psopack_status_from_errno(EDQUOT), PSOPACK_E_NO_SPACE);
    assert_int_equal(psopack_status_from_errno(EACCES), PSOPACK_E_ACCESS);
    assert_int_equal(psopack_status_from_errno(EPERM), PSOPACK_E_ACCESS);
    assert_int_equal(psopack_status_from_errno(EROFS), PSOPACK_E_ACCESS);
    assert_int_equal(psopack_status_from_errno(ENOMEM), PSOPACK_E_NOMEM);
    assert_int_equal(psopack_status_from_errno(ENAMETOOLONG), PSOPACK_E_LIMIT);
    assert_int_equal(psopack_status_from_errno(EIO), PSOPACK_E_IO);
    assert_int_equal(psopack_status_from_errno(EMFILE), PSOPACK_E_IO);
    assert_int_equal(psopack_status_from_errno(0), PSOPACK_E_IO);
    psopack_diag diag;
    assert_int_equal(psopack_fail_errno_at(&diag, 12345, 77, "read", "p"), PSOPACK_E_IO);
    assert_int_equal(diag.offset, 77);
    assert_int_equal(diag.object, PSOPACK_OBJECT_FILE);
    assert_text_has(&diag, "p: cannot read: ");
}

int main(void)
{
    (void)setlocale(LC_ALL, ""); /* messages must not depend on it */
    const struct CMUnitTest tests[] = {
        SCRATCH_TEST(opening_reports_size_and_identity),
        SCRATCH_TEST(opening_fails_by_cause),
        SCRATCH_TEST(reads_end_where_the_file_ends),
        SCRATCH_TEST(offsets_reach_past_4_gib),
        SCRATCH_TEST(appending_and_updating),
        SCRATCH_TEST(maps_begin_anywhere),
        SCRATCH_TEST(a_map_outlives_its_file),
        SCRATCH_TEST(paths),
        SCRATCH_TEST(messages_show_any_path_on_one_line),
        SCRATCH_TEST(each_errno_has_its_status),
    };
    return cmocka_run_group_tests_name("platform file", tests, NULL, NULL);
}
