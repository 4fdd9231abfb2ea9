/* SPDX-License-Identifier: MIT */
/* Getting at the bytes of components: what reads, plans and verify share. */
#ifndef PSOPACK_LOADER_COMPONENT_H
#define PSOPACK_LOADER_COMPONENT_H

#include "loader/archive.h"

/* Everything about one component that its row and its first block say. */
typedef struct psopack_found {
    const psopack_archive *archive; /* that holds it: the one asked or one that it builds on */
    uint32_t index;                 /* in that archive */
    psopack_component_row row;
    psopack_place place;
    psopack_block_row block; /* of place.block; zeros for size 0 */
} psopack_found;

psopack_status psopack_component_find(const psopack_archive *archive, uint32_t component,
                                      psopack_found *ret_found, psopack_diag *diag);

/*
 * The same, remembering the block in the context: the next component of that block costs its own
 * row, and the sizes between the two.
 */
psopack_status psopack_component_find_near(const psopack_archive *archive, psopack_context *context,
                                           uint32_t component, psopack_found *ret_found,
                                           psopack_diag *diag);

/*
 * Delivers, from `archive` itself, `size` stored bytes at `offset` of decoded block `block` to
 * `dst`, inversely transformed. Decodes straight to `dst` where that is the whole block, else
 * through the context's block.
 */
psopack_status psopack_block_deliver(const psopack_archive *archive, psopack_context *context,
                                     uint32_t block, const psopack_block_row *row, uint64_t offset,
                                     size_t size, uint8_t *dst, psopack_diag *diag);

/* Writes the `words` trailing words, little-endian, that a block leaves out. */
void psopack_strip_refill(uint8_t *dst, uint32_t word, uint32_t words);

/* PSOPACK_E_CHECKSUM, naming the component and its place, unless `crc` is what its row says. */
psopack_status psopack_component_check(const psopack_found *found, uint32_t crc,
                                       psopack_diag *diag);

#endif
