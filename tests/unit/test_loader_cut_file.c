/* SPDX-License-Identifier: MIT */
/*
 * A file that is cut while it is open: fatal for who has mapped it, as psopack.h warns; a status
 * for who reads it, with every byte that is left still right.
 */
#define _GNU_SOURCE
#include "loader_fixture.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGE = 4096, READ_ALL = 0, READ_FAILED = 1 };

static int make_one(void **state)
{
    static fixture made;
    made = (fixture){.profile = PSOPACK_PROFILE_STORED,
                     .psos = 200,
                     .code_size = 3000,
                     .large_size = 300 * 1024};
    fixture_make(&made);
    *state = &made;
    return 0;
}

static int free_one(void **state)
{
    fixture_free(*state);
    return 0;
}

static psopack_archive *open_and_cut(const fixture *made, uint32_t flags)
{
    psopack_open_options options = PSOPACK_OPEN_OPTIONS_INIT;
    psopack_archive *archive = NULL;
    options.flags = flags;
    assert_int_equal(psopack_archive_open(made->path, &options, &archive, NULL), PSOPACK_OK);
    assert_int_equal(truncate(made->path, (off_t)(made->size / 2 / PAGE * PAGE)), 0);
    return archive;
}

static void restore(const fixture *made)
{
    FILE *file = fopen(made->path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(made->bytes, 1, made->size, file), made->size);
    fclose(file);
}

static void test_read(void **state)
{
    const fixture *made = *state;
    psopack_archive *archive = open_and_cut(made, PSOPACK_OPEN_NO_MAP);
    psopack_context *context;
    psopack_info info;
    uint32_t failed = 0, pso;
    char name[64];
    psopack_archive_info(archive, &info);
    assert_int_equal(psopack_context_create(archive, NULL, &context), PSOPACK_OK);
    for (uint32_t i = 0; i < info.components; i++) {
        psopack_component_info row;
        psopack_diag diag;
        assert_int_equal(psopack_component_get(archive, i, &row, NULL), PSOPACK_OK);
        void *buffer = malloc((size_t)row.size + 1);
        psopack_status status =
            psopack_component_read(archive, context, i, buffer, (size_t)row.size, NULL, &diag);
        assert_true(status == PSOPACK_OK || status == PSOPACK_E_TRUNCATED);
        failed += status != PSOPACK_OK;
        free(buffer);
    }
    assert_true(failed > 0 && failed < info.components);
    fixture_pso_name(made->psos - 1, name); /* the manifest, at the end, is in memory */
    assert_int_equal(psopack_pso_find(archive, context, name, strlen(name), &pso, NULL),
                     PSOPACK_OK);
    psopack_context_destroy(&context);
    assert_true(fixture_read_all(made, archive) > 0); /* what can be read is right */
    psopack_archive_close(&archive);
    restore(made);
}

static void test_mapped(void **state)
{
    const fixture *made = *state;
    const struct rlimit no_core = {0, 0};
    int how;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        setrlimit(RLIMIT_CORE, &no_core);
        signal(SIGBUS, SIG_DFL); /* sanitizers catch it */
        psopack_archive *archive = open_and_cut(made, 0);
        _exit(fixture_read_all(made, archive) == 0 ? READ_ALL : READ_FAILED);
    }
    assert_int_equal(waitpid(child, &how, 0), child);
    restore(made);
    assert_true(WIFSIGNALED(how));
    assert_int_equal(WTERMSIG(how), SIGBUS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_read),
        cmocka_unit_test(test_mapped),
    };
    return cmocka_run_group_tests(tests, make_one, free_one);
}
