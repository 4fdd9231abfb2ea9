/* SPDX-License-Identifier: MIT */
/*
 * Temporary files whose lock says whether their writer lives.
 *
 * The writer creates, then locks; a remover locks, then unlinks. Between the writer's two steps a
 * remover may come in, so the writer goes to the next name when its lock is taken or its file has
 * lost its name. Only who holds the lock takes the name away, so no remover hits a living file.
 */
#include "platform/posix.h"

#include "format/error.h"
#include "platform/lock.h"
#include "platform/os_error.h"
#include "platform/publish_temp.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TEMP_INFIX ".tmp."
#define NAMES_TRIED_MAX 10000
#define SUFFIX_SIZE_MAX 48 /* ".tmp.", two 64-bit numbers, a point, the terminator */

/* Nobody but the owner may read the new output early if nobody might read the old one. */
static unsigned temp_mode(const psopack_publish_place *place)
{
    return place->exists ? (place->mode & 0666) | 0600 : 0666;
}

/* Locks a file that was just made. *ret_ours is false when a remover has come in between. */
static psopack_status claim(const psopack_file *file, bool *ret_ours, psopack_diag *diag)
{
    psopack_diag lock_diag;
    psopack_status status = psopack_lock_try(file, PSOPACK_LOCK_EXCLUSIVE, &lock_diag);
    *ret_ours = status == PSOPACK_E_UNAVAILABLE; /* no locks here: nobody will remove it either */
    if (status == PSOPACK_E_UNAVAILABLE || status == PSOPACK_E_BUSY)
        return PSOPACK_OK;
    if (status != PSOPACK_OK) {
        if (diag)
            *diag = lock_diag;
        return status;
    }
    struct stat system;
    if (fstat(psopack_fd(file), &system) != 0)
        return psopack_fail_errno(diag, errno, "stat a temporary file beside it", file->path);
    *ret_ours = system.st_nlink > 0;
    return PSOPACK_OK;
}

/* One name: *ret_made is false when it is taken and the next one should be tried. */
static psopack_status try_name(const psopack_publish_place *place, const char *name,
                               psopack_file *file, bool *ret_made, psopack_diag *diag)
{
    int fd = psopack_openat(place->directory, name, O_RDWR | O_CREAT | O_EXCL, temp_mode(place));
    *ret_made = false;
    if (fd < 0 && errno == EEXIST)
        return PSOPACK_OK;
    if (fd < 0)
        return psopack_fail_errno(diag, errno, "create a temporary file beside it", file->path);

    file->handle = fd;
    psopack_status status = claim(file, ret_made, diag);
    if (status != PSOPACK_OK)
        (void)unlinkat(place->directory, name, 0);
    if (!*ret_made)
        (void)close(fd);
    return status;
}

psopack_status psopack_publish_make_temp(const psopack_publish_place *place, const char *path,
                                         psopack_file *ret_file, char **ret_name,
                                         psopack_diag *diag)
{
    size_t size = strlen(place->name) + SUFFIX_SIZE_MAX;
    char *name = malloc(size);
    if (!name)
        return psopack_fail_errno(diag, ENOMEM, "create a temporary file beside it", path);

    psopack_file file = {.handle = -1, .path = path, .appends = false};
    psopack_status status = PSOPACK_OK;
    bool made = false;
    for (int i = 0; i < NAMES_TRIED_MAX && status == PSOPACK_OK && !made; i++) {
        snprintf(name, size, "%s" TEMP_INFIX "%ld.%d", place->name, (long)getpid(), i);
        status = try_name(place, name, &file, &made, diag);
    }
    if (status == PSOPACK_OK && !made)
        status = psopack_fail_errno(diag, EEXIST, "create a temporary file beside it", path);
    if (status != PSOPACK_OK) {
        free(name);
        return status;
    }
    *ret_file = file;
    *ret_name = name;
    return PSOPACK_OK;
}

static const char *skip_digits(const char *text)
{
    return text + strspn(text, "0123456789");
}

/* NAME.tmp.DIGITS.DIGITS, nothing else: a user's own NAME.tmp.bak stays. */
static bool is_temp_name(const char *entry, const char *name)
{
    size_t size = strlen(name);
    if (strncmp(entry, name, size) != 0)
        return false;
    entry += size;
    if (strncmp(entry, TEMP_INFIX, strlen(TEMP_INFIX)) != 0)
        return false;
    const char *process = entry + strlen(TEMP_INFIX);
    const char *point = skip_digits(process);
    if (point == process || *point != '.')
        return false;
    const char *end = skip_digits(point + 1);
    return end != point + 1 && *end == '\0';
}

static bool names_this_file(int directory, const char *name, const psopack_file *file)
{
    struct stat by_name, by_fd;
    return fstatat(directory, name, &by_name, AT_SYMLINK_NOFOLLOW) == 0 &&
           fstat(psopack_fd(file), &by_fd) == 0 && by_name.st_dev == by_fd.st_dev &&
           by_name.st_ino == by_fd.st_ino && S_ISREG(by_fd.st_mode);
}

static void remove_if_dead(int directory, const char *name)
{
    int fd = psopack_openat(directory, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK, 0);
    if (fd < 0)
        return;
    psopack_file file = {.handle = fd, .path = name, .appends = false};
    if (psopack_lock_try(&file, PSOPACK_LOCK_EXCLUSIVE, NULL) == PSOPACK_OK &&
        names_this_file(directory, name, &file))
        (void)unlinkat(directory, name, 0);
    (void)close(fd);
}

void psopack_publish_remove_leftovers(const psopack_publish_place *place)
{
    int fd = psopack_openat(place->directory, ".", O_RDONLY | O_DIRECTORY, 0);
    DIR *entries = fd >= 0 ? fdopendir(fd) : NULL;
    if (!entries) {
        if (fd >= 0)
            (void)close(fd);
        return;
    }
    for (struct dirent *entry; (entry = readdir(entries)) != NULL;) {
        if (is_temp_name(entry->d_name, place->name))
            remove_if_dead(place->directory, entry->d_name);
    }
    (void)closedir(entries);
}
