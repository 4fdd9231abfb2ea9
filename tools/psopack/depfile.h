/* SPDX-License-Identifier: MIT */
/*
 * A Make rule that says what an output was made from, as compilers write it.
 *
 * Escaped as GCC does, and as Make and Ninja read it: a space, a tab, `#`, `:`, `[`, `]` and a
 * backslash get a backslash, `$` becomes `$$`. Line breaks cannot be written: such names are
 * refused.
 */
#ifndef PSOPACK_TOOL_DEPFILE_H
#define PSOPACK_TOOL_DEPFILE_H

#include "words.h"

#include <psopack/status.h>

/*
 * Writes `path` whole or not at all: `target: inputs...`, and with `phony` an empty rule per input,
 * so that Make does not stop when one was deleted. Inputs named twice are written once.
 */
psopack_status psopack_depfile_write(const char *path, const char *target,
                                     const psopack_words *inputs, bool phony, psopack_diag *diag);

#endif
