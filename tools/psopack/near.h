/* SPDX-License-Identifier: MIT */
/* Components that are almost, but not quite, equal: what exact dedup cannot merge. */
#ifndef PSOPACK_TOOL_NEAR_H
#define PSOPACK_TOOL_NEAR_H

#include "reader.h"

typedef struct psopack_near {
    uint32_t *count; /* per kind: components with an earlier one that is nearly equal */
    uint64_t *bytes; /* per kind: their sizes */
} psopack_near;

/*
 * Reads every live component once, of a layer those that it holds itself. Two are nearly equal when
 * 7 of 8 minima over hashes of their 16-byte windows agree: about 94 % of windows in common.
 * Candidates share four of the eight; only neighbours among candidates are compared, so counts are
 * a lower bound. Cost: one decode of the archive plus a nanosecond a byte; 80 bytes per component.
 * Free it also after a failure.
 */
psopack_status psopack_near_find(psopack_reader *reader, psopack_near *near, psopack_diag *diag);
void psopack_near_free(psopack_near *near);

#endif
