/* SPDX-License-Identifier: MIT */
/* The likely meaning of a mistyped word. */
#ifndef PSOPACK_TOOL_SUGGEST_H
#define PSOPACK_TOOL_SUGGEST_H

#include <stddef.h>

#define PSOPACK_SUGGEST_NAME_MAX 32 /* bytes; longer words get no suggestion */

typedef struct psopack_suggestion {
    const char *typed;
    size_t typed_size;
    const char *best; /* NULL: nothing is near */
    size_t distance;  /* of best, in insertions, deletions, changes and swaps of neighbours */
} psopack_suggestion;

/*
 * Begin with {typed, size, NULL, 0}, offer every candidate, read `best`. Of equals the first wins.
 * A candidate that begins with what was typed is as near as one with a single error.
 */
void psopack_suggest(psopack_suggestion *suggestion, const char *candidate);

#endif
