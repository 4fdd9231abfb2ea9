/* SPDX-License-Identifier: MIT */
/* What is done with an open session: arguments are checked here, the cache does the work. */
#include <string.h>

#include "session/session_host.h"

static bool is_disabled(const psopack_session *session)
{
    return atomic_load_explicit(&session->host->disabled, memory_order_relaxed);
}

psopack_status psopack_session_find(psopack_session *session, const void *key, size_t key_size,
                                    void *value, size_t *value_size)
{
    if (!session || !key || key_size == 0 || !value_size)
        return PSOPACK_E_ARGUMENT;
    if (is_disabled(session))
        return PSOPACK_E_UNAVAILABLE;
    if (key_size > PSOPACK_SESSION_KEY_MAX)
        return PSOPACK_E_NOT_FOUND;
    return psopack_session_cache_find(session->cache, key, (uint32_t)key_size, value, value_size);
}

psopack_status psopack_session_store(psopack_session *session, const void *key, size_t key_size,
                                     const void *value, size_t value_size)
{
    if (!session || !key || key_size == 0 || (!value && value_size > 0))
        return PSOPACK_E_ARGUMENT;
    if (is_disabled(session))
        return PSOPACK_E_UNAVAILABLE;
    if (key_size > PSOPACK_SESSION_KEY_MAX || value_size > PSOPACK_SESSION_VALUE_MAX)
        return PSOPACK_E_LIMIT;
    return psopack_session_cache_store(session->cache, key, (uint32_t)key_size, value,
                                       (uint32_t)value_size);
}

void psopack_session_set_delete_on_destroy(psopack_session *session)
{
    if (!session)
        return;
    psopack_mutex_lock(&session->cache->mutex);
    session->cache->delete_on_destroy = true;
    psopack_mutex_unlock(&session->cache->mutex);
}

void psopack_session_get_desc(const psopack_session *session, psopack_session_desc *ret_desc)
{
    *ret_desc = session->desc;
}

psopack_status psopack_session_flush(psopack_session *session, psopack_diag *diag)
{
    if (!session)
        return psopack_fail(diag, PSOPACK_E_ARGUMENT, "session is NULL");
    if (is_disabled(session))
        return psopack_fail(diag, PSOPACK_E_UNAVAILABLE, "sessions are disabled");
    psopack_session_cache *cache = session->cache;
    psopack_mutex_lock(&cache->writer);
    psopack_mutex_lock(&cache->mutex);
    psopack_status status = psopack_session_cache_flush(cache, diag);
    if (status == PSOPACK_OK && cache->degraded != PSOPACK_OK)
        status = psopack_fail(diag, cache->degraded, "%s", cache->degraded_text);
    psopack_mutex_unlock(&cache->mutex);
    psopack_mutex_unlock(&cache->writer);
    return status;
}

void psopack_session_get_state(psopack_session *session, psopack_session_state *ret_state)
{
    psopack_session_cache *cache = session->cache;
    size_t room = ret_state->struct_size;
    psopack_session_state state;
    psopack_mutex_lock(&session->host->mutex);
    psopack_mutex_lock(&cache->mutex);
    psopack_session_cache_get_state(cache, &state);
    psopack_mutex_unlock(&cache->mutex);
    psopack_mutex_unlock(&session->host->mutex);
    state.struct_size = room;
    memcpy(ret_state, &state, room < sizeof state ? room : sizeof state);
}
