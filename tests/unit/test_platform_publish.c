/* SPDX-License-Identifier: MIT */
/* Publishing: old or new and nothing between, with racing, killed and hindered writers. */
#define _GNU_SOURCE 1
#include "test_platform_scratch.h"

#include "platform/publish.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>

static const psopack_publish_options quick = {.no_sync = true};
static const psopack_publish_options keep = {.keep_if_identical = true};

static psopack_publish *begin(const char *path)
{
    psopack_publish *publish = NULL;
    psopack_diag diag = {0};
    psopack_status status = psopack_publish_begin(path, &publish, &diag);
    if (status != PSOPACK_OK)
        fail_msg("%s", diag.text);
    return publish;
}

static psopack_publish_outcome publish_text(const char *path, const char *text,
                                            const psopack_publish_options *options)
{
    psopack_publish *publish = begin(path);
    psopack_publish_outcome outcome = PSOPACK_PUBLISH_UNCHANGED;
    assert_int_equal(psopack_publish_write(publish, text, strlen(text), NULL), PSOPACK_OK);
    assert_int_equal(psopack_publish_commit(&publish, options, &outcome, NULL), PSOPACK_OK);
    assert_null(publish);
    return outcome;
}

static int count_entries(const char *directory)
{
    DIR *entries = opendir(directory);
    assert_non_null(entries);
    int n = 0;
    while (readdir(entries))
        n++;
    closedir(entries);
    return n - 2;
}

static unsigned mode_of(const char *path)
{
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    return st.st_mode & 07777;
}

static void output_appears_whole_at_commit(void **state)
{
    (void)state;
    psopack_publish *publish = begin("out");
    assert_int_equal(psopack_publish_write(publish, "head", 4, NULL), PSOPACK_OK);
    assert_int_equal(psopack_publish_offset(publish), 4);
    assert_int_equal(psopack_publish_write_at(publish, 6, "tail", 4, NULL), PSOPACK_OK);
    assert_int_equal(psopack_publish_write(publish, "--", 2, NULL), PSOPACK_OK);
    assert_int_equal(psopack_publish_offset(publish), 6);
    assert_false(is_there("out"));
    assert_true(is_there(psopack_publish_temp_path(publish)));
    char back[4];
    assert_int_equal(psopack_file_read_at(psopack_publish_file(publish), 4, back, 4, NULL),
                     PSOPACK_OK);
    assert_memory_equal(back, "--ta", 4);
    psopack_publish_outcome outcome = PSOPACK_PUBLISH_UNCHANGED;
    assert_int_equal(psopack_publish_commit(&publish, NULL, &outcome, NULL), PSOPACK_OK);
    assert_int_equal(outcome, PSOPACK_PUBLISH_WRITTEN);
    assert_content("out", "head--tail");
    assert_int_equal(count_entries("."), 1);
}

static void abort_leaves_the_old_output(void **state)
{
    (void)state;
    put_text("out", "old");
    psopack_publish *publish = begin("out");
    assert_int_equal(psopack_publish_write(publish, "new", 3, NULL), PSOPACK_OK);
    psopack_publish_abort(&publish);
    assert_null(publish);
    psopack_publish_abort(&publish);
    assert_content("out", "old");
    assert_int_equal(count_entries("."), 1);
}

static void identical_output_is_left_untouched(void **state)
{
    (void)state;
    const size_t size = 3 * 65536;
    char *data = calloc(1, size + 1);
    assert_non_null(data);
    memset(data, 'a', size);
    put_file("out", data, size);
    const struct timespec times[2] = {{1, 0}, {1, 0}};
    assert_int_equal(utimensat(AT_FDCWD, "out", times, 0), 0);
    struct stat before, after;
    assert_int_equal(stat("out", &before), 0);

    assert_int_equal(publish_text("out", data, &keep), PSOPACK_PUBLISH_UNCHANGED);
    assert_int_equal(stat("out", &after), 0);
    assert_true(before.st_ino == after.st_ino && after.st_mtim.tv_sec == 1);
    assert_int_equal(count_entries("."), 1);

    data[size - 1] = 'b'; /* same size, last byte differs */
    assert_int_equal(publish_text("out", data, &keep), PSOPACK_PUBLISH_WRITTEN);
    data[size - 1] = '\0'; /* shorter */
    assert_int_equal(publish_text("out", data, &keep), PSOPACK_PUBLISH_WRITTEN);
    assert_int_equal(publish_text("out", "", &keep), PSOPACK_PUBLISH_WRITTEN);
    assert_int_equal(publish_text("out", "", &keep), PSOPACK_PUBLISH_UNCHANGED);
    assert_int_equal(publish_text("out", "", &quick), PSOPACK_PUBLISH_WRITTEN);
    free(data);
}

static void permissions(void **state)
{
    (void)state;
    umask(027);
    publish_text("fresh", "x", &quick);
    assert_int_equal(mode_of("fresh"), 0640);

    put_text("odd", "old");
    assert_int_equal(chmod("odd", 0604), 0);
    publish_text("odd", "new", &quick);
    assert_int_equal(mode_of("odd"), 0604);

    put_text("secret", "old");
    assert_int_equal(chmod("secret", 0400), 0);
    umask(0);
    psopack_publish *publish = begin("secret");
    assert_int_equal(mode_of(psopack_publish_temp_path(publish)) & 077, 0);
    assert_int_equal(psopack_publish_commit(&publish, &quick, NULL, NULL), PSOPACK_OK);
    assert_int_equal(mode_of("secret"), 0400);
}

static void outputs_that_are_no_files_are_refused(void **state)
{
    (void)state;
    psopack_publish *publish = NULL;
    psopack_diag diag;
    make_directory("dir");
    assert_int_equal(mkfifo("pipe", 0666), 0);
    assert_int_equal(symlink("dir", "link"), 0);
    assert_int_equal(symlink("b", "a"), 0);
    assert_int_equal(symlink("a", "b"), 0);
    put_text("file", "");

    assert_int_equal(psopack_publish_begin("dir", &publish, &diag), PSOPACK_E_FILE_TYPE);
    assert_string_equal(diag.text, "dir: a directory, cannot be replaced by a file");
    assert_int_equal(psopack_publish_begin("link", &publish, &diag), PSOPACK_E_FILE_TYPE);
    assert_int_equal(psopack_publish_begin("new/", &publish, &diag), PSOPACK_E_FILE_TYPE);
    assert_int_equal(psopack_publish_begin("", &publish, &diag), PSOPACK_E_FILE_TYPE);
    assert_int_equal(psopack_publish_begin("pipe", &publish, &diag), PSOPACK_E_FILE_TYPE);
    assert_string_equal(diag.text, "pipe: a pipe, socket or device, cannot be replaced by a file");
    assert_int_equal(psopack_publish_begin("/dev/null", &publish, &diag), PSOPACK_E_FILE_TYPE);
    assert_int_equal(psopack_publish_begin("a", &publish, &diag), PSOPACK_E_LOOP);
    assert_int_equal(psopack_publish_begin("none/out", &publish, &diag), PSOPACK_E_NO_ENTRY);
    assert_text_has(&diag, "none: cannot open the directory: ");
    assert_int_equal(psopack_publish_begin("file/out", &publish, &diag), PSOPACK_E_NO_ENTRY);
    char name[300];
    memset(name, 'n', sizeof name);
    name[250] = '\0';
    assert_int_equal(psopack_publish_begin(name, &publish, &diag), PSOPACK_E_LIMIT);
    assert_null(publish);
}

static void links_stay_links(void **state)
{
    (void)state;
    make_directory("far");
    make_directory("links");
    assert_int_equal(symlink("../far/target", "links/two"), 0);
    assert_int_equal(symlink("links/two", "one"), 0);
    publish_text("one", "first", &quick); /* the target does not exist yet */
    assert_content("far/target", "first");
    publish_text("one", "second", &quick);
    assert_content("far/target", "second");
    struct stat st;
    assert_int_equal(lstat("one", &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    assert_int_equal(count_entries("far"), 1);

    char *absolute = realpath("far/target", NULL);
    assert_int_equal(symlink(absolute, "links/absolute"), 0);
    free(absolute);
    publish_text("links/absolute", "third", &quick);
    assert_content("far/target", "third");
}

static void odd_names_and_other_directories(void **state)
{
    (void)state;
    make_directory("dir \xff");
    publish_text("dir \xff/a\nb %s \xfe", "x", &quick);
    assert_content("dir \xff/a\nb %s \xfe", "x");
    assert_int_equal(count_entries("dir \xff"), 1);
}

static void the_current_directory_may_change(void **state)
{
    psopack_publish *publish = begin("out");
    assert_int_equal(psopack_publish_write(publish, "x", 1, NULL), PSOPACK_OK);
    assert_int_equal(chdir("/"), 0);
    assert_int_equal(psopack_publish_commit(&publish, &quick, NULL, NULL), PSOPACK_OK);
    assert_int_equal(chdir(*state), 0);
    assert_content("out", "x");
}

/* Dies as hard as it gets with half an output. */
static int die_writing(const void *argument)
{
    psopack_publish *publish = NULL;
    if (psopack_publish_begin(argument, &publish, NULL) != PSOPACK_OK ||
        psopack_publish_write(publish, "half", 4, NULL) != PSOPACK_OK)
        return 1;
    kill(getpid(), SIGKILL);
    return 2;
}

static void leftovers_of_killed_writers_go(void **state)
{
    (void)state;
    put_text("out", "old");
    for (int i = 0; i < 3; i++)
        assert_int_equal(run_child(die_writing, "out"), -1);
    assert_int_equal(run_child(die_writing, "other"), -1);
    assert_content("out", "old");
    assert_int_equal(count_entries("."), 3); /* each run removed the one before */

    /* What only looks like it stays. */
    put_text("out.tmp.bak", "");
    put_text("out.tmp.12.", "");
    put_text("out.tmp..1", "");
    put_text("out.tmp.12.3x", "");
    put_text("out.tmp", "");
    make_directory("out.tmp.12.3");
    assert_int_equal(symlink("out", "out.tmp.12.4"), 0);
    assert_int_equal(mkfifo("out.tmp.12.5", 0666), 0);
    put_text("out.tmp.1.0", "a living process number, but no lock");
    publish_text("out", "new", NULL);
    assert_content("out", "new");
    assert_false(is_there("out.tmp.1.0"));
    assert_int_equal(count_entries("."), 2 + 8);
}

static void temporary_files_of_the_living_stay(void **state)
{
    (void)state;
    psopack_publish *first = begin("out");
    psopack_publish *second = begin("out"); /* same process, other object */
    assert_string_not_equal(psopack_publish_temp_path(first), psopack_publish_temp_path(second));
    assert_true(is_there(psopack_publish_temp_path(first)));
    assert_int_equal(psopack_publish_write(first, "first", 5, NULL), PSOPACK_OK);
    assert_int_equal(psopack_publish_write(second, "second", 6, NULL), PSOPACK_OK);
    assert_int_equal(psopack_publish_commit(&second, &quick, NULL, NULL), PSOPACK_OK);
    assert_content("out", "second");
    assert_int_equal(psopack_publish_commit(&first, &quick, NULL, NULL), PSOPACK_OK);
    assert_content("out", "first");
    assert_int_equal(count_entries("."), 1);
}

#define RACE_ROUNDS 100
#define RACE_SIZE 20000

static int race(void *argument)
{
    char data[RACE_SIZE];
    memset(data, *(const char *)argument, sizeof data);
    for (int i = 0; i < RACE_ROUNDS; i++) {
        psopack_publish *publish = NULL;
        if (psopack_publish_begin("out", &publish, NULL) != PSOPACK_OK)
            return 1;
        for (size_t at = 0; at < sizeof data; at += 1000) {
            if (psopack_publish_write(publish, data + at, 1000, NULL) != PSOPACK_OK)
                return 2;
        }
        if (psopack_publish_commit(&publish, &quick, NULL, NULL) != PSOPACK_OK)
            return 3;
    }
    return 0;
}

static void racing_writers_one_wins_whole(void **state)
{
    (void)state;
    pid_t children[3];
    put_file("out", (char[RACE_SIZE]){0}, RACE_SIZE);
    for (int i = 0; i < 3; i++) {
        char mark = (char)('a' + i);
        children[i] = fork();
        assert_true(children[i] >= 0);
        if (children[i] == 0)
            _exit(race(&mark));
    }
    for (int i = 0; i < 300; i++) {
        char data[RACE_SIZE + 1];
        int fd = open("out", O_RDONLY);
        assert_true(fd >= 0);
        assert_int_equal(read(fd, data, sizeof data), RACE_SIZE);
        close(fd);
        for (size_t at = 1; at < RACE_SIZE; at++)
            assert_int_equal(data[at], data[0]);
    }
    for (int i = 0; i < 3; i++) {
        int status = -1;
        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_int_equal(status, 0);
    }
    assert_int_equal(count_entries("."), 1);
}

/* What a program's handler does: a path in static storage, marked valid last. */
static char signal_path[4096];
static volatile sig_atomic_t signal_path_valid;

static void on_signal(int number)
{
    (void)number;
    if (signal_path_valid)
        psopack_publish_abort_from_signal(signal_path);
}

static void a_signal_handler_removes_the_temporary_file(void **state)
{
    (void)state;
    psopack_publish *publish = begin("out");
    snprintf(signal_path, sizeof signal_path, "%s", psopack_publish_temp_path(publish));
    signal_path_valid = 1;
    void (*before)(int) = signal(SIGUSR1, on_signal);
    errno = 42;
    assert_int_equal(raise(SIGUSR1), 0);
    assert_int_equal(raise(SIGUSR1), 0); /* being late is harmless, also to errno */
    assert_int_equal(errno, 42);
    signal(SIGUSR1, before);
    signal_path_valid = 0;
    assert_int_equal(count_entries("."), 0);

    psopack_diag diag;
    assert_int_equal(psopack_publish_commit(&publish, &quick, NULL, &diag), PSOPACK_E_NO_ENTRY);
    assert_string_equal(diag.text, "out: cannot replace: No such file or directory");
    assert_null(publish);
    assert_int_equal(count_entries("."), 0);
}

static void a_failed_commit_leaves_no_litter(void **state)
{
    (void)state;
    psopack_publish *publish = begin("out");
    psopack_diag diag;
    make_directory("out"); /* since begin */
    assert_int_equal(psopack_publish_commit(&publish, NULL, NULL, &diag), PSOPACK_E_FILE_TYPE);
    assert_int_equal(count_entries("."), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCRATCH_TEST(output_appears_whole_at_commit),
        SCRATCH_TEST(abort_leaves_the_old_output),
        SCRATCH_TEST(identical_output_is_left_untouched),
        SCRATCH_TEST(permissions),
        SCRATCH_TEST(outputs_that_are_no_files_are_refused),
        SCRATCH_TEST(links_stay_links),
        SCRATCH_TEST(odd_names_and_other_directories),
        SCRATCH_TEST(the_current_directory_may_change),
        SCRATCH_TEST(leftovers_of_killed_writers_go),
        SCRATCH_TEST(temporary_files_of_the_living_stay),
        SCRATCH_TEST(racing_writers_one_wins_whole),
        SCRATCH_TEST(a_signal_handler_removes_the_temporary_file),
        SCRATCH_TEST(a_failed_commit_leaves_no_litter),
    };
    return cmocka_run_group_tests_name("platform publish", tests, NULL, NULL);
}
