/* SPDX-License-Identifier: MIT */
/* Counts heap allocations: the allocator's entry points, passed on to glibc's own names for them.
 */
#include "bench_heap.h"

#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdlib.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static atomic_bool counting;
static atomic_uint_fast64_t allocations;

static void count(void)
{
    if (atomic_load_explicit(&counting, memory_order_relaxed))
        atomic_fetch_add_explicit(&allocations, 1, memory_order_relaxed);
}

bool psopack_bench_heap_start(void)
{
    atomic_store(&allocations, 0);
    atomic_store(&counting, true);
    /* A library that was linked past these functions would make every count 0: prove one. */
    void *volatile probe = malloc(1);
    free(probe);
    return atomic_exchange(&allocations, 0) == 1;
}

uint64_t psopack_bench_heap_stop(void)
{
    atomic_store(&counting, false);
    return atomic_load(&allocations);
}

void *malloc(size_t size)
{
    count();
    return __libc_malloc(size);
}

void *calloc(size_t items, size_t size)
{
    count();
    return __libc_calloc(items, size);
}

void *realloc(void *memory, size_t size)
{
    count();
    return __libc_realloc(memory, size);
}

void *memalign(size_t alignment, size_t size)
{
    count();
    return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    count();
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **ret_memory, size_t alignment, size_t size)
{
    if (alignment % sizeof(void *) != 0 || (alignment & (alignment - 1)) != 0 || alignment == 0)
        return EINVAL;
    count();
    void *memory = __libc_memalign(alignment, size);
    if (!memory)
        return ENOMEM;
    *ret_memory = memory;
    return 0;
}
