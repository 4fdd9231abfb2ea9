/* SPDX-License-Identifier: MIT */
/*
 * Where the bytes of an archive come from: memory (the caller's, or a mapped file), or a function
 * that reads. The rest of the loader asks here and does not care.
 */
#ifndef PSOPACK_LOADER_SOURCE_H
#define PSOPACK_LOADER_SOURCE_H

#include <psopack/psopack.h>
#include <stdbool.h>

typedef struct psopack_origin psopack_origin;

struct psopack_origin {
    const uint8_t *memory; /* the whole archive; NULL: only `read` reaches it */
    uint64_t size;
    bool is_mapped; /* `memory` is a mapping that the loader made */
    psopack_status (*read)(const psopack_origin *origin, uint64_t offset, void *buffer, size_t size,
                           psopack_diag *diag);
    /* [offset, offset + size) is about to be read; NULL: of no use here. */
    void (*expect)(const psopack_origin *origin, uint64_t offset, uint64_t size);
    void (*close)(psopack_origin *origin, const psopack_allocator *allocator); /* NULL: nothing */
    psopack_source callbacks; /* of psopack_archive_open_source() */
    const uint8_t *front;     /* a copy of the first front_size bytes; NULL: none */
    size_t front_size;
    void *state;       /* of psopack_archive_open() */
    size_t state_size; /* what it took from the allocator */
};

/* Reads [offset, offset + size), which must lie in the archive. */
psopack_status psopack_origin_read(const psopack_origin *origin, uint64_t offset, void *buffer,
                                   size_t size, psopack_diag *diag);

psopack_origin psopack_origin_of_memory(const void *memory, size_t size);
psopack_origin psopack_origin_of_callbacks(const psopack_source *source);

#endif
