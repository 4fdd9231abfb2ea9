/* SPDX-License-Identifier: MIT */
/* Union of spans by sorting and one sweep. */
#include "lint/span_set.h"

#include <stdlib.h>

static int compare(const void *left, const void *right)
{
    const psopack_span *a = left;
    const psopack_span *b = right;
    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    return (a->begin > b->begin) - (a->begin < b->begin);
}

uint64_t psopack_span_union(psopack_span *spans, size_t count, bool *ret_overlap)
{
    if (count)
        qsort(spans, count, sizeof *spans, compare);
    uint64_t covered = 0;
    uint64_t reached = 0; /* in the current group, everything before it is counted */
    bool overlap = false;
    for (size_t i = 0; i < count; i++) {
        const psopack_span *span = &spans[i];
        if (span->begin >= span->end)
            continue;
        if (i == 0 || span->group != spans[i - 1].group)
            reached = 0;
        overlap |= span->begin < reached;
        uint64_t from = span->begin > reached ? span->begin : reached;
        if (span->end > from)
            covered += span->end - from;
        if (span->end > reached)
            reached = span->end;
    }
    if (ret_overlap)
        *ret_overlap = overlap;
    return covered;
}
