/* SPDX-License-Identifier: MIT */
/*
 * A directory tree in an order that depends on names only: files come sorted by the bytes of their
 * relative path, as memcmp of "a/b/c" would sort them, a directory right before what is in it.
 *
 * Links to files are followed; a link to a directory is reported and not entered. A directory that
 * is its own ancestor (bind mounts) is PSOPACK_E_LOOP; a pipe, socket or device
 * PSOPACK_E_FILE_TYPE; more than 256 levels or a path longer than 4095 bytes PSOPACK_E_LIMIT; a
 * dangling link PSOPACK_E_NO_ENTRY; an unreadable directory PSOPACK_E_ACCESS. Each names its path.
 *
 * Two open files and no recursion, whatever the tree. Memory: the names of one directory per level.
 */
#ifndef PSOPACK_PLATFORM_WALK_H
#define PSOPACK_PLATFORM_WALK_H

#include "platform/file.h"

#define PSOPACK_WALK_DEPTH_MAX 256
#define PSOPACK_WALK_PATH_MAX 4095 /* bytes of the relative path, terminator excluded */

typedef enum psopack_walk_type {
    PSOPACK_WALK_FILE,
    PSOPACK_WALK_DIRECTORY,       /* before its contents; the root first, with an empty path */
    PSOPACK_WALK_LINKED_DIRECTORY /* a link to a directory: not entered */
} psopack_walk_type;

/* Valid during the call it is given to. */
typedef struct psopack_walk_entry {
    const char *path; /* relative to the root, '/' between names, zero-terminated */
    size_t path_size; /* bytes, terminator excluded */
    size_t name_at;   /* where the last name starts in path */
    psopack_walk_type type;
    bool has_stat;
    psopack_file_stat stat; /* only with has_stat: directories, and files when asked for */
} psopack_walk_entry;

typedef struct psopack_walk {
    /* Anything but PSOPACK_OK ends the walk with that status. */
    psopack_status (*on_entry)(void *context, const psopack_walk_entry *entry, psopack_diag *diag);
    /*
     * An entry that cannot be taken; `path` is relative to the root. PSOPACK_OK goes on without it
     * (a directory is left out whole), anything else ends the walk. NULL ends it with the error.
     * `is_directory`: it is one, and what it holds is not known.
     */
    psopack_status (*on_error)(void *context, const char *path, bool is_directory,
                               const psopack_diag *diag);
    void *context;
    bool stat_files; /* one system call more for each file */
} psopack_walk;

/* `root` may be a link to a directory. Errors of the root itself are returned, not handed out. */
psopack_status psopack_walk_tree(const char *root, const psopack_walk *walk, psopack_diag *diag);

#endif
