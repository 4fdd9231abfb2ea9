/* SPDX-License-Identifier: MIT */
#define ZSTD_STATIC_LINKING_ONLY
#include "packer/reuse.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

typedef struct reuse_base {
    uint8_t *content; /* tables, then decoded bytes */
    ZSTD_DDict *dictionary;
} reuse_base;

typedef struct reuse_entry {
    XXH128_hash_t hash; /* of the decoded bytes */
    uint32_t block;
} reuse_entry;

struct psopack_reuse {
    const psopack_old *output;
    reuse_base *bases;
    reuse_entry *entries; /* by hash */
    size_t count;
};

/* ---- decoding ---------------------------------------------------------------------------------
 */

/* False: the block cannot be decoded, and is of no use. */
static bool decode(const psopack_reuse *reuse, const psopack_reuse_worker *worker, uint32_t block,
                   uint8_t *out)
{
    const psopack_block_row *row = &reuse->output->blocks[block];
    const uint8_t *stored = psopack_reuse_stored(reuse, row);
    const ZSTD_DDict *base = row->base ? reuse->bases[row->base - 1].dictionary : NULL;
    if ((row->flags & PSOPACK_BLOCK_RAW) != 0) {
        if (row->stored_size == row->raw_size && row->raw_size != 0)
            memcpy(out, stored, row->raw_size);
        return row->stored_size == row->raw_size;
    }
    if (row->base && !base)
        return false;
    bool is_frame = (row->flags & PSOPACK_BLOCK_FRAME) != 0;
    ZSTD_DCtx_setParameter(worker->decoder, ZSTD_d_format,
                           is_frame ? ZSTD_f_zstd1 : ZSTD_f_zstd1_magicless);
    return ZSTD_decompress_usingDDict(worker->decoder, out, row->raw_size, stored, row->stored_size,
                                      base) == row->raw_size;
}

static psopack_status make_room(psopack_reuse_worker *worker, size_t size, psopack_diag *diag)
{
    if (!worker->decoder)
        worker->decoder = ZSTD_createDCtx();
    if (!worker->decoder)
        return psopack_no_memory(diag);
    return psopack_grow(&worker->bytes, &worker->capacity, size + 1, 1, diag);
}

void psopack_reuse_worker_free(psopack_reuse_worker *worker)
{
    ZSTD_freeDCtx(worker->decoder);
    free(worker->bytes);
}

/* ---- open, close ------------------------------------------------------------------------------
 */

static psopack_status open_base(psopack_reuse *reuse, psopack_reuse_worker *worker, uint32_t index,
                                psopack_diag *diag)
{
    const psopack_old *output = reuse->output;
    reuse_base *base = &reuse->bases[index];
    psopack_base_row row;
    if (!psopack_view_base(&output->view, index, &row) || row.block >= output->view.blocks ||
        output->blocks[row.block].base != 0 || output->blocks[row.block].raw_size != row.raw_size)
        return PSOPACK_OK;
    size_t size = (size_t)row.tables_size + row.raw_size;
    PSOPACK_TRY(make_room(worker, 0, diag));
    PSOPACK_TRY(psopack_new_array(&base->content, size, 1, diag));
    if (row.tables_size != 0)
        memcpy(base->content, row.tables, row.tables_size);
    if (psopack_old_block_check(output, row.block, NULL) == PSOPACK_OK &&
        decode(reuse, worker, row.block, base->content + row.tables_size))
        base->dictionary = ZSTD_createDDict_advanced(
            base->content, size, ZSTD_dlm_byRef,
            row.tables_size != 0 ? ZSTD_dct_fullDict : ZSTD_dct_rawContent, ZSTD_defaultCMem);
    return PSOPACK_OK;
}

static psopack_status index_block(psopack_reuse *reuse, psopack_reuse_worker *worker,
                                  uint32_t block, psopack_diag *diag)
{
    uint32_t size = reuse->output->blocks[block].raw_size;
    PSOPACK_TRY(make_room(worker, size, diag));
    if (psopack_old_block_check(reuse->output, block, NULL) == PSOPACK_OK &&
        decode(reuse, worker, block, worker->bytes))
        reuse->entries[reuse->count++] = (reuse_entry){XXH3_128bits(worker->bytes, size), block};
    return PSOPACK_OK;
}

static int compare_entries(const void *a, const void *b)
{
    const reuse_entry *left = a, *right = b;
    return XXH128_cmp(&left->hash, &right->hash);
}

static psopack_status fill(psopack_reuse *reuse, psopack_reuse_worker *worker, psopack_diag *diag)
{
    const psopack_view *view = &reuse->output->view;
    PSOPACK_TRY(psopack_new_array(&reuse->bases, view->bases, sizeof *reuse->bases, diag));
    PSOPACK_TRY(psopack_new_array(&reuse->entries, view->blocks, sizeof *reuse->entries, diag));
    for (uint32_t i = 0; i < view->bases; i++)
        PSOPACK_TRY(open_base(reuse, worker, i, diag));
    for (uint32_t i = 0; i < view->blocks; i++)
        PSOPACK_TRY(index_block(reuse, worker, i, diag));
    qsort(reuse->entries, reuse->count, sizeof *reuse->entries, compare_entries);
    return PSOPACK_OK;
}

psopack_status psopack_reuse_open(const psopack_old *output, psopack_reuse **ret_reuse,
                                  psopack_diag *diag)
{
    psopack_reuse *reuse;
    psopack_reuse_worker worker = {0};
    PSOPACK_TRY(psopack_new_array(&reuse, 1, sizeof *reuse, diag));
    reuse->output = output;
    psopack_status status = fill(reuse, &worker, diag);
    psopack_reuse_worker_free(&worker);
    if (status != PSOPACK_OK)
        psopack_reuse_close(&reuse);
    else
        *ret_reuse = reuse;
    return status;
}

void psopack_reuse_close(psopack_reuse **reuse_at)
{
    psopack_reuse *reuse = *reuse_at;
    if (!reuse)
        return;
    for (uint32_t i = 0; reuse->bases && i < reuse->output->view.bases; i++) {
        ZSTD_freeDDict(reuse->bases[i].dictionary);
        free(reuse->bases[i].content);
    }
    free(reuse->bases);
    free(reuse->entries);
    free(reuse);
    *reuse_at = NULL;
}

/* ---- look-up ----------------------------------------------------------------------------------
 */

const uint8_t *psopack_reuse_stored(const psopack_reuse *reuse, const psopack_block_row *row)
{
    return reuse->output->map.data + row->offset;
}

/* All that the compressor looks at beside the bytes. */
static bool has_context(const psopack_reuse *reuse, const psopack_block_row *row,
                        const psopack_reuse_wanted *wanted)
{
    psopack_base_row base = {0};
    bool has_base = row->base != 0 && psopack_view_base(&reuse->output->view, row->base - 1, &base);
    if (row->raw_size != wanted->size || row->transform != wanted->transform ||
        ((row->flags & PSOPACK_BLOCK_BASE) != 0) != wanted->is_base ||
        has_base != (wanted->base != NULL))
        return false;
    return !has_base || memcmp(base.hash, wanted->base, sizeof base.hash) == 0;
}

static size_t first_with_hash(const psopack_reuse *reuse, XXH128_hash_t hash)
{
    size_t low = 0, high = reuse->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (XXH128_cmp(&reuse->entries[middle].hash, &hash) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

psopack_status psopack_reuse_find(const psopack_reuse *reuse, psopack_reuse_worker *worker,
                                  const psopack_reuse_wanted *wanted,
                                  const psopack_block_row **ret_row, psopack_diag *diag)
{
    XXH128_hash_t hash = XXH3_128bits(wanted->bytes, wanted->size);
    *ret_row = NULL;
    PSOPACK_TRY(make_room(worker, wanted->size, diag));
    for (size_t i = first_with_hash(reuse, hash);
         i < reuse->count && XXH128_isEqual(reuse->entries[i].hash, hash); i++) {
        uint32_t block = reuse->entries[i].block;
        const psopack_block_row *row = &reuse->output->blocks[block];
        if (!has_context(reuse, row, wanted) || !decode(reuse, worker, block, worker->bytes) ||
            memcmp(worker->bytes, wanted->bytes, wanted->size) != 0)
            continue;
        *ret_row = row;
        break;
    }
    return PSOPACK_OK;
}
