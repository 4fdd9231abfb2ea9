/* SPDX-License-Identifier: MIT */
/* Byte strings, each kept once and numbered from 0 in order of arrival. */
#ifndef PSOPACK_PACKER_STRINGS_H
#define PSOPACK_PACKER_STRINGS_H

#include "packer/memory.h"

typedef struct psopack_string {
    const char *bytes; /* zero-terminated behind `size` bytes */
    uint32_t size;
    uint32_t hash;
} psopack_string;

/* Zero it to begin. */
typedef struct psopack_strings {
    psopack_arena arena;
    psopack_string *items;
    size_t count;
    size_t capacity;
    uint32_t *table; /* item + 1, 0 free; table_size is a power of two */
    size_t table_size;
} psopack_strings;

psopack_status psopack_strings_add(psopack_strings *strings, const void *bytes, size_t size,
                                   uint32_t *ret_index, psopack_diag *diag);
void psopack_strings_free(psopack_strings *strings);

/* Byte order, as memcmp: a prefix comes first. */
int psopack_string_compare(const psopack_string *a, const psopack_string *b);

#endif
