/* SPDX-License-Identifier: MIT */
/* Taking over the value files that other processes have left behind. */
#include "platform/path.h"
#include "session/cache.h"

/* One entry of another file: its record is proved, sealed again for its new place, and written. */
static psopack_status move_entry(psopack_session_cache *cache, psopack_session_entry *entry,
                                 psopack_diag *diag)
{
    const psopack_value_file *from = &cache->slots[entry->file];
    psopack_value_file *own = &cache->slots[cache->own_slot];
    psopack_window_item *item;
    psopack_status status =
        psopack_value_file_read(&from->file, from->id, entry, cache->plan.allocator, &item);
    if (status != PSOPACK_OK)
        return status;
    uint64_t offset = own->end;
    status = psopack_value_file_append(own, item, diag);
    psopack_window_item_free(cache->plan.allocator, item);
    if (status != PSOPACK_OK)
        return status;
    entry->file = cache->own_slot;
    entry->offset = offset;
    cache->counters.merged++;
    return PSOPACK_OK;
}

static psopack_status move_all(psopack_session_cache *cache, psopack_diag *diag)
{
    for (uint32_t i = 0; i < cache->index.count;) {
        psopack_session_entry *entry = &cache->index.entries[i];
        psopack_status status = PSOPACK_OK;
        if (entry->file != cache->own_slot && entry->file != PSOPACK_FILE_MEMORY)
            status = move_entry(cache, entry, diag);
        if (status == PSOPACK_E_CHECKSUM) {
            /* The last entry takes its place: look at this number again. */
            psopack_session_cache_drop(cache, entry);
            cache->counters.damaged++;
            continue;
        }
        PSOPACK_TRY(status);
        i++;
    }
    return PSOPACK_OK;
}

static void remove_slot(psopack_session_cache *cache, uint32_t slot)
{
    char path[PSOPACK_SESSION_PATH_SIZE];
    psopack_session_slot_close(cache, slot);
    psopack_session_path_index(cache->base, slot, path);
    psopack_path_remove(path, NULL);
    psopack_session_path_values(cache->base, slot, path);
    psopack_path_remove(path, NULL);
}

/* Opens what there is; files of another version and files without a header go at once. */
static psopack_status gather(psopack_session_cache *cache, bool *ret_any, psopack_diag *diag)
{
    bool any = false;
    for (uint32_t slot = 0; slot < PSOPACK_SESSION_WRITERS_MAX; slot++) {
        if (slot == cache->own_slot)
            continue;
        psopack_status status = PSOPACK_OK;
        if (!psopack_value_file_is_open(&cache->slots[slot]))
            status = psopack_session_slot_read(cache, slot, true, diag);
        if (status == PSOPACK_OK)
            any = true;
        else if (status == PSOPACK_E_STALE_CONTENT || status == PSOPACK_E_CORRUPT)
            remove_slot(cache, slot);
        else if (status != PSOPACK_E_NO_ENTRY && status != PSOPACK_E_VERSION)
            return status;
    }
    *ret_any = any;
    return PSOPACK_OK;
}

psopack_status psopack_session_cache_merge(psopack_session_cache *cache, psopack_diag *diag)
{
    bool any;
    PSOPACK_TRY(gather(cache, &any, diag));
    if (!any)
        return PSOPACK_OK;
    PSOPACK_TRY(move_all(cache, diag));
    /* What was moved must be on the disk, and indexed, before its first copy goes. */
    PSOPACK_TRY(psopack_session_cache_checkpoint(cache, diag));
    for (uint32_t slot = 0; slot < PSOPACK_SESSION_WRITERS_MAX; slot++) {
        if (slot != cache->own_slot && psopack_value_file_is_open(&cache->slots[slot]))
            remove_slot(cache, slot);
    }
    return psopack_presence_set_files(&cache->presence, cache->own_slot + 1, diag);
}
