/* SPDX-License-Identifier: MIT */
/* The publish object: write aside, then replace the output in one step. */
#include "platform/posix.h"

#include "format/error.h"
#include "platform/os_error.h"
#include "platform/publish.h"
#include "platform/publish_temp.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COMPARE_SIZE ((size_t)64 << 10) /* bytes of each file compared at a time */

struct psopack_publish {
    char *path; /* as the caller gave it, for messages */
    psopack_publish_place place;
    char *temp_name; /* in the place's directory */
    char *temp_path;
    psopack_file file;
    uint64_t offset;
};

static void free_publish(psopack_publish *publish)
{
    (void)psopack_file_close(&publish->file, NULL);
    psopack_publish_free_place(&publish->place);
    free(publish->temp_name);
    free(publish->temp_path);
    free(publish->path);
    free(publish);
}

static char *join_temp_path(const psopack_publish *publish)
{
    size_t directory = (size_t)(publish->place.name - publish->place.path);
    size_t size = directory + strlen(publish->temp_name) + 1;
    char *joined = malloc(size);
    if (joined)
        snprintf(joined, size, "%.*s%s", (int)directory, publish->place.path, publish->temp_name);
    return joined;
}

static psopack_status begin(psopack_publish *publish, psopack_diag *diag)
{
    const char *path = publish->path;
    PSOPACK_TRY(psopack_publish_find_place(path, &publish->place, diag));
    psopack_publish_remove_leftovers(&publish->place);
    PSOPACK_TRY(psopack_publish_make_temp(&publish->place, path, &publish->file,
                                          &publish->temp_name, diag));
    publish->temp_path = join_temp_path(publish);
    if (!publish->temp_path)
        return psopack_fail_errno(diag, ENOMEM, "write", path);
    return PSOPACK_OK;
}

psopack_status psopack_publish_begin(const char *path, psopack_publish **ret_publish,
                                     psopack_diag *diag)
{
    psopack_publish *publish = calloc(1, sizeof *publish);
    if (!publish)
        return psopack_fail_errno(diag, ENOMEM, "write", path);
    publish->place.directory = -1;
    publish->file = PSOPACK_FILE_NONE;
    publish->path = strdup(path);
    psopack_status status =
        publish->path ? begin(publish, diag) : psopack_fail_errno(diag, ENOMEM, "write", path);
    if (status != PSOPACK_OK) {
        psopack_publish_abort(&publish);
        return status;
    }
    *ret_publish = publish;
    return PSOPACK_OK;
}

psopack_status psopack_publish_write_at(psopack_publish *publish, uint64_t offset, const void *data,
                                        size_t size, psopack_diag *diag)
{
    return psopack_file_write_at(&publish->file, offset, data, size, diag);
}

psopack_status psopack_publish_write(psopack_publish *publish, const void *data, size_t size,
                                     psopack_diag *diag)
{
    PSOPACK_TRY(psopack_file_write_at(&publish->file, publish->offset, data, size, diag));
    publish->offset += size;
    return PSOPACK_OK;
}

uint64_t psopack_publish_offset(const psopack_publish *publish)
{
    return publish->offset;
}

const psopack_file *psopack_publish_file(const psopack_publish *publish)
{
    return &publish->file;
}

const char *psopack_publish_temp_path(const psopack_publish *publish)
{
    return publish->temp_path;
}

/* Reads the next stretch of both; an old output that cannot be read counts as different. */
static psopack_status compare_stretch(const psopack_file *old, const psopack_file *new,
                                      uint64_t offset, uint8_t *buffer, size_t *ret_size,
                                      bool *ret_same, psopack_diag *diag)
{
    size_t old_size = 0;
    PSOPACK_TRY(psopack_file_read_up_to(new, offset, buffer, COMPARE_SIZE, ret_size, diag));
    *ret_same = psopack_file_read_up_to(old, offset, buffer + COMPARE_SIZE, COMPARE_SIZE, &old_size,
                                        NULL) == PSOPACK_OK &&
                old_size == *ret_size && memcmp(buffer, buffer + COMPARE_SIZE, old_size) == 0;
    return PSOPACK_OK;
}

static psopack_status compare(const psopack_file *old, const psopack_file *new, bool *ret_same,
                              psopack_diag *diag)
{
    psopack_file_stat old_stat, new_stat;
    PSOPACK_TRY(psopack_file_get_stat(new, &new_stat, diag));
    bool same = psopack_file_get_stat(old, &old_stat, NULL) == PSOPACK_OK &&
                old_stat.type == PSOPACK_FILE_REGULAR && old_stat.size == new_stat.size;
    uint8_t *buffer = malloc(2 * COMPARE_SIZE);
    if (!buffer)
        return psopack_fail_errno(diag, ENOMEM, "compare", new->path);

    psopack_status status = PSOPACK_OK;
    size_t size = COMPARE_SIZE;
    for (uint64_t at = 0; status == PSOPACK_OK && same && size == COMPARE_SIZE; at += size)
        status = compare_stretch(old, new, at, buffer, &size, &same, diag);
    free(buffer);
    if (status == PSOPACK_OK)
        *ret_same = same;
    return status;
}

static psopack_status is_identical(const psopack_publish *publish, bool *ret_same,
                                   psopack_diag *diag)
{
    int fd = psopack_openat(publish->place.directory, publish->place.name,
                            O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0);
    *ret_same = false;
    if (fd < 0)
        return PSOPACK_OK;
    psopack_file old = {.handle = fd, .path = publish->path, .appends = false};
    psopack_status status = compare(&old, &publish->file, ret_same, diag);
    (void)psopack_file_close(&old, NULL);
    return status;
}

/* Only when it differs: some file systems have no permission bits to change. */
static psopack_status keep_mode(const psopack_publish *publish, psopack_diag *diag)
{
    int fd = psopack_fd(&publish->file);
    struct stat system;
    if (!publish->place.exists)
        return PSOPACK_OK;
    if (fstat(fd, &system) != 0)
        return psopack_fail_errno(diag, errno, "stat", publish->path);
    if (((unsigned)system.st_mode & 0777) == publish->place.mode)
        return PSOPACK_OK;
    if (fchmod(fd, (mode_t)publish->place.mode) != 0)
        return psopack_fail_errno(diag, errno, "keep the permissions", publish->path);
    return PSOPACK_OK;
}

/* The file stays open, and so locked, until it has its final name. */
static psopack_status replace(psopack_publish *publish, bool sync, psopack_diag *diag)
{
    int directory = publish->place.directory;
    PSOPACK_TRY(keep_mode(publish, diag));
    if (sync)
        PSOPACK_TRY(psopack_file_sync(&publish->file, diag));
    if (renameat(directory, publish->temp_name, directory, publish->place.name) != 0)
        return psopack_fail_errno(diag, errno, "replace", publish->path);
    free(publish->temp_name);
    publish->temp_name = NULL;
    PSOPACK_TRY(psopack_file_close(&publish->file, diag));
    if (sync && psopack_sync_directory_fd(directory) != 0)
        return psopack_fail_errno(
            diag, errno, "flush its directory, though the new file is in place", publish->path);
    return PSOPACK_OK;
}

psopack_status psopack_publish_commit(psopack_publish **publish,
                                      const psopack_publish_options *options,
                                      psopack_publish_outcome *ret_outcome, psopack_diag *diag)
{
    psopack_publish_options chosen = options ? *options : (psopack_publish_options){0};
    bool same = false;
    psopack_status status = PSOPACK_OK;
    if (chosen.keep_if_identical)
        status = is_identical(*publish, &same, diag);
    if (status == PSOPACK_OK && !same)
        status = replace(*publish, !chosen.no_sync, diag);
    psopack_publish_abort(publish); /* removes the temporary file if it still has its name */
    if (status == PSOPACK_OK && ret_outcome)
        *ret_outcome = same ? PSOPACK_PUBLISH_UNCHANGED : PSOPACK_PUBLISH_WRITTEN;
    return status;
}

void psopack_publish_abort(psopack_publish **publish)
{
    if (!*publish)
        return;
    if ((*publish)->temp_name)
        (void)unlinkat((*publish)->place.directory, (*publish)->temp_name, 0);
    free_publish(*publish);
    *publish = NULL;
}

void psopack_publish_abort_from_signal(const char *temp_path)
{
    int before = errno;
    (void)unlink(temp_path);
    errno = before;
}
