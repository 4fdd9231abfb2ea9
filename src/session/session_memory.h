/* SPDX-License-Identifier: MIT */
/* The allocator seam: every byte of the session library comes from here. */
#ifndef PSOPACK_SESSION_MEMORY_H
#define PSOPACK_SESSION_MEMORY_H

#include <psopack/psopack.h>

#include <stdlib.h>

static inline void *psopack_session_allocate(const psopack_allocator *allocator, size_t size)
{
    if (!allocator->allocate)
        return malloc(size);
    return allocator->allocate(allocator->user, size, _Alignof(max_align_t));
}

/* `size` is what was asked for; NULL is fine. */
static inline void psopack_session_release(const psopack_allocator *allocator, void *memory,
                                           size_t size)
{
    if (!memory)
        return;
    if (!allocator->release)
        free(memory);
    else
        allocator->release(allocator->user, memory, size);
}

#endif
