/* SPDX-License-Identifier: MIT */
/* Growing arrays and the arena. */
#include "packer/memory.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK_SIZE ((size_t)1 << 20)

struct psopack_arena_chunk {
    psopack_arena_chunk *next;
    alignas(max_align_t) uint8_t bytes[];
};

psopack_status psopack_no_memory(psopack_diag *diag)
{
    return psopack_fail(diag, PSOPACK_E_NOMEM, "out of memory");
}

psopack_status psopack_new_array(void *ret_pointer, size_t count, size_t size, psopack_diag *diag)
{
    void *pointer = calloc(count ? count : 1, size);
    if (!pointer)
        return psopack_no_memory(diag);
    memcpy(ret_pointer, &pointer, sizeof pointer);
    return PSOPACK_OK;
}

psopack_status psopack_grow(void *pointer, size_t *capacity, size_t needed, size_t size,
                            psopack_diag *diag)
{
    if (needed <= *capacity)
        return PSOPACK_OK;
    size_t wanted = *capacity < 16 ? 16 : *capacity;
    while (wanted < needed) {
        if (wanted > SIZE_MAX / 2)
            return psopack_no_memory(diag);
        wanted *= 2;
    }
    if (wanted > SIZE_MAX / size)
        return psopack_no_memory(diag);
    void *old;
    memcpy(&old, pointer, sizeof old);
    void *grown = realloc(old, wanted * size);
    if (!grown)
        return psopack_no_memory(diag);
    memcpy(pointer, &grown, sizeof grown);
    *capacity = wanted;
    return PSOPACK_OK;
}

static psopack_status add_chunk(psopack_arena *arena, size_t size, psopack_diag *diag)
{
    size_t capacity = size > CHUNK_SIZE ? size : CHUNK_SIZE;
    if (capacity > SIZE_MAX - sizeof(psopack_arena_chunk))
        return psopack_no_memory(diag);
    psopack_arena_chunk *chunk = malloc(sizeof *chunk + capacity);
    if (!chunk)
        return psopack_no_memory(diag);
    chunk->next = arena->chunks;
    arena->chunks = chunk;
    arena->used = 0;
    arena->capacity = capacity;
    return PSOPACK_OK;
}

psopack_status psopack_arena_alloc(psopack_arena *arena, size_t size, size_t alignment,
                                   void *ret_pointer, psopack_diag *diag)
{
    size_t at = (arena->used + alignment - 1) & ~(alignment - 1);
    if (!arena->chunks || at > arena->capacity || size > arena->capacity - at) {
        PSOPACK_TRY(add_chunk(arena, size, diag));
        at = 0;
    }
    void *pointer = arena->chunks->bytes + at;
    arena->used = at + size;
    memcpy(ret_pointer, &pointer, sizeof pointer);
    return PSOPACK_OK;
}

void psopack_arena_free(psopack_arena *arena)
{
    while (arena->chunks) {
        psopack_arena_chunk *next = arena->chunks->next;
        free(arena->chunks);
        arena->chunks = next;
    }
    *arena = (psopack_arena){0};
}
