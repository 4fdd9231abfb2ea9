/* SPDX-License-Identifier: MIT */
/* What the helpers of run.py share: sets of byte strings, and one way to time reads. */
#define _POSIX_C_SOURCE 200809L
#include "bench_common.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The same numbers as psopack bench: see tools/psopack/bench_measure.h. */
#define SAMPLE 10000
#define LOADS 5

void bench_require(bool good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "bench: %s failed\n", what);
    exit(1);
}

void *bench_allocate(size_t size)
{
    void *memory = malloc(size + 1);
    bench_require(memory != NULL, "an allocation");
    memset(memory, 1, size + 1);
    return memory;
}

/* ---- sets ------------------------------------------------------------------------------------ */

unsigned char *bench_file_read(const char *path, size_t *ret_size)
{
    FILE *file = fopen(path, "rb");
    bench_require(file != NULL, path);
    bench_require(fseek(file, 0, SEEK_END) == 0, path);
    long size = ftell(file);
    bench_require(size >= 0, path);
    rewind(file);
    unsigned char *bytes = bench_allocate((size_t)size);
    bench_require(fread(bytes, 1, (size_t)size, file) == (size_t)size, path);
    fclose(file);
    *ret_size = (size_t)size;
    return bytes;
}

static void file_write(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    bench_require(file != NULL, path);
    bench_require(fwrite(bytes, 1, size, file) == size, path);
    bench_require(fclose(file) == 0, path);
}

static const char *file_name(char path[4096], const char *name, const char *ending)
{
    int length = snprintf(path, 4096, "%s.%s", name, ending);
    bench_require(length > 0 && length < 4096, name);
    return path;
}

bench_set bench_set_read(const char *name)
{
    char path[4096];
    bench_set set = {0};
    size_t sizes_size = 0;
    void *sizes = bench_file_read(file_name(path, name, "sizes"), &sizes_size);
    set.sizes = sizes;
    set.count = sizes_size / sizeof *set.sizes;
    set.offsets = bench_allocate(sizes_size);
    set.bytes = bench_file_read(file_name(path, name, "bytes"), &set.size);
    uint64_t offset = 0;
    for (size_t i = 0; i < set.count; i++) {
        set.offsets[i] = offset;
        bench_require(set.sizes[i] <= set.size - offset, name);
        offset += set.sizes[i];
        if (set.sizes[i] > set.largest)
            set.largest = (size_t)set.sizes[i];
    }
    bench_require(offset == set.size, name);
    return set;
}

void bench_set_write(const char *name, const bench_set *set)
{
    char path[4096];
    file_write(file_name(path, name, "sizes"), set->sizes, set->count * sizeof *set->sizes);
    file_write(file_name(path, name, "bytes"), set->bytes, set->size);
}

void bench_set_free(bench_set *set)
{
    free(set->sizes);
    free(set->offsets);
    free(set->bytes);
}

/* ---- time ------------------------------------------------------------------------------------ */

uint64_t bench_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * UINT64_C(1000000000) + (uint64_t)time.tv_nsec;
}

static int ascending(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a;
    uint64_t right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

uint64_t bench_percentile(uint64_t *values, size_t count, unsigned percent)
{
    qsort(values, count, sizeof *values, ascending);
    return values[(count - 1) * percent / 100];
}

/* The first `size` of 0 .. count - 1 in an order that is random and always the same. */
static size_t *draw_sample(size_t count, size_t size)
{
    size_t *members = bench_allocate(count * sizeof *members);
    for (size_t i = 0; i < count; i++)
        members[i] = i;
    uint64_t state = 1;
    for (size_t i = 0; i < size; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        size_t other = i + (size_t)((state >> 33) % (count - i));
        size_t drawn = members[other];
        members[other] = members[i];
        members[i] = drawn;
    }
    return members;
}

static size_t read_all(size_t count, bench_read_fn *read, void *state)
{
    size_t bytes = 0;
    for (size_t i = 0; i < count; i++)
        bytes += read(state, i);
    return bytes;
}

void bench_reads(size_t count, bench_read_fn *read, void *state, uint64_t open_ns)
{
    bench_require(count > 0, "measuring an empty set");
    size_t n = count < SAMPLE ? count : SAMPLE;
    size_t *sample = draw_sample(count, n);
    uint64_t *singles = bench_allocate(n * sizeof *singles);
    uint64_t rounds[LOADS];
    size_t bytes = read_all(count, read, state); /* untimed: page cache, memory */
    for (size_t i = 0; i < n; i++) {
        uint64_t begin = bench_now();
        read(state, sample[i]);
        singles[i] = bench_now() - begin;
    }
    for (size_t i = 0; i < LOADS; i++) {
        uint64_t begin = bench_now();
        read_all(count, read, state);
        rounds[i] = bench_now() - begin;
    }
    uint64_t round = bench_percentile(rounds, LOADS, 50);
    printf("{\"n\": %zu, ", n);
    if (open_ns)
        printf("\"open_ns\": %" PRIu64 ", ", open_ns);
    printf("\"cold_read_ns_p50\": %" PRIu64 ", ", bench_percentile(singles, n, 50));
    printf("\"cold_read_ns_p99\": %" PRIu64 ", ", bench_percentile(singles, n, 99));
    printf("\"load_all_bytes\": %zu, ", bytes);
    printf("\"load_all_bytes_per_second\": %.0f}\n", (double)bytes * 1e9 / (double)(round + 1));
    free(singles);
    free(sample);
}
