/* SPDX-License-Identifier: MIT */
/* Components of damaged blocks, and of blocks on damaged bases. */
#define ZSTD_STATIC_LINKING_ONLY
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "format/crc32c.h"
#include "packer/salvage.h"

typedef struct salvaged_base {
    uint8_t *content; /* tables, then decoded bytes; NULL: its rows are lost */
    size_t tables_size;
    ZSTD_DDict *dictionary; /* NULL: none can be made of it */
} salvaged_base;

struct psopack_salvage {
    const psopack_old *old;
    salvaged_base *bases;
};

struct psopack_salvage_reader {
    ZSTD_DCtx *decoder;
    uint8_t *block; /* what `number` decoded to */
    size_t capacity;
    uint32_t number;
    uint8_t *bytes; /* a component before its transform is undone */
    size_t bytes_capacity;
    uint8_t scratch[PSOPACK_TRANSFORM_SCRATCH];
};

/* ---- blocks -----------------------------------------------------------------------------------
 */

/* How many bytes are hashed at most in search of one block's bit: some seconds for a base, which
 * many components need, a fraction of one for an ordinary block. */
#define SEARCH_MAX_BASE (UINT64_C(1) << 37)
#define SEARCH_MAX (UINT64_C(1) << 32)

static bool is_good(const psopack_salvage *salvage, const psopack_block_row *row,
                    const uint8_t *stored, psopack_base_row *base)
{
    bool has_base = row->base != 0 && psopack_view_base(&salvage->old->view, row->base - 1, base);
    return psopack_block_check(stored, row->stored_size, row->raw_size, row->transform,
                               has_base ? base->hash : NULL) == row->check;
}

/* One flipped bit, where zstd stumbled or, in a small block, anywhere. */
static bool search_bit(uint8_t *stored, const psopack_block_row *row, const uint8_t *hash,
                       size_t bad, size_t bad_end)
{
    uint64_t size = row->stored_size;
    uint64_t limit = (row->flags & PSOPACK_BLOCK_BASE) != 0 ? SEARCH_MAX_BASE : SEARCH_MAX;
    if (8 * (uint64_t)(bad_end - bad) * size <= limit &&
        psopack_mend_block(stored, row, hash, bad, bad_end))
        return true;
    return 8 * size * size <= limit && psopack_mend_block(stored, row, hash, 0, size);
}

/* False: no memory for the search; what decoded is in `dst` all the same. */
static bool decode_frame(const psopack_salvage *salvage, ZSTD_DCtx *decoder,
                         const ZSTD_DDict *dictionary, const psopack_block_row *row, uint8_t *dst)
{
    const uint8_t *stored = salvage->old->map.data + row->offset;
    bool is_frame = (row->flags & PSOPACK_BLOCK_FRAME) != 0;
    psopack_base_row base = {0};
    size_t bad, bad_end;
    psopack_salvage_frame(decoder, dictionary, is_frame, stored, row->stored_size, dst,
                          row->raw_size, &bad, &bad_end);
    if (is_good(salvage, row, stored, &base))
        return true;
    uint8_t *copy = malloc((size_t)row->stored_size + 1);
    if (!copy)
        return false;
    memcpy(copy, stored, row->stored_size);
    if (search_bit(copy, row, row->base != 0 ? base.hash : NULL, bad, bad_end))
        psopack_salvage_frame(decoder, dictionary, is_frame, copy, row->stored_size, dst,
                              row->raw_size, &bad, &bad_end);
    free(copy);
    return true;
}

/* Base blocks are decoded already. False: nothing can be decoded without a base that is not there.
 */
static bool decode_block(const psopack_salvage *salvage, ZSTD_DCtx *decoder,
                         const psopack_block_row *row, uint8_t *dst)
{
    const uint8_t *stored = salvage->old->map.data + row->offset;
    const ZSTD_DDict *dictionary = row->base ? salvage->bases[row->base - 1].dictionary : NULL;
    if (row->base != 0 && !dictionary)
        return false;
    if ((row->flags & PSOPACK_BLOCK_RAW) != 0) {
        if (row->raw_size != 0)
            memcpy(dst, stored, row->raw_size);
        return true;
    }
    return decode_frame(salvage, decoder, dictionary, row, dst);
}

static psopack_status make_base(psopack_salvage *salvage, ZSTD_DCtx *decoder, uint32_t index,
                                psopack_diag *diag)
{
    salvaged_base *base = &salvage->bases[index];
    psopack_base_row row = {0};
    psopack_block_row block;
    psopack_view_base(&salvage->old->view, index, &row);
    if (psopack_view_block(&salvage->old->view, row.block, &block, NULL) != PSOPACK_OK ||
        block.raw_size != row.raw_size || block.base > index)
        return PSOPACK_OK;
    size_t size = (size_t)row.tables_size + row.raw_size;
    PSOPACK_TRY(psopack_new_array(&base->content, size + 1, 1, diag));
    base->tables_size = row.tables_size;
    if (row.tables_size != 0)
        memcpy(base->content, row.tables, row.tables_size);
    if (decode_block(salvage, decoder, &block, base->content + row.tables_size))
        base->dictionary = ZSTD_createDDict_advanced(base->content, size, ZSTD_dlm_byRef,
                                                     row.tables_size != 0 ? ZSTD_dct_fullDict
                                                                          : ZSTD_dct_rawContent,
                                                     (ZSTD_customMem){NULL, NULL, NULL});
    return PSOPACK_OK;
}

psopack_status psopack_salvage_create(const psopack_old *old, psopack_salvage **ret_salvage,
                                      psopack_diag *diag)
{
    psopack_salvage *salvage;
    PSOPACK_TRY(psopack_new_array(&salvage, 1, sizeof *salvage, diag));
    salvage->old = old;
    ZSTD_DCtx *decoder = ZSTD_createDCtx();
    psopack_status status =
        decoder ? psopack_new_array(&salvage->bases, old->view.bases, sizeof *salvage->bases, diag)
                : psopack_no_memory(diag);
    for (uint32_t i = 0; i < old->view.bases && status == PSOPACK_OK; i++)
        status = make_base(salvage, decoder, i, diag);
    ZSTD_freeDCtx(decoder);
    if (status != PSOPACK_OK)
        psopack_salvage_destroy(&salvage);
    else
        *ret_salvage = salvage;
    return status;
}

void psopack_salvage_destroy(psopack_salvage **salvage_at)
{
    psopack_salvage *salvage = *salvage_at;
    if (!salvage)
        return;
    for (uint32_t i = 0; salvage->bases && i < salvage->old->view.bases; i++) {
        ZSTD_freeDDict(salvage->bases[i].dictionary);
        free(salvage->bases[i].content);
    }
    free(salvage->bases);
    free(salvage);
    *salvage_at = NULL;
}

/* ---- components -------------------------------------------------------------------------------
 */

psopack_status psopack_salvage_reader_create(psopack_salvage_reader **ret_reader,
                                             psopack_diag *diag)
{
    psopack_salvage_reader *reader;
    PSOPACK_TRY(psopack_new_array(&reader, 1, sizeof *reader, diag));
    reader->number = UINT32_MAX;
    reader->decoder = ZSTD_createDCtx();
    if (!reader->decoder) {
        free(reader);
        return psopack_no_memory(diag);
    }
    *ret_reader = reader;
    return PSOPACK_OK;
}

void psopack_salvage_reader_destroy(psopack_salvage_reader **reader_at)
{
    psopack_salvage_reader *reader = *reader_at;
    if (!reader)
        return;
    ZSTD_freeDCtx(reader->decoder);
    free(reader->block);
    free(reader->bytes);
    free(reader);
    *reader_at = NULL;
}

static psopack_status lost(psopack_diag *diag, uint32_t component, const char *why)
{
    return psopack_fail_at(diag, PSOPACK_E_CHECKSUM, PSOPACK_OBJECT_COMPONENT, component,
                           PSOPACK_NO_OFFSET, "component %u: %s", component, why);
}

static psopack_status load_block(const psopack_salvage *salvage, psopack_salvage_reader *reader,
                                 uint32_t component, uint32_t number, const psopack_block_row *row,
                                 psopack_diag *diag)
{
    if (reader->number == number)
        return PSOPACK_OK;
    reader->number = UINT32_MAX;
    PSOPACK_TRY(
        psopack_grow(&reader->block, &reader->capacity, (size_t)row->raw_size + 1, 1, diag));
    if (!decode_block(salvage, reader->decoder, row, reader->block))
        return lost(diag, component, "the base of its block is damaged");
    reader->number = number;
    return PSOPACK_OK;
}

/* The component's bytes in its block, or its pieces put together. */
static psopack_status gather(const psopack_salvage *salvage, psopack_salvage_reader *reader,
                             uint32_t component, const psopack_place *place, size_t size,
                             psopack_block_row *ret_row, psopack_diag *diag)
{
    size_t at = 0;
    PSOPACK_TRY(psopack_grow(&reader->bytes, &reader->bytes_capacity, size + 1, 1, diag));
    for (uint32_t i = 0; i < place->blocks; i++) {
        psopack_block_row *row = ret_row;
        PSOPACK_TRY(psopack_view_block(&salvage->old->view, place->block + i, row, diag));
        PSOPACK_TRY(load_block(salvage, reader, component, place->block + i, row, diag));
        size_t part = place->blocks == 1 ? size : row->raw_size;
        if (part > size - at || place->offset > row->raw_size ||
            part > row->raw_size - (size_t)place->offset)
            return lost(diag, component, "its rows are damaged");
        memcpy(reader->bytes + at, reader->block + place->offset, part);
        at += part;
    }
    return at == size ? PSOPACK_OK : lost(diag, component, "its rows are damaged");
}

psopack_status psopack_salvage_read(const psopack_salvage *salvage, psopack_salvage_reader *reader,
                                    uint32_t component, uint8_t *buffer, psopack_diag *diag)
{
    const psopack_view *view = &salvage->old->view;
    psopack_component_row row;
    psopack_place place;
    psopack_block_row block = {0};
    PSOPACK_TRY(psopack_view_component(view, component, &row, diag));
    PSOPACK_TRY(psopack_view_locate(view, component, &row, &place, &block, diag));
    size_t stored = (size_t)psopack_component_stored(&row);
    PSOPACK_TRY(gather(salvage, reader, component, &place, stored, &block, diag));
    const psopack_transform *transform = psopack_transform_find(block.transform);
    if (transform)
        transform->inverse(buffer, reader->bytes, stored, reader->scratch);
    else if (stored != 0)
        memcpy(buffer, reader->bytes, stored);
    psopack_u32le word = psopack_store32(block.strip_word);
    for (uint32_t i = 0; i < row.strip; i++)
        memcpy(buffer + stored + (size_t)i * sizeof word, &word, sizeof word);
    if (psopack_crc32c(0, buffer, (size_t)row.size) != row.crc)
        return lost(diag, component, "it is damaged: what decodes does not match its CRC32C");
    return PSOPACK_OK;
}
