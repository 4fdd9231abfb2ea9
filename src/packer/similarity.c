/* SPDX-License-Identifier: MIT */
/* One-permutation MinHash: one hash per window serves all lanes. */
#include "packer/similarity.h"

#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

enum {
    WINDOW = 16,      /* bytes: one instruction in its context, see TRANSFORMS 2.3 */
    SMALL_WINDOW = 4, /* items too small to hold enough windows of 16 */
    SMALL_ITEM = 64
};

unsigned psopack_window_step(const psopack_item *items, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (items[i].size % 4 != 0)
            return 1;
    return 4;
}

void psopack_sketch_item(psopack_sketch *ret_sketch, const uint8_t *bytes, size_t size,
                         unsigned step)
{
    memset(ret_sketch, 0xff, sizeof *ret_sketch);
    size_t window = size < SMALL_ITEM ? SMALL_WINDOW : WINDOW;
    if (size < window)
        return;
    for (size_t at = 0; at <= size - window; at += step) {
        uint64_t hash = XXH3_64bits(bytes + at, window);
        uint32_t *lane = &ret_sketch->lane[hash % PSOPACK_SKETCH_LANES];
        uint32_t value = (uint32_t)(hash >> 32);
        if (value < *lane)
            *lane = value;
    }
}

unsigned psopack_sketch_equal_lanes(const psopack_sketch *a, const psopack_sketch *b)
{
    unsigned equal = 0;
    for (size_t i = 0; i < PSOPACK_SKETCH_LANES; i++)
        equal += a->lane[i] == b->lane[i] && a->lane[i] != PSOPACK_SKETCH_EMPTY;
    return equal;
}
