/* SPDX-License-Identifier: MIT */
/* One thread: PSOs by key, name and index; components cold and warm. */
#include <stdlib.h>
#include <string.h>

#include "bench_common.h"
#include "bench_loader.h"

enum { FINDS = 200000, READS = 10000, ROUNDS = 5, NAME_MAX_SIZE = 4097 };

static void keep_best(uint64_t *best, uint64_t value)
{
    *best = value < *best ? value : *best;
}

/* ---- finding -------------------------------------------------------------------------------- */

/* PSOs drawn at random, with what finds them. */
typedef struct find_set {
    size_t count;
    uint32_t *psos;
    uint64_t *keys;
    char *names; /* one behind the other */
    uint32_t *name_sizes;
} find_set;

static find_set draw_psos(bench_loader *bench)
{
    find_set set = {.count = bench->quick ? 100 : FINDS};
    uint64_t state = 1;
    size_t names_size = 0, capacity = NAME_MAX_SIZE;
    set.psos = bench_allocate(set.count * sizeof *set.psos);
    set.keys = bench_allocate(set.count * sizeof *set.keys);
    set.name_sizes = bench_allocate(set.count * sizeof *set.name_sizes);
    set.names = bench_allocate(capacity);
    for (size_t i = 0; i < set.count; i++) {
        size_t size;
        psopack_diag diag = {0};
        if (capacity - names_size < NAME_MAX_SIZE) {
            set.names = realloc(set.names, capacity *= 2);
            bench_require(set.names != NULL, "an allocation");
        }
        set.psos[i] = bench_random(&state, bench->info.psos);
        bench_check(psopack_pso_name(bench->archive, bench->context, set.psos[i],
                                     set.names + names_size, NAME_MAX_SIZE, &size, &diag),
                    &diag);
        set.keys[i] = psopack_pso_key(bench->archive, set.names + names_size, size);
        set.name_sizes[i] = (uint32_t)size;
        names_size += size;
    }
    return set;
}

typedef uint64_t find_fn(bench_loader *bench, const find_set *set);

/* Each answers how many it did not find where it should. */
static uint64_t find_keys(bench_loader *bench, const find_set *set)
{
    uint64_t wrong = 0;
    for (size_t i = 0; i < set->count; i++) {
        uint32_t pso = UINT32_MAX;
        psopack_pso_find_key(bench->archive, bench->context, set->keys[i], &pso);
        wrong += pso != set->psos[i];
    }
    return wrong;
}

static uint64_t find_names(bench_loader *bench, const find_set *set)
{
    uint64_t wrong = 0;
    const char *name = set->names;
    for (size_t i = 0; i < set->count; i++) {
        uint32_t pso = UINT32_MAX;
        psopack_pso_find(bench->archive, bench->context, name, set->name_sizes[i], &pso, NULL);
        wrong += pso != set->psos[i];
        name += set->name_sizes[i];
    }
    return wrong;
}

static uint64_t find_components(bench_loader *bench, const find_set *set)
{
    uint64_t wrong = 0;
    uint32_t components[256];
    for (size_t i = 0; i < set->count; i++)
        wrong += psopack_pso_components(bench->archive, set->psos[i], components, NULL) != 0;
    return wrong;
}

static void time_find(bench_loader *bench, const find_set *set, find_fn *find, const char *name)
{
    char text[64];
    uint64_t best = UINT64_MAX;
    bench_heap_begin();
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t begin = bench_now();
        bench_require(find(bench, set) == 0, name);
        keep_best(&best, bench_now() - begin);
    }
    bench_heap_end(bench, name);
    strcat(strcpy(text, name), "_ns");
    bench_number(text, (double)best / (double)set->count);
}

void bench_loader_find(bench_loader *bench)
{
    find_set set = draw_psos(bench);
    time_find(bench, &set, find_keys, "find_key");
    set.count = set.count < READS ? set.count : READS;
    time_find(bench, &set, find_names, "find_name");
    time_find(bench, &set, find_components, "find_index");
    free(set.psos);
    free(set.keys);
    free(set.names);
    free(set.name_sizes);
}

/* ---- reading -------------------------------------------------------------------------------- */

typedef struct read_set {
    size_t count;
    uint32_t *components;
    uint64_t *cold;
    uint64_t *warm;
    void *buffer;
    size_t capacity;
} read_set;

static read_set draw_components(const bench_loader *bench)
{
    uint32_t all = bench->info.components;
    read_set set = {.count = bench->quick ? 50 : READS};
    uint64_t state = 2;
    set.components = bench_allocate(set.count * sizeof *set.components);
    set.cold = bench_allocate(set.count * sizeof *set.cold);
    set.warm = bench_allocate(set.count * sizeof *set.warm);
    for (size_t i = 0; i < set.count; i++) {
        psopack_component_info info;
        psopack_diag diag = {0};
        set.components[i] = bench_random(&state, all);
        bench_check(psopack_component_get(bench->archive, set.components[i], &info, &diag), &diag);
        if (info.size > set.capacity)
            set.capacity = (size_t)info.size;
    }
    set.buffer = bench_allocate(set.capacity);
    return set;
}

static uint64_t time_read(const bench_loader *bench, const read_set *set, uint32_t component)
{
    psopack_diag diag;
    uint64_t begin = bench_now();
    psopack_status status = psopack_component_read(bench->archive, bench->context, component,
                                                   set->buffer, set->capacity, NULL, &diag);
    uint64_t took = bench_now() - begin;
    bench_check(status, &diag);
    return took;
}

static void read_round(const bench_loader *bench, read_set *set)
{
    for (size_t i = 0; i < set->count; i++) {
        psopack_context_forget(bench->context);
        set->cold[i] = time_read(bench, set, set->components[i]);
        set->warm[i] = time_read(bench, set, set->components[i]);
    }
}

void bench_loader_read(bench_loader *bench)
{
    read_set set = draw_components(bench);
    uint64_t cold50 = UINT64_MAX, cold99 = UINT64_MAX, warm = UINT64_MAX;
    bench_heap_begin();
    read_round(bench, &set);
    bench_heap_end(bench, "read");
    for (int round = 0; round < ROUNDS; round++) {
        read_round(bench, &set);
        keep_best(&cold50, bench_percentile(set.cold, set.count, 50));
        keep_best(&cold99, bench_percentile(set.cold, set.count, 99));
        keep_best(&warm, bench_percentile(set.warm, set.count, 50));
    }
    bench_number("cold_read_ns_p50", (double)cold50);
    bench_number("cold_read_ns_p99", (double)cold99);
    bench_number("warm_read_ns", (double)warm);
    free(set.components);
    free(set.cold);
    free(set.warm);
    free(set.buffer);
}
