/* SPDX-License-Identifier: MIT */
/* Growing arrays. */
#ifndef PSOPACK_LINT_GROW_H
#define PSOPACK_LINT_GROW_H

#include <stddef.h>

/*
 * Makes room for `need` items of `item_size` bytes in the malloc'ed array `items` (NULL at first),
 * whose `*capacity` counts items. Returns the array, moved or not, or NULL when memory is out; then
 * the old array still holds. Growth doubles, so that adding one by one costs linear time.
 */
void *psopack_lint_grow(void *items, size_t *capacity, size_t need, size_t item_size);

#endif
