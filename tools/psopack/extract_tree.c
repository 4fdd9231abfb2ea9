/* SPDX-License-Identifier: MIT */
/* Files below one directory under names that nobody has vouched for. */
#include "extract_tree.h"

#include "failure.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- names ----------------------------------------------------------------------------------- */

static bool is_plain_part(const char *part, size_t size)
{
    bool dots = (size == 1 && part[0] == '.') || (size == 2 && part[0] == '.' && part[1] == '.');
    return size > 0 && size <= NAME_MAX && !dots && !memchr(part, '\0', size);
}

static size_t part_size(const char *name, size_t size)
{
    const char *slash = memchr(name, '/', size);
    return slash ? (size_t)(slash - name) : size;
}

static psopack_status refuse_name(const char *what, const char *name, size_t size,
                                  psopack_diag *diag)
{
    int shown = size < 256 ? (int)size : 256;
    return psopack_failure(diag, PSOPACK_E_NAME,
                           "%s '%.*s' is not a safe path: nothing is written for it", what, shown,
                           name);
}

psopack_status psopack_tree_check_pso(const char *name, size_t size, psopack_diag *diag)
{
    for (size_t at = 0;;) {
        size_t part = part_size(name + at, size - at);
        if (!is_plain_part(name + at, part))
            return refuse_name("PSO", name, size, diag);
        at += part;
        if (at == size)
            return PSOPACK_OK;
        at++; /* the slash: a part must follow it */
    }
}

psopack_status psopack_tree_check_slot(const char *name, psopack_diag *diag)
{
    size_t size = strlen(name);
    if (!is_plain_part(name, size) || strchr(name, '/'))
        return refuse_name("slot", name, size, diag);
    return PSOPACK_OK;
}

/* ---- directories ----------------------------------------------------------------------------- */

psopack_status psopack_tree_begin(psopack_tree *tree, const char *directory, bool force,
                                  psopack_diag *diag)
{
    if (mkdir(directory, 0777) != 0 && errno != EEXIST)
        return psopack_failure_errno(diag, errno, "make the directory", directory);
    int root = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (root < 0)
        return psopack_failure_errno(diag, errno, "open the directory", directory);
    char *root_path = strdup(directory);
    if (!root_path) {
        close(root);
        return psopack_failure_memory(diag, directory);
    }
    *tree = (psopack_tree){
        .root_path = root_path, .root = root, .parent = root, .folder = -1, .force = force};
    return PSOPACK_OK;
}

/* Leaves the directories of the PSO entered last, the one it lies in only if told to. */
static void leave(psopack_tree *tree, bool parent_too)
{
    if (tree->folder >= 0)
        close(tree->folder);
    tree->folder = -1;
    if (!parent_too)
        return;
    if (tree->parent != tree->root)
        close(tree->parent);
    tree->parent = tree->root;
    free(tree->pso);
    tree->pso = NULL;
}

void psopack_tree_end(psopack_tree *tree)
{
    if (!tree->root_path)
        return;
    leave(tree, true);
    close(tree->root);
    free(tree->root_path);
    *tree = (psopack_tree){0};
}

/* Makes the directory `part` of `parent` unless it is there, and enters it. -1 and errno: cannot.
 */
static int enter_part(int parent, const char *name, size_t size)
{
    char part[NAME_MAX + 1];
    memcpy(part, name, size);
    part[size] = '\0';
    if (mkdirat(parent, part, 0777) != 0 && errno != EEXIST)
        return -1;
    return openat(parent, part, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

static psopack_status cannot_enter(const psopack_tree *tree, const char *name, size_t size,
                                   int error, psopack_diag *diag)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%.*s", tree->root_path, (int)size, name);
    if (error == ENOTDIR || error == ELOOP)
        return psopack_failure(diag, PSOPACK_E_FILE_TYPE,
                               "%s: a link or a file is in the way, not a directory", path);
    return psopack_failure_errno(diag, error, "make the directory", path);
}

/* Bytes of the name before its last slash; 0 without one. */
static size_t parent_size(const char *name, size_t size)
{
    const char *slash = memrchr(name, '/', size);
    return slash ? (size_t)(slash - name) : 0;
}

/* Enters the directory that the PSO's own lies in, from the root on. */
static psopack_status enter_parent(psopack_tree *tree, const char *name, size_t size,
                                   psopack_diag *diag)
{
    for (size_t at = 0; at < size;) {
        size_t part = part_size(name + at, size - at);
        int entered = enter_part(tree->parent, name + at, part);
        if (entered < 0)
            return cannot_enter(tree, name, at + part, errno, diag);
        if (tree->parent != tree->root)
            close(tree->parent);
        tree->parent = entered;
        at += part + 1;
    }
    return PSOPACK_OK;
}

psopack_status psopack_tree_enter(psopack_tree *tree, const char *name, size_t size,
                                  psopack_diag *diag)
{
    psopack_status status = psopack_tree_check_pso(name, size, diag);
    if (status != PSOPACK_OK)
        return status;
    size_t above = parent_size(name, size);
    bool beside = tree->pso && parent_size(tree->pso, tree->pso_size) == above &&
                  memcmp(tree->pso, name, above) == 0;
    leave(tree, !beside);
    if (!beside)
        status = enter_parent(tree, name, above, diag);
    char *copy = status == PSOPACK_OK ? malloc(size + 1) : NULL;
    if (status == PSOPACK_OK && !copy)
        status = psopack_failure_memory(diag, "a name");
    if (copy) {
        memcpy(copy, name, size);
        copy[size] = '\0';
    }
    if (status != PSOPACK_OK) {
        leave(tree, true);
        return status;
    }
    free(tree->pso);
    tree->pso = copy;
    tree->pso_size = size;
    size_t leaf = above ? above + 1 : 0;
    tree->folder = enter_part(tree->parent, name + leaf, size - leaf);
    return tree->folder >= 0 ? PSOPACK_OK : cannot_enter(tree, name, size, errno, diag);
}

/* ---- files ----------------------------------------------------------------------------------- */

static psopack_status cannot_write(const psopack_tree *tree, const char *slot, int error,
                                   psopack_diag *diag)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%.*s/%s", tree->root_path, (int)tree->pso_size, tree->pso,
             slot);
    if (error == EEXIST)
        return psopack_failure(diag, PSOPACK_E_EXISTS, "%s: exists, --force replaces it", path);
    return psopack_failure_errno(diag, error, "write", path);
}

static int write_all(int file, const char *bytes, size_t size)
{
    while (size) {
        ssize_t written = write(file, bytes, size);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return errno;
        bytes += written;
        size -= (size_t)written;
    }
    return 0;
}

psopack_status psopack_tree_write(psopack_tree *tree, const char *slot, const void *bytes,
                                  size_t size, psopack_diag *diag)
{
    psopack_status status = psopack_tree_check_slot(slot, diag);
    if (status != PSOPACK_OK)
        return status;
    enum { FLAGS = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC };
    int file = openat(tree->folder, slot, FLAGS, 0666);
    if (file < 0 && errno == EEXIST && tree->force && unlinkat(tree->folder, slot, 0) == 0)
        file = openat(tree->folder, slot, FLAGS, 0666);
    if (file < 0)
        return cannot_write(tree, slot, errno, diag);
    int error = write_all(file, bytes, size);
    if (close(file) != 0 && error == 0)
        error = errno;
    if (error == 0)
        return PSOPACK_OK;
    unlinkat(tree->folder, slot, 0);
    return cannot_write(tree, slot, error, diag);
}
