/* SPDX-License-Identifier: MIT */
/*
 * The in-memory window: the newest stored and found entries, up to a number of bytes and of
 * entries.
 *
 * An item is one record as it lies in a file (head, key, value), so that it can be read and written
 * in one piece. Bytes are counted as key plus value.
 */
#ifndef PSOPACK_SESSION_WINDOW_H
#define PSOPACK_SESSION_WINDOW_H

#include <stdbool.h>

#include "session/session_memory.h"
#include "session/session_record.h"

typedef struct psopack_window_item psopack_window_item;
struct psopack_window_item {
    psopack_window_item *newer;
    psopack_window_item *older;
    uint64_t hash;
    uint32_t key_size;
    uint32_t value_size;
    psopack_disk_record record; /* key and value follow */
};

typedef struct psopack_window {
    const psopack_allocator *allocator;
    uint64_t bytes_max;
    uint32_t entries_max;
    uint32_t entries;
    uint64_t bytes;
    psopack_window_item *newest;
    psopack_window_item *oldest;
} psopack_window;

static inline uint8_t *psopack_window_key(psopack_window_item *item)
{
    return (uint8_t *)(&item->record + 1);
}

static inline uint8_t *psopack_window_value(psopack_window_item *item)
{
    return psopack_window_key(item) + item->key_size;
}

/* An item with room for key and value, in no window yet; NULL when out of memory. */
psopack_window_item *psopack_window_item_new(const psopack_allocator *allocator, uint64_t hash,
                                             uint32_t key_size, uint32_t value_size);

void psopack_window_item_free(const psopack_allocator *allocator, psopack_window_item *item);

/* True when an entry of these sizes fits the window at all. */
bool psopack_window_fits(const psopack_window *window, uint32_t key_size, uint32_t value_size);

/* Makes `item`, which fits, the newest. The window may pass its limits until the caller has taken
 * out psopack_window_excess() items. */
void psopack_window_put(psopack_window *window, psopack_window_item *item);

/* The item that has to go while the window is over a limit, else NULL. */
psopack_window_item *psopack_window_excess(const psopack_window *window);

/* Takes an item out; it belongs to the caller again. */
void psopack_window_take(psopack_window *window, psopack_window_item *item);

/* Makes an item of the window the newest one. */
void psopack_window_renew(psopack_window *window, psopack_window_item *item);

#endif
