/* SPDX-License-Identifier: MIT */
/* The one place where index and window change together. */
#include "session/cache.h"

static void evict_item(psopack_session_cache *cache, psopack_window_item *item)
{
    psopack_session_entry *entry = psopack_entry_index_find(&cache->index, item->hash);
    entry->item = NULL;
    psopack_window_take(&cache->window, item);
    psopack_window_item_free(cache->plan.allocator, item);
    if (entry->file == PSOPACK_FILE_MEMORY)
        psopack_entry_index_remove(&cache->index, entry);
}

void psopack_session_cache_keep(psopack_session_cache *cache, psopack_session_entry *entry,
                                psopack_window_item *item)
{
    entry->item = item;
    psopack_window_put(&cache->window, item);
    psopack_window_item *oldest;
    while ((oldest = psopack_window_excess(&cache->window)) != NULL)
        evict_item(cache, oldest);
}

void psopack_session_cache_drop(psopack_session_cache *cache, psopack_session_entry *entry)
{
    if (entry->item) {
        psopack_window_take(&cache->window, entry->item);
        psopack_window_item_free(cache->plan.allocator, entry->item);
    }
    psopack_entry_index_remove(&cache->index, entry);
}

void psopack_session_cache_forget(psopack_session_cache *cache)
{
    while (cache->window.oldest) {
        psopack_window_item *item = cache->window.oldest;
        psopack_window_take(&cache->window, item);
        psopack_window_item_free(cache->plan.allocator, item);
    }
    psopack_entry_index_clear(&cache->index);
}
