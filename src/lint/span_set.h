/* SPDX-License-Identifier: MIT */
/* Sets of half-open spans [begin, end), each inside a group: their union, and whether two meet. */
#ifndef PSOPACK_LINT_SPAN_SET_H
#define PSOPACK_LINT_SPAN_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct psopack_span {
    uint64_t group; /* spans of different groups never meet */
    uint64_t begin;
    uint64_t end;
} psopack_span;

/*
 * Sorts the spans and returns how many numbers they cover, group by group. `ret_overlap`, unless
 * NULL, tells whether any number is covered twice. Sums stay below 2^64 for up to 2^31 spans of up
 * to 2^32 numbers.
 */
uint64_t psopack_span_union(psopack_span *spans, size_t count, bool *ret_overlap);

#endif
