/* SPDX-License-Identifier: MIT */
/* What the sample loaders have in common: the PSOs of a level, and what is done with their parts.
 */
#ifndef PSOPACK_SAMPLE_LEVEL_H
#define PSOPACK_SAMPLE_LEVEL_H

#include <psopack/psopack.h>

typedef struct level_list {
    uint32_t *psos; /* free() */
    uint32_t count;
} level_list;

/* Reads names, a line each, and finds them. A name that the archive lacks ends it. */
psopack_status level_list_read(const psopack_archive *archive, psopack_context *context,
                               const char *path, level_list *ret_list, psopack_diag *diag);

/* Adds up what was created. */
typedef struct level_total {
    uint64_t pipelines;
    uint64_t parts;
    uint64_t part_bytes;
} level_total;

/* Gives the parts of a PSO, in slot order, to the stand-in deserializer. */
psopack_status level_create_pipeline(const psopack_archive *archive, uint32_t pso,
                                     const psopack_part *parts, level_total *total,
                                     psopack_diag *diag);

#endif
