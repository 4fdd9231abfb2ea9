/* SPDX-License-Identifier: MIT */
/* Dedup proved by comparing bytes. */
#include "packer/store.h"

#include <stdlib.h>
#include <string.h>

static XXH128_hash_t as_it_is(XXH128_hash_t hash)
{
    return hash;
}

static bool plain_equal(const void *a, const void *b, size_t size)
{
    return size == 0 || memcmp(a, b, size) == 0;
}

psopack_status psopack_store_init(psopack_store *store, const psopack_inputs *inputs,
                                  const psopack_hooks *hooks, uint64_t budget, psopack_diag *diag)
{
    *store = (psopack_store){.inputs = inputs, .budget = budget};
    store->hooks.weaken = hooks && hooks->weaken ? hooks->weaken : as_it_is;
    store->hooks.equal = hooks && hooks->equal ? hooks->equal : plain_equal;
    PSOPACK_TRY(psopack_mutex_init(&store->mutex, diag));
    store->has_mutex = true;
    return PSOPACK_OK;
}

void psopack_store_free(psopack_store *store)
{
    for (size_t i = 0; i < store->count; i++)
        free(store->items[i].bytes);
    free(store->items);
    free(store->table);
    free(store->groups);
    if (store->has_mutex)
        psopack_mutex_finish(&store->mutex);
    *store = (psopack_store){0};
}

/* Chains hang newest first from the table's heads. */
static void hang(psopack_store *store, uint32_t index)
{
    XXH128_hash_t place = store->hooks.weaken(store->items[index].hash);
    uint32_t *head = &store->table[place.low64 & (store->table_size - 1)];
    store->items[index].next = *head;
    *head = index + 1;
}

static psopack_status make_room(psopack_store *store, psopack_diag *diag)
{
    if (store->count >= UINT32_MAX - 2)
        return psopack_fail(diag, PSOPACK_E_LIMIT, "more than 4 G unique components");
    PSOPACK_TRY(psopack_grow(&store->items, &store->capacity, store->count + 1,
                             sizeof *store->items, diag));
    if (store->count < store->table_size)
        return PSOPACK_OK;
    size_t size = store->table_size ? store->table_size * 2 : 1024;
    uint32_t *table;
    PSOPACK_TRY(psopack_new_array(&table, size, sizeof *table, diag));
    free(store->table);
    store->table = table;
    store->table_size = size;
    for (size_t i = 0; i < store->count; i++)
        hang(store, (uint32_t)i);
    return PSOPACK_OK;
}

/* The oldest item from `seen` on with the hash and size of `wanted`; UINT32_MAX when none. */
static uint32_t find_from(const psopack_store *store, const psopack_stored *wanted, uint32_t seen)
{
    uint32_t best = UINT32_MAX;
    if (store->table_size == 0)
        return best;
    XXH128_hash_t place = store->hooks.weaken(wanted->hash);
    uint32_t next = store->table[place.low64 & (store->table_size - 1)];
    while (next != 0 && next - 1 >= seen) {
        const psopack_stored *item = &store->items[next - 1];
        if (item->size == wanted->size && XXH128_isEqual(store->hooks.weaken(item->hash), place))
            best = next - 1;
        next = item->next;
    }
    return best;
}

/*
 * The next candidate to compare with, as a copy; or, when there is none and `may_insert`, the new
 * item. Neither: *ret_item is UINT32_MAX.
 */
static psopack_status next_candidate(psopack_store *store, const psopack_stored *wanted,
                                     uint32_t seen, bool may_insert, uint32_t *ret_item,
                                     psopack_stored *ret_candidate, bool *ret_inserted,
                                     psopack_diag *diag)
{
    psopack_mutex_lock(&store->mutex);
    psopack_status status = PSOPACK_OK;
    *ret_inserted = false;
    *ret_item = find_from(store, wanted, seen);
    if (*ret_item != UINT32_MAX) {
        *ret_candidate = store->items[*ret_item];
    } else if (may_insert) {
        status = make_room(store, diag);
        if (status == PSOPACK_OK) {
            *ret_item = (uint32_t)store->count;
            store->items[store->count++] = *wanted;
            hang(store, *ret_item);
            store->collisions += seen != 0;
            *ret_inserted = true;
        }
    }
    psopack_mutex_unlock(&store->mutex);
    return status;
}

/* A copy of bytes that the budget has room for; NULL: it will be read again. */
static uint8_t *keep_copy(psopack_store *store, const uint8_t *bytes, uint64_t size)
{
    psopack_mutex_lock(&store->mutex);
    bool fits = size != 0 && size <= store->budget - store->kept_bytes;
    if (fits)
        store->kept_bytes += size;
    psopack_mutex_unlock(&store->mutex);
    uint8_t *copy = fits ? malloc((size_t)size) : NULL;
    if (copy)
        memcpy(copy, bytes, (size_t)size);
    return copy;
}

static void drop_copy(psopack_store *store, psopack_stored *wanted)
{
    if (!wanted->bytes)
        return;
    psopack_mutex_lock(&store->mutex);
    store->kept_bytes -= wanted->size;
    psopack_mutex_unlock(&store->mutex);
    free(wanted->bytes);
}

/* The bytes of an item that is not in memory: CHANGED unless they are what was filed. */
static psopack_status read_again(const psopack_store *store, const psopack_stored *item,
                                 psopack_read_buffer *buffer, const uint8_t **ret_bytes,
                                 psopack_diag *diag)
{
    uint64_t size;
    PSOPACK_TRY(psopack_inputs_read(store->inputs, &store->inputs->files[item->file], buffer,
                                    ret_bytes, &size, diag));
    if (size != item->size || !XXH128_isEqual(XXH3_128bits(*ret_bytes, (size_t)size), item->hash))
        return psopack_fail(diag, PSOPACK_E_CHANGED,
                            "%s: it changed since it was first read; build when its writer is done",
                            buffer->path);
    return PSOPACK_OK;
}

/* Whether a filed item has these bytes, as many as it has. */
static psopack_status compare(const psopack_store *store, const psopack_stored *item,
                              const uint8_t *bytes, psopack_read_buffer *buffer, bool *ret_equal,
                              psopack_diag *diag)
{
    const uint8_t *other = item->bytes;
    if (!other && item->size != 0)
        PSOPACK_TRY(read_again(store, item, buffer, &other, diag));
    *ret_equal = store->hooks.equal(other, bytes, (size_t)item->size);
    return PSOPACK_OK;
}

psopack_status psopack_store_add(psopack_store *store, uint32_t file, const uint8_t *bytes,
                                 uint64_t size, uint32_t crc, psopack_read_buffer *buffer,
                                 uint32_t *ret_item, psopack_diag *diag)
{
    psopack_stored wanted = {
        .hash = XXH3_128bits(bytes, (size_t)size), .size = size, .file = file, .crc = crc};
    psopack_stored candidate;
    psopack_status status;
    uint32_t item, seen = 0;
    bool inserted, equal = false, ready = false;
    for (;;) {
        status = next_candidate(store, &wanted, seen, ready, &item, &candidate, &inserted, diag);
        if (status == PSOPACK_OK && item == UINT32_MAX) {
            wanted.bytes = keep_copy(store, bytes, size);
            ready = true;
            continue;
        }
        if (status == PSOPACK_OK && !inserted)
            status = compare(store, &candidate, bytes, buffer, &equal, diag);
        if (status != PSOPACK_OK || inserted || equal)
            break;
        seen = item + 1;
    }
    if (!inserted || status != PSOPACK_OK)
        drop_copy(store, &wanted);
    if (status == PSOPACK_OK)
        *ret_item = item;
    return status;
}

psopack_status psopack_store_find(const psopack_store *store, const uint8_t *bytes, uint64_t size,
                                  psopack_read_buffer *buffer, uint32_t *ret_item,
                                  psopack_diag *diag)
{
    const psopack_stored wanted = {.hash = XXH3_128bits(bytes, (size_t)size), .size = size};
    for (uint32_t seen = 0;; seen++) {
        bool equal;
        seen = find_from(store, &wanted, seen);
        *ret_item = seen;
        if (seen == UINT32_MAX)
            return PSOPACK_OK;
        PSOPACK_TRY(compare(store, &store->items[seen], bytes, buffer, &equal, diag));
        if (equal)
            return PSOPACK_OK;
    }
}

psopack_status psopack_store_bytes(const psopack_store *store, uint32_t item,
                                   psopack_read_buffer *buffer, const uint8_t **ret_bytes,
                                   psopack_diag *diag)
{
    const psopack_stored *stored = &store->items[item];
    if (stored->bytes || stored->size == 0) {
        *ret_bytes = stored->bytes;
        return PSOPACK_OK;
    }
    return read_again(store, stored, buffer, ret_bytes, diag);
}

XXH128_hash_t psopack_store_hash(psopack_store *store, uint32_t item)
{
    psopack_mutex_lock(&store->mutex);
    XXH128_hash_t hash = store->items[item].hash;
    psopack_mutex_unlock(&store->mutex);
    return hash;
}

/* ---- known files ------------------------------------------------------------------------------
 */

psopack_status psopack_store_expect_groups(psopack_store *store, uint32_t count, psopack_diag *diag)
{
    PSOPACK_TRY(psopack_new_array(&store->groups, count, sizeof *store->groups, diag));
    store->group_count = count;
    return PSOPACK_OK;
}

static bool is_same(const psopack_stored *item, const psopack_known_file *known)
{
    return item->size == known->size && XXH128_isEqual(item->hash, known->hash);
}

psopack_status psopack_store_add_known(psopack_store *store, uint32_t file,
                                       const psopack_known_file *known, uint32_t *ret_item,
                                       psopack_diag *diag)
{
    const psopack_stored wanted = {
        .hash = known->hash, .size = known->size, .file = file, .crc = known->crc};
    psopack_status status = PSOPACK_OK;
    psopack_mutex_lock(&store->mutex);
    uint32_t *group = &store->groups[known->group];
    *ret_item = UINT32_MAX;
    if (*group != 0) {
        if (is_same(&store->items[*group - 1], known))
            *ret_item = *group - 1;
    } else if (find_from(store, &wanted, 0) == UINT32_MAX) {
        status = make_room(store, diag);
        if (status == PSOPACK_OK) {
            *ret_item = (uint32_t)store->count;
            store->items[store->count++] = wanted;
            hang(store, *ret_item);
            *group = *ret_item + 1;
        }
    }
    psopack_mutex_unlock(&store->mutex);
    return status;
}

void psopack_store_join(psopack_store *store, const psopack_known_file *known, uint32_t item)
{
    psopack_mutex_lock(&store->mutex);
    if (store->groups[known->group] == 0 && is_same(&store->items[item], known))
        store->groups[known->group] = item + 1;
    psopack_mutex_unlock(&store->mutex);
}
