/* SPDX-License-Identifier: MIT */
/* Fills a psopack_diag for failures that the program finds itself, in the shape the libraries use.
 */
#ifndef PSOPACK_TOOL_FAILURE_H
#define PSOPACK_TOOL_FAILURE_H

#include <psopack/status.h>

/* Returns `code`. `diag` gets the text, no object and no offset. */
psopack_status psopack_failure(psopack_diag *diag, psopack_status code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* "PATH: cannot ACTION: REASON" with the status that `error`, an errno, stands for. */
psopack_status psopack_failure_errno(psopack_diag *diag, int error, const char *action,
                                     const char *path);

psopack_status psopack_failure_memory(psopack_diag *diag, const char *what);

#endif
