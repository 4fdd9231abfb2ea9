/* SPDX-License-Identifier: MIT */
/*
 * Numbers for byte strings: equal strings get equal numbers, counted from 0 in order of first
 * appearance. Names, component ids, limits, sampler states and tuples all go through it, so that
 * the rest of the lint compares and indexes by number.
 */
#ifndef PSOPACK_LINT_INTERN_H
#define PSOPACK_LINT_INTERN_H

#include <psopack/status.h>

typedef struct psopack_interned {
    uint64_t hash;
    size_t offset; /* of the string in psopack_interner.bytes */
    size_t size;
} psopack_interned;

/* All zero is an empty interner. */
typedef struct psopack_interner {
    psopack_interned *items;
    uint32_t count;
    size_t item_capacity;
    uint32_t *table;   /* open addressing: number + 1, or 0 */
    size_t table_size; /* power of two, at most half full */
    uint8_t *bytes;
    size_t bytes_used;
    size_t bytes_capacity;
} psopack_interner;

/* NOMEM, or LIMIT past 2^31 strings. A new string raises `count`. */
psopack_status psopack_intern(psopack_interner *interner, const void *bytes, size_t size,
                              uint32_t *ret_number);

/* NOT_FOUND when the string has no number. */
psopack_status psopack_intern_find(const psopack_interner *interner, const void *bytes, size_t size,
                                   uint32_t *ret_number);

/* The string with that number; valid until the next psopack_intern. */
const void *psopack_intern_bytes(const psopack_interner *interner, uint32_t number);

void psopack_interner_free(psopack_interner *interner);

#endif
