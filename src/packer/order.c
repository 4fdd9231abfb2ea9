/* SPDX-License-Identifier: MIT */
#include "packer/order.h"

#include <stdlib.h>
#include <string.h>

psopack_status psopack_order_set(psopack_order *order, const void *text, size_t size,
                                 psopack_diag *diag)
{
    char *copy;
    XXH128_canonical_t hash;
    PSOPACK_TRY(psopack_new_array(&copy, size, 1, diag));
    if (size != 0)
        memcpy(copy, text, size);
    free(order->text);
    *order = (psopack_order){.text = copy, .size = size, .given = true};
    XXH128_canonicalFromHash(&hash, XXH3_128bits(copy, size));
    memcpy(order->hash, hash.digest, sizeof order->hash);
    return PSOPACK_OK;
}

void psopack_order_free(psopack_order *order)
{
    free(order->text);
    *order = (psopack_order){0};
}

static int compare_name(const void *key, const void *pso)
{
    const psopack_model_pso *row = pso;
    return psopack_string_compare(key, &row->name);
}

static void rank_pso(const psopack_model *model, const psopack_model_pso *pso, uint32_t *rank,
                     uint32_t *next)
{
    for (uint32_t i = pso[0].first_reference; i < pso[1].first_reference; i++) {
        uint32_t *component = &rank[model->references[i].component];
        if (*component == PSOPACK_ORDER_NONE)
            *component = (*next)++;
    }
}

psopack_status psopack_order_rank(const psopack_order *order, const psopack_model *model,
                                  uint32_t **ret_rank, uint64_t *ret_unknown, psopack_diag *diag)
{
    const char *at = order->text, *end = order->text + order->size;
    uint32_t *rank, next = 0;
    uint64_t unknown = 0;
    PSOPACK_TRY(psopack_new_array(&rank, model->component_count, sizeof *rank, diag));
    for (uint32_t i = 0; i < model->component_count; i++)
        rank[i] = PSOPACK_ORDER_NONE;
    while (at < end) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *stop = newline ? newline : end;
        psopack_string name = {.bytes = at, .size = (uint32_t)(stop - at)};
        const psopack_model_pso *pso =
            bsearch(&name, model->psos, model->pso_count, sizeof *model->psos, compare_name);
        if (pso)
            rank_pso(model, pso, rank, &next);
        else
            unknown += name.size != 0;
        at = stop + (newline != NULL);
    }
    *ret_rank = rank;
    *ret_unknown = unknown;
    return PSOPACK_OK;
}

typedef struct ranked {
    uint32_t rank, component;
} ranked;

static int compare_ranks(const void *a, const void *b)
{
    const ranked *left = a, *right = b;
    return (left->rank > right->rank) - (left->rank < right->rank);
}

psopack_status psopack_order_sort(const uint32_t *rank, uint32_t *components, uint32_t count,
                                  psopack_diag *diag)
{
    ranked *rows;
    PSOPACK_TRY(psopack_new_array(&rows, count, sizeof *rows, diag));
    for (uint32_t i = 0; i < count; i++)
        rows[i] = (ranked){rank[components[i]], components[i]};
    qsort(rows, count, sizeof *rows, compare_ranks);
    for (uint32_t i = 0; i < count; i++)
        components[i] = rows[i].component;
    free(rows);
    return PSOPACK_OK;
}
