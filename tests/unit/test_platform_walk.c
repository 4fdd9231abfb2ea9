/* SPDX-License-Identifier: MIT */
/* The directory walk: order, links, loops, what it refuses, and how far it goes on. */
#define _GNU_SOURCE 1
#include "test_platform_scratch.h"

#include "platform/walk.h"

#include <dirent.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/un.h>

/* One line per entry or error: type, path, size when known. */
typedef struct journal {
    char text[1 << 17];
    size_t used;
    uint64_t n_entries;
    psopack_status stop_at_entry; /* unless PSOPACK_OK, the answer to every file */
    psopack_status stop_at_error;
    bool with_stat;
} journal;

static void note(journal *self, const char *type, const char *path)
{
    int size =
        snprintf(self->text + self->used, sizeof self->text - self->used, "%s %s\n", type, path);
    assert_true(size > 0 && (size_t)size < sizeof self->text - self->used);
    self->used += (size_t)size;
}

static psopack_status on_entry(void *context, const psopack_walk_entry *entry, psopack_diag *diag)
{
    static const char *const types[] = {"f", "d", "l"};
    journal *self = context;
    (void)diag;
    self->n_entries++;
    assert_int_equal(strlen(entry->path), entry->path_size);
    assert_true(entry->name_at == 0 || entry->path[entry->name_at - 1] == '/');
    assert_null(strchr(entry->path + entry->name_at, '/'));
    assert_true(entry->has_stat || (entry->type == PSOPACK_WALK_FILE && !self->with_stat));
    char type[32];
    if (entry->has_stat && entry->type == PSOPACK_WALK_FILE)
        snprintf(type, sizeof type, "f%d", (int)entry->stat.size);
    else
        snprintf(type, sizeof type, "%s", types[entry->type]);
    note(self, type, entry->path);
    return entry->type == PSOPACK_WALK_FILE ? self->stop_at_entry : PSOPACK_OK;
}

static psopack_status on_error(void *context, const char *path, bool is_directory,
                               const psopack_diag *diag)
{
    journal *self = context;
    (void)is_directory;
    note(self, psopack_status_name(diag->code), path);
    return self->stop_at_error;
}

static psopack_status walk_into(journal *self, const char *root, bool go_on, bool with_stat,
                                psopack_diag *diag)
{
    psopack_walk walk = {
        .on_entry = on_entry,
        .on_error = go_on ? on_error : NULL,
        .context = self,
        .stat_files = with_stat,
    };
    self->with_stat = with_stat;
    return psopack_walk_tree(root, &walk, diag);
}

static void assert_walk(const char *root, const char *expected)
{
    journal *self = calloc(1, sizeof *self);
    psopack_diag diag = {0};
    assert_non_null(self);
    assert_int_equal(walk_into(self, root, true, false, &diag), PSOPACK_OK);
    assert_string_equal(self->text, expected);
    free(self);
}

static void order_is_that_of_the_path_bytes(void **state)
{
    (void)state;
    assert_int_equal(mkdir("r", 0777) | mkdir("r/a", 0777) | mkdir("r/a/z", 0777) |
                         mkdir("r/a.b", 0777) | mkdir("r/empty", 0777),
                     0);
    put_text("r/a/y", "");
    put_text("r/a/z/1", "");
    put_text("r/a/zz", "");
    put_text("r/a-", "");
    put_text("r/a0", "");
    put_text("r/a.b/\xff", "");
    put_text("r/a.b/B", "");
    put_text("r/a.b/b", "");
    put_text("r/a.b/.hidden", "");
    put_text("r/a.b/new\nline", "");
    put_text("r/Z", "");
    const char expected[] = "d \n"
                            "f Z\n"
                            "f a-\n"
                            "d a.b\n"
                            "f a.b/.hidden\n"
                            "f a.b/B\n"
                            "f a.b/b\n"
                            "f a.b/new\nline\n"
                            "f a.b/\xff\n"
                            "d a\n"
                            "f a/y\n"
                            "d a/z\n"
                            "f a/z/1\n"
                            "f a/zz\n"
                            "f a0\n"
                            "d empty\n";
    assert_walk("r", expected);
    assert_walk("r/", expected);
    assert_walk("./r/../r", expected);
    assert_int_equal(symlink("r", "link"), 0);
    assert_walk("link", expected);
}

static void sizes_come_when_asked_for(void **state)
{
    (void)state;
    put_text("three", "123");
    put_text("none", "");
    journal self = {0};
    assert_int_equal(walk_into(&self, ".", false, true, NULL), PSOPACK_OK);
    assert_string_equal(self.text, "d \nf0 none\nf3 three\n");
}

static void links(void **state)
{
    (void)state;
    make_directory("r");
    make_directory("far");
    put_text("far/x", "12");
    assert_int_equal(symlink("../far/x", "r/file"), 0);
    assert_int_equal(symlink("../far", "r/folder"), 0);
    assert_int_equal(symlink(".", "r/self"), 0);
    assert_int_equal(symlink("nowhere", "r/dangling"), 0);
    assert_int_equal(symlink("round", "r/round"), 0);
    assert_int_equal(symlink("/dev/null", "r/device"), 0);
    assert_walk("r", "d \n"
                     "PSOPACK_E_NO_ENTRY dangling\n"
                     "PSOPACK_E_FILE_TYPE device\n"
                     "f2 file\n"
                     "l folder\n"
                     "PSOPACK_E_LOOP round\n"
                     "l self\n");
}

static void pipes_and_sockets_are_refused_by_name(void **state)
{
    (void)state;
    make_directory("r");
    make_directory("r/d");
    put_text("r/a", "");
    put_text("r/z", "");
    assert_int_equal(mkfifo("r/d/pipe", 0666), 0);
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "r/sock"};
    assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
    close(fd);
    assert_walk("r", "d \nf a\nd d\nPSOPACK_E_FILE_TYPE d/pipe\nPSOPACK_E_FILE_TYPE sock\nf z\n");

    journal self = {0};
    psopack_diag diag = {0};
    assert_int_equal(walk_into(&self, "r", false, false, &diag), PSOPACK_E_FILE_TYPE);
    assert_string_equal(diag.text,
                        "r/d/pipe: a pipe, socket or device, neither a file nor a directory");

    self = (journal){.stop_at_error = PSOPACK_E_CANCELLED};
    assert_int_equal(walk_into(&self, "r", true, false, &diag), PSOPACK_E_CANCELLED);
    assert_string_equal(self.text, "d \nf a\nd d\nPSOPACK_E_FILE_TYPE d/pipe\n");
}

static void callbacks_can_end_the_walk(void **state)
{
    (void)state;
    put_text("a", "");
    put_text("b", "");
    journal self = {.stop_at_entry = PSOPACK_E_CANCELLED};
    assert_int_equal(walk_into(&self, ".", true, false, NULL), PSOPACK_E_CANCELLED);
    assert_string_equal(self.text, "d \nf a\n");
}

static void roots_that_are_no_directories(void **state)
{
    (void)state;
    put_text("file", "");
    journal self = {0};
    psopack_diag diag;
    assert_int_equal(walk_into(&self, "none", true, false, &diag), PSOPACK_E_NO_ENTRY);
    assert_string_equal(diag.text, "none: cannot open the directory: No such file or directory");
    assert_int_equal(walk_into(&self, "file", true, false, &diag), PSOPACK_E_FILE_TYPE);
    assert_string_equal(diag.text, "file: not a directory");
    assert_int_equal(walk_into(&self, "file/x", true, false, &diag), PSOPACK_E_NO_ENTRY);
    assert_int_equal(self.n_entries, 0);
}

/* As an ordinary user: permission bits do not bind root. */
static int walk_as_nobody(const void *argument)
{
    (void)argument;
    if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0))
        return 77;
    journal *self = calloc(1, sizeof *self);
    psopack_diag diag = {0};
    if (!self || walk_into(self, "r", true, false, &diag) != PSOPACK_OK)
        return 1;
    if (strcmp(self->text, "d \nPSOPACK_E_ACCESS closed\nf open\n") != 0)
        return 2;
    if (walk_into(self, "r", false, false, &diag) != PSOPACK_E_ACCESS)
        return 3;
    if (strcmp(diag.text, "r/closed: cannot open the directory: Permission denied") != 0)
        return 4;
    if (walk_into(self, "r/closed", true, false, &diag) != PSOPACK_E_ACCESS)
        return 5;
    free(self);
    return 0;
}

static void unreadable_directories_are_named(void **state)
{
    (void)state;
    make_directory("r");
    make_directory("r/closed");
    put_text("r/closed/x", "");
    put_text("r/open", "");
    assert_int_equal(chmod("r/closed", 0), 0);
    int result = run_child(walk_as_nobody, NULL);
    assert_int_equal(chmod("r/closed", 0755), 0);
    if (result == 77)
        skip();
    assert_int_equal(result, 0);
}

/* A bind mount of a directory below itself, in a mount namespace that ends with the child. */
static int walk_bind_mount(const void *argument)
{
    (void)argument;
    if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount("r/a", "r/a/b/c", NULL, MS_BIND, NULL) != 0)
        return 77;
    journal *self = calloc(1, sizeof *self);
    psopack_diag diag = {0};
    if (!self || walk_into(self, "r", true, false, &diag) != PSOPACK_OK)
        return 1;
    if (strcmp(self->text, "d \nd a\nd a/b\nPSOPACK_E_LOOP a/b/c\nf a/z\n") != 0)
        return 2;
    if (walk_into(self, "r", false, false, &diag) != PSOPACK_E_LOOP)
        return 3;
    free(self);
    return strcmp(diag.text, "r/a/b/c: the directory contains itself") == 0 ? 0 : 4;
}

static void loops_through_bind_mounts_end(void **state)
{
    (void)state;
    assert_int_equal(
        mkdir("r", 0777) | mkdir("r/a", 0777) | mkdir("r/a/b", 0777) | mkdir("r/a/b/c", 0777), 0);
    put_text("r/a/z", "");
    int result = run_child(walk_bind_mount, NULL);
    if (result == 77)
        skip();
    assert_int_equal(result, 0);
}

/* The deepest directory of a chain of `levels` below the current one, named `name` each. */
static void make_chain(const char *name, int levels)
{
    int at = open(".", O_RDONLY | O_DIRECTORY);
    for (int i = 0; i < levels; i++) {
        assert_int_equal(mkdirat(at, name, 0777), 0);
        int next = openat(at, name, O_RDONLY | O_DIRECTORY);
        assert_true(next >= 0);
        close(at);
        at = next;
    }
    close(at);
}

static void depth_is_limited(void **state)
{
    (void)state;
    make_directory("r");
    assert_int_equal(chdir("r"), 0);
    make_chain("d", PSOPACK_WALK_DEPTH_MAX - 1);
    assert_int_equal(chdir(".."), 0);
    journal *self = calloc(1, sizeof *self);
    psopack_diag diag = {0};
    assert_non_null(self);
    assert_int_equal(walk_into(self, "r", false, false, &diag), PSOPACK_OK);
    assert_int_equal(self->n_entries, PSOPACK_WALK_DEPTH_MAX);

    self->used = 0;
    self->n_entries = 0;
    assert_int_equal(walk_into(self, ".", true, false, &diag), PSOPACK_OK);
    assert_int_equal(self->n_entries, PSOPACK_WALK_DEPTH_MAX);
    assert_non_null(strstr(self->text, "PSOPACK_E_LIMIT r/d/"));
    self->used = 0;
    assert_int_equal(walk_into(self, ".", false, false, &diag), PSOPACK_E_LIMIT);
    assert_text_has(&diag, ": more than 256 levels of directories");
    free(self);
}

/* 16 levels of 255 bytes and the slashes between are 4095 bytes: one file name more is too long. */
static void path_length_is_limited(void **state)
{
    char name[256];
    memset(name, 'n', 255);
    name[255] = '\0';
    make_chain(name, 16);
    int at = open(".", O_RDONLY | O_DIRECTORY);
    for (int i = 0; i < 16; i++) {
        int next = openat(at, name, O_RDONLY | O_DIRECTORY);
        assert_true(next >= 0);
        close(at);
        at = next;
    }
    close(openat(at, "x", O_CREAT | O_WRONLY, 0666));
    journal *self = calloc(1, sizeof *self);
    psopack_diag diag = {0};
    assert_non_null(self);
    assert_int_equal(walk_into(self, ".", true, false, &diag), PSOPACK_OK);
    assert_int_equal(self->n_entries, 17);
    assert_non_null(strstr(self->text, "PSOPACK_E_LIMIT "));
    free(self);

    /* nftw in the teardown cannot reach so deep. */
    assert_int_equal(unlinkat(at, "x", 0), 0);
    for (int i = 0; i < 16; i++) {
        int up = openat(at, "..", O_RDONLY | O_DIRECTORY);
        close(at);
        assert_int_equal(unlinkat(up, name, AT_REMOVEDIR), 0);
        at = up;
    }
    close(at);
    assert_int_equal(chdir(*state), 0);
}

/* Many directories and names, with a small limit of open files. */
static psopack_status count_entry(void *context, const psopack_walk_entry *entry,
                                  psopack_diag *diag)
{
    (void)entry, (void)diag;
    DIR *entries = opendir("/proc/self/fd");
    int n = 0;
    while (entries && readdir(entries))
        n++;
    if (entries)
        closedir(entries);
    int *most = context;
    *most = n > *most ? n : *most;
    return PSOPACK_OK;
}

static void open_files_are_few(void **state)
{
    (void)state;
    make_chain("d", 40);
    int before = 0, during = 0;
    psopack_walk walk = {.on_entry = count_entry, .context = &during};
    count_entry(&before, NULL, NULL);
    assert_int_equal(psopack_walk_tree(".", &walk, NULL), PSOPACK_OK);
    assert_true(during <= before + 2);
    during = 0;
    count_entry(&during, NULL, NULL);
    assert_int_equal(during, before); /* and none is left */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCRATCH_TEST(order_is_that_of_the_path_bytes),
        SCRATCH_TEST(sizes_come_when_asked_for),
        SCRATCH_TEST(links),
        SCRATCH_TEST(pipes_and_sockets_are_refused_by_name),
        SCRATCH_TEST(callbacks_can_end_the_walk),
        SCRATCH_TEST(roots_that_are_no_directories),
        SCRATCH_TEST(unreadable_directories_are_named),
        SCRATCH_TEST(loops_through_bind_mounts_end),
        SCRATCH_TEST(depth_is_limited),
        SCRATCH_TEST(path_length_is_limited),
        SCRATCH_TEST(open_files_are_few),
    };
    return cmocka_run_group_tests_name("platform walk", tests, NULL, NULL);
}
