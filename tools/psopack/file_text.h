/* SPDX-License-Identifier: MIT */
/* A whole file, or standard input, in memory: for lists and response files. */
#ifndef PSOPACK_TOOL_FILE_TEXT_H
#define PSOPACK_TOOL_FILE_TEXT_H

#include <psopack/status.h>

/* `path` "-" is standard input. *ret_text is the caller's (free), with a zero byte after `size`. */
psopack_status psopack_file_text(const char *path, char **ret_text, size_t *ret_size,
                                 psopack_diag *diag);

#endif
