/* SPDX-License-Identifier: MIT */
/*
 * Extraction in batches: as many PSOs as fit a budget of decoded bytes.
 *
 * A batch decodes each component that its PSOs need once, in the archive's order, so each block is
 * decoded about once; then it writes PSO after PSO from memory. The tuple CRC of a PSO is checked
 * before its first file is made.
 */
#ifndef PSOPACK_TOOL_EXTRACT_BATCH_H
#define PSOPACK_TOOL_EXTRACT_BATCH_H

#include "extract_tree.h"
#include "output.h"
#include "reader.h"

/* Bytes of components in memory; a single PSO may take more. */
#define PSOPACK_EXTRACT_BUDGET (UINT64_C(256) << 20)

typedef struct psopack_extracted {
    uint64_t place; /* offset in the arena */
    uint64_t size;
    uint32_t crc;   /* of the bytes that lie there */
    uint32_t batch; /* the last batch that wanted it, from 1 */
    bool whole;
} psopack_extracted;

typedef struct psopack_extraction {
    psopack_output *output;
    psopack_reader reader;
    psopack_tree tree;

    uint32_t *psos; /* what to extract, ascending */
    uint32_t pso_count;
    uint32_t next; /* in psos: the first one that is not done */

    psopack_extracted *components; /* per component of the archive */
    uint32_t *wanted;              /* the batch's components */
    uint32_t wanted_count;
    uint32_t batch;
    unsigned char *arena;
    size_t arena_size;
    uint64_t *part_sizes; /* per slot: one PSO's, for the check */
    uint32_t *part_crcs;

    uint64_t extracted; /* PSOs */
    uint64_t files;
    uint64_t bytes;
    uint64_t left_out;    /* PSOs */
    psopack_status worst; /* the first reason to leave one out */
    json_t *left_out_list;
} psopack_extraction;

/* Allocates, after the reader is open. */
psopack_status psopack_extraction_begin(psopack_extraction *e, psopack_diag *diag);
void psopack_extraction_end(psopack_extraction *e);

/* Extracts the next PSOs. Damage is noted and left out; a status means that it cannot go on. */
psopack_status psopack_extraction_batch(psopack_extraction *e, psopack_diag *diag);

/* Notes a PSO that is left out, and why. `name` NULL: it cannot be read either. */
void psopack_extraction_leave_out(psopack_extraction *e, uint32_t pso, const char *name,
                                  const psopack_diag *diag);

#endif
