/* SPDX-License-Identifier: MIT */
/* Blocks: stored bytes fetched and checked, then decoded to exactly their size. */
#ifndef PSOPACK_LOADER_BLOCK_H
#define PSOPACK_LOADER_BLOCK_H

#include "loader/archive.h"

/*
 * Decodes `block`, whose row is `row`, to `row->raw_size` bytes at `dst` (before the inverse
 * transform). Its base, if it has one, must be good: see psopack_base_require(). `room` has
 * row->stored_size bytes, used where the stored bytes can't be used in place; else it may be NULL.
 * zstd sees no byte before the block's check has matched.
 */
psopack_status psopack_block_decode(const psopack_archive *archive, psopack_context *context,
                                    uint32_t block, const psopack_block_row *row, uint8_t *room,
                                    uint8_t *dst, psopack_diag *diag);

/* The same for any block: makes its base good first, uses the context's room. */
psopack_status psopack_block_load(const psopack_archive *archive, psopack_context *context,
                                  uint32_t block, const psopack_block_row *row, uint8_t *dst,
                                  psopack_diag *diag);

#endif
