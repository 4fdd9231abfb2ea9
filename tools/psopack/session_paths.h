/* SPDX-License-Identifier: MIT */
/* The value files of cache sessions that a user names: one by one, or as folders of them. */
#ifndef PSOPACK_TOOL_SESSION_PATHS_H
#define PSOPACK_TOOL_SESSION_PATHS_H

#include "words.h"

#include <psopack/status.h>

/*
 * Adds `path` to `files` when it is a file; when it is a folder, every file named *.val below it,
 * in byte order, at any depth; linked folders are not entered. Folders that were read are added to
 * `folders`. PSOPACK_E_NO_ENTRY: nothing there; PSOPACK_E_NOT_FOUND: a folder without value files.
 */
psopack_status psopack_session_paths(const char *path, psopack_words *files, psopack_words *folders,
                                     psopack_diag *diag);

#endif
