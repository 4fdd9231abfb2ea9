/* SPDX-License-Identifier: MIT */
/* Opening, describing, flushing and closing regular files. */
#include "platform/posix.h"

#include "format/error.h"
#include "platform/os_error.h"

#include <fcntl.h>
#include <unistd.h>

int psopack_openat(int directory, const char *name, int flags, unsigned mode)
{
    int fd;
    do {
        fd = openat(directory, name, flags | O_CLOEXEC | O_NOCTTY, mode);
    } while (fd < 0 && errno == EINTR);
    return fd;
}

static int64_t nanoseconds(struct timespec time)
{
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

void psopack_stat_from_system(const struct stat *system, psopack_file_stat *ret_stat)
{
#ifdef __APPLE__
    ret_stat->mtime_ns = nanoseconds(system->st_mtimespec);
    ret_stat->ctime_ns = nanoseconds(system->st_ctimespec);
#else
    ret_stat->mtime_ns = nanoseconds(system->st_mtim);
    ret_stat->ctime_ns = nanoseconds(system->st_ctim);
#endif
    ret_stat->size = (uint64_t)system->st_size;
    ret_stat->device = (uint64_t)system->st_dev;
    ret_stat->inode = (uint64_t)system->st_ino;
    ret_stat->type = S_ISREG(system->st_mode)   ? PSOPACK_FILE_REGULAR
                     : S_ISDIR(system->st_mode) ? PSOPACK_FILE_DIRECTORY
                                                : PSOPACK_FILE_OTHER;
}

psopack_status psopack_file_get_stat(const psopack_file *file, psopack_file_stat *ret_stat,
                                     psopack_diag *diag)
{
    struct stat system;
    if (fstat(psopack_fd(file), &system) != 0)
        return psopack_fail_errno(diag, errno, "stat", file->path);
    psopack_stat_from_system(&system, ret_stat);
    return PSOPACK_OK;
}

bool psopack_file_stat_equal(const psopack_file_stat *a, const psopack_file_stat *b)
{
    return a->size == b->size && a->mtime_ns == b->mtime_ns && a->ctime_ns == b->ctime_ns &&
           a->device == b->device && a->inode == b->inode && a->type == b->type;
}

static psopack_status refuse_type(psopack_file_type type, const char *path, psopack_diag *diag)
{
    char shown[PSOPACK_SHOWN_PATH_SIZE];
    return psopack_fail(
        diag, PSOPACK_E_FILE_TYPE, "%s: %s, not a regular file", psopack_show_path(shown, path),
        type == PSOPACK_FILE_DIRECTORY ? "a directory" : "a pipe, socket or device");
}

/* O_NONBLOCK lets the open of a pipe return, to be refused here; regular files ignore it. */
static psopack_status open_regular(const char *path, int flags, const char *action,
                                   psopack_file *ret_file, psopack_file_stat *ret_stat,
                                   psopack_diag *diag)
{
    int fd = psopack_openat(AT_FDCWD, path, flags | O_NONBLOCK, 0666);
    if (fd < 0)
        return psopack_fail_errno(diag, errno, action, path);

    psopack_file file = {.handle = fd, .path = path, .appends = (flags & O_APPEND) != 0};
    psopack_file_stat stat;
    psopack_status status = psopack_file_get_stat(&file, &stat, diag);
    if (status == PSOPACK_OK && stat.type != PSOPACK_FILE_REGULAR)
        status = refuse_type(stat.type, path, diag);
    if (status != PSOPACK_OK) {
        close(fd);
        return status;
    }
    *ret_file = file;
    if (ret_stat)
        *ret_stat = stat;
    return PSOPACK_OK;
}

psopack_status psopack_file_open_read(const char *path, psopack_file *ret_file,
                                      psopack_file_stat *ret_stat, psopack_diag *diag)
{
    return open_regular(path, O_RDONLY, "open", ret_file, ret_stat, diag);
}

psopack_status psopack_file_create(const char *path, psopack_file *ret_file, psopack_diag *diag)
{
    return open_regular(path, O_RDWR | O_CREAT | O_EXCL, "create", ret_file, NULL, diag);
}

psopack_status psopack_file_open_update(const char *path, psopack_file *ret_file,
                                        psopack_diag *diag)
{
    return open_regular(path, O_RDWR | O_CREAT, "open for writing", ret_file, NULL, diag);
}

psopack_status psopack_file_open_append(const char *path, psopack_file *ret_file,
                                        psopack_diag *diag)
{
    return open_regular(path, O_RDWR | O_CREAT | O_APPEND, "open for writing", ret_file, NULL,
                        diag);
}

psopack_status psopack_file_truncate(const psopack_file *file, uint64_t size, psopack_diag *diag)
{
    if (size > INT64_MAX)
        return psopack_fail_errno(diag, EFBIG, "change the size", file->path);
    int result;
    do {
        result = ftruncate(psopack_fd(file), (off_t)size);
    } while (result != 0 && errno == EINTR);
    if (result != 0)
        return psopack_fail_errno(diag, errno, "change the size", file->path);
    return PSOPACK_OK;
}

static int sync_once(int fd)
{
#if defined(__APPLE__)
    /* fsync() there leaves the bytes in the drive's cache. Not every file system knows the call. */
    if (fcntl(fd, F_FULLFSYNC) == 0)
        return 0;
    return fsync(fd);
#elif defined(_POSIX_SYNCHRONIZED_IO) && _POSIX_SYNCHRONIZED_IO > 0
    return fdatasync(fd); /* includes the size, leaves out the times */
#else
    return fsync(fd);
#endif
}

psopack_status psopack_file_sync(const psopack_file *file, psopack_diag *diag)
{
    int result;
    do {
        result = sync_once(psopack_fd(file));
    } while (result != 0 && errno == EINTR);
    if (result != 0)
        return psopack_fail_errno(diag, errno, "flush to disk", file->path);
    return PSOPACK_OK;
}

void psopack_file_advise_sequential(const psopack_file *file)
{
#ifdef POSIX_FADV_SEQUENTIAL
    (void)posix_fadvise(psopack_fd(file), 0, 0, POSIX_FADV_SEQUENTIAL);
#else
    (void)file;
#endif
}

psopack_status psopack_file_close(psopack_file *file, psopack_diag *diag)
{
    if (file->handle < 0)
        return PSOPACK_OK;
    const char *path = file->path;
    int result = close(psopack_fd(file));
    *file = PSOPACK_FILE_NONE;
    /* After EINTR the descriptor is gone on every system that matters; a second close could hit
     * one that another thread has just opened. */
    if (result != 0 && errno != EINTR)
        return psopack_fail_errno(diag, errno, "close", path);
    return PSOPACK_OK;
}
