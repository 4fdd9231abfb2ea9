/* SPDX-License-Identifier: MIT */
/*
 * The platform layer over a system that fails, at every call in turn, that interrupts, and that
 * transfers a byte at a time: a clear error, no litter, no lost descriptor, the old output whole.
 */
#define _GNU_SOURCE 1
#define _FILE_OFFSET_BITS 64
#include "test_platform_scratch.h"
#include "test_platform_shim.h"

#include "format/error.h"
#include "platform/extract.h"
#include "platform/file.h"
#include "platform/lock.h"
#include "platform/map.h"
#include "platform/parallel.h"
#include "platform/path.h"
#include "platform/publish.h"
#include "platform/walk.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <sys/mman.h>

#define TEXT_OLD "the old output"
#define TEXT_NEW "the new output, longer"

static void remove_tree(const char *path)
{
    if (is_there(path))
        assert_int_equal(nftw(path, scratch_remove, 16, FTW_DEPTH | FTW_PHYS), 0);
}

static int count_in(const char *directory)
{
    DIR *entries = opendir(directory);
    assert_non_null(entries);
    int n = 0;
    while (readdir(entries))
        n++;
    closedir(entries);
    return n;
}

/* What a run leaves is checked by `check`, with the status it returned. */
typedef struct scenario {
    void (*prepare)(void);
    psopack_status (*run)(psopack_diag *diag);
    void (*check)(psopack_status status);
} scenario;

static const int errors[] = {EIO, ENOSPC, EACCES, ENOMEM, EMFILE};

static void check_outcome(const scenario *tried, psopack_status status, const psopack_diag *diag)
{
    if (status != PSOPACK_OK) {
        assert_int_equal(diag->code, status);
        assert_true(strlen(diag->text) > 10);
    }
    tried->check(status);
}

/* Returns the number of calls that could be made to fail. */
static unsigned fail_each_call(const scenario *tried, int error)
{
    for (unsigned n = 0;; n++) {
        tried->prepare();
        int open_before = count_in("/proc/self/fd");
        psopack_diag diag = {0};
        shim_start();
        shim.fail_at = n;
        shim.error = error;
        psopack_status status = tried->run(&diag);
        shim_stop();
        assert_int_equal(count_in("/proc/self/fd"), open_before);
        check_outcome(tried, status, &diag);
        if (!shim.failed) {
            assert_int_equal(status, PSOPACK_OK);
            return n;
        }
    }
}

static void try_scenario(const scenario *tried)
{
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++)
        assert_true(fail_each_call(tried, errors[i]) > 8);

    for (size_t short_by = 0; short_by < 4; short_by++) {
        tried->prepare();
        psopack_diag diag = {0};
        shim_start();
        shim.interrupt = true;
        shim.short_by = short_by;
        psopack_status status = tried->run(&diag);
        shim_stop();
        if (status != PSOPACK_OK)
            fail_msg("interrupted: %s", diag.text);
        check_outcome(tried, status, &diag);
    }
}

/* Publishing ----------------------------------------------------------------------------------- */

static void prepare_publish(void)
{
    remove_tree("d");
    remove_tree("link");
    make_directory("d");
    assert_int_equal(symlink("d/out", "link"), 0);
    put_text("d/out", TEXT_OLD);
    assert_int_equal(chmod("d/out", 0600), 0);
    put_text("d/out.tmp.1.0", "left over");
}

static psopack_status run_publish(psopack_diag *diag)
{
    const psopack_publish_options options = {.keep_if_identical = true};
    psopack_publish *publish = NULL;
    PSOPACK_TRY(psopack_publish_begin("link", &publish, diag));
    psopack_status status = psopack_publish_write(publish, TEXT_NEW, strlen(TEXT_NEW), diag);
    if (status != PSOPACK_OK) {
        psopack_publish_abort(&publish);
        return status;
    }
    status = psopack_publish_commit(&publish, &options, NULL, diag);
    assert_null(publish);
    return status;
}

static void check_publish(psopack_status status)
{
    char buffer[64] = {0};
    int fd = open("d/out", O_RDONLY);
    assert_true(fd >= 0);
    assert_true(read(fd, buffer, sizeof buffer - 1) > 0);
    close(fd);
    bool after_rename =
        shim.failed && (strcmp(shim.failed, "fsync") == 0 || strcmp(shim.failed, "close") == 0);
    if (status == PSOPACK_OK)
        assert_string_equal(buffer, TEXT_NEW);
    else if (!after_rename)
        assert_string_equal(buffer, TEXT_OLD);
    else
        assert_true(strcmp(buffer, TEXT_OLD) == 0 || strcmp(buffer, TEXT_NEW) == 0);

    /* One's own temporary file goes whatever fails; another's goes at the next run at the latest.
     */
    assert_int_equal(count_in("d") - 2 - is_there("d/out.tmp.1.0"), 1);
    struct stat st;
    assert_int_equal(stat("d/out", &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
}

static void publishing(void **state)
{
    (void)state;
    const scenario tried = {prepare_publish, run_publish, check_publish};
    try_scenario(&tried);
}

static void prepare_identical(void)
{
    prepare_publish();
    put_text("d/out", TEXT_NEW);
}

static void check_identical(psopack_status status)
{
    (void)status;
    assert_content("d/out", TEXT_NEW);
    /* The temporary file stays only when the one call that removes it is refused. */
    bool refused = shim.failed && strcmp(shim.failed, "unlinkat") == 0;
    int litter = count_in("d") - 2 - is_there("d/out.tmp.1.0") - 1;
    assert_true(litter == 0 || (refused && litter == 1));
}

static void publishing_the_same(void **state)
{
    (void)state;
    const scenario tried = {prepare_identical, run_publish, check_identical};
    try_scenario(&tried);
}

static void locks_that_cannot_be_had(void **state)
{
    (void)state;
    put_text("f", "");
    psopack_file file;
    assert_int_equal(psopack_file_open_update("f", &file, NULL), PSOPACK_OK);
    const int none[] = {ENOLCK, EINVAL, EOPNOTSUPP, ENOSYS};
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
        shim_start();
        shim.lock_error = none[i];
        shim.lock_failures = 1;
        psopack_status status = psopack_lock_try(&file, PSOPACK_LOCK_EXCLUSIVE, NULL);
        shim_stop();
        assert_int_equal(status, PSOPACK_E_UNAVAILABLE);
    }
    psopack_file_close(&file, NULL);
}

/* No lock can tell the dead from the living: leftovers stay, publishing works. */
static void publishing_without_locks(void **state)
{
    (void)state;
    prepare_publish();
    shim_start();
    shim.lock_error = ENOLCK;
    shim.lock_failures = UINT_MAX;
    psopack_status status = run_publish(NULL);
    shim_stop();
    assert_int_equal(status, PSOPACK_OK);
    assert_content("d/out", TEXT_NEW);
    assert_true(is_there("d/out.tmp.1.0"));
}

/* A remover locks the new file before its writer does: it is the remover's, the next name is used.
 */
static void a_remover_between_create_and_lock(void **state)
{
    (void)state;
    psopack_publish *publish = NULL;
    shim_start();
    shim.lock_error = EAGAIN;
    shim.lock_failures = 1;
    psopack_status status = psopack_publish_begin("out", &publish, NULL);
    shim_stop();
    assert_int_equal(status, PSOPACK_OK);
    char expected[64];
    snprintf(expected, sizeof expected, "out.tmp.%ld.1", (long)getpid());
    assert_string_equal(psopack_publish_temp_path(publish), expected);
    psopack_publish_abort(&publish);
    assert_false(is_there(expected));
}

/* Files ---------------------------------------------------------------------------------------- */

static void prepare_file(void)
{
    remove_tree("f");
}

static psopack_status use_file(const psopack_file *file, psopack_diag *diag)
{
    char back[9] = {0};
    psopack_map map;
    PSOPACK_TRY(psopack_lock_try(file, PSOPACK_LOCK_EXCLUSIVE, diag));
    PSOPACK_TRY(psopack_file_write_at(file, 0, "01234567", 8, diag));
    PSOPACK_TRY(psopack_file_truncate(file, 8, diag));
    PSOPACK_TRY(psopack_file_sync(file, diag));
    PSOPACK_TRY(psopack_file_read_at(file, 0, back, 8, diag));
    assert_string_equal(back, "01234567");
    PSOPACK_TRY(psopack_map_file(file, &map, diag));
    assert_memory_equal(map.data, "01234567", 8);
    psopack_map_unmap(&map);
    PSOPACK_TRY(psopack_lock_release(file, diag));
    return psopack_path_sync_directory(".", diag);
}

static psopack_status run_file(psopack_diag *diag)
{
    psopack_file file;
    PSOPACK_TRY(psopack_file_create("f", &file, diag));
    psopack_status status = use_file(&file, diag);
    psopack_status closed = psopack_file_close(&file, status == PSOPACK_OK ? diag : NULL);
    return status != PSOPACK_OK ? status : closed;
}

static void check_file(psopack_status status)
{
    if (status == PSOPACK_OK)
        assert_content("f", "01234567");
}

static void files(void **state)
{
    (void)state;
    const scenario tried = {prepare_file, run_file, check_file};
    try_scenario(&tried);
}

static psopack_status run_append(psopack_diag *diag)
{
    psopack_file file;
    PSOPACK_TRY(psopack_file_open_append("f", &file, diag));
    psopack_status status = psopack_file_append(&file, "0123", 4, diag);
    if (status == PSOPACK_OK)
        status = psopack_file_append(&file, "4567", 4, diag);
    psopack_status closed = psopack_file_close(&file, status == PSOPACK_OK ? diag : NULL);
    return status != PSOPACK_OK ? status : closed;
}

static void appending(void **state)
{
    (void)state;
    for (size_t short_by = 1; short_by < 6; short_by++) {
        prepare_file();
        shim_start();
        shim.short_by = short_by;
        shim.interrupt = true;
        assert_int_equal(run_append(NULL), PSOPACK_OK);
        shim_stop();
        assert_content("f", "01234567");
    }
}

/* Larger than any one call of the system moves; the memory is only addresses. */
static void transfers_are_cut_for_the_system(void **state)
{
    (void)state;
    if (sizeof(size_t) < 8)
        skip();
    const size_t size = ((size_t)5 << 30) + 3;
    psopack_file file;
    assert_int_equal(psopack_file_create("f", &file, NULL), PSOPACK_OK);
    void *memory = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    assert_true(memory != MAP_FAILED);
    shim_start();
    shim.pretend = true;
    psopack_status read_status = psopack_file_read_at(&file, 1, memory, size, NULL);
    psopack_status write_status = psopack_file_write_at(&file, 1, memory, size, NULL);
    shim_stop();
    assert_int_equal(read_status, PSOPACK_OK);
    assert_int_equal(write_status, PSOPACK_OK);
    assert_int_equal(shim.calls, 12);
    assert_true(shim.largest_request <= INT_MAX);
    munmap(memory, size);
    psopack_file_close(&file, NULL);
}

/* Walking and extracting ------------------------------------------------------------------------
 */

static void prepare_tree(void)
{
    remove_tree("r");
    assert_int_equal(mkdir("r", 0777) | mkdir("r/a", 0777) | mkdir("r/a/b", 0777) |
                         mkdir("r/c", 0777) | symlink("1", "r/link"),
                     0);
    put_text("r/1", "");
    put_text("r/a/2", "");
    put_text("r/a/b/3", "");
    put_text("r/c/4", "");
}

static unsigned seen;

static psopack_status see(void *context, const psopack_walk_entry *entry, psopack_diag *diag)
{
    (void)context, (void)entry, (void)diag;
    seen++;
    return PSOPACK_OK;
}

static psopack_status run_walk(psopack_diag *diag)
{
    const psopack_walk walk = {.on_entry = see, .stat_files = true};
    seen = 0;
    return psopack_walk_tree("r", &walk, diag);
}

static void check_walk(psopack_status status)
{
    /* Never a directory in part: what was listed is there, or the walk has failed. */
    assert_true(status != PSOPACK_OK || seen == 9);
}

static void walking(void **state)
{
    (void)state;
    const scenario tried = {prepare_tree, run_walk, check_walk};
    try_scenario(&tried);
}

static void walking_where_names_come_without_types(void **state)
{
    (void)state;
    prepare_tree();
    assert_int_equal(mkfifo("r/pipe", 0666), 0);
    psopack_diag diag = {0};
    shim_start();
    shim.hide_types = true;
    psopack_status with_pipe = run_walk(&diag);
    remove_tree("r/pipe");
    psopack_status without = run_walk(&diag);
    shim_stop();
    assert_int_equal(with_pipe, PSOPACK_E_FILE_TYPE);
    assert_int_equal(without, PSOPACK_OK);
    assert_int_equal(seen, 9);
}

static void prepare_target(void)
{
    remove_tree("out");
    make_directory("out");
    make_directory("out/a");
    put_text("out/a/2", "x");
}

static psopack_status run_extract(psopack_diag *diag)
{
    static const char *const names[] = {"a/1", "a/2", "b/c/3", "4"};
    psopack_extract *extract = NULL;
    PSOPACK_TRY(psopack_extract_begin("out", &extract, diag));
    psopack_status status = PSOPACK_OK;
    for (size_t i = 0; status == PSOPACK_OK && i < sizeof names / sizeof names[0]; i++)
        status = psopack_extract_write_file(extract, names[i], strlen(names[i]),
                                            PSOPACK_EXTRACT_REPLACE, "content", 7, diag);
    psopack_extract_end(&extract);
    return status;
}

static void check_extract(psopack_status status)
{
    if (is_there("out/a/1"))
        assert_content("out/a/1", "content"); /* whole, or not there */
    if (is_there("out/b/c/3"))
        assert_content("out/b/c/3", "content");
    if (status == PSOPACK_OK)
        assert_content("out/4", "content");
}

static void extracting(void **state)
{
    (void)state;
    const scenario tried = {prepare_target, run_extract, check_extract};
    try_scenario(&tried);
}

/* Threads -------------------------------------------------------------------------------------- */

static psopack_status count_item(void *context, unsigned worker, uint64_t item, psopack_diag *diag)
{
    (void)worker, (void)item, (void)diag;
    atomic_fetch_add((atomic_uint *)context, 1);
    return PSOPACK_OK;
}

static void loops_go_on_with_fewer_threads(void **state)
{
    (void)state;
    for (unsigned n = 0; n < 3; n++) {
        atomic_uint done = 0;
        shim_start();
        shim.fail_at = n; /* the array of threads, the first thread, the second one */
        shim.error = EAGAIN;
        psopack_status status = psopack_parallel_for(100, 4, count_item, &done, NULL, NULL);
        shim_stop();
        assert_non_null(shim.failed);
        assert_int_equal(status, PSOPACK_OK);
        assert_int_equal(done, 100);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCRATCH_TEST(publishing),
        SCRATCH_TEST(publishing_the_same),
        SCRATCH_TEST(locks_that_cannot_be_had),
        SCRATCH_TEST(publishing_without_locks),
        SCRATCH_TEST(a_remover_between_create_and_lock),
        SCRATCH_TEST(files),
        SCRATCH_TEST(appending),
        SCRATCH_TEST(transfers_are_cut_for_the_system),
        SCRATCH_TEST(walking),
        SCRATCH_TEST(walking_where_names_come_without_types),
        SCRATCH_TEST(extracting),
        cmocka_unit_test(loops_go_on_with_fewer_threads),
    };
    return cmocka_run_group_tests_name("platform faults", tests, NULL, NULL);
}
