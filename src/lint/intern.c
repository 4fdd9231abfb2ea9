/* SPDX-License-Identifier: MIT */
/* Interner: XXH3-64 finds the candidate, memcmp decides. */
#include "lint/intern.h"

#include "lint/grow.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#define COUNT_MAX UINT32_C(0x7fffffff)
#define FIRST_TABLE_SIZE 64u

/* The place of the string in the table, or the free place where it belongs. */
static size_t probe(const psopack_interner *interner, const void *bytes, size_t size, uint64_t hash)
{
    size_t mask = interner->table_size - 1;
    for (size_t place = (size_t)hash & mask;; place = (place + 1) & mask) {
        if (!interner->table[place])
            return place;
        const psopack_interned *item = &interner->items[interner->table[place] - 1];
        if (item->hash == hash && item->size == size &&
            (!size || !memcmp(interner->bytes + item->offset, bytes, size)))
            return place;
    }
}

static bool enlarge_table(psopack_interner *interner)
{
    size_t size = interner->table_size ? 2 * interner->table_size : FIRST_TABLE_SIZE;
    uint32_t *table = calloc(size, sizeof *table);
    if (!table)
        return false;
    for (uint32_t i = 0; i < interner->count; i++) {
        size_t place = (size_t)interner->items[i].hash & (size - 1);
        while (table[place])
            place = (place + 1) & (size - 1);
        table[place] = i + 1;
    }
    free(interner->table);
    interner->table = table;
    interner->table_size = size;
    return true;
}

/* Appends the string as the last item, not yet in the table. */
static bool append(psopack_interner *interner, const void *bytes, size_t size, uint64_t hash)
{
    psopack_interned *items = psopack_lint_grow(interner->items, &interner->item_capacity,
                                                (size_t)interner->count + 1, sizeof *items);
    if (!items)
        return false;
    interner->items = items;
    if (size > SIZE_MAX - interner->bytes_used)
        return false;
    uint8_t *room = psopack_lint_grow(interner->bytes, &interner->bytes_capacity,
                                      interner->bytes_used + size, 1);
    if (!room)
        return false;
    interner->bytes = room;
    if (size)
        memcpy(room + interner->bytes_used, bytes, size);
    items[interner->count] = (psopack_interned){hash, interner->bytes_used, size};
    interner->bytes_used += size;
    interner->count++;
    return true;
}

psopack_status psopack_intern(psopack_interner *interner, const void *bytes, size_t size,
                              uint32_t *ret_number)
{
    uint64_t hash = XXH3_64bits(bytes, size);
    if (interner->count >= interner->table_size / 2 && !enlarge_table(interner))
        return PSOPACK_E_NOMEM;
    size_t place = probe(interner, bytes, size, hash);
    if (!interner->table[place]) {
        if (interner->count == COUNT_MAX)
            return PSOPACK_E_LIMIT;
        if (!append(interner, bytes, size, hash))
            return PSOPACK_E_NOMEM;
        interner->table[place] = interner->count;
    }
    *ret_number = interner->table[place] - 1;
    return PSOPACK_OK;
}

psopack_status psopack_intern_find(const psopack_interner *interner, const void *bytes, size_t size,
                                   uint32_t *ret_number)
{
    if (!interner->count)
        return PSOPACK_E_NOT_FOUND;
    size_t place = probe(interner, bytes, size, XXH3_64bits(bytes, size));
    if (!interner->table[place])
        return PSOPACK_E_NOT_FOUND;
    *ret_number = interner->table[place] - 1;
    return PSOPACK_OK;
}

const void *psopack_intern_bytes(const psopack_interner *interner, uint32_t number)
{
    return interner->bytes + interner->items[number].offset;
}

void psopack_interner_free(psopack_interner *interner)
{
    free(interner->items);
    free(interner->table);
    free(interner->bytes);
    *interner = (psopack_interner){0};
}
