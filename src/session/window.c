/* SPDX-License-Identifier: MIT */
/* A doubly linked list from the newest item to the oldest, and two sums. */
#include "session/window.h"

static size_t item_size(uint32_t key_size, uint32_t value_size)
{
    return sizeof(psopack_window_item) + key_size + value_size;
}

psopack_window_item *psopack_window_item_new(const psopack_allocator *allocator, uint64_t hash,
                                             uint32_t key_size, uint32_t value_size)
{
    psopack_window_item *item =
        psopack_session_allocate(allocator, item_size(key_size, value_size));
    if (!item)
        return NULL;
    item->newer = NULL;
    item->older = NULL;
    item->hash = hash;
    item->key_size = key_size;
    item->value_size = value_size;
    return item;
}

void psopack_window_item_free(const psopack_allocator *allocator, psopack_window_item *item)
{
    if (item)
        psopack_session_release(allocator, item, item_size(item->key_size, item->value_size));
}

bool psopack_window_fits(const psopack_window *window, uint32_t key_size, uint32_t value_size)
{
    return window->entries_max > 0 && (uint64_t)key_size + value_size <= window->bytes_max;
}

void psopack_window_put(psopack_window *window, psopack_window_item *item)
{
    item->newer = NULL;
    item->older = window->newest;
    if (window->newest)
        window->newest->newer = item;
    else
        window->oldest = item;
    window->newest = item;
    window->entries++;
    window->bytes += (uint64_t)item->key_size + item->value_size;
}

psopack_window_item *psopack_window_excess(const psopack_window *window)
{
    if (window->entries > window->entries_max || window->bytes > window->bytes_max)
        return window->oldest;
    return NULL;
}

void psopack_window_take(psopack_window *window, psopack_window_item *item)
{
    if (item->newer)
        item->newer->older = item->older;
    else
        window->newest = item->older;
    if (item->older)
        item->older->newer = item->newer;
    else
        window->oldest = item->newer;
    window->entries--;
    window->bytes -= (uint64_t)item->key_size + item->value_size;
}

void psopack_window_renew(psopack_window *window, psopack_window_item *item)
{
    if (window->newest == item)
        return;
    psopack_window_take(window, item);
    psopack_window_put(window, item);
}
