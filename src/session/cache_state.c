/* SPDX-License-Identifier: MIT */
/* Health and counters of a cache, and waiting for its readers. */
#include <stdio.h>
#include <string.h>

#include "session/cache.h"

void psopack_session_cache_degrade(psopack_session_cache *cache, psopack_status status,
                                   const psopack_diag *diag)
{
    if (cache->degraded != PSOPACK_OK)
        return;
    cache->degraded = status;
    const char *text = diag && diag->code == status ? diag->text : psopack_status_text(status);
    snprintf(cache->degraded_text, sizeof cache->degraded_text, "%.*s",
             (int)sizeof cache->degraded_text - 1, text);
}

void psopack_session_cache_wait_idle(psopack_session_cache *cache)
{
    cache->draining = true;
    while (cache->readers > 0)
        psopack_cond_wait(&cache->idle, &cache->mutex);
    cache->draining = false;
    psopack_cond_broadcast(&cache->idle);
}

void psopack_session_cache_get_state(const psopack_session_cache *cache,
                                     psopack_session_state *ret_state)
{
    const psopack_session_plan *plan = &cache->plan;
    const psopack_session_counters *counters = &cache->counters;
    *ret_state = (psopack_session_state){
        .struct_size = sizeof *ret_state,
        .degraded = cache->degraded,
        .memory_bytes_limit = plan->memory_bytes_max,
        .value_file_limit = plan->value_file_max,
        .memory_entries_limit = plan->memory_entries_max,
        .sessions = cache->sessions,
        .entries = cache->index.count,
        .memory_entries = cache->window.entries,
        .memory_bytes = cache->window.bytes,
        .value_file_bytes = psopack_session_cache_file_bytes(cache),
        .damaged_records = counters->damaged,
        .memory_only_stores = counters->memory_only,
        .finds_memory = counters->finds_memory,
        .finds_disk = counters->finds_disk,
        .misses = counters->misses,
        .evicted_entries = counters->evicted,
        .merged_entries = counters->merged,
    };
    if (cache->own_slot != PSOPACK_SLOT_NONE)
        ret_state->unflushed_bytes = cache->slots[cache->own_slot].end - cache->flushed_end;
    memcpy(ret_state->text, cache->degraded_text, sizeof ret_state->text);
}
