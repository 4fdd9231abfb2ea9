/* SPDX-License-Identifier: MIT */
/* Making stored values survive power loss, and the index that makes the next open fast. */
#include <string.h>

#include "platform/path.h"
#include "session/cache.h"
#include "session/checkpoint.h"

static psopack_status sync_directory_of(const char *base, psopack_diag *diag)
{
    char folder[PSOPACK_SESSION_BASE_SIZE];
    size_t size = psopack_path_directory_size(base);
    memcpy(folder, base, size);
    folder[size] = '\0';
    return psopack_path_sync_directory(folder, diag);
}

psopack_status psopack_session_cache_flush(psopack_session_cache *cache, psopack_diag *diag)
{
    if (cache->own_slot == PSOPACK_SLOT_NONE)
        return PSOPACK_OK;
    psopack_value_file values = cache->slots[cache->own_slot];
    if (values.end == cache->flushed_end && !values.new_name)
        return PSOPACK_OK;
    psopack_mutex_unlock(&cache->mutex);
    psopack_status status = psopack_file_sync(&values.file, diag);
    if (status == PSOPACK_OK && values.new_name)
        status = sync_directory_of(cache->base, diag);
    psopack_mutex_lock(&cache->mutex);
    if (status != PSOPACK_OK)
        return status;
    cache->flushed_end = values.end;
    cache->slots[cache->own_slot].new_name = false;
    return PSOPACK_OK;
}

/* New uses are in the index now: those of the own file as part of its rows. */
static void settle_uses(psopack_session_cache *cache)
{
    for (uint32_t i = 0; i < cache->index.count; i++) {
        psopack_session_entry *entry = &cache->index.entries[i];
        if (entry->file == cache->own_slot) {
            entry->uses = psopack_add_uses(entry->uses, entry->new_uses);
            entry->new_uses = 0;
        }
    }
    cache->new_uses = false;
}

psopack_status psopack_session_cache_checkpoint(psopack_session_cache *cache, psopack_diag *diag)
{
    if (cache->degraded != PSOPACK_OK)
        return PSOPACK_OK;
    if (cache->new_uses)
        PSOPACK_TRY(psopack_session_cache_claim(cache, diag));
    if (cache->own_slot == PSOPACK_SLOT_NONE)
        return PSOPACK_OK;
    psopack_value_file *values = &cache->slots[cache->own_slot];
    if (values->covered == values->end && !cache->new_uses)
        return PSOPACK_OK;
    PSOPACK_TRY(psopack_session_cache_flush(cache, diag));
    char path[PSOPACK_SESSION_PATH_SIZE];
    psopack_session_path_index(cache->base, cache->own_slot, path);
    psopack_checkpoint_of of = {values->id, values->end, cache->probe};
    PSOPACK_TRY(psopack_checkpoint_save(path, &cache->index, cache->own_slot, &of, diag));
    values->covered = values->end;
    settle_uses(cache);
    return PSOPACK_OK;
}
