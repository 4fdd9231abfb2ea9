/* SPDX-License-Identifier: MIT */
/*
 * Depth first over an explicit stack. Directories are opened by their path from the root, so that
 * only the root and the directory at hand are open.
 */
#include "platform/posix.h"

#include "format/error.h"
#include "platform/os_error.h"
#include "platform/walk.h"
#include "platform/walk_list.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct level {
    psopack_walk_list list;
    size_t next;
    size_t path_size; /* of the directory's relative path */
    uint64_t device;
    uint64_t inode;
} level;

typedef struct walker {
    const psopack_walk *walk;
    psopack_diag *diag; /* the caller's, may be NULL */
    psopack_diag error; /* of the entry at hand */
    bool at_directory;  /* the entry at hand is one */
    int root;
    size_t depth; /* levels in use */
    level *levels;
    const char *root_path;
    char *full; /* the root's path, '/', the relative path */
    char *path; /* the relative path inside `full` */
    size_t path_size;
} walker;

/* Hands the error out, or ends the walk with it. The root's own error cannot be passed over. */
static psopack_status report(walker *self, psopack_status status)
{
    if (self->walk->on_error && self->depth > 0)
        status =
            self->walk->on_error(self->walk->context, self->path, self->at_directory, &self->error);
    if (status != PSOPACK_OK && self->diag)
        *self->diag = self->error;
    return status;
}

static const char *shown_path(const walker *self)
{
    return self->path_size > 0 ? self->full : self->root_path;
}

static psopack_status report_errno(walker *self, int error, const char *action)
{
    return report(self, psopack_fail_errno(&self->error, error, action, shown_path(self)));
}

static psopack_status report_text(walker *self, psopack_status status, const char *text)
{
    char shown[PSOPACK_SHOWN_PATH_SIZE];
    return report(self, psopack_fail(&self->error, status, "%s: %s",
                                     psopack_show_path(shown, shown_path(self)), text));
}

static psopack_status emit(walker *self, psopack_walk_type type, const psopack_file_stat *stat)
{
    const char *slash = strrchr(self->path, '/');
    psopack_walk_entry entry = {
        .path = self->path,
        .path_size = self->path_size,
        .name_at = slash ? (size_t)(slash + 1 - self->path) : 0,
        .type = type,
        .has_stat = stat != NULL,
    };
    if (stat)
        entry.stat = *stat;
    return self->walk->on_entry(self->walk->context, &entry, self->diag);
}

static bool is_ancestor(const walker *self, const psopack_file_stat *stat)
{
    for (size_t i = 0; i < self->depth; i++) {
        if (self->levels[i].device == stat->device && self->levels[i].inode == stat->inode)
            return true;
    }
    return false;
}

/* Takes over the descriptor of the directory at `path` and makes it the top of the stack. */
static psopack_status enter(walker *self, int directory)
{
    struct stat system;
    psopack_file_stat stat;
    int error = fstat(directory, &system) == 0 ? 0 : errno;
    if (error != 0) {
        (void)close(directory);
        return report_errno(self, error, "stat");
    }
    psopack_stat_from_system(&system, &stat);
    bool loop = is_ancestor(self, &stat);
    if (loop || self->depth == PSOPACK_WALK_DEPTH_MAX) {
        (void)close(directory);
        return loop ? report_text(self, PSOPACK_E_LOOP, "the directory contains itself")
                    : report_text(self, PSOPACK_E_LIMIT, "more than 256 levels of directories");
    }

    level *top = &self->levels[self->depth];
    error = psopack_walk_list_fill(&top->list, directory);
    if (error != 0)
        return report_errno(self, error, "list the directory");
    top->next = 0;
    top->path_size = self->path_size;
    top->device = stat.device;
    top->inode = stat.inode;
    self->depth++;
    return emit(self, PSOPACK_WALK_DIRECTORY, &stat);
}

static psopack_status visit_directory(walker *self)
{
    int fd = psopack_openat(self->root, self->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
    if (fd < 0)
        return report_errno(self, errno, "open the directory");
    return enter(self, fd);
}

static psopack_status visit_other(walker *self)
{
    return report_text(self, PSOPACK_E_FILE_TYPE,
                       "a pipe, socket or device, neither a file nor a directory");
}

/* For links, and for files whose stat is asked for. */
static psopack_status visit_by_stat(walker *self)
{
    struct stat system;
    if (fstatat(self->root, self->path, &system, 0) != 0)
        return report_errno(self, errno, "stat");
    psopack_file_stat stat;
    psopack_stat_from_system(&system, &stat);
    if (stat.type == PSOPACK_FILE_OTHER)
        return visit_other(self);
    return emit(
        self, stat.type == PSOPACK_FILE_REGULAR ? PSOPACK_WALK_FILE : PSOPACK_WALK_LINKED_DIRECTORY,
        &stat);
}

static psopack_status visit(walker *self, psopack_walk_item_type type)
{
    switch (type) {
    case PSOPACK_WALK_ITEM_FILE:
        return self->walk->stat_files ? visit_by_stat(self) : emit(self, PSOPACK_WALK_FILE, NULL);
    case PSOPACK_WALK_ITEM_DIRECTORY:
        return visit_directory(self);
    case PSOPACK_WALK_ITEM_LINK:
        return visit_by_stat(self);
    case PSOPACK_WALK_ITEM_OTHER:
        break;
    }
    return visit_other(self);
}

/* Makes `path` name the item; false, with the directory's own path, when it would be too long. */
static bool set_path(walker *self, const level *top, const psopack_walk_item *item)
{
    size_t at = top->path_size > 0 ? top->path_size + 1 : 0;
    self->path_size = top->path_size;
    self->path[top->path_size] = '\0';
    if (at > PSOPACK_WALK_PATH_MAX || item->name_size > PSOPACK_WALK_PATH_MAX - at)
        return false;
    if (at > 0)
        self->path[at - 1] = '/';
    memcpy(self->path + at, item->name, item->name_size + 1);
    self->path_size = at + item->name_size;
    return true;
}

static psopack_status walk_levels(walker *self)
{
    while (self->depth > 0) {
        level *top = &self->levels[self->depth - 1];
        if (top->next == top->list.n_items) {
            self->depth--;
            continue;
        }
        const psopack_walk_item *item = &top->list.items[top->next++];
        bool fits = set_path(self, top, item);
        self->at_directory = !fits || item->type == PSOPACK_WALK_ITEM_DIRECTORY;
        if (fits)
            PSOPACK_TRY(visit(self, item->type));
        else
            PSOPACK_TRY(report_text(self, PSOPACK_E_LIMIT,
                                    "the path of something in it is longer than 4095 bytes"));
    }
    return PSOPACK_OK;
}

static psopack_status walk_root(walker *self)
{
    int listed = -1;
    self->root = psopack_openat(AT_FDCWD, self->root_path, O_RDONLY | O_DIRECTORY, 0);
    if (self->root >= 0)
        listed = psopack_openat(self->root, ".", O_RDONLY | O_DIRECTORY, 0);
    if (listed < 0) {
        int error = errno;
        struct stat system;
        if (error == ENOTDIR && stat(self->root_path, &system) == 0)
            return report_text(self, PSOPACK_E_FILE_TYPE, "not a directory");
        return report_errno(self, error, "open the directory");
    }
    PSOPACK_TRY(enter(self, listed));
    return walk_levels(self);
}

static bool prepare(walker *self)
{
    size_t size = strlen(self->root_path);
    bool slash = size > 0 && self->root_path[size - 1] == '/';
    self->levels = calloc(PSOPACK_WALK_DEPTH_MAX, sizeof *self->levels);
    self->full = malloc(size + 1 + PSOPACK_WALK_PATH_MAX + 1);
    if (!self->levels || !self->full)
        return false;
    memcpy(self->full, self->root_path, size);
    if (!slash)
        self->full[size++] = '/';
    self->path = self->full + size;
    *self->path = '\0';
    return true;
}

psopack_status psopack_walk_tree(const char *root, const psopack_walk *walk, psopack_diag *diag)
{
    walker self = {.walk = walk, .diag = diag, .root = -1, .root_path = root};
    psopack_status status =
        prepare(&self) ? walk_root(&self) : psopack_fail_errno(diag, ENOMEM, "walk", root);
    for (size_t i = 0; self.levels && i < PSOPACK_WALK_DEPTH_MAX; i++)
        psopack_walk_list_free(&self.levels[i].list);
    free(self.levels);
    free(self.full);
    if (self.root >= 0)
        (void)close(self.root);
    return status;
}
