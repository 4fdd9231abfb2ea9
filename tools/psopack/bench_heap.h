/* SPDX-License-Identifier: MIT */
/*
 * Counts heap allocations of the whole process, those inside zstd too, so that bench can prove what
 * the loader promises: none after open.
 *
 * With glibc the program has malloc, calloc, realloc and the aligned ones in front of the
 * library's; they cost one relaxed load when nobody counts. Elsewhere, and under sanitizers, which
 * bring an allocator of their own, nothing is counted.
 */
#ifndef PSOPACK_TOOL_BENCH_HEAP_H
#define PSOPACK_TOOL_BENCH_HEAP_H

#include <stdbool.h>
#include <stdint.h>

/* Starts counting from 0. False: this build cannot. */
bool psopack_bench_heap_start(void);

/* Stops; returns how many allocations there were. */
uint64_t psopack_bench_heap_stop(void);

#endif
