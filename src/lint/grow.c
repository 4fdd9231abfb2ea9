/* SPDX-License-Identifier: MIT */
/* Growing arrays: one overflow-checked realloc for every list of the lint. */
#include "lint/grow.h"

#include <stdint.h>
#include <stdlib.h>

#define FIRST_CAPACITY 16u

void *psopack_lint_grow(void *items, size_t *capacity, size_t need, size_t item_size)
{
    if (items && need <= *capacity)
        return items;
    size_t wanted = *capacity > SIZE_MAX / 2 ? need : 2 * *capacity;
    if (wanted < need)
        wanted = need;
    if (wanted < FIRST_CAPACITY)
        wanted = FIRST_CAPACITY;
    if (wanted > SIZE_MAX / item_size)
        return NULL;
    void *grown = realloc(items, wanted * item_size);
    if (grown)
        *capacity = wanted;
    return grown;
}
