/* SPDX-License-Identifier: MIT */
/* A fresh directory per test, made the current one, so that tests use short relative names. */
#ifndef TEST_PLATFORM_SCRATCH_H
#define TEST_PLATFORM_SCRATCH_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <ftw.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <psopack/status.h>

static inline int scratch_setup(void **state)
{
    const char *base = getenv("TMPDIR");
    char path[512];
    snprintf(path, sizeof path, "%s/psopack-test-XXXXXX", base && *base ? base : "/tmp");
    if (!mkdtemp(path) || chdir(path) != 0 || chmod(".", 0755) != 0)
        return -1;
    umask(022);
    *state = strdup(path);
    return *state ? 0 : -1;
}

static inline int scratch_remove(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st, (void)type, (void)ftw;
    return remove(path);
}

static inline int scratch_teardown(void **state)
{
    int result = chdir("/");
    if (result == 0)
        /* musl goes no deeper than it may have files open. */
        result = nftw(*state, scratch_remove, 300, FTW_DEPTH | FTW_PHYS);
    free(*state);
    return result;
}

#define SCRATCH_TEST(f) cmocka_unit_test_setup_teardown(f, scratch_setup, scratch_teardown)

static inline void put_file(const char *path, const void *data, size_t size)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, data, size), (ssize_t)size);
    assert_int_equal(close(fd), 0);
}

static inline void put_text(const char *path, const char *text)
{
    put_file(path, text, strlen(text));
}

static inline void make_directory(const char *path)
{
    assert_int_equal(mkdir(path, 0777), 0);
}

static inline bool is_there(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0;
}

static inline void assert_content(const char *path, const char *text)
{
    char buffer[4096];
    int fd = open(path, O_RDONLY);
    assert_true(fd >= 0);
    ssize_t got = read(fd, buffer, sizeof buffer - 1);
    close(fd);
    assert_true(got >= 0);
    buffer[got] = '\0';
    assert_string_equal(buffer, text);
}

static inline void assert_text_has(const psopack_diag *diag, const char *part)
{
    if (!strstr(diag->text, part))
        fail_msg("\"%s\" does not contain \"%s\"", diag->text, part);
}

/* The exit code of a child that runs `body`; -1 when a signal ended it. */
static inline int run_child(int (*body)(const void *), const void *argument)
{
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(body(argument));
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

#endif
