/* SPDX-License-Identifier: MIT */
/* Finds the file that an output path stands for: through links, in an open directory. */
#include "platform/posix.h"

#include "format/error.h"
#include "platform/os_error.h"
#include "platform/path.h"
#include "platform/publish_temp.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LINKS_MAX 40 /* as Linux follows */
#define LINK_SIZE_MAX 4096

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Replaces the last part of *path by what the link there says. */
static psopack_status follow_link(char **path, psopack_diag *diag)
{
    char target[LINK_SIZE_MAX];
    ssize_t got = readlink(*path, target, sizeof target);
    if (got < 0)
        return psopack_fail_errno(diag, errno, "read the link", *path);
    size_t size = (size_t)got;
    if (size == sizeof target)
        return psopack_fail_errno(diag, ENAMETOOLONG, "read the link", *path);

    size_t kept = target[0] == '/' ? 0 : (size_t)(last_part(*path) - *path);
    char *joined = malloc(kept + size + 1);
    if (!joined)
        return psopack_fail_errno(diag, ENOMEM, "read the link", *path);
    memcpy(joined, *path, kept);
    memcpy(joined + kept, target, size);
    joined[kept + size] = '\0';
    free(*path);
    *path = joined;
    return PSOPACK_OK;
}

static psopack_status check_type(const psopack_publish_place *place, const struct stat *system,
                                 psopack_diag *diag)
{
    bool no_name = last_part(place->path)[0] == '\0';
    if (!no_name && (!place->exists || S_ISREG(system->st_mode)))
        return PSOPACK_OK;
    char shown[PSOPACK_SHOWN_PATH_SIZE];
    return psopack_fail(diag, PSOPACK_E_FILE_TYPE, "%s: %s, cannot be replaced by a file",
                        psopack_show_path(shown, place->path),
                        no_name || S_ISDIR(system->st_mode) ? "a directory"
                                                            : "a pipe, socket or device");
}

static psopack_status follow_links(psopack_publish_place *place, psopack_diag *diag)
{
    struct stat system = {0};
    for (int links = 0; links <= LINKS_MAX; links++) {
        place->exists = lstat(place->path, &system) == 0;
        if (!place->exists && errno != ENOENT)
            return psopack_fail_errno(diag, errno, "stat", place->path);
        if (!place->exists || !S_ISLNK(system.st_mode)) {
            place->mode = (unsigned)system.st_mode & 0777;
            return check_type(place, &system, diag);
        }
        PSOPACK_TRY(follow_link(&place->path, diag));
    }
    return psopack_fail_errno(diag, ELOOP, "follow the link", place->path);
}

static psopack_status open_directory(psopack_publish_place *place, psopack_diag *diag)
{
    size_t size = psopack_path_directory_size(place->path);
    char *directory = size > 0 ? strndup(place->path, size) : strdup(".");
    if (!directory)
        return psopack_fail_errno(diag, ENOMEM, "open", place->path);
    place->directory = psopack_openat(AT_FDCWD, directory, O_RDONLY | O_DIRECTORY, 0);
    psopack_status status = PSOPACK_OK;
    if (place->directory < 0)
        status = psopack_fail_errno(diag, errno, "open the directory", directory);
    free(directory);
    return status;
}

psopack_status psopack_publish_find_place(const char *path, psopack_publish_place *ret_place,
                                          psopack_diag *diag)
{
    psopack_publish_place place = {.path = strdup(path), .directory = -1};
    if (!place.path)
        return psopack_fail_errno(diag, ENOMEM, "write", path);
    psopack_status status = follow_links(&place, diag);
    if (status == PSOPACK_OK)
        status = open_directory(&place, diag);
    if (status != PSOPACK_OK) {
        psopack_publish_free_place(&place);
        return status;
    }
    place.name = last_part(place.path);
    *ret_place = place;
    return PSOPACK_OK;
}

void psopack_publish_free_place(psopack_publish_place *place)
{
    free(place->path);
    if (place->directory >= 0)
        (void)close(place->directory);
    *place = (psopack_publish_place){.directory = -1};
}
