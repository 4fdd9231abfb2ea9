/* SPDX-License-Identifier: MIT */
/*
 * Cutting the items of one kind into blocks: which items share a block, and in which order.
 *
 * Two ways with one result shape. psopack_cut_by_similarity gathers similar items, so that a small
 * block finds more of itself in itself; psopack_cut_in_order keeps the given order (cheaper, and
 * as good where a base holds nearly everything).
 */
#ifndef PSOPACK_PACKER_BLOCK_CUT_H
#define PSOPACK_PACKER_BLOCK_CUT_H

#include "packer/similarity.h"

#define PSOPACK_CUT_MEMBERS_MAX 4096

typedef struct psopack_cut_limits {
    size_t target_bytes;  /* a block's raw size stays at or below this; a larger item is alone */
    uint32_t members_max; /* items in one block, 1 to PSOPACK_CUT_MEMBERS_MAX */
} psopack_cut_limits;

/*
 * order[0 .. count) is a permutation of 0 .. count - 1. Block b holds the items
 * order[first[b] .. first[b + 1]); first[block_count] is the item count.
 * Owned by the caller: release with psopack_cut_free.
 */
typedef struct psopack_cut {
    uint32_t *order;
    uint32_t *first;
    size_t block_count;
} psopack_cut;

/*
 * Gathers similar items into blocks. `sketches[i]` belongs to `items[i]`.
 *
 * Near-linear: per item a bounded number of neighbours is looked at, whatever the data: see
 * block_cut.c. Memory: about 400 bytes per item beside the sketches (128). Measured: see there.
 * Blocks come in the order of their first item, so a file stays roughly in the items' order.
 *
 * Errors: PSOPACK_E_NOMEM; PSOPACK_E_LIMIT for more than PSOPACK_ITEMS_MAX items;
 * PSOPACK_E_ARGUMENT for members_max out of range. *ret_cut is written on success only.
 */
psopack_status psopack_cut_by_similarity(psopack_cut *ret_cut, const psopack_item *items,
                                         const psopack_sketch *sketches, size_t count,
                                         const psopack_cut_limits *limits, psopack_diag *diag);

/* Fills blocks in the given order. Errors as above. */
psopack_status psopack_cut_in_order(psopack_cut *ret_cut, const psopack_item *items, size_t count,
                                    const psopack_cut_limits *limits, psopack_diag *diag);

/* How large blocks should be, in terms of what a read costs. */
typedef struct psopack_cut_aim {
    uint32_t packed_bytes; /* compressed size of a block: decoding costs about 10 ns for each */
    uint32_t raw_min;
    uint32_t raw_max; /* bounds of the block's raw size */
} psopack_cut_aim;

/*
 * The target size for a kind of which a sample of raw_bytes (`items` components) compresses to
 * packed_bytes. Decoding time goes with the compressed size, so a kind that shrinks well can have
 * larger blocks at the same latency, and gains most from them. Blocks have room for three items of
 * mean size, if need be up to 2 * raw_max: below that they would share nothing.
 */
size_t psopack_cut_target(const psopack_cut_aim *aim, uint64_t raw_bytes, uint64_t packed_bytes,
                          uint64_t items);

/* Accepts a zeroed *cut; leaves it zeroed. */
void psopack_cut_free(psopack_cut *cut);

#endif
