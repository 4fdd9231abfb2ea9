/* SPDX-License-Identifier: MIT */
/*
 * Files below one directory under names that nobody has vouched for.
 *
 * A name is made of parts separated by '/'. PSOPACK_E_NAME refuses an empty name, an empty part
 * (so also a leading or trailing '/'), the parts "." and "..", and a zero byte. Directories are
 * made as needed and entered one by one without following links: a link or a file where a directory
 * should be is PSOPACK_E_FILE_TYPE. So nothing is ever written outside the directory, whatever the
 * names and whatever lies there already.
 */
#ifndef PSOPACK_PLATFORM_EXTRACT_H
#define PSOPACK_PLATFORM_EXTRACT_H

#include "platform/file.h"

/* One thread at a time. The directory of the last file stays open: keep such names together. */
typedef struct psopack_extract psopack_extract;

/* `directory` is made when missing (its parent must exist); links in it are followed. */
psopack_status psopack_extract_begin(const char *directory, psopack_extract **ret_extract,
                                     psopack_diag *diag);

typedef enum psopack_extract_policy {
    PSOPACK_EXTRACT_REFUSE, /* a name that is taken is PSOPACK_E_EXISTS */
    PSOPACK_EXTRACT_REPLACE /* a file or link there is removed first; a directory is refused */
} psopack_extract_policy;

/*
 * Makes a new, empty file for writing. `name` has `name_size` bytes and needs no terminator. The
 * caller closes the file; its `path`, for messages, is valid until the next call on `extract`.
 */
psopack_status psopack_extract_create(psopack_extract *extract, const char *name, size_t name_size,
                                      psopack_extract_policy policy, psopack_file *ret_file,
                                      psopack_diag *diag);

/* The whole of it: make, write, close. A file that cannot be written whole is removed again. */
psopack_status psopack_extract_write_file(psopack_extract *extract, const char *name,
                                          size_t name_size, psopack_extract_policy policy,
                                          const void *data, size_t size, psopack_diag *diag);

/* Frees; what was written stays. NULL inside is a no-op. */
void psopack_extract_end(psopack_extract **extract);

#endif
