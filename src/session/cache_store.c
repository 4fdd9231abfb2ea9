/* SPDX-License-Identifier: MIT */
/* Storing: append to the own value file, or keep in the window alone. */
#include <string.h>

#include "session/cache.h"

typedef struct new_entry {
    uint64_t hash;
    const void *key;
    const void *value;
    uint32_t key_size;
    uint32_t value_size;
} new_entry;

static psopack_window_item *make_item(psopack_session_cache *cache, const new_entry *new)
{
    psopack_window_item *item =
        psopack_window_item_new(cache->plan.allocator, new->hash, new->key_size, new->value_size);
    if (!item)
        return NULL;
    memcpy(psopack_window_key(item), new->key, new->key_size);
    if (new->value_size > 0)
        memcpy(psopack_window_value(item), new->value, new->value_size);
    return item;
}

/* Takes the item over, also on failure. `file` and `offset` say where its record lies. */
static psopack_status add_entry(psopack_session_cache *cache, psopack_window_item *item,
                                uint32_t file, uint64_t offset)
{
    psopack_session_entry entry = {
        .hash = item->hash,
        .offset = offset,
        .key_size = item->key_size,
        .value_size = item->value_size,
        .new_uses = 1,
        .file = file,
    };
    psopack_status status = psopack_entry_index_add(&cache->index, &entry);
    if (status == PSOPACK_OK &&
        psopack_window_fits(&cache->window, item->key_size, item->value_size))
        psopack_session_cache_keep(cache, psopack_entry_index_find(&cache->index, entry.hash),
                                   item);
    else
        psopack_window_item_free(cache->plan.allocator, item);
    return status;
}

static psopack_status store_in_memory(psopack_session_cache *cache, const new_entry *new)
{
    bool degraded = cache->plan.mode == PSOPACK_SESSION_DISK;
    if (!psopack_window_fits(&cache->window, new->key_size, new->value_size))
        return degraded ? cache->degraded : PSOPACK_E_LIMIT;
    psopack_window_item *item = make_item(cache, new);
    if (!item)
        return PSOPACK_E_NOMEM;
    if (degraded)
        cache->counters.memory_only++;
    return add_entry(cache, item, PSOPACK_FILE_MEMORY, 0);
}

static psopack_status make_room(psopack_session_cache *cache, const new_entry *new)
{
    uint64_t size = psopack_record_size(new->key_size, new->value_size);
    uint64_t used = psopack_session_cache_file_bytes(cache);
    if (used <= cache->plan.value_file_max && size <= cache->plan.value_file_max - used)
        return PSOPACK_OK;
    return psopack_session_cache_evict(cache, size);
}

/* Gives `mutex` away while it writes. */
static psopack_status append(psopack_session_cache *cache, psopack_window_item *item,
                             psopack_diag *diag)
{
    psopack_value_file values = cache->slots[cache->own_slot];
    psopack_mutex_unlock(&cache->mutex);
    psopack_status status = psopack_value_file_append(&values, item, diag);
    psopack_mutex_lock(&cache->mutex);
    cache->slots[cache->own_slot].end = values.end;
    cache->slots[cache->own_slot].size = values.size;
    return status;
}

static psopack_status write_entry(psopack_session_cache *cache, const new_entry *new,
                                  psopack_diag *diag)
{
    psopack_window_item *item = make_item(cache, new);
    if (!item)
        return PSOPACK_E_NOMEM;
    uint64_t offset = cache->slots[cache->own_slot].end;
    psopack_status status = append(cache, item, diag);
    if (status == PSOPACK_OK && !psopack_entry_index_find(&cache->index, new->hash))
        return add_entry(cache, item, cache->own_slot, offset);
    /* Failed, or another process stored the key in this moment: its value is as good. */
    psopack_window_item_free(cache->plan.allocator, item);
    return status;
}

static psopack_status store_on_disk(psopack_session_cache *cache, const new_entry *new)
{
    psopack_diag diag = {0};
    psopack_status status = psopack_session_cache_claim(cache, &diag);
    if (status == PSOPACK_OK) {
        PSOPACK_TRY(make_room(cache, new));
        status = write_entry(cache, new, &diag);
    }
    if (status == PSOPACK_OK || status == PSOPACK_E_NOMEM)
        return status;
    psopack_session_cache_degrade(cache, status, &diag);
    return store_in_memory(cache, new);
}

static psopack_status store_locked(psopack_session_cache *cache, const new_entry *new)
{
    if (psopack_session_cache_lookup(cache, new->hash)) {
        psopack_status status =
            psopack_session_cache_compare(cache, new->hash, new->key, new->key_size);
        if (status == PSOPACK_OK)
            return PSOPACK_E_EXISTS;
        if (status != PSOPACK_E_NOT_FOUND)
            return status;
    }
    if (cache->plan.mode == PSOPACK_SESSION_MEMORY || cache->degraded != PSOPACK_OK)
        return store_in_memory(cache, new);
    return store_on_disk(cache, new);
}

psopack_status psopack_session_cache_store(psopack_session_cache *cache, const void *key,
                                           uint32_t key_size, const void *value,
                                           uint32_t value_size)
{
    new_entry new = {cache->plan.hash(key, key_size), key, value, key_size, value_size};
    psopack_mutex_lock(&cache->writer);
    psopack_mutex_lock(&cache->mutex);
    psopack_status status = store_locked(cache, &new);
    psopack_mutex_unlock(&cache->mutex);
    psopack_mutex_unlock(&cache->writer);
    return status;
}
