/* SPDX-License-Identifier: MIT */
/* A load order: PSO names, one a line, and what it means for components. */
#ifndef PSOPACK_PACKER_ORDER_H
#define PSOPACK_PACKER_ORDER_H

#include "packer/model.h"

#define PSOPACK_ORDER_NONE UINT32_MAX

/* Zero it to begin: no order. */
typedef struct psopack_order {
    char *text;
    size_t size;
    bool given;
    uint8_t hash[16]; /* XXH3-128 of the text, for the recipe */
} psopack_order;

psopack_status psopack_order_set(psopack_order *order, const void *text, size_t size,
                                 psopack_diag *diag);
void psopack_order_free(psopack_order *order);

/*
 * ret_rank[component]: when it is first used by the listed PSOs, from 0; PSOPACK_ORDER_NONE for
 * what they do not use. The caller frees it. *ret_unknown: lines that name no PSO.
 */
psopack_status psopack_order_rank(const psopack_order *order, const psopack_model *model,
                                  uint32_t **ret_rank, uint64_t *ret_unknown, psopack_diag *diag);

/* Sorts components, all of them ranked, by their ranks. */
psopack_status psopack_order_sort(const uint32_t *rank, uint32_t *components, uint32_t count,
                                  psopack_diag *diag);

#endif
