/* SPDX-License-Identifier: MIT */
/* Near duplicates by MinHash, two bands of four lanes. */
#include "near.h"
#include "failure.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { LANES = 8, BANDS = 2, WINDOW = 16, STEP = 4, SIZE_MIN = 64, EQUAL_MIN = 7 };

typedef struct sketch {
    uint64_t lane[LANES];
    uint64_t size;
    uint32_t kind;
    int near; /* an earlier one is nearly equal */
} sketch;

typedef struct band_key {
    uint64_t key;
    uint32_t component;
} band_key;

static void make_sketch(sketch *made, const uint8_t *bytes, uint64_t size)
{
    for (int i = 0; i < LANES; i++)
        made->lane[i] = UINT64_MAX;
    for (uint64_t at = 0; at + WINDOW <= size; at += STEP) {
        uint64_t hash = XXH3_64bits(bytes + at, WINDOW);
        uint64_t *lane = &made->lane[hash % LANES];
        *lane = hash < *lane ? hash : *lane;
    }
}

static int compare_keys(const void *a, const void *b)
{
    const band_key *left = a, *right = b;
    if (left->key != right->key)
        return left->key < right->key ? -1 : 1;
    return (left->component > right->component) - (left->component < right->component);
}

static int equal_lanes(const sketch *a, const sketch *b)
{
    int count = 0;
    for (int i = 0; i < LANES; i++)
        count += a->lane[i] == b->lane[i] && a->lane[i] != UINT64_MAX;
    return count;
}

/* Marks the later of neighbours that agree. */
static void mark_band(sketch *sketches, band_key *keys, uint32_t count, int band)
{
    uint32_t filled = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (sketches[i].size >= SIZE_MIN)
            keys[filled++] = (band_key){
                XXH3_64bits(&sketches[i].lane[band * LANES / BANDS], 8 * LANES / BANDS), i};
    }
    qsort(keys, filled, sizeof *keys, compare_keys);
    for (uint32_t i = 1; i < filled; i++) {
        sketch *later = &sketches[keys[i].component];
        const sketch *earlier = &sketches[keys[i - 1].component];
        if (keys[i].key == keys[i - 1].key && later->kind == earlier->kind &&
            equal_lanes(later, earlier) >= EQUAL_MIN)
            later->near = 1;
    }
}

static psopack_status read_sketch(psopack_reader *reader, uint32_t component, sketch *made,
                                  uint8_t **buffer, size_t *capacity, psopack_diag *diag)
{
    psopack_component_info info;
    psopack_block_info block;
    psopack_status status = psopack_component_get(reader->archive, component, &info, diag);
    if (status != PSOPACK_OK || info.size < SIZE_MIN || info.dead || info.level != 0)
        return status;
    if (info.size > *capacity) {
        free(*buffer);
        *capacity = 0;
        *buffer = malloc((size_t)info.size);
        if (!*buffer)
            return psopack_failure_memory(diag, "a component");
        *capacity = (size_t)info.size;
    }
    status = psopack_block_get(reader->archive, info.block, &block, diag);
    if (status == PSOPACK_OK)
        status = psopack_component_read(reader->archive, reader->context, component, *buffer,
                                        *capacity, NULL, diag);
    if (status != PSOPACK_OK)
        return status;
    made->size = info.size;
    made->kind = block.kind;
    make_sketch(made, *buffer, info.size);
    return PSOPACK_OK;
}

static psopack_status read_all(psopack_reader *reader, sketch *sketches, psopack_diag *diag)
{
    uint8_t *buffer = NULL;
    size_t capacity = 0;
    psopack_status status = PSOPACK_OK;
    for (uint32_t i = 0; i < reader->info.components && status == PSOPACK_OK; i++)
        status = read_sketch(reader, i, &sketches[i], &buffer, &capacity, diag);
    free(buffer);
    return status;
}

psopack_status psopack_near_find(psopack_reader *reader, psopack_near *near, psopack_diag *diag)
{
    uint32_t count = reader->info.components;
    sketch *sketches = calloc(count ? count : 1, sizeof *sketches);
    band_key *keys = calloc(count ? count : 1, sizeof *keys);
    near->count = calloc(reader->info.kinds + 1u, sizeof *near->count);
    near->bytes = calloc(reader->info.kinds + 1u, sizeof *near->bytes);
    psopack_status status = PSOPACK_OK;
    if (!sketches || !keys || !near->count || !near->bytes)
        status = psopack_failure_memory(diag, "near duplicates");
    if (status == PSOPACK_OK)
        status = read_all(reader, sketches, diag);
    for (int band = 0; status == PSOPACK_OK && band < BANDS; band++)
        mark_band(sketches, keys, count, band);
    for (uint32_t i = 0; status == PSOPACK_OK && i < count; i++) {
        if (!sketches[i].near)
            continue;
        near->count[sketches[i].kind]++;
        near->bytes[sketches[i].kind] += sketches[i].size;
    }
    free(sketches);
    free(keys);
    return status;
}

void psopack_near_free(psopack_near *near)
{
    free(near->count);
    free(near->bytes);
    *near = (psopack_near){0};
}
