/* SPDX-License-Identifier: MIT */
/* Interned byte strings: an open-addressed table over an array. */
#include "packer/strings.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

static uint32_t *find_place(const psopack_strings *strings, const void *bytes, size_t size,
                            uint32_t hash)
{
    size_t mask = strings->table_size - 1;
    for (size_t at = hash & mask;; at = (at + 1) & mask) {
        uint32_t item = strings->table[at];
        if (item == 0)
            return &strings->table[at];
        const psopack_string *string = &strings->items[item - 1];
        if (string->hash == hash && string->size == size && memcmp(string->bytes, bytes, size) == 0)
            return &strings->table[at];
    }
}

static psopack_status rehash(psopack_strings *strings, psopack_diag *diag)
{
    size_t size = strings->table_size ? strings->table_size * 2 : 64;
    uint32_t *table;
    PSOPACK_TRY(psopack_new_array(&table, size, sizeof *table, diag));
    for (size_t i = 0; i < strings->count; i++) {
        size_t at = strings->items[i].hash & (size - 1);
        while (table[at] != 0)
            at = (at + 1) & (size - 1);
        table[at] = (uint32_t)i + 1;
    }
    free(strings->table);
    strings->table = table;
    strings->table_size = size;
    return PSOPACK_OK;
}

psopack_status psopack_strings_add(psopack_strings *strings, const void *bytes, size_t size,
                                   uint32_t *ret_index, psopack_diag *diag)
{
    if (strings->count + 1 > strings->table_size / 2)
        PSOPACK_TRY(rehash(strings, diag));
    uint32_t hash = (uint32_t)XXH3_64bits(bytes, size);
    uint32_t *place = find_place(strings, bytes, size, hash);
    if (*place != 0) {
        *ret_index = *place - 1;
        return PSOPACK_OK;
    }
    if (size >= UINT32_MAX || strings->count >= UINT32_MAX - 1)
        return psopack_fail(diag, PSOPACK_E_LIMIT, "too many names");
    char *copy;
    PSOPACK_TRY(psopack_grow(&strings->items, &strings->capacity, strings->count + 1,
                             sizeof *strings->items, diag));
    PSOPACK_TRY(psopack_arena_alloc(&strings->arena, size + 1, 1, &copy, diag));
    memcpy(copy, bytes, size);
    copy[size] = '\0';
    strings->items[strings->count] = (psopack_string){copy, (uint32_t)size, hash};
    *ret_index = (uint32_t)strings->count++;
    *place = *ret_index + 1;
    return PSOPACK_OK;
}

void psopack_strings_free(psopack_strings *strings)
{
    psopack_arena_free(&strings->arena);
    free(strings->items);
    free(strings->table);
    *strings = (psopack_strings){0};
}

int psopack_string_compare(const psopack_string *a, const psopack_string *b)
{
    size_t common = a->size < b->size ? a->size : b->size;
    int order = memcmp(a->bytes, b->bytes, common);
    return order != 0 ? order : (a->size > b->size) - (a->size < b->size);
}
