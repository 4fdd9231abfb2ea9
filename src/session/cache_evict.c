/* SPDX-License-Identifier: MIT */
/*
 * PSOPACK_SESSION_OLDEST_FIRST: a value file that is full is written anew with the newest records,
 * up to three quarters of its maximum, and replaced whole.
 */
#include <stdlib.h>

#include "platform/lock.h"
#include "platform/publish.h"
#include "session/cache.h"
#include "session/checkpoint.h"

/* A record of the old file that goes to the new one. */
typedef struct survivor {
    uint64_t hash;
    uint64_t offset;
    uint64_t new_offset; /* 0: it was damaged and stays behind */
} survivor;

typedef struct eviction {
    psopack_session_cache *cache;
    survivor *survivors; /* by offset */
    size_t count;        /* entries of the own file */
    size_t first;        /* survivors[first ..] are kept */
    psopack_publish *publish;
    uint64_t new_id;
    uint64_t end; /* of the new file */
} eviction;

static int by_offset(const void *a, const void *b)
{
    uint64_t left = ((const survivor *)a)->offset;
    uint64_t right = ((const survivor *)b)->offset;
    return (left > right) - (left < right);
}

static void list_entries(eviction *work)
{
    const psopack_entry_index *index = &work->cache->index;
    for (uint32_t i = 0; i < index->count; i++) {
        const psopack_session_entry *entry = &index->entries[i];
        if (entry->file == work->cache->own_slot)
            work->survivors[work->count++] = (survivor){entry->hash, entry->offset, 0};
    }
    qsort(work->survivors, work->count, sizeof *work->survivors, by_offset);
}

static uint64_t entry_bytes(const eviction *work, size_t number)
{
    const psopack_session_entry *entry =
        psopack_entry_index_find(&work->cache->index, work->survivors[number].hash);
    return psopack_record_size(entry->key_size, entry->value_size);
}

/* From the newest back, as many as fit beside the record that needs room. */
static void choose(eviction *work, uint64_t record_size)
{
    uint64_t max = work->cache->plan.value_file_max;
    uint64_t budget = max - max / 4;
    uint64_t used = PSOPACK_VALUE_RECORDS_AT + record_size;
    work->first = work->count;
    while (work->first > 0 && used <= budget) {
        uint64_t size = entry_bytes(work, work->first - 1);
        if (size > budget - used)
            break;
        used += size;
        work->first--;
    }
}

static psopack_status copy_record(eviction *work, survivor *kept, psopack_diag *diag)
{
    psopack_session_cache *cache = work->cache;
    const psopack_value_file *own = &cache->slots[cache->own_slot];
    const psopack_session_entry *entry = psopack_entry_index_find(&cache->index, kept->hash);
    psopack_window_item *item;
    psopack_status status =
        psopack_value_file_read(&own->file, own->id, entry, cache->plan.allocator, &item);
    if (status == PSOPACK_E_CHECKSUM)
        return PSOPACK_OK;
    if (status != PSOPACK_OK)
        return status;
    psopack_record_seal(&item->record, (psopack_record_place){work->new_id, work->end},
                        item->key_size, item->value_size);
    uint64_t size = psopack_record_size(item->key_size, item->value_size);
    status = psopack_publish_write(work->publish, &item->record, (size_t)size, diag);
    psopack_window_item_free(cache->plan.allocator, item);
    if (status != PSOPACK_OK)
        return status;
    kept->new_offset = work->end;
    work->end += size;
    return PSOPACK_OK;
}

static psopack_status write_new_file(eviction *work, psopack_diag *diag)
{
    const psopack_session_cache *cache = work->cache;
    char path[PSOPACK_SESSION_PATH_SIZE];
    psopack_session_path_values(cache->base, cache->own_slot, path);
    PSOPACK_TRY(psopack_value_file_begin(path, &cache->plan.identity, cache->plan.version,
                                         &work->publish, &work->new_id, diag));
    work->end = PSOPACK_VALUE_RECORDS_AT;
    psopack_status status = PSOPACK_OK;
    for (size_t i = work->first; status == PSOPACK_OK && i < work->count; i++)
        status = copy_record(work, &work->survivors[i], diag);
    if (status != PSOPACK_OK) {
        psopack_publish_abort(&work->publish);
        return status;
    }
    return psopack_publish_commit(&work->publish, NULL, NULL, diag);
}

/* The new file is in place: the index follows. */
static void move_entries(eviction *work)
{
    psopack_session_cache *cache = work->cache;
    for (size_t i = 0; i < work->count; i++) {
        const survivor *one = &work->survivors[i];
        psopack_session_entry *entry = psopack_entry_index_find(&cache->index, one->hash);
        if (one->new_offset > 0) {
            entry->offset = one->new_offset;
            continue;
        }
        psopack_session_cache_drop(cache, entry);
        if (i < work->first)
            cache->counters.evicted++;
        else
            cache->counters.damaged++;
    }
}

/* Opens and locks the file that was published. */
static psopack_status switch_file(eviction *work, psopack_diag *diag)
{
    psopack_session_cache *cache = work->cache;
    uint32_t slot = cache->own_slot;
    char path[PSOPACK_SESSION_PATH_SIZE];
    psopack_session_path_values(cache->base, slot, path);
    psopack_value_file values = {.file = PSOPACK_FILE_NONE};
    psopack_session_slot_close(cache, slot);
    PSOPACK_TRY(psopack_file_open_update(path, &values.file, diag));
    psopack_status status = psopack_lock_try(&values.file, PSOPACK_LOCK_EXCLUSIVE, diag);
    if (status != PSOPACK_OK) {
        psopack_file_close(&values.file, NULL);
        return status;
    }
    values.file.path = cache->base;
    values.id = work->new_id;
    values.end = work->end;
    values.size = work->end;
    values.owned = true;
    cache->slots[slot] = values;
    cache->own_slot = slot;
    cache->flushed_end = work->end;
    return PSOPACK_OK;
}

static psopack_status rewrite(eviction *work, uint64_t record_size, psopack_diag *diag)
{
    /* From here to the switch `mutex` stays held: no read may see half of the move. */
    psopack_session_cache_wait_idle(work->cache);
    list_entries(work);
    choose(work, record_size);
    /* Not written: the cache is as it was, and full. */
    if (write_new_file(work, diag) != PSOPACK_OK)
        return PSOPACK_E_FULL;
    move_entries(work);
    psopack_status status = switch_file(work, diag);
    if (status != PSOPACK_OK) {
        psopack_session_cache_forget(work->cache);
        psopack_session_cache_degrade(work->cache, status, diag);
    }
    return status;
}

/* With the gate held and alone. */
static psopack_status evict_alone(psopack_session_cache *cache, uint64_t record_size,
                                  psopack_diag *diag)
{
    if (psopack_session_cache_merge(cache, diag) != PSOPACK_OK)
        return PSOPACK_E_FULL;
    eviction work = {.cache = cache};
    size_t size = ((size_t)cache->index.count + 1) * sizeof *work.survivors;
    work.survivors = psopack_session_allocate(cache->plan.allocator, size);
    if (!work.survivors)
        return PSOPACK_E_NOMEM;
    psopack_status status = rewrite(&work, record_size, diag);
    psopack_session_release(cache->plan.allocator, work.survivors, size);
    return status;
}

psopack_status psopack_session_cache_evict(psopack_session_cache *cache, uint64_t record_size)
{
    uint64_t max = cache->plan.value_file_max;
    if (!cache->plan.oldest_first || cache->own_slot != 0 || max <= PSOPACK_VALUE_RECORDS_AT ||
        record_size > max - PSOPACK_VALUE_RECORDS_AT)
        return PSOPACK_E_FULL;
    psopack_diag diag;
    if (psopack_presence_enter(&cache->presence, &diag) != PSOPACK_OK)
        return PSOPACK_E_FULL;
    psopack_status status = PSOPACK_E_FULL;
    if (psopack_presence_try_alone(&cache->presence, &diag) == PSOPACK_OK)
        status = evict_alone(cache, record_size, &diag);
    psopack_presence_share(&cache->presence, NULL);
    psopack_presence_leave(&cache->presence);
    return status;
}
