/* SPDX-License-Identifier: MIT */
/* The same numbers on every machine: Marsaglia's xorshift, and bytes from it. */
#ifndef PSOPACK_TEST_FORMAT_RANDOM_H
#define PSOPACK_TEST_FORMAT_RANDOM_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static inline uint64_t test_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static inline void test_random_fill(uint64_t *state, void *bytes, size_t size)
{
    uint8_t *at = bytes;
    for (size_t i = 0; i < size; i++)
        at[i] = (uint8_t)(test_random(state) >> 24);
}

/* Exactly `size` bytes on the heap, so that a sanitizer sees one byte over. */
static inline uint8_t *test_exact_copy(const void *bytes, size_t size)
{
    uint8_t *copy = malloc(size ? size : 1);
    if (!copy)
        abort();
    if (size != 0)
        memcpy(copy, bytes, size);
    return copy;
}

#endif
