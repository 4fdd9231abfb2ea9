/* SPDX-License-Identifier: MIT */
/* Turns an errno of a failed system call into a status and a text that names the path. */
#ifndef PSOPACK_PLATFORM_OS_ERROR_H
#define PSOPACK_PLATFORM_OS_ERROR_H

#include <psopack/status.h>

/* PSOPACK_E_IO for every number that has no better status; never PSOPACK_OK. */
psopack_status psopack_status_from_errno(int error);

/*
 * Fills `diag` with "PATH: cannot ACTION: REASON" and returns the status of `error`. REASON is in
 * English whatever the locale. Control bytes of the path are shown as \xNN; of a path too long for
 * the text the end is kept. Safe from any thread.
 */
psopack_status psopack_fail_errno(psopack_diag *diag, int error, const char *action,
                                  const char *path);

/* The same with a file offset in bytes. */
psopack_status psopack_fail_errno_at(psopack_diag *diag, int error, uint64_t offset,
                                     const char *action, const char *path);

#define PSOPACK_SHOWN_PATH_SIZE 384

/* Writes `path` as psopack_fail_errno shows it, for texts without an errno; returns `shown`. */
const char *psopack_show_path(char shown[PSOPACK_SHOWN_PATH_SIZE], const char *path);

#endif
