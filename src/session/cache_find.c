/* SPDX-License-Identifier: MIT */
/* Finding: from the window, else by reading the record while other threads go on. */
#include <string.h>

#include "session/cache.h"

/* A record in memory. Loose: it is in no window, the holder frees it. */
typedef struct fetched {
    psopack_window_item *item;
    bool loose;
} fetched;

psopack_session_entry *psopack_session_cache_lookup(psopack_session_cache *cache, uint64_t hash)
{
    psopack_session_entry *entry = psopack_entry_index_find(&cache->index, hash);
    if (!entry && psopack_session_cache_refresh(cache))
        entry = psopack_entry_index_find(&cache->index, hash);
    return entry;
}

static void begin_read(psopack_session_cache *cache)
{
    cache->readers++;
    psopack_mutex_unlock(&cache->mutex);
}

static void end_read(psopack_session_cache *cache)
{
    psopack_mutex_lock(&cache->mutex);
    if (--cache->readers == 0)
        psopack_cond_broadcast(&cache->idle);
}

/* After a read of `was`: the entry that is still the same record of the same file, or NULL. */
static psopack_session_entry *find_again(psopack_session_cache *cache,
                                         const psopack_session_entry *was, uint64_t file_id)
{
    psopack_session_entry *entry = psopack_entry_index_find(&cache->index, was->hash);
    if (!entry || entry->file != was->file || entry->offset != was->offset ||
        cache->slots[was->file].id != file_id)
        return NULL;
    return entry;
}

/* Gives `mutex` away while it reads; pointers to entries are not valid afterwards. */
static psopack_status fetch_record(psopack_session_cache *cache, const psopack_session_entry *entry,
                                   fetched *ret_fetched)
{
    const psopack_session_entry was = *entry;
    const psopack_file file = cache->slots[was.file].file;
    const uint64_t file_id = cache->slots[was.file].id;
    psopack_window_item *item;
    begin_read(cache);
    psopack_status status =
        psopack_value_file_read(&file, file_id, &was, cache->plan.allocator, &item);
    end_read(cache);
    psopack_session_entry *now = find_again(cache, &was, file_id);
    if (status == PSOPACK_E_CHECKSUM) {
        if (now) {
            psopack_session_cache_drop(cache, now);
            cache->counters.damaged++;
        }
        return PSOPACK_E_NOT_FOUND;
    }
    if (status != PSOPACK_OK)
        return status;
    bool keep =
        now && !now->item && psopack_window_fits(&cache->window, was.key_size, was.value_size);
    if (keep)
        psopack_session_cache_keep(cache, now, item);
    *ret_fetched = (fetched){item, !keep};
    return PSOPACK_OK;
}

static psopack_status fetch(psopack_session_cache *cache, psopack_session_entry *entry,
                            fetched *ret_fetched)
{
    if (!entry->item)
        return fetch_record(cache, entry, ret_fetched);
    psopack_window_renew(&cache->window, entry->item);
    *ret_fetched = (fetched){entry->item, false};
    return PSOPACK_OK;
}

static void let_go(psopack_session_cache *cache, fetched record)
{
    if (record.loose)
        psopack_window_item_free(cache->plan.allocator, record.item);
}

static bool item_has_key(psopack_window_item *item, const void *key, uint32_t key_size)
{
    return item->key_size == key_size && memcmp(psopack_window_key(item), key, key_size) == 0;
}

psopack_status psopack_session_cache_compare(psopack_session_cache *cache, uint64_t hash,
                                             const void *key, uint32_t key_size)
{
    fetched record;
    PSOPACK_TRY(fetch(cache, psopack_entry_index_find(&cache->index, hash), &record));
    bool same = item_has_key(record.item, key, key_size);
    let_go(cache, record);
    return same ? PSOPACK_OK : PSOPACK_E_COLLISION;
}

/* The size of a value that would not fit the window: head and key are enough. */
static bool peek_size(psopack_session_cache *cache, const psopack_session_entry *entry,
                      const void *key, uint32_t key_size, size_t *value_size)
{
    if (entry->item || entry->key_size != key_size ||
        psopack_window_fits(&cache->window, entry->key_size, entry->value_size))
        return false;
    const psopack_session_entry was = *entry;
    const psopack_file file = cache->slots[was.file].file;
    const uint64_t file_id = cache->slots[was.file].id;
    begin_read(cache);
    bool same = psopack_value_file_has_key(&file, file_id, &was, key, cache->plan.allocator);
    end_read(cache);
    if (same)
        *value_size = was.value_size;
    return same;
}

static void count_use(psopack_session_cache *cache, uint64_t hash)
{
    psopack_session_entry *entry = psopack_entry_index_find(&cache->index, hash);
    if (!entry)
        return;
    entry->new_uses = psopack_add_uses(entry->new_uses, 1);
    cache->new_uses = true;
}

static psopack_status answer(psopack_session_cache *cache, psopack_window_item *item, void *value,
                             size_t *value_size)
{
    size_t room = *value_size;
    *value_size = item->value_size;
    if (!value)
        return PSOPACK_OK;
    if (item->value_size > room)
        return PSOPACK_E_BUFFER;
    memcpy(value, psopack_window_value(item), item->value_size);
    count_use(cache, item->hash);
    return PSOPACK_OK;
}

static psopack_status find_locked(psopack_session_cache *cache, uint64_t hash, const void *key,
                                  uint32_t key_size, void *value, size_t *value_size)
{
    psopack_session_entry *entry = psopack_session_cache_lookup(cache, hash);
    if (!entry)
        return PSOPACK_E_NOT_FOUND;
    uint64_t *finds = entry->item ? &cache->counters.finds_memory : &cache->counters.finds_disk;
    if (!value && peek_size(cache, entry, key, key_size, value_size)) {
        ++*finds;
        return PSOPACK_OK;
    }
    /* The peek gave the mutex away. */
    entry = psopack_entry_index_find(&cache->index, hash);
    if (!entry)
        return PSOPACK_E_NOT_FOUND;
    fetched record;
    PSOPACK_TRY(fetch(cache, entry, &record));
    psopack_status status = PSOPACK_E_COLLISION;
    if (item_has_key(record.item, key, key_size)) {
        ++*finds;
        status = answer(cache, record.item, value, value_size);
    }
    let_go(cache, record);
    return status;
}

psopack_status psopack_session_cache_find(psopack_session_cache *cache, const void *key,
                                          uint32_t key_size, void *value, size_t *value_size)
{
    uint64_t hash = cache->plan.hash(key, key_size);
    psopack_mutex_lock(&cache->mutex);
    while (cache->draining)
        psopack_cond_wait(&cache->idle, &cache->mutex);
    psopack_status status = find_locked(cache, hash, key, key_size, value, value_size);
    if (status == PSOPACK_E_NOT_FOUND)
        cache->counters.misses++;
    psopack_mutex_unlock(&cache->mutex);
    return status;
}
