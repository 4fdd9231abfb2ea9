/* SPDX-License-Identifier: MIT */
/* What blocks would take without base and transform: measured, on some of them. */
#ifndef PSOPACK_TOOL_PLAIN_H
#define PSOPACK_TOOL_PLAIN_H

#include "reader.h"

/* Of one kind's blocks that are no bases: those that were tried, and what they take. */
typedef struct psopack_plain_kind {
    uint32_t blocks;
    uint64_t stored; /* as they are */
    uint64_t plain;  /* their components behind one another, zstd -19, alone */
} psopack_plain_kind;

typedef struct psopack_plain {
    psopack_plain_kind *kinds;
} psopack_plain;

/*
 * Tries every nth block of the archive itself, n such that about 4 MiB are compressed again, half a
 * second. Dead blocks, pieces of large components and blocks that are stored as they are stay out.
 * Free it also after a failure.
 */
psopack_status psopack_plain_measure(psopack_reader *reader, psopack_plain *plain,
                                     psopack_diag *diag);
void psopack_plain_free(psopack_plain *plain);

/* Of `stored` bytes of the kind's blocks; `stored` where none was tried. */
uint64_t psopack_plain_estimate(const psopack_plain_kind *kind, uint64_t stored);

#endif
