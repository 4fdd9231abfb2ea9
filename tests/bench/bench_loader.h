/* SPDX-License-Identifier: MIT */
/*
 * The parts of bench_loader: each measures one side of the loader and prints its numbers, as
 * members of one JSON object. Times are the best of some rounds: other work only ever adds.
 */
#ifndef PSOPACK_BENCH_LOADER_H
#define PSOPACK_BENCH_LOADER_H

#include <psopack/psopack.h>
#include <stdbool.h>

typedef struct bench_loader {
    const char *path;
    bool quick; /* to see that it runs, not to learn numbers */
    psopack_archive *archive;
    psopack_context *context;
    psopack_info info;
    uint64_t allocations; /* on the heap, while something was read */
} bench_loader;

/* `"name": value, `; whole numbers without a point. */
void bench_number(const char *name, double value);
void bench_check(psopack_status status, const psopack_diag *diag);

/* A generator that is the same everywhere: the next number below `limit`, from 1. */
uint32_t bench_random(uint64_t *state, uint32_t limit);

/* Counts heap allocations in between; the second prints them as "allocations_`name`". */
void bench_heap_begin(void);
void bench_heap_end(bench_loader *bench, const char *name);

/* bench_loader_find.c: finding PSOs and reading components, one thread. */
void bench_loader_find(bench_loader *bench);
void bench_loader_read(bench_loader *bench);

/* bench_loader_threads.c: load plans and residency, by number of threads. */
void bench_loader_plan(bench_loader *bench);
void bench_loader_residency(bench_loader *bench);

#endif
