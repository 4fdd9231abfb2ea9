/* SPDX-License-Identifier: MIT */
/* Opening a cache: alone it is put in order, beside others it is read as it lies. */
#include <string.h>

#include "platform/path.h"
#include "session/cache.h"

/* Records behind the index that make it worth writing a new one while opening. */
#define UNINDEXED_MAX (UINT64_C(4) << 20)

static void finish_sync(psopack_session_cache *cache)
{
    psopack_cond_finish(&cache->idle);
    psopack_mutex_finish(&cache->mutex);
    psopack_mutex_finish(&cache->writer);
}

static psopack_status init_sync(psopack_session_cache *cache, psopack_diag *diag)
{
    PSOPACK_TRY(psopack_mutex_init(&cache->writer, diag));
    psopack_status status = psopack_mutex_init(&cache->mutex, diag);
    if (status == PSOPACK_OK) {
        status = psopack_cond_init(&cache->idle, diag);
        if (status == PSOPACK_OK)
            return PSOPACK_OK;
        psopack_mutex_finish(&cache->mutex);
    }
    psopack_mutex_finish(&cache->writer);
    return status;
}

static psopack_status new_cache(const psopack_session_plan *plan, psopack_session_cache **ret_cache,
                                psopack_diag *diag)
{
    psopack_session_cache *cache = psopack_session_allocate(plan->allocator, sizeof *cache);
    if (!cache)
        return psopack_fail(diag, PSOPACK_E_NOMEM, "no memory for a cache");
    memset(cache, 0, sizeof *cache);
    psopack_status status = init_sync(cache, diag);
    if (status != PSOPACK_OK) {
        psopack_session_release(plan->allocator, cache, sizeof *cache);
        return status;
    }
    cache->plan = *plan;
    cache->probe = plan->hash(PSOPACK_INDEX_FILE_MAGIC, PSOPACK_MAGIC_SIZE);
    cache->presence = PSOPACK_PRESENCE_NONE;
    cache->own_slot = PSOPACK_SLOT_NONE;
    for (uint32_t slot = 0; slot < PSOPACK_SESSION_WRITERS_MAX; slot++)
        cache->slots[slot].file = PSOPACK_FILE_NONE;
    psopack_entry_index_init(&cache->index, plan->allocator);
    cache->window = (psopack_window){.allocator = plan->allocator,
                                     .bytes_max = plan->memory_bytes_max,
                                     .entries_max = plan->memory_entries_max};
    *ret_cache = cache;
    return PSOPACK_OK;
}

static void free_cache(psopack_session_cache *cache)
{
    const psopack_allocator *allocator = cache->plan.allocator;
    psopack_session_cache_forget(cache);
    psopack_entry_index_finish(&cache->index);
    for (uint32_t slot = 0; slot < PSOPACK_SESSION_WRITERS_MAX; slot++)
        psopack_file_close(&cache->slots[slot].file, NULL);
    psopack_presence_close(&cache->presence);
    finish_sync(cache);
    psopack_session_release(allocator, cache, sizeof *cache);
}

/* Nobody else has it open: finish a clear that is due, own file 0, take the others over. */
static psopack_status put_in_order(psopack_session_cache *cache, psopack_diag *diag)
{
    if (psopack_presence_is_marked(&cache->presence))
        PSOPACK_TRY(psopack_session_remove_files(cache->base, &cache->presence, diag));
    PSOPACK_TRY(psopack_session_slot_own(cache, 0, diag));
    PSOPACK_TRY(psopack_session_cache_merge(cache, diag));
    const psopack_value_file *own = &cache->slots[0];
    if (own->end - own->covered > UNINDEXED_MAX)
        PSOPACK_TRY(psopack_session_cache_checkpoint(cache, diag));
    return PSOPACK_OK;
}

/* Reads every value file there is and that fits. Only file 0 has a say in the status. */
static psopack_status read_as_it_lies(psopack_session_cache *cache, psopack_diag *diag)
{
    psopack_status first = PSOPACK_OK;
    for (uint32_t slot = 0; slot < PSOPACK_SESSION_WRITERS_MAX; slot++) {
        if (psopack_value_file_is_open(&cache->slots[slot]))
            continue;
        psopack_status status =
            psopack_session_slot_read(cache, slot, false, slot == 0 ? diag : NULL);
        if (slot == 0)
            first = status;
        if (status == PSOPACK_E_NOMEM)
            return status;
    }
    return first;
}

static psopack_status open_beside_others(psopack_session_cache *cache, psopack_diag *diag)
{
    psopack_status status = read_as_it_lies(cache, diag);
    if (status == PSOPACK_E_STALE_CONTENT)
        return psopack_fail(diag, PSOPACK_E_EXISTS,
                            "%s: another process has this cache open with another version",
                            cache->base);
    /* Their file may be missing or damaged; this process then writes one of its own. */
    if (status == PSOPACK_E_NO_ENTRY || status == PSOPACK_E_CORRUPT)
        return PSOPACK_OK;
    return status;
}

static psopack_status open_in_gate(psopack_session_cache *cache, psopack_diag *diag)
{
    psopack_status alone = psopack_presence_try_alone(&cache->presence, diag);
    if (alone != PSOPACK_OK && alone != PSOPACK_E_BUSY)
        return alone;
    psopack_status status = PSOPACK_OK;
    if (alone == PSOPACK_OK)
        status = put_in_order(cache, diag);
    psopack_status shared = psopack_presence_share(&cache->presence, status ? NULL : diag);
    if (status == PSOPACK_OK)
        status = shared;
    if (status == PSOPACK_OK && alone == PSOPACK_E_BUSY)
        status = open_beside_others(cache, diag);
    return status;
}

static psopack_status open_files(psopack_session_cache *cache, psopack_diag *diag)
{
    char folder[PSOPACK_SESSION_PATH_SIZE];
    psopack_session_path_folder(cache->plan.directory, folder);
    PSOPACK_TRY(psopack_path_make_directory(folder, diag));
    PSOPACK_TRY(psopack_presence_open(cache->base, &cache->presence, diag));
    PSOPACK_TRY(psopack_presence_enter(&cache->presence, diag));
    psopack_status status = open_in_gate(cache, diag);
    psopack_presence_leave(&cache->presence);
    return status;
}

static psopack_status open_disk(psopack_session_cache *cache, psopack_diag *diag)
{
    psopack_session_path_base(cache->plan.directory, &cache->plan.identity, cache->base);
    psopack_diag reason = {0};
    psopack_status status = open_files(cache, &reason);
    if (status == PSOPACK_OK)
        return PSOPACK_OK;
    if (status == PSOPACK_E_EXISTS || status == PSOPACK_E_NOMEM) {
        if (diag)
            *diag = reason;
        return status;
    }
    psopack_session_cache_degrade(cache, status, &reason);
    return read_as_it_lies(cache, NULL) == PSOPACK_E_NOMEM ? PSOPACK_E_NOMEM : PSOPACK_OK;
}

psopack_status psopack_session_cache_open(const psopack_session_plan *plan,
                                          psopack_session_cache **ret_cache, psopack_diag *diag)
{
    psopack_session_cache *cache;
    PSOPACK_TRY(new_cache(plan, &cache, diag));
    psopack_status status = PSOPACK_OK;
    psopack_mutex_lock(&cache->writer);
    psopack_mutex_lock(&cache->mutex);
    if (plan->mode == PSOPACK_SESSION_DISK)
        status = open_disk(cache, diag);
    psopack_mutex_unlock(&cache->mutex);
    psopack_mutex_unlock(&cache->writer);
    if (status != PSOPACK_OK) {
        free_cache(cache);
        return status;
    }
    *ret_cache = cache;
    return PSOPACK_OK;
}

/* Clears when asked to and nobody else has it open; else the last one who closes will. */
static bool clear_at_close(psopack_session_cache *cache)
{
    const psopack_presence *presence = &cache->presence;
    if (!cache->delete_on_destroy && !psopack_presence_is_marked(presence))
        return false;
    if (psopack_presence_enter(presence, NULL) != PSOPACK_OK)
        return false;
    bool cleared = false;
    if (psopack_presence_set_mark(presence, true, NULL) == PSOPACK_OK &&
        psopack_presence_try_alone(presence, NULL) == PSOPACK_OK) {
        for (uint32_t slot = 0; slot < PSOPACK_SESSION_WRITERS_MAX; slot++)
            psopack_session_slot_close(cache, slot);
        cleared = psopack_session_remove_files(cache->base, presence, NULL) == PSOPACK_OK;
    }
    psopack_presence_leave(presence);
    return cleared;
}

void psopack_session_cache_close(psopack_session_cache *cache)
{
    psopack_mutex_lock(&cache->writer);
    psopack_mutex_lock(&cache->mutex);
    /* Nobody can be told of trouble here; psopack_session_flush() before closing can. */
    if (psopack_presence_is_open(&cache->presence) && !clear_at_close(cache))
        psopack_session_cache_checkpoint(cache, NULL);
    psopack_mutex_unlock(&cache->mutex);
    psopack_mutex_unlock(&cache->writer);
    free_cache(cache);
}
