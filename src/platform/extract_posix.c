/* SPDX-License-Identifier: MIT */
/* Every part of a name is opened from its parent's descriptor, never through a link. */
#include "platform/posix.h"

#include "format/error.h"
#include "platform/extract.h"
#include "platform/os_error.h"
#include "platform/path.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct psopack_extract {
    int root;
    char *root_path;
    size_t root_size;

    /* The directory of the last file: its name below the root, and its descriptor or -1. */
    char *last_name;
    size_t last_size;
    size_t last_capacity;
    int last;

    char *path; /* root path, '/', name at hand */
    size_t path_capacity;
};

static bool good_part(const char *part, size_t size)
{
    if (size == 0 || (size == 1 && part[0] == '.'))
        return false;
    if (size == 2 && part[0] == '.' && part[1] == '.')
        return false;
    return memchr(part, '\0', size) == NULL;
}

static size_t part_size(const char *part, size_t left)
{
    const char *slash = memchr(part, '/', left);
    return slash ? (size_t)(slash - part) : left;
}

static bool good_name(const char *name, size_t size)
{
    for (size_t at = 0;; at++) {
        size_t part = part_size(name + at, size - at);
        if (!good_part(name + at, part))
            return false;
        at += part;
        if (at == size)
            return true;
    }
}

static bool reserve(char **memory, size_t *capacity, size_t needed)
{
    if (needed <= *capacity)
        return true;
    char *moved = realloc(*memory, needed);
    if (!moved)
        return false;
    *memory = moved;
    *capacity = needed;
    return true;
}

/* Sets `path` for the name, which it may not fit for its bytes: messages show them escaped. */
static psopack_status set_path(psopack_extract *self, const char *name, size_t size,
                               psopack_diag *diag)
{
    if (size > SIZE_MAX - self->root_size - 2 ||
        !reserve(&self->path, &self->path_capacity, self->root_size + 1 + size + 1))
        return psopack_fail_errno(diag, ENOMEM, "extract into", self->root_path);
    memcpy(self->path, self->root_path, self->root_size);
    self->path[self->root_size] = '/';
    memcpy(self->path + self->root_size + 1, name, size);
    self->path[self->root_size + 1 + size] = '\0';
    return PSOPACK_OK;
}

static int open_part(int parent, const char *part)
{
    return psopack_openat(parent, part, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
}

static int open_or_make_part(int parent, const char *part)
{
    int fd = open_part(parent, part);
    if (fd >= 0 || errno != ENOENT)
        return fd;
    if (mkdirat(parent, part, 0777) != 0 && errno != EEXIST)
        return -1;
    return open_part(parent, part);
}

static psopack_status fail_part(int error, const char *path, psopack_diag *diag)
{
    if (error != ENOTDIR && error != ELOOP)
        return psopack_fail_errno(diag, error, "enter the directory", path);
    char shown[PSOPACK_SHOWN_PATH_SIZE];
    return psopack_fail(diag, PSOPACK_E_FILE_TYPE,
                        "%s: a link or file is in the way of a directory",
                        psopack_show_path(shown, path));
}

/* Walks down from the root to the directory that `path` names in its `size` bytes after the root;
 * `path` is cut at each part meanwhile, which makes it the text of an error. */
static psopack_status enter_parts(psopack_extract *self, char *parts, size_t size, int *ret_fd,
                                  psopack_diag *diag)
{
    int fd = self->root;
    for (size_t at = 0; at < size; at++) {
        size_t part = part_size(parts + at, size - at);
        char after = parts[at + part];
        parts[at + part] = '\0';
        int next = open_or_make_part(fd, parts + at);
        int error = errno;
        if (fd != self->root)
            (void)close(fd);
        if (next < 0)
            return fail_part(error, self->path, diag);
        fd = next;
        parts[at + part] = after;
        at += part;
    }
    *ret_fd = fd;
    return PSOPACK_OK;
}

static void forget_last(psopack_extract *self)
{
    if (self->last >= 0 && self->last != self->root)
        (void)close(self->last);
    self->last = -1;
}

static bool is_last(const psopack_extract *self, const char *name, size_t size)
{
    return self->last >= 0 && self->last_size == size &&
           (size == 0 || memcmp(self->last_name, name, size) == 0);
}

/* Makes `last` the directory with the name that `path` holds in `size` bytes after the root. */
static psopack_status enter_directory(psopack_extract *self, size_t size, psopack_diag *diag)
{
    char *parts = self->path + self->root_size + 1;
    if (is_last(self, parts, size))
        return PSOPACK_OK;
    forget_last(self);
    if (!reserve(&self->last_name, &self->last_capacity, size + 1))
        return psopack_fail_errno(diag, ENOMEM, "extract into", self->root_path);
    int fd = -1;
    PSOPACK_TRY(enter_parts(self, parts, size, &fd, diag));
    memcpy(self->last_name, parts, size);
    self->last_size = size;
    self->last = fd;
    return PSOPACK_OK;
}

/* O_EXCL takes no link for a free name, dangling or not. */
static int create_in(int directory, const char *name, psopack_extract_policy policy)
{
    const int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW;
    int fd = psopack_openat(directory, name, flags, 0666);
    if (fd >= 0 || errno != EEXIST || policy != PSOPACK_EXTRACT_REPLACE)
        return fd;
    if (unlinkat(directory, name, 0) != 0)
        return -1;
    return psopack_openat(directory, name, flags, 0666);
}

static const char *final_name(const psopack_extract *self)
{
    return strrchr(self->path, '/') + 1;
}

psopack_status psopack_extract_create(psopack_extract *extract, const char *name, size_t name_size,
                                      psopack_extract_policy policy, psopack_file *ret_file,
                                      psopack_diag *diag)
{
    PSOPACK_TRY(set_path(extract, name, name_size, diag));
    if (!good_name(name, name_size)) {
        char shown[PSOPACK_SHOWN_PATH_SIZE];
        return psopack_fail(diag, PSOPACK_E_NAME,
                            "%s: not created: an empty part, \".\", \"..\" or a zero byte "
                            "in the name",
                            psopack_show_path(shown, extract->path));
    }
    const char *final = final_name(extract);
    size_t parts = (size_t)(final - (extract->path + extract->root_size + 1));
    PSOPACK_TRY(enter_directory(extract, parts > 0 ? parts - 1 : 0, diag));
    int fd = create_in(extract->last, final, policy);
    if (fd < 0)
        return psopack_fail_errno(diag, errno, "create", extract->path);
    *ret_file = (psopack_file){.handle = fd, .path = extract->path, .appends = false};
    return PSOPACK_OK;
}

psopack_status psopack_extract_write_file(psopack_extract *extract, const char *name,
                                          size_t name_size, psopack_extract_policy policy,
                                          const void *data, size_t size, psopack_diag *diag)
{
    psopack_file file;
    PSOPACK_TRY(psopack_extract_create(extract, name, name_size, policy, &file, diag));
    psopack_status status = psopack_file_write_at(&file, 0, data, size, diag);
    psopack_status closed = psopack_file_close(&file, status == PSOPACK_OK ? diag : NULL);
    if (status == PSOPACK_OK)
        status = closed;
    if (status != PSOPACK_OK)
        (void)unlinkat(extract->last, final_name(extract), 0);
    return status;
}

static psopack_status open_root(psopack_extract *self, const char *directory, psopack_diag *diag)
{
    self->root_path = strdup(directory);
    if (!self->root_path)
        return psopack_fail_errno(diag, ENOMEM, "extract into", directory);
    self->root_size = strlen(directory);
    while (self->root_size > 1 && self->root_path[self->root_size - 1] == '/')
        self->root_path[--self->root_size] = '\0';
    PSOPACK_TRY(psopack_path_make_directory(self->root_path, diag));
    self->root = psopack_openat(AT_FDCWD, self->root_path, O_RDONLY | O_DIRECTORY, 0);
    if (self->root < 0)
        return psopack_fail_errno(diag, errno, "open the directory", directory);
    return PSOPACK_OK;
}

psopack_status psopack_extract_begin(const char *directory, psopack_extract **ret_extract,
                                     psopack_diag *diag)
{
    psopack_extract *self = calloc(1, sizeof *self);
    if (!self)
        return psopack_fail_errno(diag, ENOMEM, "extract into", directory);
    self->root = self->last = -1;
    psopack_status status = open_root(self, directory, diag);
    if (status != PSOPACK_OK) {
        psopack_extract_end(&self);
        return status;
    }
    *ret_extract = self;
    return PSOPACK_OK;
}

void psopack_extract_end(psopack_extract **extract)
{
    psopack_extract *self = *extract;
    if (!self)
        return;
    forget_last(self);
    if (self->root >= 0)
        (void)close(self->root);
    free(self->root_path);
    free(self->last_name);
    free(self->path);
    free(self);
    *extract = NULL;
}
