/* SPDX-License-Identifier: MIT */
/*
 * Greedy coverage with a lazy heap.
 *
 * Scores only fall as windows become covered, so the heap holds upper bounds: the top is re-scored
 * and, if it still beats the next one, taken; else it sinks. Windows are counted in an open
 * addressing table. Two windows that share a tag and a probe path count as one: that costs ratio,
 * never bytes.
 */
#include "packer/base_select.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "format/error.h"

enum {
    WINDOW = 16,
    USES_MAX = 64 /* more would let the commonest windows crowd out the rest */
};

typedef struct window_slot {
    uint32_t tag;   /* 0: the slot is free */
    uint32_t uses;  /* items that hold the window; 0 once the base holds it */
    uint32_t visit; /* the last visit that met it: a window counts once per item */
} window_slot;

/* A score is copies saved per byte. A fraction, since equal input has to give equal archives, and
 * not all processors round alike. `size` is at most a block's, `saved` USES_MAX times that. */
typedef struct heap_entry {
    uint64_t saved; /* an upper bound until counted again */
    uint32_t size;
    uint32_t item;
} heap_entry;

typedef struct selector {
    const psopack_item *items;
    uint32_t count;
    unsigned step;
    uint32_t visit;     /* the visit under way */
    uint64_t unsampled; /* windows with any of these hash bits set are not looked at */
    window_slot *table;
    size_t table_mask;
    size_t table_room; /* slots that may still be taken: the table is never full */
    heap_entry *heap;
    size_t heap_size;
} selector;

/* ---- windows ---- */

/* The slot of a window, made if it is new; NULL when the table has no room for it. */
static window_slot *find_slot(selector *s, uint64_t hash)
{
    uint32_t tag = (uint32_t)(hash >> 32) | 1;
    size_t at = (size_t)(hash >> 8) & s->table_mask;
    while (s->table[at].tag != 0) {
        if (s->table[at].tag == tag)
            return &s->table[at];
        at = (at + 1) & s->table_mask;
    }
    if (s->table_room == 0)
        return NULL;
    s->table_room--;
    s->table[at].tag = tag;
    return &s->table[at];
}

typedef enum visit_purpose { VISIT_COUNT, VISIT_SCORE, VISIT_COVER } visit_purpose;

/* Goes over the distinct sampled windows of an item. Returns the copies that it would save. */
static uint64_t visit_windows(selector *s, const psopack_item *item, visit_purpose purpose)
{
    uint64_t saved = 0;
    s->visit++;
    for (size_t at = 0; item->size >= WINDOW && at <= item->size - WINDOW; at += s->step) {
        uint64_t hash = XXH3_64bits(item->bytes + at, WINDOW);
        if ((hash & s->unsampled) != 0)
            continue;
        window_slot *slot = find_slot(s, hash);
        if (slot == NULL || slot->visit == s->visit)
            continue;
        slot->visit = s->visit;
        if (purpose == VISIT_COUNT)
            slot->uses += slot->uses < USES_MAX;
        else if (purpose == VISIT_COVER)
            slot->uses = 0;
        else if (slot->uses > 1)
            saved += slot->uses - 1;
    }
    return saved;
}

/* ---- heap: the best score on top, equal scores by item ---- */

static bool beats(heap_entry a, heap_entry b)
{
    uint64_t left = a.saved * b.size, right = b.saved * a.size;
    return left > right || (left == right && a.item < b.item);
}

static void sift_down(heap_entry *heap, size_t size, size_t at)
{
    heap_entry moved = heap[at];
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= size)
            break;
        if (child + 1 < size && beats(heap[child + 1], heap[child]))
            child++;
        if (!beats(heap[child], moved))
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = moved;
}

static void pop(selector *s)
{
    s->heap[0] = s->heap[--s->heap_size];
    if (s->heap_size > 0)
        sift_down(s->heap, s->heap_size, 0);
}

static void build_heap(selector *s, size_t max_bytes)
{
    for (uint32_t i = 0; i < s->count; i++)
        visit_windows(s, &s->items[i], VISIT_COUNT);
    for (uint32_t i = 0; i < s->count; i++) {
        if (s->items[i].size < WINDOW || s->items[i].size > max_bytes)
            continue;
        heap_entry entry = {.size = (uint32_t)s->items[i].size, .item = i};
        entry.saved = visit_windows(s, &s->items[i], VISIT_SCORE);
        if (entry.saved > 0)
            s->heap[s->heap_size++] = entry;
    }
    for (size_t i = s->heap_size / 2; i-- > 0;)
        sift_down(s->heap, s->heap_size, i);
}

/* ---- selection ---- */

/* Makes the heap's top exact. False when nothing is left that saves anything. */
static bool settle_top(selector *s)
{
    while (s->heap_size > 0) {
        heap_entry *top = &s->heap[0];
        uint64_t bound = top->saved;
        top->saved = visit_windows(s, &s->items[top->item], VISIT_SCORE);
        if (top->saved >= bound)
            return true;
        if (top->saved > 0)
            sift_down(s->heap, s->heap_size, 0);
        else
            pop(s);
    }
    return false;
}

static size_t choose_items(selector *s, uint32_t *ret_chosen, size_t max_bytes)
{
    size_t chosen = 0, room = max_bytes;
    while (s->heap_size > 0) {
        if (s->items[s->heap[0].item].size > room) {
            pop(s);
            continue;
        }
        if (!settle_top(s))
            break;
        uint32_t item = s->heap[0].item;
        if (s->items[item].size > room)
            continue;
        visit_windows(s, &s->items[item], VISIT_COVER);
        room -= s->items[item].size;
        ret_chosen[chosen++] = item;
        pop(s);
    }
    return chosen;
}

/* Sizes the table to the windows, and samples them when there are too many. */
static bool allocate_selector(selector *s)
{
    uint64_t windows = 0;
    for (uint32_t i = 0; i < s->count; i++)
        windows += s->items[i].size / s->step + 1;
    unsigned halvings = 0;
    while (windows >> halvings > PSOPACK_BASE_WINDOWS_MAX)
        halvings++;
    s->unsampled = (UINT64_C(1) << halvings) - 1;
    size_t slots = 1024;
    while (slots / 4 * 3 < windows >> halvings)
        slots *= 2;
    s->table_mask = slots - 1;
    s->table_room = slots / 8 * 7;
    s->table = calloc(slots, sizeof *s->table);
    s->heap = malloc(((size_t)s->count + 1) * sizeof *s->heap);
    return s->table != NULL && s->heap != NULL;
}

psopack_status psopack_base_select(uint32_t *ret_chosen, size_t *ret_count,
                                   const psopack_item *items, size_t count, size_t max_bytes,
                                   psopack_diag *diag)
{
    if (count > PSOPACK_ITEMS_MAX)
        return psopack_fail(diag, PSOPACK_E_LIMIT,
                            "%zu components of one kind; the limit is %" PRIu32, count,
                            PSOPACK_ITEMS_MAX);
    selector s = {.items = items, .count = (uint32_t)count};
    s.step = psopack_window_step(items, count);
    bool enough = allocate_selector(&s);
    if (enough) {
        build_heap(&s, max_bytes);
        *ret_count = choose_items(&s, ret_chosen, max_bytes);
    }
    free(s.table);
    free(s.heap);
    if (!enough)
        return psopack_fail(diag, PSOPACK_E_NOMEM,
                            "no memory to choose a base among %zu components", count);
    return PSOPACK_OK;
}
