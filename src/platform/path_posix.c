/* SPDX-License-Identifier: MIT */
/* Operations on names in directories. */
#include "platform/posix.h"

#include "platform/os_error.h"
#include "platform/path.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

psopack_status psopack_path_stat(const char *path, psopack_file_stat *ret_stat, psopack_diag *diag)
{
    struct stat system;
    if (stat(path, &system) != 0)
        return psopack_fail_errno(diag, errno, "stat", path);
    psopack_stat_from_system(&system, ret_stat);
    return PSOPACK_OK;
}

psopack_status psopack_path_remove(const char *path, psopack_diag *diag)
{
    if (unlink(path) != 0)
        return psopack_fail_errno(diag, errno, "remove", path);
    return PSOPACK_OK;
}

psopack_status psopack_path_make_directory(const char *path, psopack_diag *diag)
{
    if (mkdir(path, 0777) == 0)
        return PSOPACK_OK;
    int error = errno;
    struct stat system;
    if (error == EEXIST && stat(path, &system) == 0 && S_ISDIR(system.st_mode))
        return PSOPACK_OK;
    return psopack_fail_errno(diag, error, "make the directory", path);
}

/* Some file systems (CIFS, some FUSE) cannot flush a directory and say EINVAL: nothing to be had.
 */
int psopack_sync_directory_fd(int directory)
{
    int result;
    do {
        result = fsync(directory);
    } while (result != 0 && errno == EINTR);
    return result != 0 && errno == EINVAL ? 0 : result;
}

psopack_status psopack_path_sync_directory(const char *path, psopack_diag *diag)
{
    int fd = psopack_openat(AT_FDCWD, path, O_RDONLY | O_DIRECTORY, 0);
    if (fd < 0)
        return psopack_fail_errno(diag, errno, "open the directory", path);
    int error = psopack_sync_directory_fd(fd) == 0 ? 0 : errno;
    close(fd);
    if (error != 0)
        return psopack_fail_errno(diag, error, "flush the directory", path);
    return PSOPACK_OK;
}

psopack_status psopack_path_working_directory(char **ret_path, psopack_diag *diag)
{
    for (size_t size = 256;; size *= 2) {
        char *path = malloc(size);
        if (path && getcwd(path, size)) {
            *ret_path = path;
            return PSOPACK_OK;
        }
        int error = path ? errno : ENOMEM;
        free(path);
        if (error != ERANGE)
            return psopack_fail_errno(diag, error, "find", "the current directory");
    }
}

size_t psopack_path_directory_size(const char *path)
{
    const char *slash = strrchr(path, '/');
    if (!slash)
        return 0;
    return slash == path ? 1 : (size_t)(slash - path);
}
