/* SPDX-License-Identifier: MIT */
/* Reading components: find, decode, undo the transform and the strip, check, deliver. */
#include "loader/component.h"

#include <string.h>

#include "format/crc32c.h"
#include "format/transform.h"
#include "loader/base.h"
#include "loader/block.h"
#include "loader/context.h"
#include "loader/layer.h"

/* ---- finding -------------------------------------------------------------------------------- */

/* True, and everything but the row filled in, when the component lies in the cursor's block. */
static bool found_by_cursor(const psopack_cursor *cursor, psopack_found *found)
{
    uint32_t index = found->index, from = cursor->component;
    uint64_t offset = cursor->offset, between, stored = psopack_component_stored(&found->row);
    if (cursor->archive != found->archive || index - cursor->row.first >= cursor->row.count ||
        found->row.size == 0 || found->row.size > found->archive->view.split_size)
        return false;
    if (index < from) {
        from = cursor->row.first;
        offset = 0;
    }
    if (psopack_view_stored_bytes(&found->archive->view, from, index, &between, NULL) != PSOPACK_OK)
        return false;
    offset += between;
    if (offset > cursor->row.raw_size || stored > cursor->row.raw_size - offset)
        return false; /* the long way says what is wrong */
    found->place = (psopack_place){cursor->block, 1, offset};
    found->block = cursor->row;
    return true;
}

static psopack_status locate(psopack_cursor *cursor, psopack_found *found, psopack_diag *diag)
{
    if (!found_by_cursor(cursor, found))
        PSOPACK_TRY(psopack_view_locate(&found->archive->view, found->index, &found->row,
                                        &found->place, &found->block, diag));
    if (found->place.blocks == 1)
        *cursor =
            (psopack_cursor){.archive = found->archive,
                             .component = found->index + 1,
                             .block = found->place.block,
                             .offset = found->place.offset + psopack_component_stored(&found->row),
                             .row = found->block};
    return PSOPACK_OK;
}

/* In the archive that holds it. */
static psopack_status find_local(uint64_t size_max, psopack_cursor *cursor, psopack_found *found,
                                 psopack_diag *diag)
{
    uint32_t component = found->index;
    PSOPACK_TRY(psopack_view_component(&found->archive->view, component, &found->row, diag));
    if (found->row.size > size_max)
        return psopack_fail_at(
            diag, PSOPACK_E_LIMIT, PSOPACK_OBJECT_COMPONENT, component, PSOPACK_NO_OFFSET,
            "component %u has %llu bytes, the limit is %llu: raise "
            "limits.component_size",
            component, (unsigned long long)found->row.size, (unsigned long long)size_max);
    PSOPACK_TRY(locate(cursor, found, diag));
    if (found->place.blocks > 1 && found->row.strip != 0)
        return psopack_fail_at(
            diag, PSOPACK_E_CORRUPT, PSOPACK_OBJECT_COMPONENT, component, found->block.offset,
            "component %u lies in pieces and is stripped: no packer writes that", component);
    return PSOPACK_OK;
}

static psopack_status find(const psopack_archive *archive, psopack_cursor *cursor,
                           uint32_t component, psopack_found *ret_found, psopack_diag *diag)
{
    psopack_local local;
    PSOPACK_TRY(psopack_local_component(archive, component, &local, diag));
    psopack_found found = {.archive = local.archive, .index = local.index};
    psopack_status status = find_local(archive->limits.component_size, cursor, &found, diag);
    if (status != PSOPACK_OK)
        return psopack_local_explain(archive, local.archive, status, diag);
    *ret_found = found;
    return PSOPACK_OK;
}

psopack_status psopack_component_find(const psopack_archive *archive, uint32_t component,
                                      psopack_found *ret_found, psopack_diag *diag)
{
    psopack_cursor nowhere = {.archive = NULL};
    return find(archive, &nowhere, component, ret_found, diag);
}

psopack_status psopack_component_find_near(const psopack_archive *archive, psopack_context *context,
                                           uint32_t component, psopack_found *ret_found,
                                           psopack_diag *diag)
{
    return find(archive, &context->cursor, component, ret_found, diag);
}

psopack_status psopack_component_get(const psopack_archive *archive, uint32_t component,
                                     psopack_component_info *ret_info, psopack_diag *diag)
{
    psopack_found found = {.archive = archive}; /* else gcc warns: it does not see the failures */
    PSOPACK_TRY(psopack_component_find(archive, component, &found, diag));
    *ret_info = (psopack_component_info){
        .size = found.row.size,
        .alignment = UINT32_C(1) << found.row.align_log2,
        .crc = found.row.crc,
        .block = found.place.block,
        .blocks = found.place.blocks,
        .dead = found.row.dead,
        .level = archive->depth - found.archive->depth,
    };
    return PSOPACK_OK;
}

psopack_status psopack_component_hash(const psopack_archive *archive, uint32_t component,
                                      uint8_t ret_hash[16], psopack_diag *diag)
{
    psopack_local local;
    PSOPACK_TRY(psopack_local_component(archive, component, &local, diag));
    psopack_status status = psopack_view_hash(&local.archive->view, local.index, ret_hash, diag);
    return psopack_local_explain(archive, local.archive, status, diag);
}

/* ---- from a block to its components --------------------------------------------------------- */

/*
 * Decoded bytes that can be used where they lie, at `offset` of the block; NULL: the block must be
 * decoded. A raw block in memory is not checked as a whole here: its bytes never reach zstd, and
 * each component has its own check.
 */
static psopack_status find_decoded(const psopack_archive *archive, psopack_context *context,
                                   uint32_t block, const psopack_block_row *row, uint64_t offset,
                                   const uint8_t **ret_bytes, psopack_diag *diag)
{
    uint32_t base;
    *ret_bytes = NULL;
    if (context->block == block && context->block_archive == archive) {
        *ret_bytes = context->raw + (size_t)offset;
    } else if ((row->flags & PSOPACK_BLOCK_BASE) != 0) {
        if (!psopack_base_of_block(archive, block, &base))
            return psopack_fail_at(diag, PSOPACK_E_CORRUPT, PSOPACK_OBJECT_BLOCK, block,
                                   row->offset, "block %u says it is a base, but none names it",
                                   block);
        PSOPACK_TRY(psopack_base_require(archive, context, base, diag));
        *ret_bytes = psopack_base_decoded(archive, base) + (size_t)offset;
    } else if ((row->flags & PSOPACK_BLOCK_RAW) != 0) {
        const uint8_t *stored = psopack_context_stored(context, archive, row);
        *ret_bytes = stored ? stored + (size_t)offset : NULL;
    }
    return PSOPACK_OK;
}

static psopack_status load_into_context(const psopack_archive *archive, psopack_context *context,
                                        uint32_t block, const psopack_block_row *row,
                                        psopack_diag *diag)
{
    context->block = PSOPACK_NO_BLOCK; /* while its bytes are half written */
    PSOPACK_TRY(psopack_block_load(archive, context, block, row, context->raw, diag));
    context->block = block;
    context->block_archive = archive;
    return PSOPACK_OK;
}

psopack_status psopack_block_deliver(const psopack_archive *archive, psopack_context *context,
                                     uint32_t block, const psopack_block_row *row, uint64_t offset,
                                     size_t size, uint8_t *dst, psopack_diag *diag)
{
    const psopack_transform *transform = psopack_transform_find(row->transform);
    const uint8_t *decoded;
    if (size == 0)
        return PSOPACK_OK;
    PSOPACK_TRY(find_decoded(archive, context, block, row, offset, &decoded, diag));
    if (!decoded && !transform && size == row->raw_size)
        return psopack_block_load(archive, context, block, row, dst, diag);
    if (!decoded && !transform && (row->flags & PSOPACK_BLOCK_RAW) != 0)
        return psopack_origin_read(&archive->origin, row->offset + offset, dst, size, diag);
    if (!decoded) {
        PSOPACK_TRY(load_into_context(archive, context, block, row, diag));
        decoded = context->raw + (size_t)offset;
    }
    if (transform)
        transform->inverse(dst, decoded, size, context->transform_scratch);
    else
        memcpy(dst, decoded, size);
    return PSOPACK_OK;
}

void psopack_strip_refill(uint8_t *dst, uint32_t word, uint32_t words)
{
    psopack_u32le bytes = psopack_store32(word);
    for (uint32_t i = 0; i < words; i++)
        memcpy(dst + (size_t)i * sizeof bytes, &bytes, sizeof bytes);
}

psopack_status psopack_component_check(const psopack_found *found, uint32_t crc, psopack_diag *diag)
{
    if (crc == found->row.crc)
        return PSOPACK_OK;
    bool is_empty = found->place.blocks == 0;
    return psopack_fail_at(diag, PSOPACK_E_CHECKSUM, PSOPACK_OBJECT_COMPONENT, found->index,
                           is_empty ? PSOPACK_NO_OFFSET : found->block.offset,
                           "component %u: CRC32C %08x of %llu bytes from block %u is not %08x",
                           found->index, crc, (unsigned long long)found->row.size,
                           found->place.block, found->row.crc);
}

/* ---- reading -------------------------------------------------------------------------------- */

/* A large component: each piece is a block of its own, decoded straight to its place. */
static psopack_status read_pieces(psopack_context *context, const psopack_found *found,
                                  uint8_t *dst, psopack_diag *diag)
{
    const psopack_archive *archive = found->archive;
    size_t done = 0;
    for (uint32_t i = 0; i < found->place.blocks; i++) {
        psopack_block_row row;
        uint32_t block = found->place.block + i;
        PSOPACK_TRY(psopack_view_block(&archive->view, block, &row, diag));
        PSOPACK_TRY(psopack_block_deliver(archive, context, block, &row, 0, row.raw_size,
                                          dst + done, diag));
        done += row.raw_size;
    }
    return PSOPACK_OK;
}

static psopack_status read_whole(psopack_context *context, const psopack_found *found, uint8_t *dst,
                                 psopack_diag *diag)
{
    size_t stored = (size_t)psopack_component_stored(&found->row);
    PSOPACK_TRY(psopack_block_deliver(found->archive, context, found->place.block, &found->block,
                                      found->place.offset, stored, dst, diag));
    psopack_strip_refill(dst + stored, found->block.strip_word, found->row.strip);
    return PSOPACK_OK;
}

static psopack_status read_found(psopack_context *context, const psopack_found *found, uint8_t *dst,
                                 uint32_t *ret_crc, psopack_diag *diag)
{
    if (found->place.blocks > 1)
        PSOPACK_TRY(read_pieces(context, found, dst, diag));
    else if (found->place.blocks == 1)
        PSOPACK_TRY(read_whole(context, found, dst, diag));
    *ret_crc = psopack_crc32c(0, dst, (size_t)found->row.size);
    return psopack_component_check(found, *ret_crc, diag);
}

psopack_status psopack_component_read(const psopack_archive *archive, psopack_context *context,
                                      uint32_t component, void *buffer, size_t capacity,
                                      uint32_t *ret_crc, psopack_diag *diag)
{
    if (!psopack_context_serves(context, archive) || (!buffer && capacity != 0))
        return psopack_fail(diag, PSOPACK_E_ARGUMENT,
                            "a read needs a buffer and a context of this archive");
    psopack_found found;
    uint32_t crc;
    PSOPACK_TRY(psopack_component_find_near(archive, context, component, &found, diag));
    if (found.row.size > capacity)
        return psopack_fail_at(diag, PSOPACK_E_BUFFER, PSOPACK_OBJECT_COMPONENT, component,
                               PSOPACK_NO_OFFSET, "component %u has %llu bytes, the buffer %zu",
                               component, (unsigned long long)found.row.size, capacity);
    psopack_status status = read_found(context, &found, buffer, &crc, diag);
    if (status == PSOPACK_OK && ret_crc)
        *ret_crc = crc;
    return psopack_local_explain(archive, found.archive, status, diag);
}

/* ---- by pointer ----------------------------------------------------------------------------- */

/* Raw blocks that follow each other without a gap are one run of bytes. */
static psopack_status pieces_are_adjacent(const psopack_found *found, bool *ret_adjacent,
                                          psopack_diag *diag)
{
    uint64_t expected = found->block.offset;
    *ret_adjacent = true;
    for (uint32_t i = 0; i < found->place.blocks; i++) {
        psopack_block_row row;
        PSOPACK_TRY(psopack_view_block(&found->archive->view, found->place.block + i, &row, diag));
        if ((row.flags & PSOPACK_BLOCK_RAW) == 0 || row.transform != PSOPACK_TRANSFORM_NONE ||
            row.offset != expected)
            *ret_adjacent = false;
        expected = row.offset + row.raw_size;
    }
    return PSOPACK_OK;
}

static psopack_status point_to_found(const psopack_found *found, const void **ret_bytes,
                                     psopack_diag *diag)
{
    bool in_place;
    PSOPACK_TRY(pieces_are_adjacent(found, &in_place, diag));
    const uint8_t *bytes = found->archive->origin.memory;
    if (bytes)
        bytes += (size_t)(found->block.offset + found->place.offset);
    uintptr_t alignment = (uintptr_t)1 << found->row.align_log2;
    if (!bytes || !in_place || found->row.strip != 0 || (uintptr_t)bytes % alignment != 0)
        return psopack_fail_at(diag, PSOPACK_E_NOT_MAPPED, PSOPACK_OBJECT_COMPONENT, found->index,
                               PSOPACK_NO_OFFSET,
                               "component %u can't be used in place: read a copy", found->index);
    uint32_t crc = psopack_crc32c(0, bytes, (size_t)found->row.size);
    PSOPACK_TRY(psopack_component_check(found, crc, diag));
    *ret_bytes = bytes;
    return PSOPACK_OK;
}

psopack_status psopack_component_pointer(const psopack_archive *archive, uint32_t component,
                                         const void **ret_bytes, uint64_t *ret_size,
                                         psopack_diag *diag)
{
    psopack_found found;
    PSOPACK_TRY(psopack_component_find(archive, component, &found, diag));
    psopack_status status = point_to_found(&found, ret_bytes, diag);
    if (status == PSOPACK_OK)
        *ret_size = found.row.size;
    return psopack_local_explain(archive, found.archive, status, diag);
}
