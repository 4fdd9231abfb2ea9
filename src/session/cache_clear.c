/* SPDX-License-Identifier: MIT */
/* Clearing: a mark first, so that a clear that was begun is finished by whoever opens next. */
#include "platform/path.h"
#include "session/cache.h"

static psopack_status remove_if_there(const char *path, psopack_diag *diag)
{
    psopack_diag local;
    psopack_status status = psopack_path_remove(path, &local);
    if (status == PSOPACK_E_NO_ENTRY)
        return PSOPACK_OK;
    if (status != PSOPACK_OK && diag)
        *diag = local;
    return status;
}

psopack_status psopack_session_remove_files(const char *base, const psopack_presence *presence,
                                            psopack_diag *diag)
{
    char path[PSOPACK_SESSION_PATH_SIZE];
    PSOPACK_TRY(psopack_presence_set_mark(presence, true, diag));
    for (uint32_t slot = 0; slot < PSOPACK_SESSION_WRITERS_MAX; slot++) {
        psopack_session_path_index(base, slot, path);
        PSOPACK_TRY(remove_if_there(path, diag));
        psopack_session_path_values(base, slot, path);
        PSOPACK_TRY(remove_if_there(path, diag));
    }
    PSOPACK_TRY(psopack_presence_set_mark(presence, false, diag));
    return psopack_presence_set_files(presence, 1, diag);
}

/* With the gate held. */
static psopack_status clear_files(psopack_session_cache *cache, psopack_diag *diag)
{
    psopack_status status = psopack_presence_try_alone(&cache->presence, diag);
    if (status == PSOPACK_OK) {
        psopack_session_cache_forget(cache);
        for (uint32_t slot = 0; slot < PSOPACK_SESSION_WRITERS_MAX; slot++)
            psopack_session_slot_close(cache, slot);
        status = psopack_session_remove_files(cache->base, &cache->presence, diag);
        if (status == PSOPACK_OK)
            status = psopack_session_slot_own(cache, 0, diag);
        if (status != PSOPACK_OK)
            psopack_session_cache_degrade(cache, status, diag);
    }
    psopack_status shared =
        psopack_presence_share(&cache->presence, status == PSOPACK_OK ? diag : NULL);
    return status == PSOPACK_OK ? shared : status;
}

static psopack_status clear_locked(psopack_session_cache *cache, psopack_diag *diag)
{
    if (!psopack_presence_is_open(&cache->presence)) {
        /* Memory mode, or a disk that cannot be written: then it is no longer read either. */
        psopack_session_cache_forget(cache);
        for (uint32_t slot = 0; slot < PSOPACK_SESSION_WRITERS_MAX; slot++)
            psopack_session_slot_close(cache, slot);
        return cache->degraded;
    }
    PSOPACK_TRY(psopack_presence_enter(&cache->presence, diag));
    psopack_status status = clear_files(cache, diag);
    psopack_presence_leave(&cache->presence);
    return status;
}

psopack_status psopack_session_cache_clear(psopack_session_cache *cache, psopack_diag *diag)
{
    psopack_mutex_lock(&cache->writer);
    psopack_mutex_lock(&cache->mutex);
    psopack_status status = clear_locked(cache, diag);
    psopack_mutex_unlock(&cache->mutex);
    psopack_mutex_unlock(&cache->writer);
    return status;
}

psopack_status psopack_session_clear_closed(const char *base, psopack_diag *diag)
{
    psopack_presence presence;
    PSOPACK_TRY(psopack_presence_open(base, &presence, diag));
    psopack_status status = psopack_presence_enter(&presence, diag);
    if (status == PSOPACK_OK) {
        status = psopack_presence_try_alone(&presence, diag);
        if (status == PSOPACK_OK)
            status = psopack_session_remove_files(base, &presence, diag);
        psopack_presence_leave(&presence);
    }
    psopack_presence_close(&presence);
    return status;
}
