/* SPDX-License-Identifier: MIT */
/*
 * Several objects in one allocation: add their sizes first, allocate once, then place them at the
 * offsets that psopack_arena_add() gave. Each object begins at a multiple of 64.
 */
#ifndef PSOPACK_LOADER_ARENA_H
#define PSOPACK_LOADER_ARENA_H

#include "loader/archive.h"

typedef struct psopack_arena {
    size_t size;
    int overflow; /* the sum does not fit a size_t: allocating answers NULL */
} psopack_arena;

static inline size_t psopack_arena_add(psopack_arena *arena, uint64_t size)
{
    size_t at = arena->size;
    if (size > SIZE_MAX - PSOPACK_ALLOCATION_ALIGNMENT - at)
        arena->overflow = 1;
    else
        arena->size = (size_t)psopack_align_up(at + size, PSOPACK_ALLOCATION_ALIGNMENT);
    return at;
}

static inline void *psopack_arena_allocate(const psopack_arena *arena,
                                           const psopack_allocator *allocator, psopack_diag *diag)
{
    return psopack_allocate(allocator, arena->overflow ? UINT64_MAX : arena->size, diag);
}

#endif
