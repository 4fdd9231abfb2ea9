/* SPDX-License-Identifier: MIT */
/*
 * A block starts with the largest item left and grows by the item that is most like any member.
 *
 * Candidates come from the sketches: per lane, unused items with the same minimum form a ring in
 * item order. An item that joins a block is compared with the REACH nearest items on both sides of
 * it in each of its rings, then leaves its rings. So the work per item is bounded by
 * lanes * 2 * REACH, however large a ring is (a million equal items are one ring per lane).
 * Nearest in item order means nearest in first use: mostly related PSOs.
 * When likeness offers nothing that fits, the block takes the items that follow its seed.
 */
#include "packer/block_cut.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "format/error.h"
#include "format/layout.h"

enum {
    LANES = PSOPACK_SKETCH_LANES,
    REACH = 4,      /* 16 or 64 change corpus sizes by less than 0.05 % */
    FILL_TRIES = 32 /* items after the seed that are tried for the rest of a block */
};

#define NO_ITEM UINT32_MAX

typedef struct link {
    uint32_t next;
    uint32_t previous;
} link;

/* A stack per likeness, all stacks in one array: `below` is the entry under this one. */
typedef struct candidate {
    uint32_t item;
    uint32_t below;
} candidate;

typedef struct cutter {
    const psopack_item *items;
    const psopack_sketch *sketches;
    uint32_t count;
    uint32_t members_max;
    size_t target_bytes;

    link *rings;           /* [item * LANES + lane] */
    link *unused;          /* one ring of all unused items; [count] is its anchor */
    uint32_t *compared;    /* the last member this item was compared with */
    uint32_t *liked_block; /* the block that `likeness` is about */
    uint8_t *likeness;     /* most equal lanes with any member of that block */
    uint8_t *used;

    candidate *candidates;
    uint32_t candidate_count;
    uint32_t top[LANES + 1];

    uint32_t *order; /* as in psopack_cut, blocks in the order they were filled */
    uint32_t *first;
    uint32_t ordered;

    uint32_t block;     /* number of the open block */
    uint32_t members;   /* items in it */
    size_t room;        /* bytes left in it */
    uint32_t fill_from; /* the first unused item after its seed */
} cutter;

/* Radix sort of (value << 32 | item) by value. Stable: equal values keep the items' order. */
static void sort_by_value(uint64_t *keys, uint64_t *spare, size_t count)
{
    for (unsigned shift = 32; shift < 64; shift += 8) {
        size_t start[256] = {0};
        for (size_t i = 0; i < count; i++)
            start[keys[i] >> shift & 255]++;
        size_t sum = 0;
        for (size_t digit = 0; digit < 256; digit++) {
            size_t here = start[digit];
            start[digit] = sum;
            sum += here;
        }
        for (size_t i = 0; i < count; i++)
            spare[start[keys[i] >> shift & 255]++] = keys[i];
        uint64_t *swap = keys;
        keys = spare;
        spare = swap;
    } /* an even number of passes: the result is back in the caller's `keys` */
}

/* Links items of equal value, neighbours in `sorted`, into rings. */
static void link_lane(cutter *c, const uint64_t *sorted, uint32_t lane)
{
    for (uint32_t begin = 0, end; begin < c->count; begin = end) {
        end = begin + 1;
        while (end < c->count && sorted[end] >> 32 == sorted[begin] >> 32)
            end++;
        uint32_t previous = (uint32_t)sorted[end - 1];
        for (uint32_t i = begin; i < end; i++) {
            uint32_t item = (uint32_t)sorted[i];
            c->rings[(size_t)item * LANES + lane].previous = previous;
            c->rings[(size_t)previous * LANES + lane].next = item;
            previous = item;
        }
    }
}

static void link_rings(cutter *c, uint64_t *keys, uint64_t *spare)
{
    for (uint32_t lane = 0; lane < LANES; lane++) {
        for (uint32_t i = 0; i < c->count; i++)
            keys[i] = (uint64_t)c->sketches[i].lane[lane] << 32 | i;
        sort_by_value(keys, spare, c->count);
        link_lane(c, keys, lane);
    }
    for (uint32_t i = 0; i <= c->count; i++) {
        c->unused[i].next = i == c->count ? 0 : i + 1;
        c->unused[i].previous = i == 0 ? c->count : i - 1;
    }
}

static void unlink_item(link *base, size_t stride, uint32_t item)
{
    link here = base[item * stride];
    base[here.previous * stride].next = here.next;
    base[here.next * stride].previous = here.previous;
}

static void consider(cutter *c, uint32_t member, uint32_t other)
{
    if (c->compared[other] == member)
        return;
    c->compared[other] = member;
    if (c->liked_block[other] != c->block) {
        c->liked_block[other] = c->block;
        c->likeness[other] = 0;
    }
    unsigned equal = psopack_sketch_equal_lanes(&c->sketches[member], &c->sketches[other]);
    if (equal <= c->likeness[other])
        return;
    c->likeness[other] = (uint8_t)equal;
    c->candidates[c->candidate_count] = (candidate){other, c->top[equal]};
    c->top[equal] = c->candidate_count++;
}

static void consider_neighbours(cutter *c, uint32_t member)
{
    for (uint32_t lane = 0; lane < LANES; lane++) {
        if (c->sketches[member].lane[lane] == PSOPACK_SKETCH_EMPTY)
            continue;
        const link *ring = c->rings + lane;
        uint32_t after = member, before = member;
        for (int i = 0; i < REACH; i++) {
            after = ring[(size_t)after * LANES].next;
            before = ring[(size_t)before * LANES].previous;
            if (after == member)
                break;
            consider(c, member, after);
            consider(c, member, before);
        }
    }
}

/* Puts an unused item into the open block. The last member of a full block looks at nobody. */
static void add_member(cutter *c, uint32_t item)
{
    size_t size = c->items[item].size;
    c->room = size < c->room ? c->room - size : 0;
    c->members++;
    c->order[c->ordered++] = item;
    c->used[item] = 1;
    if (c->members < c->members_max && c->room > 0)
        consider_neighbours(c, item);
    if (item == c->fill_from)
        c->fill_from = c->unused[item].next;
    unlink_item(c->unused, 1, item);
    for (uint32_t lane = 0; lane < LANES; lane++)
        unlink_item(c->rings + lane, LANES, item);
}

/* The most alike unused item that fits. One that does not fit now never will: room only shrinks. */
static uint32_t take_most_alike(cutter *c)
{
    for (uint32_t equal = LANES; equal > 0; equal--) {
        while (c->top[equal] != NO_ITEM) {
            candidate top = c->candidates[c->top[equal]];
            c->top[equal] = top.below;
            bool stale = c->used[top.item] || c->likeness[top.item] != equal;
            if (!stale && c->items[top.item].size <= c->room)
                return top.item;
        }
    }
    return NO_ITEM;
}

static uint32_t take_following(cutter *c)
{
    uint32_t item = c->fill_from;
    for (int i = 0; i < FILL_TRIES && item != c->count; i++) {
        if (c->items[item].size <= c->room)
            return item;
        item = c->unused[item].next;
    }
    return NO_ITEM;
}

static void fill_block(cutter *c, uint32_t seed)
{
    c->members = 0;
    c->room = c->target_bytes;
    c->candidate_count = 0;
    for (uint32_t equal = 0; equal <= LANES; equal++)
        c->top[equal] = NO_ITEM;
    c->fill_from = seed;
    for (uint32_t item = seed; item != NO_ITEM;) {
        add_member(c, item);
        if (c->members == c->members_max || c->room == 0)
            return;
        item = take_most_alike(c);
        if (item == NO_ITEM)
            item = take_following(c);
    }
}

/* Seeds run from the largest item down, so that what is left at the end fits somewhere. */
static void fill_blocks(cutter *c, uint64_t *keys, uint64_t *spare)
{
    for (uint32_t i = 0; i < c->count; i++) {
        size_t size = c->items[i].size < UINT32_MAX ? c->items[i].size : UINT32_MAX;
        keys[i] = (uint64_t)(UINT32_MAX - size) << 32 | i;
    }
    sort_by_value(keys, spare, c->count);
    for (uint32_t i = 0; i < c->count; i++) {
        uint32_t seed = (uint32_t)keys[i];
        if (c->used[seed])
            continue;
        c->first[c->block] = c->ordered;
        fill_block(c, seed);
        c->block++;
    }
    c->first[c->block] = c->ordered;
}

static int compare_items(const void *a, const void *b)
{
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    return (left > right) - (left < right);
}

/* Items of a block in item order, blocks in the order of their first items. */
static void put_in_item_order(const cutter *c, uint64_t *keys, uint64_t *spare, psopack_cut *cut)
{
    for (uint32_t b = 0; b < c->block; b++) {
        uint32_t *members = c->order + c->first[b];
        qsort(members, c->first[b + 1] - c->first[b], sizeof *members, compare_items);
        keys[b] = (uint64_t)members[0] << 32 | b;
    }
    sort_by_value(keys, spare, c->block);
    uint32_t at = 0;
    for (uint32_t i = 0; i < c->block; i++) {
        uint32_t b = (uint32_t)keys[i], size = c->first[b + 1] - c->first[b];
        memcpy(cut->order + at, c->order + c->first[b], size * sizeof *cut->order);
        cut->first[i] = at;
        at += size;
    }
    cut->first[c->block] = at;
    cut->block_count = c->block;
}

static psopack_status check_arguments(size_t count, const psopack_cut_limits *limits,
                                      psopack_diag *diag)
{
    if (limits->members_max == 0 || limits->members_max > PSOPACK_CUT_MEMBERS_MAX)
        return psopack_fail(diag, PSOPACK_E_ARGUMENT,
                            "a block may hold 1 to %d components, not %" PRIu32,
                            PSOPACK_CUT_MEMBERS_MAX, limits->members_max);
    if (count > PSOPACK_ITEMS_MAX)
        return psopack_fail(diag, PSOPACK_E_LIMIT,
                            "%zu components of one kind; the limit is %" PRIu32, count,
                            PSOPACK_ITEMS_MAX);
    return PSOPACK_OK;
}

static psopack_status allocate_cut(psopack_cut *cut, size_t count, psopack_diag *diag)
{
    cut->order = malloc((count + 1) * sizeof *cut->order);
    cut->first = malloc((count + 1) * sizeof *cut->first);
    if (cut->order != NULL && cut->first != NULL)
        return PSOPACK_OK;
    psopack_cut_free(cut);
    return psopack_fail(diag, PSOPACK_E_NOMEM, "no memory to cut %zu components into blocks",
                        count);
}

static bool allocate_cutter(cutter *c)
{
    size_t n = (size_t)c->count + 1;
    c->rings = malloc(n * LANES * sizeof *c->rings);
    c->unused = malloc(n * sizeof *c->unused);
    c->compared = malloc(n * sizeof *c->compared);
    c->liked_block = malloc(n * sizeof *c->liked_block);
    c->likeness = calloc(n, sizeof *c->likeness);
    c->used = calloc(n, sizeof *c->used);
    c->candidates = malloc((size_t)c->members_max * LANES * 2 * REACH * sizeof *c->candidates);
    c->order = malloc(n * sizeof *c->order);
    c->first = malloc(n * sizeof *c->first);
    if (!c->rings || !c->unused || !c->compared || !c->liked_block || !c->likeness || !c->used ||
        !c->candidates || !c->order || !c->first)
        return false;
    memset(c->compared, 0xff, n * sizeof *c->compared);
    memset(c->liked_block, 0xff, n * sizeof *c->liked_block);
    return true;
}

static void free_cutter(cutter *c)
{
    free(c->rings);
    free(c->unused);
    free(c->compared);
    free(c->liked_block);
    free(c->likeness);
    free(c->used);
    free(c->candidates);
    free(c->order);
    free(c->first);
}

psopack_status psopack_cut_by_similarity(psopack_cut *ret_cut, const psopack_item *items,
                                         const psopack_sketch *sketches, size_t count,
                                         const psopack_cut_limits *limits, psopack_diag *diag)
{
    PSOPACK_TRY(check_arguments(count, limits, diag));
    psopack_cut cut = {0};
    PSOPACK_TRY(allocate_cut(&cut, count, diag));
    cutter c = {.items = items,
                .sketches = sketches,
                .count = (uint32_t)count,
                .members_max = limits->members_max,
                .target_bytes = limits->target_bytes};
    uint64_t *keys = malloc((count + 1) * sizeof *keys);
    uint64_t *spare = malloc((count + 1) * sizeof *spare);
    bool enough = allocate_cutter(&c) && keys != NULL && spare != NULL;
    if (enough) {
        link_rings(&c, keys, spare);
        fill_blocks(&c, keys, spare);
        put_in_item_order(&c, keys, spare, &cut);
    }
    free(keys);
    free(spare);
    free_cutter(&c);
    if (!enough) {
        psopack_cut_free(&cut);
        return psopack_fail(diag, PSOPACK_E_NOMEM,
                            "no memory to group %zu components by similarity", count);
    }
    *ret_cut = cut;
    return PSOPACK_OK;
}

psopack_status psopack_cut_in_order(psopack_cut *ret_cut, const psopack_item *items, size_t count,
                                    const psopack_cut_limits *limits, psopack_diag *diag)
{
    PSOPACK_TRY(check_arguments(count, limits, diag));
    psopack_cut cut = {0};
    PSOPACK_TRY(allocate_cut(&cut, count, diag));
    size_t room = 0;
    uint32_t members = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (room == 0 || items[i].size > room || members == limits->members_max) {
            cut.first[cut.block_count++] = i;
            room = limits->target_bytes;
            members = 0;
        }
        cut.order[i] = i;
        room = items[i].size < room ? room - items[i].size : 0;
        members++;
    }
    cut.first[cut.block_count] = (uint32_t)count;
    *ret_cut = cut;
    return PSOPACK_OK;
}

size_t psopack_cut_target(const psopack_cut_aim *aim, uint64_t raw_bytes, uint64_t packed_bytes,
                          uint64_t items)
{
    enum { MEAN_ITEMS = 3 };
    uint64_t target = aim->raw_max, cap = 2 * (uint64_t)aim->raw_max, least = 0;
    while (raw_bytes > UINT64_MAX / PSOPACK_BLOCK_SIZE_MAX) { /* the products fit 64 bits */
        raw_bytes /= 2;
        packed_bytes /= 2;
        items = (items + 1) / 2;
    }
    if (packed_bytes > 0)
        target = aim->packed_bytes * raw_bytes / packed_bytes;
    if (items > 0)
        least = MEAN_ITEMS * raw_bytes / items < cap ? MEAN_ITEMS * raw_bytes / items : cap;
    target = target > aim->raw_max ? aim->raw_max : target;
    target = target < aim->raw_min ? aim->raw_min : target;
    return (size_t)(target < least ? least : target);
}

void psopack_cut_free(psopack_cut *cut)
{
    free(cut->order);
    free(cut->first);
    *cut = (psopack_cut){0};
}
