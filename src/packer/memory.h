/* SPDX-License-Identifier: MIT */
/*
 * Growing arrays and an arena for the packer: sizes are checked for overflow, failure is NOMEM.
 */
#ifndef PSOPACK_PACKER_MEMORY_H
#define PSOPACK_PACKER_MEMORY_H

#include "format/error.h"

/* An array of `count` elements of `size` bytes, zeroed. Never NULL for a count of 0. */
psopack_status psopack_new_array(void *ret_pointer, size_t count, size_t size, psopack_diag *diag);

/*
 * Makes room for `needed` elements in an array of *capacity; doubles. `pointer` is the address of
 * the typed array pointer.
 */
psopack_status psopack_grow(void *pointer, size_t *capacity, size_t needed, size_t size,
                            psopack_diag *diag);

/* Bytes that live until the arena goes, in chunks, so that pointers stay. Zero it to begin. */
typedef struct psopack_arena_chunk psopack_arena_chunk;
typedef struct psopack_arena {
    psopack_arena_chunk *chunks;
    size_t used;
    size_t capacity;
} psopack_arena;

psopack_status psopack_arena_alloc(psopack_arena *arena, size_t size, size_t alignment,
                                   void *ret_pointer, psopack_diag *diag);
void psopack_arena_free(psopack_arena *arena);

psopack_status psopack_no_memory(psopack_diag *diag);

#endif
