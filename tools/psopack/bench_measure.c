/* SPDX-License-Identifier: MIT */
/*
 * The measurements of psopack bench.
 *
 * Everything goes through the public calls with all their checks. The file is in the page cache and
 * the bases are resident: one untimed round sees to both. A cold read finds its block in no decoded
 * cache. All memory is allocated, and touched, before the clock runs.
 */
#include "bench_measure.h"

#include "bench_heap.h"
#include "failure.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define DEAD UINT64_MAX

typedef struct bench {
    psopack_reader *reader;
    const psopack_options *options;
    psopack_bench_result result;
    uint32_t *sample;   /* component indexes, result.n of them */
    uint32_t *shuffled; /* all component indexes: the sample is its beginning */
    uint64_t *cold;     /* per sample: ns */
    uint64_t *warm;
    uint64_t *keys;
    uint64_t *places; /* per component: offset in memory, DEAD when no PSO uses it */
    uint64_t *sizes;
    uint32_t *crcs;
    uint64_t *part_sizes; /* per slot */
    uint32_t *part_crcs;
    unsigned char *memory; /* all components */
    uint64_t memory_size;
} bench;

static uint64_t now(void)
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

static uint64_t percentile(uint64_t *values, size_t count, unsigned percent)
{
    if (count == 0)
        return 0;
    qsort(values, count, sizeof *values, ascending);
    return values[(count - 1) * percent / 100];
}

/* SplitMix64 from a fixed seed: every run draws the same sample. */
static uint64_t draw(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* ---- before the clock runs ------------------------------------------------------------------- */

/* Components that PSOs use, in a random order. */
static psopack_status draw_sample(bench *b, psopack_diag *diag)
{
    uint32_t live = 0;
    for (uint32_t i = 0; i < b->reader->info.components; i++) {
        psopack_component_info component;
        psopack_status status = psopack_component_get(b->reader->archive, i, &component, diag);
        if (status != PSOPACK_OK)
            return status;
        b->sizes[i] = component.size;
        b->places[i] = DEAD;
        if (component.dead)
            continue;
        b->places[i] = b->memory_size;
        b->memory_size += (component.size + 63) / 64 * 64;
        b->shuffled[live++] = i;
    }
    b->result.n = live < PSOPACK_BENCH_COMPONENTS ? live : PSOPACK_BENCH_COMPONENTS;
    uint64_t state = 1;
    for (uint32_t i = 0; i < b->result.n; i++) {
        uint32_t other = i + (uint32_t)(draw(&state) % (live - i));
        uint32_t drawn = b->shuffled[other];
        b->shuffled[other] = b->shuffled[i];
        b->shuffled[i] = drawn;
        b->sample[i] = drawn;
        b->result.bytes += b->sizes[drawn];
    }
    return PSOPACK_OK;
}

static psopack_status make_memory(bench *b, psopack_diag *diag)
{
    if (b->memory_size < SIZE_MAX)
        b->memory = malloc((size_t)b->memory_size + 1);
    if (!b->memory)
        return psopack_failure_memory(diag, "all components at once");
    memset(b->memory, 1, (size_t)b->memory_size + 1);
    return PSOPACK_OK;
}

static psopack_status make_keys(bench *b, psopack_diag *diag)
{
    psopack_reader *reader = b->reader;
    b->result.has_keys = reader->info.has_names && reader->info.psos > 0;
    for (uint32_t i = 0; i < reader->info.psos && b->result.has_keys; i++) {
        psopack_status status = psopack_reader_name(reader, i, diag);
        if (status != PSOPACK_OK)
            return status;
        b->keys[i] = psopack_pso_key(reader->archive, reader->name, reader->name_size);
    }
    uint64_t state = 2;
    for (uint32_t i = reader->info.psos; i > 1; i--) {
        uint32_t other = (uint32_t)(draw(&state) % i);
        uint64_t key = b->keys[i - 1];
        b->keys[i - 1] = b->keys[other];
        b->keys[other] = key;
    }
    return PSOPACK_OK;
}

static psopack_status prepare(bench *b, psopack_diag *diag)
{
    size_t components = (size_t)b->reader->info.components + 1;
    size_t slots = (size_t)b->reader->info.slots + 1;
    b->sample = calloc(PSOPACK_BENCH_COMPONENTS, sizeof *b->sample);
    b->shuffled = calloc(components, sizeof *b->shuffled);
    b->cold = calloc(PSOPACK_BENCH_COMPONENTS, sizeof *b->cold);
    b->warm = calloc(PSOPACK_BENCH_COMPONENTS, sizeof *b->warm);
    b->keys = calloc((size_t)b->reader->info.psos + 1, sizeof *b->keys);
    b->places = calloc(components, sizeof *b->places);
    b->sizes = calloc(components, sizeof *b->sizes);
    b->crcs = calloc(components, sizeof *b->crcs);
    b->part_sizes = calloc(slots, sizeof *b->part_sizes);
    b->part_crcs = calloc(slots, sizeof *b->part_crcs);
    if (!b->sample || !b->shuffled || !b->cold || !b->warm || !b->keys || !b->places || !b->sizes ||
        !b->crcs || !b->part_sizes || !b->part_crcs)
        return psopack_failure_memory(diag, "some bytes per component");
    psopack_status status = draw_sample(b, diag);
    if (status == PSOPACK_OK)
        status = make_memory(b, diag);
    if (status == PSOPACK_OK)
        status = make_keys(b, diag);
    return status;
}

static void clean_up(bench *b)
{
    free(b->sample);
    free(b->shuffled);
    free(b->cold);
    free(b->warm);
    free(b->keys);
    free(b->places);
    free(b->sizes);
    free(b->crcs);
    free(b->part_sizes);
    free(b->part_crcs);
    free(b->memory);
}

/* ---- measurements ---------------------------------------------------------------------------- */

static psopack_status measure_open(bench *b, psopack_diag *diag)
{
    uint64_t times[PSOPACK_BENCH_OPENS];
    psopack_open_options open = PSOPACK_OPEN_OPTIONS_INIT;
    open.base = psopack_archive_base(b->reader->archive);
    open.target = b->options->target;
    if (b->options->content_version.given)
        open.content_version = &b->options->content_version.value;
    for (size_t i = 0; i < PSOPACK_BENCH_OPENS; i++) {
        psopack_archive *archive = NULL;
        uint64_t begin = now();
        psopack_status status = psopack_archive_open(b->reader->path, &open, &archive, diag);
        times[i] = now() - begin;
        if (status != PSOPACK_OK)
            return status;
        psopack_archive_close(&archive);
    }
    b->result.open_ns = percentile(times, PSOPACK_BENCH_OPENS, 50);
    return PSOPACK_OK;
}

static psopack_status read_one(bench *b, uint32_t component, psopack_diag *diag)
{
    return psopack_component_read(b->reader->archive, b->reader->context, component,
                                  b->memory + b->places[component], (size_t)b->sizes[component],
                                  &b->crcs[component], diag);
}

static psopack_status measure_reads(bench *b, psopack_diag *diag)
{
    for (uint32_t i = 0; i < b->result.n; i++) {
        psopack_context_forget(b->reader->context);
        uint64_t begin = now();
        psopack_status status = read_one(b, b->sample[i], diag);
        uint64_t between = now();
        if (status == PSOPACK_OK)
            status = read_one(b, b->sample[i], diag);
        uint64_t end = now();
        if (status != PSOPACK_OK)
            return status;
        b->cold[i] = between - begin;
        b->warm[i] = end - between;
    }
    return PSOPACK_OK;
}

static psopack_status measure_find(bench *b, psopack_diag *diag)
{
    uint32_t count = b->reader->info.psos;
    if (!b->result.has_keys)
        return PSOPACK_OK;
    uint32_t rounds = 1 + 200000 / count;
    uint64_t begin = now();
    for (uint32_t round = 0; round < rounds; round++) {
        for (uint32_t i = 0; i < count; i++) {
            uint32_t pso = 0;
            psopack_status status =
                psopack_pso_find_key(b->reader->archive, b->reader->context, b->keys[i], &pso);
            if (status == PSOPACK_E_NOT_FOUND) {
                b->result.has_keys = false;
                return PSOPACK_OK;
            }
            if (status != PSOPACK_OK)
                return psopack_failure(diag, status, "a PSO cannot be found by its key");
        }
    }
    b->result.find_key_ns = (double)(now() - begin) / rounds / count;
    return PSOPACK_OK;
}

static psopack_status load_components(bench *b, psopack_diag *diag)
{
    b->result.load_all_bytes = 0;
    for (uint32_t i = 0; i < b->reader->info.components; i++) {
        if (b->places[i] == DEAD)
            continue;
        psopack_status status = read_one(b, i, diag);
        if (status != PSOPACK_OK)
            return status;
        b->result.load_all_bytes += b->sizes[i];
    }
    return PSOPACK_OK;
}

static psopack_status check_pso(bench *b, uint32_t pso, psopack_diag *diag)
{
    psopack_reader *reader = b->reader;
    psopack_status status = psopack_reader_parts(reader, pso, diag);
    if (status != PSOPACK_OK)
        return status;
    for (uint32_t slot = 0; slot < reader->info.slots; slot++) {
        uint32_t component = reader->parts[slot];
        if (component == PSOPACK_ABSENT)
            continue;
        b->part_sizes[slot] = b->sizes[component];
        b->part_crcs[slot] = b->crcs[component];
    }
    return psopack_pso_check(reader->archive, pso, reader->parts, b->part_sizes, b->part_crcs,
                             diag);
}

/* Every component once, in the archive's order, then the tuple CRC of every PSO. */
static psopack_status load_all(bench *b, psopack_diag *diag)
{
    psopack_status status = load_components(b, diag);
    for (uint32_t pso = 0; pso < b->reader->info.psos && status == PSOPACK_OK; pso++)
        status = check_pso(b, pso, diag);
    return status;
}

static psopack_status measure_load_all(bench *b, psopack_diag *diag)
{
    uint64_t times[PSOPACK_BENCH_LOADS];
    for (size_t i = 0; i < PSOPACK_BENCH_LOADS; i++) {
        psopack_context_forget(b->reader->context);
        uint64_t begin = now();
        psopack_status status = load_all(b, diag);
        times[i] = now() - begin;
        if (status != PSOPACK_OK)
            return status;
    }
    uint64_t median = percentile(times, PSOPACK_BENCH_LOADS, 50);
    b->result.load_all_bytes_per_second =
        median ? (double)b->result.load_all_bytes * 1e9 / (double)median : 0;
    return PSOPACK_OK;
}

static psopack_status measure(bench *b, psopack_diag *diag)
{
    psopack_status status = measure_open(b, diag);
    b->result.heap_counted = psopack_bench_heap_start();
    if (status == PSOPACK_OK)
        status = load_all(b, diag); /* untimed: page cache, bases */
    if (status == PSOPACK_OK)
        status = measure_reads(b, diag);
    if (status == PSOPACK_OK)
        status = measure_find(b, diag);
    if (status == PSOPACK_OK)
        status = measure_load_all(b, diag);
    b->result.heap_allocations_after_open = psopack_bench_heap_stop();
    b->result.cold_read_ns_p50 = percentile(b->cold, b->result.n, 50);
    b->result.cold_read_ns_p99 = percentile(b->cold, b->result.n, 99);
    b->result.warm_read_ns = percentile(b->warm, b->result.n, 50);
    return status;
}

psopack_status psopack_bench_measure(psopack_reader *reader, const psopack_options *options,
                                     psopack_bench_result *ret_result, psopack_diag *diag)
{
    bench b = {.reader = reader, .options = options};
    psopack_status status = prepare(&b, diag);
    if (status == PSOPACK_OK)
        status = measure(&b, diag);
    if (status == PSOPACK_OK)
        *ret_result = b.result;
    clean_up(&b);
    return status;
}
