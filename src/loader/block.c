/* SPDX-License-Identifier: MIT */
/* One block from the file to decoded bytes. */
#define ZSTD_STATIC_LINKING_ONLY
#include "loader/block.h"

#include <string.h>
#include <zstd.h>

#include "loader/base.h"
#include "loader/context.h"

static psopack_status check_stored(const psopack_archive *archive, uint32_t block,
                                   const psopack_block_row *row, const uint8_t *stored,
                                   psopack_diag *diag)
{
    psopack_base_row base;
    bool has_base = row->base != 0 && psopack_view_base(&archive->view, row->base - 1, &base);
    uint64_t check = psopack_block_check(stored, row->stored_size, row->raw_size, row->transform,
                                         has_base ? base.hash : NULL);
    if (check == row->check)
        return PSOPACK_OK;
    return psopack_fail_at(
        diag, PSOPACK_E_CHECKSUM, PSOPACK_OBJECT_BLOCK, block, row->offset,
        "block %u: the check of its %u stored bytes does not match; get the file "
        "again or run 'psopack salvage'",
        block, row->stored_size);
}

/* The one that decodes it, which has been asked for it. */
static const psopack_base *good_base(const psopack_archive *archive, uint32_t index)
{
    const psopack_base *base = &archive->bases[index];
    return &base->owner->bases[base->owner_index];
}

/*
 * One call decodes the whole frame into memory of the exact size, so a window costs nothing and no
 * frame can ask for memory. `dst` may be the caller's: zstd never writes past raw_size.
 */
static psopack_status decode_frame(const psopack_archive *archive, psopack_context *context,
                                   uint32_t block, const psopack_block_row *row,
                                   const uint8_t *stored, uint8_t *dst, psopack_diag *diag)
{
    ZSTD_DCtx *decoder = context->decoder;
    const ZSTD_DDict *dictionary = NULL;
    if (row->base != 0) {
        const psopack_base *base = good_base(archive, row->base - 1);
        if (base->transform != row->transform)
            return psopack_fail_at(diag, PSOPACK_E_CORRUPT, PSOPACK_OBJECT_BLOCK, block,
                                   row->offset, "block %u: its base has another transform", block);
        dictionary = base->dictionary;
    }
    bool is_frame = (row->flags & PSOPACK_BLOCK_FRAME) != 0;
    size_t result = ZSTD_DCtx_setParameter(decoder, ZSTD_d_format,
                                           is_frame ? ZSTD_f_zstd1 : ZSTD_f_zstd1_magicless);
    if (!ZSTD_isError(result))
        result = ZSTD_decompress_usingDDict(decoder, dst, row->raw_size, stored, row->stored_size,
                                            dictionary);
    if (result == row->raw_size)
        return PSOPACK_OK;
    return psopack_fail_at(diag, PSOPACK_E_CORRUPT, PSOPACK_OBJECT_BLOCK, block, row->offset,
                           "block %u does not decode to its %u bytes: %s", block, row->raw_size,
                           ZSTD_isError(result) ? ZSTD_getErrorName(result) : "it is too short");
}

psopack_status psopack_block_decode(const psopack_archive *archive, psopack_context *context,
                                    uint32_t block, const psopack_block_row *row, uint8_t *room,
                                    uint8_t *dst, psopack_diag *diag)
{
    bool is_raw = (row->flags & PSOPACK_BLOCK_RAW) != 0;
    const uint8_t *stored = psopack_context_stored(context, archive, row);
    if (!stored) {
        uint8_t *to = is_raw ? dst : room;
        PSOPACK_TRY(psopack_origin_read(&archive->origin, row->offset, to, row->stored_size, diag));
        stored = to;
    }
    PSOPACK_TRY(check_stored(archive, block, row, stored, diag));
    if (!is_raw)
        return decode_frame(archive, context, block, row, stored, dst, diag);
    if (stored != dst && row->raw_size != 0)
        memcpy(dst, stored, row->raw_size);
    return PSOPACK_OK;
}

psopack_status psopack_block_load(const psopack_archive *archive, psopack_context *context,
                                  uint32_t block, const psopack_block_row *row, uint8_t *dst,
                                  psopack_diag *diag)
{
    if (row->base != 0)
        PSOPACK_TRY(psopack_base_require(archive, context, row->base - 1, diag));
    return psopack_block_decode(archive, context, block, row, context->stored, dst, diag);
}
