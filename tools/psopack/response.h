/* SPDX-License-Identifier: MIT */
/*
 * Response files: an operand `@FILE` stands for the words in FILE.
 *
 * Words are separated by white space. As GNU tools do: '...' and "..." keep white space, a
 * backslash takes the next byte as it is, in quotes too. A word of a response file may be another
 * `@FILE`.
 */
#ifndef PSOPACK_TOOL_RESPONSE_H
#define PSOPACK_TOOL_RESPONSE_H

#include "words.h"

#include <psopack/status.h>

#define PSOPACK_RESPONSE_DEPTH_MAX 8

/* Appends the words of `text` to `words`. `path` is for messages. */
psopack_status psopack_response_split(const char *path, const char *text, size_t size,
                                      psopack_words *words, psopack_diag *diag);

#endif
