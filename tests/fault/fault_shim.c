/* SPDX-License-Identifier: MIT */
/*
 * A system that fails on order, for the real program: preloaded with LD_PRELOAD, told what to do by
 * the environment. The nth call of a group fails, is interrupted, moves fewer bytes, or is the last
 * thing that the process does.
 *
 *   FAULT_GROUP   memory or io: which calls count
 *   FAULT_AT      number of the call that fails, from 0, with errno FAULT_ERRNO
 *   FAULT_KILL    number of the call in front of which the process is killed
 *   FAULT_EINTR   every other call that may is interrupted
 *   FAULT_SHORT   transfers move at most so many bytes
 *   FAULT_SPACE   so many bytes can be written to files, then the disk is full
 *   FAULT_LOG     a file for what changes the disk: see power.py
 *   FAULT_REPORT  a file that gets "CALLS LIVE NAME" at exit: calls counted, allocations that were
 *                 not freed, the call that failed or "-"
 */
#define _GNU_SOURCE 1
#undef _FILE_OFFSET_BITS /* which would make open() and open64() one name */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

typedef enum group { GROUP_NONE, GROUP_MEMORY, GROUP_IO } group;

static struct plan {
    group counted;
    long at, kill, short_by;
    int error;
    bool interrupt;
    int log, report; /* descriptors, -1 none */
} plan = {.at = -1, .kill = -1, .log = -1, .report = -1};

static atomic_long calls, live, space = -1;
static _Atomic(const char *) failed = "-";

static long number(const char *name, long otherwise)
{
    const char *text = getenv(name);
    return text ? strtol(text, NULL, 10) : otherwise;
}

/* Not through open(), which is under test. */
static int create(const char *name)
{
    const char *path = getenv(name);
    return path ? (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND, 0666)
                : -1;
}

__attribute__((constructor)) static void begin(void)
{
    const char *counted = getenv("FAULT_GROUP");
    plan.at = number("FAULT_AT", -1);
    plan.kill = number("FAULT_KILL", -1);
    plan.short_by = number("FAULT_SHORT", 0);
    plan.error = (int)number("FAULT_ERRNO", EIO);
    plan.interrupt = number("FAULT_EINTR", 0) != 0;
    space = number("FAULT_SPACE", -1);
    plan.log = create("FAULT_LOG");
    plan.report = create("FAULT_REPORT");
    if (counted)
        plan.counted = strcmp(counted, "memory") == 0 ? GROUP_MEMORY : GROUP_IO;
}

__attribute__((destructor)) static void end(void)
{
    char text[100];
    int size = snprintf(text, sizeof text, "%ld %ld %s\n", (long)calls, (long)live, failed);
    if (plan.report >= 0)
        syscall(SYS_write, plan.report, text, size);
}

/* True when this call has to fail; errno is set. */
static bool refuse(group of, const char *call, bool interruptible)
{
    if (of != plan.counted)
        return false;
    long n = atomic_fetch_add(&calls, 1);
    if (n == plan.kill)
        syscall(SYS_kill, getpid(), SIGKILL);
    if (n == plan.at) {
        failed = call;
        errno = plan.error;
        return true;
    }
    if (plan.interrupt && interruptible && n % 2 == 0) {
        errno = EINTR;
        return true;
    }
    return false;
}

static size_t shorten(size_t size)
{
    return plan.short_by > 0 && size > (size_t)plan.short_by ? (size_t)plan.short_by : size;
}

/* What of `size` still fits on the disk; false and ENOSPC when nothing does. */
static bool take_space(int fd, size_t *size)
{
    if (space < 0 || fd <= 2 || *size == 0)
        return true;
    long left = space;
    if (left == 0) {
        failed = "write";
        errno = ENOSPC;
        return false;
    }
    if (*size > (size_t)left)
        *size = (size_t)left;
    space = left - (long)*size;
    return true;
}

/* ---- the log -------------------------------------------------------------------------------- */

static void path_of(int fd, char path[4096])
{
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    long size = syscall(SYS_readlinkat, AT_FDCWD, link, path, 4095);
    path[size > 0 ? size : 0] = '\0';
}

/* A line, then `size` bytes. */
static void put_log(const char *line, const void *data, size_t size)
{
    int error = errno;
    syscall(SYS_write, plan.log, line, strlen(line));
    if (size != 0)
        syscall(SYS_write, plan.log, data, size);
    errno = error;
}

static void log_fd(const char *what, int fd, long offset, const void *data, long size)
{
    char path[4096], line[4300];
    if (plan.log < 0 || fd <= 2 || size < 0)
        return;
    path_of(fd, path);
    snprintf(line, sizeof line, "%s %ld %ld %s\n", what, offset, size, path);
    put_log(line, data, (size_t)size);
}

static void log_names(const char *what, int directory, const char *from, const char *to)
{
    char path[4096], line[13000];
    if (plan.log < 0)
        return;
    path_of(directory, path);
    snprintf(line, sizeof line, "%s 0 0 %s/%s%s%s\n", what, path, from, to ? "\t" : "",
             to ? to : "");
    put_log(line, NULL, 0);
}

/* ---- calls ---------------------------------------------------------------------------------- */

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static int open_next(int directory, const char *name, int flags, mode_t mode)
{
    if (refuse(GROUP_IO, "openat", true))
        return -1;
    int fd = (int)syscall(SYS_openat, directory, name, flags, mode);
    if (fd >= 0 && (flags & O_CREAT))
        log_fd("create", fd, 0, NULL, 0);
    return fd;
}

#define OPENAT(name)                                                                               \
    int name(int directory, const char *path, int flags, ...)                                      \
    {                                                                                              \
        va_list arguments;                                                                         \
        va_start(arguments, flags);                                                                \
        mode_t mode = flags & O_CREAT ? va_arg(arguments, mode_t) : 0;                             \
        va_end(arguments);                                                                         \
        return open_next(directory, path, flags, mode);                                            \
    }
OPENAT(openat)
OPENAT(openat64)

#define PREAD(name)                                                                                \
    ssize_t name(int fd, void *buffer, size_t size, __off64_t offset)                              \
    {                                                                                              \
        return refuse(GROUP_IO, "pread", true)                                                     \
                   ? -1                                                                            \
                   : syscall(SYS_pread64, fd, buffer, shorten(size), offset);                      \
    }
PREAD(pread)
PREAD(pread64)

#define PWRITE(name)                                                                               \
    ssize_t name(int fd, const void *data, size_t size, __off64_t offset)                          \
    {                                                                                              \
        if (refuse(GROUP_IO, "pwrite", true) || !take_space(fd, &size))                            \
            return -1;                                                                             \
        ssize_t done = syscall(SYS_pwrite64, fd, data, shorten(size), offset);                     \
        log_fd("write", fd, offset, data, done);                                                   \
        return done;                                                                               \
    }
PWRITE(pwrite)
PWRITE(pwrite64)

ssize_t write(int fd, const void *data, size_t size)
{
    if (refuse(GROUP_IO, "write", true) || !take_space(fd, &size))
        return -1;
    long at = plan.log >= 0 ? lseek(fd, 0, SEEK_CUR) : 0;
    ssize_t done = syscall(SYS_write, fd, data, shorten(size));
    log_fd("write", fd, at, data, done);
    return done;
}

int close(int fd)
{
    int result = (int)syscall(SYS_close, fd); /* a close that fails closes all the same */
    return refuse(GROUP_IO, "close", true) ? -1 : result;
}

#define FTRUNCATE(name)                                                                            \
    int name(int fd, __off64_t size)                                                               \
    {                                                                                              \
        return refuse(GROUP_IO, "ftruncate", true) ? -1 : (int)syscall(SYS_ftruncate, fd, size);   \
    }
FTRUNCATE(ftruncate)
FTRUNCATE(ftruncate64)

/* Flushing a real disk a thousand times proves nothing more. */
int fsync(int fd)
{
    if (refuse(GROUP_IO, "fsync", true))
        return -1;
    log_fd("fsync", fd, 0, NULL, 0);
    return 0;
}

int fdatasync(int fd)
{
    return fsync(fd);
}

#define FSTAT(name)                                                                                \
    int name(int fd, struct stat *st)                                                              \
    {                                                                                              \
        return refuse(GROUP_IO, "fstat", false) ? -1 : NEXT(fstat)(fd, st);                        \
    }
FSTAT(fstat)

int fstat64(int fd, struct stat64 *st)
{
    return refuse(GROUP_IO, "fstat", false) ? -1 : NEXT(fstat64)(fd, st);
}

int lstat64(const char *path, struct stat64 *st)
{
    return refuse(GROUP_IO, "lstat", false) ? -1 : NEXT(lstat64)(path, st);
}

int stat64(const char *path, struct stat64 *st)
{
    return refuse(GROUP_IO, "stat", false) ? -1 : NEXT(stat64)(path, st);
}

int fstatat64(int directory, const char *path, struct stat64 *st, int flags)
{
    return refuse(GROUP_IO, "fstatat", false) ? -1 : NEXT(fstatat64)(directory, path, st, flags);
}

int fchmod(int fd, mode_t mode)
{
    return refuse(GROUP_IO, "fchmod", false) ? -1 : (int)syscall(SYS_fchmod, fd, mode);
}

int renameat(int from_directory, const char *from, int to_directory, const char *to)
{
    if (refuse(GROUP_IO, "renameat", false))
        return -1;
    int result = (int)syscall(SYS_renameat, from_directory, from, to_directory, to);
    if (result == 0)
        log_names("rename", from_directory, from, to);
    return result;
}

int unlinkat(int directory, const char *name, int flags)
{
    if (refuse(GROUP_IO, "unlinkat", false))
        return -1;
    int result = (int)syscall(SYS_unlinkat, directory, name, flags);
    if (result == 0)
        log_names("unlink", directory, name, NULL);
    return result;
}

int mkdirat(int directory, const char *name, mode_t mode)
{
    return refuse(GROUP_IO, "mkdirat", false) ? -1
                                              : (int)syscall(SYS_mkdirat, directory, name, mode);
}

struct dirent64 *readdir64(DIR *entries)
{
    return refuse(GROUP_IO, "readdir", false) ? NULL : NEXT(readdir64)(entries);
}

void *mmap64(void *at, size_t size, int protection, int flags, int fd, __off64_t offset)
{
    return refuse(GROUP_IO, "mmap", false)
               ? MAP_FAILED
               : (void *)syscall(SYS_mmap, at, size, protection, flags, fd, offset);
}

/* ---- memory --------------------------------------------------------------------------------- */

/*
 * The program has malloc() and its kin itself, to count them, and passes them on to glibc's own
 * names; so does every library it loads. That is the place to stand in between.
 */
#define ALLOCATOR(name, call, parameters, arguments)                                               \
    void *name parameters;                                                                         \
    void *name parameters                                                                          \
    {                                                                                              \
        if (refuse(GROUP_MEMORY, call, false))                                                     \
            return NULL;                                                                           \
        void *memory = NEXT(name) arguments;                                                       \
        live += memory != NULL;                                                                    \
        return memory;                                                                             \
    }
ALLOCATOR(__libc_malloc, "malloc", (size_t size), (size))
ALLOCATOR(__libc_calloc, "calloc", (size_t n, size_t size), (n, size))
ALLOCATOR(__libc_memalign, "aligned_alloc", (size_t alignment, size_t size), (alignment, size))

void *__libc_realloc(void *memory, size_t size);
void *__libc_realloc(void *memory, size_t size)
{
    if (refuse(GROUP_MEMORY, "realloc", false))
        return NULL;
    void *moved = NEXT(__libc_realloc)(memory, size);
    live += memory == NULL && moved != NULL;
    return moved;
}

void free(void *memory)
{
    live -= memory != NULL;
    NEXT(free)(memory);
}
