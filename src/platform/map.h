/* SPDX-License-Identifier: MIT */
/*
 * Read-only views of a file's bytes.
 *
 * A view sees later writes of other processes; a file cut while it is mapped makes touching the
 * lost pages fatal (SIGBUS), so map only files that are published whole, or use
 * psopack_file_read_at.
 */
#ifndef PSOPACK_PLATFORM_MAP_H
#define PSOPACK_PLATFORM_MAP_H

#include "platform/file.h"

/* `data` is never NULL in a view, also with `size` 0. `base` and `base_size` are private. */
typedef struct psopack_map {
    const uint8_t *data;
    size_t size;
    void *base;
    size_t base_size;
} psopack_map;

#define PSOPACK_MAP_NONE ((psopack_map){NULL, 0, NULL, 0})

typedef enum psopack_map_advice {
    PSOPACK_MAP_NORMAL,
    PSOPACK_MAP_RANDOM,     /* no read-ahead */
    PSOPACK_MAP_SEQUENTIAL, /* read far ahead */
    PSOPACK_MAP_WILL_NEED,  /* start reading now */
    PSOPACK_MAP_POPULATE,   /* map the pages now, in one call instead of a fault for each few */
    PSOPACK_MAP_DONT_NEED   /* the pages may be dropped; they are read again when touched */
} psopack_map_advice;

/* Maps the whole file. It may be closed afterwards. PSOPACK_E_LIMIT: larger than memory can be. */
psopack_status psopack_map_file(const psopack_file *file, psopack_map *ret_map, psopack_diag *diag);

/* Maps bytes [offset, offset + size), any alignment; PSOPACK_E_TRUNCATED past the file's end. */
psopack_status psopack_map_range(const psopack_file *file, uint64_t offset, uint64_t size,
                                 psopack_map *ret_map, psopack_diag *diag);

/* A hint for bytes [offset, offset + size) of the view; what lies outside is ignored. */
void psopack_map_advise(const psopack_map *map, size_t offset, size_t size,
                        psopack_map_advice advice);

/* The view is PSOPACK_MAP_NONE afterwards. Unmapping none is a no-op. */
void psopack_map_unmap(psopack_map *map);

#endif
