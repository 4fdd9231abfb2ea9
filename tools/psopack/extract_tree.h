/* SPDX-License-Identifier: MIT */
/*
 * Files below one directory under names that nobody has vouched for.
 *
 * A PSO's name is a path of parts between slashes, a slot's name is one part. An empty part, ".",
 * "..", a zero byte or a part that the file system finds too long is refused, so is a slash in a
 * slot's name. Directories are made as needed and entered one by one without following links; files
 * are made new, never opened. So nothing is ever written outside the directory, whatever the names
 * and whatever lies there already.
 */
#ifndef PSOPACK_TOOL_EXTRACT_TREE_H
#define PSOPACK_TOOL_EXTRACT_TREE_H

#include <psopack/status.h>

#include <stdbool.h>

typedef struct psopack_tree {
    char *root_path; /* for messages */
    int root;        /* descriptor of the directory */
    char *pso;       /* name of the PSO entered last, NULL: none */
    size_t pso_size;
    int parent; /* descriptor of the directory that its own lies in, maybe the root */
    int folder; /* descriptor of its directory, -1: none */
    bool force; /* a file or link that stands where a file goes is removed first */
} psopack_tree;

/* Whether names are ones that a tree takes: PSOPACK_E_NAME says why not. Touches no file. */
psopack_status psopack_tree_check_pso(const char *name, size_t size, psopack_diag *diag);
psopack_status psopack_tree_check_slot(const char *name, psopack_diag *diag);

/* Makes `directory` when it is missing (its parent must exist); links in its own path are followed.
 */
psopack_status psopack_tree_begin(psopack_tree *tree, const char *directory, bool force,
                                  psopack_diag *diag);

/* Makes and enters the directory of a PSO. Cheap when it lies beside that of the PSO before. */
psopack_status psopack_tree_enter(psopack_tree *tree, const char *name, size_t size,
                                  psopack_diag *diag);

/* Writes a file of the PSO entered last. One that cannot be written whole is removed again. */
psopack_status psopack_tree_write(psopack_tree *tree, const char *slot, const void *bytes,
                                  size_t size, psopack_diag *diag);

void psopack_tree_end(psopack_tree *tree);

#endif
