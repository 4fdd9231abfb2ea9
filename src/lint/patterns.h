/* SPDX-License-Identifier: MIT */
/*
 * The two text inputs of the lint, both lists of PSO globs: suppressions and live sets. `*` in a
 * glob stands for any bytes, slashes too, `?` for one, `[a-z]` for a set.
 */
#ifndef PSOPACK_LINT_PATTERNS_H
#define PSOPACK_LINT_PATTERNS_H

#include "lint/checks.h"

typedef struct psopack_pattern {
    char *glob;
    char *reason;             /* NULL in a live set */
    psopack_rule_number rule; /* COUNT in a live set */
    uint64_t line;            /* from 1 */
    bool hit;
} psopack_pattern;

typedef struct psopack_patterns {
    psopack_pattern *items;
    size_t count;
    size_t capacity;
} psopack_patterns;

/* Lines of `rule glob reason`. SYNTAX, NOMEM. */
psopack_status psopack_patterns_add_suppressions(psopack_patterns *patterns, const char *text,
                                                 size_t size, psopack_diag *diag);

/* Lines of one glob, blanks inside belong to it. SYNTAX, NOMEM. */
psopack_status psopack_patterns_add_live_set(psopack_patterns *patterns, const char *text,
                                             size_t size, psopack_diag *diag);

/*
 * Marks the PSOs that some pattern matches, all of them when there is none. `ret_live` has one byte
 * per PSO. NOT_FOUND for a pattern that matches none.
 */
psopack_status psopack_patterns_mark(psopack_patterns *patterns,
                                     const psopack_collection *collection, uint8_t *ret_live,
                                     psopack_diag *diag);

/*
 * Applies suppressions. A finding of which only some PSOs are suppressed is split in two. Notes
 * each suppression without effect. NOMEM.
 */
psopack_status psopack_patterns_suppress(psopack_patterns *patterns,
                                         const psopack_collection *collection,
                                         psopack_findings *findings);

void psopack_patterns_free(psopack_patterns *patterns);

#endif
