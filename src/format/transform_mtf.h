/* SPDX-License-Identifier: MIT */
/*
 * A move-to-front list of the 256 byte values: what the transforms rename registers with.
 *
 * A value's code is its rank, its position in the list; using a value moves it to the front. Code
 * that differs only in which registers it uses then has equal ranks.
 */
#ifndef PSOPACK_FORMAT_TRANSFORM_MTF_H
#define PSOPACK_FORMAT_TRANSFORM_MTF_H

#include <stdint.h>
#include <string.h>

typedef struct psopack_mtf {
    uint8_t order[256]; /* order[rank] = value, always a permutation */
} psopack_mtf;

/* Descending, so that the first use of each next new register has one code, 255, and not many. */
static inline void psopack_mtf_init(psopack_mtf *list)
{
    for (unsigned rank = 0; rank < 256; rank++) {
        list->order[rank] = (uint8_t)(255 - rank);
    }
}

/* The value at `rank`, which moves to the front. */
static inline uint8_t psopack_mtf_take(psopack_mtf *list, uint8_t rank)
{
    uint8_t value = list->order[rank];

    memmove(list->order + 1, list->order, rank);
    list->order[0] = value;
    return value;
}

/* The rank of `value`, which moves to the front. */
static inline uint8_t psopack_mtf_find(psopack_mtf *list, uint8_t value)
{
    const uint8_t *found = memchr(list->order, value, sizeof(list->order));
    uint8_t rank = (uint8_t)(found - list->order);

    psopack_mtf_take(list, rank);
    return rank;
}

#endif
