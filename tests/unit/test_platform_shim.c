/* SPDX-License-Identifier: MIT */
/* The wrapped calls: each counts, and fails when the plan says so, else does the real thing. */
#define _GNU_SOURCE 1
#define _FILE_OFFSET_BITS 64
#include "test_platform_shim.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>

shim_plan shim;

void shim_start(void)
{
    shim = (shim_plan){.active = true, .fail_at = UINT_MAX};
}

void shim_stop(void)
{
    shim.active = false;
}

/* True when this call has to fail; errno is set. */
static bool refuse(const char *call, bool interruptible)
{
    if (!shim.active)
        return false;
    unsigned number = shim.calls++;
    if (number == shim.fail_at) {
        shim.failed = call;
        errno = shim.error;
        return true;
    }
    if (shim.interrupt && interruptible && number % 2 == 0) {
        errno = EINTR;
        return true;
    }
    return false;
}

static size_t shorten(size_t size)
{
    if (!shim.active)
        return size;
    if (size > shim.largest_request)
        shim.largest_request = size;
    return shim.short_by > 0 && size > shim.short_by ? shim.short_by : size;
}

/* glibc gives 64-bit offsets through names of their own. */
#ifdef __GLIBC__
#define WRAP(name) __wrap_##name##64
#define REAL(name) __real_##name##64
#else
#define WRAP(name) __wrap_##name
#define REAL(name) __real_##name
#endif

/* Declares real and wrapped, then begins the definition of the wrapped one. */
#define SHIM(type, wrapped, real, ...)                                                             \
    type real(__VA_ARGS__);                                                                        \
    type wrapped(__VA_ARGS__);                                                                     \
    type wrapped(__VA_ARGS__)

SHIM(int, WRAP(openat), REAL(openat), int directory, const char *name, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    unsigned mode = va_arg(arguments, unsigned);
    va_end(arguments);
    return refuse("openat", true) ? -1 : REAL(openat)(directory, name, flags, mode);
}

SHIM(int, __wrap_close, __real_close, int fd)
{
    int result = __real_close(fd); /* a close that fails closes all the same */
    return refuse("close", true) ? -1 : result;
}

SHIM(int, WRAP(fcntl), REAL(fcntl), int fd, int command, ...)
{
    va_list arguments;
    va_start(arguments, command);
    void *argument = va_arg(arguments, void *);
    va_end(arguments);
    if (shim.active && command == F_OFD_SETLK && shim.lock_failures > 0) {
        shim.lock_failures--;
        errno = shim.lock_error;
        return -1;
    }
    return refuse("fcntl", true) ? -1 : REAL(fcntl)(fd, command, argument);
}

SHIM(int, WRAP(fstat), REAL(fstat), int fd, struct stat *st)
{
    return refuse("fstat", false) ? -1 : REAL(fstat)(fd, st);
}

SHIM(int, WRAP(stat), REAL(stat), const char *path, struct stat *st)
{
    return refuse("stat", false) ? -1 : REAL(stat)(path, st);
}

SHIM(int, WRAP(lstat), REAL(lstat), const char *path, struct stat *st)
{
    return refuse("lstat", false) ? -1 : REAL(lstat)(path, st);
}

SHIM(int, WRAP(fstatat), REAL(fstatat), int directory, const char *name, struct stat *st, int flags)
{
    return refuse("fstatat", false) ? -1 : REAL(fstatat)(directory, name, st, flags);
}

SHIM(ssize_t, __wrap_readlink, __real_readlink, const char *path, char *buffer, size_t size)
{
    return refuse("readlink", false) ? -1 : __real_readlink(path, buffer, size);
}

SHIM(ssize_t, WRAP(pread), REAL(pread), int fd, void *buffer, size_t size, off_t offset)
{
    if (refuse("pread", true))
        return -1;
    size = shorten(size);
    return shim.active && shim.pretend ? (ssize_t)size : REAL(pread)(fd, buffer, size, offset);
}

SHIM(ssize_t, WRAP(pwrite), REAL(pwrite), int fd, const void *data, size_t size, off_t offset)
{
    if (refuse("pwrite", true))
        return -1;
    size = shorten(size);
    return shim.active && shim.pretend ? (ssize_t)size : REAL(pwrite)(fd, data, size, offset);
}

SHIM(ssize_t, __wrap_write, __real_write, int fd, const void *data, size_t size)
{
    return refuse("write", true) ? -1 : __real_write(fd, data, shorten(size));
}

SHIM(int, WRAP(ftruncate), REAL(ftruncate), int fd, off_t size)
{
    return refuse("ftruncate", true) ? -1 : REAL(ftruncate)(fd, size);
}

/* The disk itself is not under test: a thousand real flushes would take minutes. */
SHIM(int, __wrap_fsync, __real_fsync, int fd)
{
    return refuse("fsync", true) ? -1 : shim.active ? 0 : __real_fsync(fd);
}

SHIM(int, __wrap_fdatasync, __real_fdatasync, int fd)
{
    return refuse("fdatasync", true) ? -1 : shim.active ? 0 : __real_fdatasync(fd);
}

SHIM(int, __wrap_fchmod, __real_fchmod, int fd, mode_t mode)
{
    return refuse("fchmod", false) ? -1 : __real_fchmod(fd, mode);
}

SHIM(int, __wrap_renameat, __real_renameat, int from_directory, const char *from, int to_directory,
     const char *to)
{
    return refuse("renameat", false) ? -1 : __real_renameat(from_directory, from, to_directory, to);
}

SHIM(int, __wrap_unlinkat, __real_unlinkat, int directory, const char *name, int flags)
{
    return refuse("unlinkat", false) ? -1 : __real_unlinkat(directory, name, flags);
}

SHIM(int, __wrap_mkdir, __real_mkdir, const char *path, mode_t mode)
{
    return refuse("mkdir", false) ? -1 : __real_mkdir(path, mode);
}

SHIM(int, __wrap_mkdirat, __real_mkdirat, int directory, const char *name, mode_t mode)
{
    return refuse("mkdirat", false) ? -1 : __real_mkdirat(directory, name, mode);
}

SHIM(DIR *, __wrap_fdopendir, __real_fdopendir, int fd)
{
    return refuse("fdopendir", false) ? NULL : __real_fdopendir(fd);
}

SHIM(struct dirent *, WRAP(readdir), REAL(readdir), DIR *entries)
{
    struct dirent *entry = refuse("readdir", false) ? NULL : REAL(readdir)(entries);
    if (entry && shim.active && shim.hide_types)
        entry->d_type = DT_UNKNOWN;
    return entry;
}

SHIM(void *, WRAP(mmap), REAL(mmap), void *at, size_t size, int protection, int flags, int fd,
     off_t offset)
{
    return refuse("mmap", false) ? MAP_FAILED : REAL(mmap)(at, size, protection, flags, fd, offset);
}

SHIM(void *, __wrap_malloc, __real_malloc, size_t size)
{
    return refuse("malloc", false) ? NULL : __real_malloc(size);
}

SHIM(void *, __wrap_calloc, __real_calloc, size_t n, size_t size)
{
    return refuse("calloc", false) ? NULL : __real_calloc(n, size);
}

SHIM(void *, __wrap_realloc, __real_realloc, void *memory, size_t size)
{
    return refuse("realloc", false) ? NULL : __real_realloc(memory, size);
}

SHIM(char *, __wrap_strdup, __real_strdup, const char *text)
{
    return refuse("strdup", false) ? NULL : __real_strdup(text);
}

SHIM(char *, __wrap_strndup, __real_strndup, const char *text, size_t size)
{
    return refuse("strndup", false) ? NULL : __real_strndup(text, size);
}

SHIM(int, __wrap_pthread_create, __real_pthread_create, void *thread, const void *attributes,
     void *(*run)(void *), void *argument)
{
    return refuse("pthread_create", false)
               ? shim.error
               : __real_pthread_create(thread, attributes, run, argument);
}
