/* SPDX-License-Identifier: MIT */
/* Bases: memory laid out at open, decoded by the first thread that needs one. */
#define ZSTD_STATIC_LINKING_ONLY
#include "loader/base.h"

#include <string.h>
#include <xxhash.h>
#include <zstd.h>

#include "loader/block.h"
#include "loader/context.h"
#include "loader/layer.h"

size_t psopack_dictionary_size(void)
{
    return ZSTD_estimateDDictSize(0, ZSTD_dlm_byRef);
}

/* ---- memory --------------------------------------------------------------------------------- */

/* Offsets in the part of one base. */
typedef struct base_layout {
    uint64_t dictionary;
    uint64_t stored;
    uint64_t size;
} base_layout;

static base_layout lay_out(uint64_t tables_size, uint64_t raw_size, uint64_t stored_size)
{
    base_layout layout;
    layout.dictionary = psopack_align_up(tables_size + raw_size, PSOPACK_ALLOCATION_ALIGNMENT);
    layout.stored = layout.dictionary +
                    psopack_align_up(psopack_dictionary_size(), PSOPACK_ALLOCATION_ALIGNMENT);
    layout.size = psopack_align_up(layout.stored + stored_size, PSOPACK_ALLOCATION_ALIGNMENT);
    return layout;
}

uint64_t psopack_base_size(uint32_t tables_size, uint32_t raw_size, bool keep_stored)
{
    /* A block is never larger stored than decoded, so its row need not be read yet. */
    return lay_out(tables_size, raw_size, keep_stored ? raw_size : 0).size;
}

psopack_status psopack_bases_measure(const psopack_view *view, const psopack_open_limits *limits,
                                     bool keep_stored, uint64_t *ret_size, psopack_diag *diag)
{
    uint64_t size = 0;
    for (uint32_t i = 0; i < view->bases; i++) {
        psopack_base_row row;
        psopack_view_base(view, i, &row);
        if (row.block != PSOPACK_BASE_EXTERNAL) /* it lies in the memory of its owner */
            size += psopack_base_size(row.tables_size, row.raw_size, keep_stored);
        if (size > limits->base_memory)
            return psopack_fail(diag, PSOPACK_E_LIMIT,
                                "the archive's bases take %llu bytes of memory and more, the limit "
                                "is %llu: raise limits.base_memory",
                                (unsigned long long)size, (unsigned long long)limits->base_memory);
    }
    *ret_size = size;
    return PSOPACK_OK;
}

void psopack_bases_place(psopack_archive *archive, uint8_t *memory)
{
    bool keep_stored = archive->origin.memory == NULL;
    for (uint32_t i = 0; i < archive->view.bases; i++) {
        psopack_base *base = &archive->bases[i];
        psopack_base_row row;
        psopack_view_base(&archive->view, i, &row);
        base->block = row.block;
        base->tables_size = row.tables_size;
        base->raw_size = row.raw_size;
        if (row.block == PSOPACK_BASE_EXTERNAL)
            continue;
        base->owner = archive;
        base->owner_index = i;
        base_layout layout = lay_out(row.tables_size, row.raw_size, keep_stored ? row.raw_size : 0);
        base->bytes = memory;
        base->dictionary_room = memory + layout.dictionary;
        base->stored = keep_stored ? memory + layout.stored : NULL;
        memory += layout.size;
    }
}

bool psopack_base_of_block(const psopack_archive *archive, uint32_t block, uint32_t *ret_base)
{
    for (uint32_t i = 0; i < archive->view.bases; i++) {
        if (archive->bases[i].block == block) {
            *ret_base = i;
            return true;
        }
    }
    return false;
}

/* ---- decoding ------------------------------------------------------------------------------- */

static psopack_status base_damaged(psopack_diag *diag, psopack_status code,
                                   const psopack_base *base, uint32_t index, uint64_t offset,
                                   const char *what)
{
    return psopack_fail_at(diag, code, PSOPACK_OBJECT_BLOCK, base->block, offset,
                           "base %u (block %u): %s; get the file again or run 'psopack salvage'",
                           index, base->block, what);
}

static bool hash_matches(const psopack_base *base, const psopack_base_row *row)
{
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical,
                             XXH3_128bits(base->bytes, (size_t)base->tables_size + base->raw_size));
    return memcmp(canonical.digest, row->hash, sizeof row->hash) == 0;
}

/* Decodes one base whose own base is good already. */
static psopack_status decode_base(const psopack_archive *archive, psopack_context *context,
                                  uint32_t index, psopack_diag *diag)
{
    psopack_base *base = &archive->bases[index];
    psopack_base_row row;
    psopack_block_row block;
    psopack_view_base(&archive->view, index, &row);
    PSOPACK_TRY(psopack_view_block(&archive->view, base->block, &block, diag));
    if (block.raw_size != base->raw_size || block.stored_size > block.raw_size ||
        (block.flags & PSOPACK_BLOCK_BASE) == 0)
        return base_damaged(diag, PSOPACK_E_CORRUPT, base, index, block.offset,
                            "its block has another size");
    if (row.tables_size != 0)
        memcpy(base->bytes, row.tables, row.tables_size);
    PSOPACK_TRY(psopack_block_decode(archive, context, base->block, &block, base->stored,
                                     base->bytes + base->tables_size, diag));
    if (!hash_matches(base, &row))
        return base_damaged(diag, PSOPACK_E_CHECKSUM, base, index, block.offset,
                            "its decoded bytes do not match their hash");
    base->dictionary =
        ZSTD_initStaticDDict(base->dictionary_room, psopack_dictionary_size(), base->bytes,
                             (size_t)base->tables_size + base->raw_size, ZSTD_dlm_byRef,
                             base->tables_size != 0 ? ZSTD_dct_fullDict : ZSTD_dct_rawContent);
    if (!base->dictionary)
        return base_damaged(diag, PSOPACK_E_CORRUPT, base, index, block.offset,
                            "its entropy tables are malformed");
    base->transform = block.transform;
    return PSOPACK_OK;
}

static psopack_status require_one(const psopack_archive *archive, psopack_context *context,
                                  uint32_t index, psopack_diag *diag)
{
    psopack_base *base = &archive->bases[index];
    psopack_once_state state = psopack_once_enter(&base->once, &archive->wait);
    if (state == PSOPACK_ONCE_GOOD)
        return PSOPACK_OK;
    if (state == PSOPACK_ONCE_BAD)
        return base_damaged(diag, PSOPACK_E_CHECKSUM, base, index, PSOPACK_NO_OFFSET,
                            "it was found damaged before");
    psopack_status status = decode_base(archive, context, index, diag);
    bool is_damage = status == PSOPACK_E_CHECKSUM || status == PSOPACK_E_CORRUPT;
    psopack_once_leave(&base->once, status == PSOPACK_OK ? PSOPACK_ONCE_GOOD
                                    : is_damage          ? PSOPACK_ONCE_BAD
                                                         : PSOPACK_ONCE_NEW);
    return status;
}

static psopack_status find_owner(const psopack_archive *archive, uint32_t index,
                                 psopack_base_place *ret_place, psopack_diag *diag)
{
    const psopack_base *base = &archive->bases[index];
    if (!base->owner)
        return psopack_fail(diag, PSOPACK_E_BASE_MISSING,
                            "base block %u lies in the base of this layer: open the layer on it",
                            index);
    *ret_place = (psopack_base_place){base->owner, base->owner_index};
    return PSOPACK_OK;
}

psopack_status psopack_base_require(const psopack_archive *archive, psopack_context *context,
                                    uint32_t base, psopack_diag *diag)
{
    psopack_base_place at, chain[PSOPACK_BASE_DEPTH_MAX];
    uint32_t depth = 0;
    PSOPACK_TRY(find_owner(archive, base, &at, diag));
    if (psopack_once_is_good(&at.archive->bases[at.index].once))
        return PSOPACK_OK;
    /* From this base down to one that has none, then up again: each needs the one below. */
    for (;;) {
        psopack_block_row block;
        const psopack_base *here = &at.archive->bases[at.index];
        chain[depth++] = at;
        PSOPACK_TRY(psopack_view_block(&at.archive->view, here->block, &block, diag));
        if (block.base == 0)
            break;
        if (block.base - 1 >= at.index || depth == PSOPACK_BASE_DEPTH_MAX)
            return base_damaged(diag, PSOPACK_E_CORRUPT, here, at.index, block.offset,
                                "bases build on each other in a way that no packer writes");
        PSOPACK_TRY(find_owner(at.archive, block.base - 1, &at, diag));
    }
    psopack_status status = PSOPACK_OK;
    while (depth != 0 && status == PSOPACK_OK) {
        at = chain[--depth];
        status = require_one(at.archive, context, at.index, diag);
    }
    return psopack_local_explain(archive, at.archive, status, diag);
}
