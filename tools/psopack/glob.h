/* SPDX-License-Identifier: MIT */
/*
 * PSO names against patterns.
 *
 * `*` stands for any bytes, slashes too, `?` for one, `[a-z]` for a set; a backslash takes the next
 * byte as it is. Bytes count, case counts. A pattern without any of these is a name.
 */
#ifndef PSOPACK_TOOL_GLOB_H
#define PSOPACK_TOOL_GLOB_H

#include "words.h"

#include <psopack/status.h>

typedef struct psopack_glob {
    char *const *patterns;
    size_t count; /* 0: every name matches */
    bool *hit;    /* per pattern: it matched something */
} psopack_glob;

psopack_status psopack_glob_begin(psopack_glob *glob, char *const *patterns, size_t count,
                                  psopack_diag *diag);

/* `name` is zero-terminated. */
bool psopack_glob_match(psopack_glob *glob, const char *name);

/* PSOPACK_E_NOT_FOUND names the first pattern that never matched. */
psopack_status psopack_glob_unmatched(const psopack_glob *glob, psopack_diag *diag);

void psopack_glob_end(psopack_glob *glob);

#endif
