/* SPDX-License-Identifier: MIT */
/* The passes over blocks and components: each block decoded once, in file order. */
#include "loader/verify.h"

#include <string.h>

#include "format/crc32c.h"
#include "format/transform.h"
#include "loader/base.h"
#include "loader/block.h"

/* The checks of one component while its bytes pass by, maybe in pieces. */
typedef struct digest {
    uint32_t crc;
    XXH3_state_t hash;
} digest;

static void digest_begin(digest *sums)
{
    sums->crc = 0;
    XXH3_128bits_reset(&sums->hash);
}

static void digest_add(digest *sums, const void *bytes, size_t size)
{
    sums->crc = psopack_crc32c(sums->crc, bytes, size);
    XXH3_128bits_update(&sums->hash, bytes, size);
}

static void digest_add_words(digest *sums, uint32_t word, uint32_t words)
{
    uint8_t run[256];
    psopack_u32le bytes = psopack_store32(word);
    for (size_t i = 0; i < sizeof run; i += sizeof bytes)
        memcpy(run + i, &bytes, sizeof bytes);
    for (uint64_t left = (uint64_t)words * sizeof bytes; left != 0;) {
        size_t size = left < sizeof run ? (size_t)left : sizeof run;
        digest_add(sums, run, size);
        left -= size;
    }
}

/* ---- components ----------------------------------------------------------------------------- */

static void take_component(psopack_verifier *verifier, uint32_t component, bool is_dead,
                           const psopack_diag *damage)
{
    verifier->result.components_checked++;
    verifier->states[component] = damage ? PSOPACK_COMPONENT_DAMAGED : PSOPACK_COMPONENT_GOOD;
    if (!damage)
        return;
    verifier->result.components_damaged++;
    psopack_verify_report(verifier, damage, is_dead);
}

/* Compares what went by with the component's row and its content hash. */
static psopack_status digest_end(const digest *sums, psopack_verifier *verifier, uint32_t component,
                                 uint32_t block, uint64_t offset, const psopack_component_row *row,
                                 psopack_diag *diag)
{
    const psopack_view *view = &verifier->archive->view;
    uint8_t wanted[16];
    XXH128_canonical_t hash;
    if (sums->crc != row->crc)
        return psopack_fail_at(diag, PSOPACK_E_CHECKSUM, PSOPACK_OBJECT_COMPONENT, component,
                               offset, "component %u in block %u: CRC32C %08x is not %08x",
                               component, block, sums->crc, row->crc);
    XXH128_canonicalFromHash(&hash, XXH3_128bits_digest(&sums->hash));
    memcpy(verifier->hashes + (size_t)component * sizeof hash, hash.digest, sizeof hash);
    if (!view->hash_section)
        return PSOPACK_OK;
    PSOPACK_TRY(psopack_view_hash(view, component, wanted, diag));
    if (memcmp(hash.digest, wanted, sizeof wanted) != 0)
        return psopack_fail_at(diag, PSOPACK_E_CHECKSUM, PSOPACK_OBJECT_COMPONENT, component,
                               offset, "component %u in block %u: its content hash does not match",
                               component, block);
    return PSOPACK_OK;
}

/* A block as decoded; `bytes` NULL: it is damaged. */
typedef struct decoded_block {
    uint32_t number;
    psopack_block_row row;
    const uint8_t *bytes;
} decoded_block;

static psopack_status in_damaged_block(const decoded_block *block, uint32_t component,
                                       psopack_diag *diag)
{
    return psopack_fail_at(diag, PSOPACK_E_CHECKSUM, PSOPACK_OBJECT_COMPONENT, component,
                           block->row.offset, "component %u lies in damaged block %u", component,
                           block->number);
}

static psopack_status check_small(psopack_verifier *verifier, const decoded_block *block,
                                  uint32_t component, const psopack_component_row *row,
                                  uint64_t offset, psopack_diag *diag)
{
    uint64_t stored = psopack_component_stored(row);
    digest sums;
    if (offset > block->row.raw_size || stored > block->row.raw_size - offset)
        return psopack_fail_at(diag, PSOPACK_E_CORRUPT, PSOPACK_OBJECT_COMPONENT, component,
                               block->row.offset, "component %u passes the end of block %u",
                               component, block->number);
    if (!block->bytes && row->size != 0)
        return in_damaged_block(block, component, diag);
    digest_begin(&sums);
    if (stored != 0) {
        const psopack_transform *transform = psopack_transform_find(block->row.transform);
        const uint8_t *bytes = block->bytes + (size_t)offset;
        if (transform) {
            transform->inverse(verifier->scratch, bytes, (size_t)stored,
                               verifier->context->transform_scratch);
            bytes = verifier->scratch;
        }
        digest_add(&sums, bytes, (size_t)stored);
    }
    digest_add_words(&sums, block->row.strip_word, row->strip);
    verifier->crcs[component] = sums.crc;
    return digest_end(&sums, verifier, component, block->number, block->row.offset, row, diag);
}

static void check_small_components(psopack_verifier *verifier, const decoded_block *block)
{
    const psopack_view *view = &verifier->archive->view;
    uint64_t offset = 0;
    for (uint32_t i = 0; i < block->row.count && !verifier->stopped; i++) {
        uint32_t component = block->row.first + i;
        psopack_component_row row = {0};
        psopack_diag diag;
        psopack_status status = psopack_view_component(view, component, &row, &diag);
        if (status == PSOPACK_OK)
            status = check_small(verifier, block, component, &row, offset, &diag);
        /* Behind a row that can't be read, offsets are wrong and CRCs tell. */
        offset += psopack_component_stored(&row);
        take_component(verifier, component, row.dead, status == PSOPACK_OK ? NULL : &diag);
    }
    if (offset != block->row.raw_size && !verifier->stopped) {
        psopack_diag diag;
        psopack_fail_at(&diag, PSOPACK_E_CORRUPT, PSOPACK_OBJECT_BLOCK, block->number,
                        block->row.offset, "block %u: its components do not fill it",
                        block->number);
        psopack_verify_report(verifier, &diag, false);
    }
}

/* ---- components in pieces ------------------------------------------------------------------- */

typedef struct large_component {
    digest sums;
    bool damaged;
} large_component;

static void check_piece(psopack_verifier *verifier, large_component *large,
                        const decoded_block *block, const psopack_component_row *row)
{
    uint32_t component = block->row.first;
    psopack_place place;
    psopack_block_row first;
    psopack_diag diag;
    if ((block->row.flags & PSOPACK_BLOCK_PIECE) == 0) {
        digest_begin(&large->sums);
        large->damaged = false;
    }
    if (block->bytes)
        digest_add(&large->sums, block->bytes, block->row.raw_size);
    else
        large->damaged = true;
    if (block->row.count == 0)
        return;
    /* The last piece: the view proves that all of them are there, in order. */
    psopack_status status =
        psopack_view_locate(&verifier->archive->view, component, row, &place, &first, &diag);
    if (status == PSOPACK_OK && large->damaged)
        status = in_damaged_block(block, component, &diag);
    if (status == PSOPACK_OK)
        status = digest_end(&large->sums, verifier, component, block->number, block->row.offset,
                            row, &diag);
    verifier->crcs[component] = large->sums.crc;
    take_component(verifier, component, row->dead, status == PSOPACK_OK ? NULL : &diag);
}

/* True when the block is a piece, the first included, of a component above the split size. */
static bool is_piece(const psopack_view *view, const decoded_block *block,
                     psopack_component_row *ret_row)
{
    return (block->row.flags & PSOPACK_BLOCK_BASE) == 0 && block->row.count <= 1 &&
           psopack_view_component(view, block->row.first, ret_row, NULL) == PSOPACK_OK &&
           ret_row->size > view->split_size;
}

/* ---- blocks --------------------------------------------------------------------------------- */

static psopack_status decode(psopack_verifier *verifier, decoded_block *block, psopack_diag *diag)
{
    const psopack_archive *archive = verifier->archive;
    uint32_t base;
    if ((block->row.flags & PSOPACK_BLOCK_BASE) == 0) {
        PSOPACK_TRY(psopack_block_load(archive, verifier->context, block->number, &block->row,
                                       verifier->context->raw, diag));
        block->bytes = verifier->context->raw;
        return PSOPACK_OK;
    }
    if (!psopack_base_of_block(archive, block->number, &base))
        return psopack_fail_at(diag, PSOPACK_E_CORRUPT, PSOPACK_OBJECT_BLOCK, block->number,
                               block->row.offset, "block %u says it is a base, but none names it",
                               block->number);
    PSOPACK_TRY(psopack_base_require(archive, verifier->context, base, diag));
    block->bytes = psopack_base_decoded(archive, base);
    return PSOPACK_OK;
}

/* Blocks that share stored bytes would be decoded once for each: a trap, and no packer's work. */
static psopack_status check_place(psopack_verifier *verifier, const decoded_block *block,
                                  psopack_diag *diag)
{
    uint64_t free_from = verifier->blocks_end;
    if (block->row.offset < free_from)
        return psopack_fail_at(diag, PSOPACK_E_CORRUPT, PSOPACK_OBJECT_BLOCK, block->number,
                               block->row.offset,
                               "block %u begins inside the one before it, which ends at %llu",
                               block->number, (unsigned long long)free_from);
    verifier->blocks_end = block->row.offset + block->row.stored_size;
    return PSOPACK_OK;
}

static void check_block(psopack_verifier *verifier, large_component *large, uint32_t number)
{
    const psopack_view *view = &verifier->archive->view;
    decoded_block block = {.number = number};
    psopack_component_row row;
    psopack_diag diag;
    verifier->result.blocks_checked++;
    psopack_status status = psopack_view_block(view, number, &block.row, &diag);
    bool has_row = status == PSOPACK_OK;
    if (has_row)
        status = check_place(verifier, &block, &diag);
    if (status == PSOPACK_OK)
        status = decode(verifier, &block, &diag);
    if (status != PSOPACK_OK) {
        verifier->result.blocks_damaged++;
        psopack_verify_report(verifier, &diag, (block.row.flags & PSOPACK_BLOCK_DEAD) != 0);
    }
    if (!has_row || verifier->stopped)
        return;
    if (is_piece(view, &block, &row))
        check_piece(verifier, large, &block, &row);
    else
        check_small_components(verifier, &block);
}

/* What no block's row led to: without bytes there is nothing to decode, else a row is damaged. */
static void check_unseen(psopack_verifier *verifier, uint32_t component)
{
    digest nothing;
    psopack_component_row row = {0};
    psopack_diag diag;
    psopack_status status =
        psopack_view_component(&verifier->archive->view, component, &row, &diag);
    if (status == PSOPACK_OK && (row.size != 0 || row.crc != 0))
        status = psopack_fail_at(&diag, PSOPACK_E_CORRUPT, PSOPACK_OBJECT_COMPONENT, component,
                                 PSOPACK_NO_OFFSET, "component %u: no readable block holds it",
                                 component);
    digest_begin(&nothing);
    if (status == PSOPACK_OK)
        status =
            digest_end(&nothing, verifier, component, UINT32_MAX, PSOPACK_NO_OFFSET, &row, &diag);
    take_component(verifier, component, row.dead, status == PSOPACK_OK ? NULL : &diag);
}

void psopack_verify_blocks(psopack_verifier *verifier)
{
    const psopack_view *view = &verifier->archive->view;
    large_component large = {.damaged = true};
    digest_begin(&large.sums); /* pieces may come without their first */
    psopack_context_forget(verifier->context);
    for (uint32_t i = 0; i < view->blocks && !verifier->stopped; i++)
        check_block(verifier, &large, i);
    psopack_context_forget(verifier->context);
    for (uint32_t i = 0; i < view->components && !verifier->stopped; i++) {
        if (verifier->states[i] == PSOPACK_COMPONENT_UNSEEN)
            check_unseen(verifier, i);
    }
}

/* ---- the quick way -------------------------------------------------------------------------- */

void psopack_verify_rows(psopack_verifier *verifier)
{
    const psopack_view *view = &verifier->archive->view;
    psopack_diag diag;
    for (uint32_t i = 0; i < view->blocks && !verifier->stopped; i++) {
        psopack_block_row row;
        if (psopack_view_block(view, i, &row, &diag) != PSOPACK_OK)
            psopack_verify_report(verifier, &diag, false);
    }
    for (uint32_t i = 0; i < view->components && !verifier->stopped; i++) {
        psopack_component_row row = {0};
        psopack_status status = psopack_view_component(view, i, &row, &diag);
        verifier->crcs[i] = row.crc;
        take_component(verifier, i, row.dead, status == PSOPACK_OK ? NULL : &diag);
    }
}
