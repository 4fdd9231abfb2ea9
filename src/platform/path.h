/* SPDX-License-Identifier: MIT */
/* What can be done to a path without opening a file: stat, remove, make a directory, flush one. */
#ifndef PSOPACK_PLATFORM_PATH_H
#define PSOPACK_PLATFORM_PATH_H

#include "platform/file.h"

/* Follows links. PSOPACK_E_NO_ENTRY when there is nothing. */
psopack_status psopack_path_stat(const char *path, psopack_file_stat *ret_stat, psopack_diag *diag);

/* Removes a file or a link, not a directory. */
psopack_status psopack_path_remove(const char *path, psopack_diag *diag);

/* Makes one directory below an existing one; a directory that is there already is fine. */
psopack_status psopack_path_make_directory(const char *path, psopack_diag *diag);

/* Makes names that were created, renamed or removed in a directory survive a power cut. */
psopack_status psopack_path_sync_directory(const char *path, psopack_diag *diag);

/* The process's current directory, absolute; free() it. */
psopack_status psopack_path_working_directory(char **ret_path, psopack_diag *diag);

/* Length of the directory part of `path`, 0 when it has none; "/x" has length 1. */
size_t psopack_path_directory_size(const char *path);

#endif
