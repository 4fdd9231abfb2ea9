/* SPDX-License-Identifier: MIT */
/*
 * What the helpers of run.py share: sets of byte strings, and one way to time reads.
 *
 * A set is two files: NAME.bytes, all members one after another, and NAME.sizes, one uint64_t per
 * member in this machine's byte order. Any failure prints one line and ends the helper with 1.
 */
#ifndef PSOPACK_BENCH_COMMON_H
#define PSOPACK_BENCH_COMMON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct bench_set {
    size_t count;
    size_t size;    /* of bytes */
    size_t largest; /* member, in bytes */
    uint64_t *sizes;
    uint64_t *offsets;
    unsigned char *bytes;
} bench_set;

void bench_require(bool good, const char *what);
void *bench_allocate(size_t size); /* touched: no page fault is left for the clock */

/* The whole file, to free(). */
unsigned char *bench_file_read(const char *path, size_t *ret_size);

bench_set bench_set_read(const char *name);
void bench_set_write(const char *name, const bench_set *set);
void bench_set_free(bench_set *set);

uint64_t bench_now(void); /* ns, monotonic clock */
uint64_t bench_percentile(uint64_t *values, size_t count, unsigned percent); /* sorts values */

/* Delivers a member into memory, ready to use; answers with its bytes. */
typedef size_t bench_read_fn(void *state, size_t member);

/*
 * Times single reads of up to 10,000 distinct members and full rounds over all, as psopack bench
 * does, and prints one JSON object. open_ns of 0 is left out: nothing to open.
 */
void bench_reads(size_t count, bench_read_fn *read, void *state, uint64_t open_ns);

#endif
