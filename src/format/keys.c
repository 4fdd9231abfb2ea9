/* SPDX-License-Identifier: MIT */
/* Finding a PSO by its key: one bucket, a handful of rows. */
#include "format/keys.h"

#include <xxhash.h>

#include "format/view.h"

uint64_t psopack_name_key(const void *name, size_t size, uint64_t seed)
{
    return XXH3_64bits_withSeed(name, size, seed);
}

psopack_status psopack_view_check_keys(const psopack_view *view, psopack_diag *diag)
{
    const psopack_column *rest = &view->key_columns[PSOPACK_COLUMN_KEY_REST];
    unsigned bucket_bits = psopack_key_bucket_bits(view->psos);
    if (view->key_columns[PSOPACK_COLUMN_KEY_BUCKET].rows != (UINT64_C(1) << bucket_bits) + 1 ||
        rest->rows != view->psos || view->key_columns[PSOPACK_COLUMN_KEY_PSO].rows != view->psos ||
        rest->encoding != PSOPACK_COLUMN_FLAT || rest->base != 0 || rest->shift != 0 ||
        rest->width > 64 - bucket_bits)
        return psopack_fail_at(diag, PSOPACK_E_CORRUPT, PSOPACK_OBJECT_SECTION,
                               rest->section->number, rest->section->offset,
                               "section KEYS does not fit the number of PSOs");
    return PSOPACK_OK;
}

bool psopack_view_key_is_short(const psopack_view *view)
{
    const psopack_column *rest = &view->key_columns[PSOPACK_COLUMN_KEY_REST];
    return view->psos != 0 && rest->width + psopack_key_bucket_bits(view->psos) < 64;
}

/* A packer's buckets have a dozen rows; in a forged one of millions, bisect what lies in front. */
#define ROWS_TO_SCAN 16u

/* Moves *row forward, over rows whose bits are below `wanted` only. */
static psopack_status skip_rows(const psopack_column *rests, uint64_t wanted, uint64_t *row,
                                uint64_t end, psopack_diag *diag)
{
    uint64_t rest;
    while (*row < end && end - *row > ROWS_TO_SCAN) {
        uint64_t middle = *row + (end - *row) / 2;
        PSOPACK_TRY(psopack_column_read(rests, middle, &rest, diag));
        if (rest < wanted)
            *row = middle + 1;
        else
            end = middle;
    }
    return PSOPACK_OK;
}

psopack_status psopack_view_find_key(const psopack_view *view, uint64_t key, uint32_t nth,
                                     uint32_t *ret_pso, psopack_diag *diag)
{
    if (view->psos == 0)
        return PSOPACK_E_NOT_FOUND;
    const psopack_column *columns = view->key_columns;
    uint64_t mixed = psopack_key_mix(key);
    unsigned bucket_bits = psopack_key_bucket_bits(view->psos);
    uint64_t bucket = psopack_key_bucket(mixed, bucket_bits);
    uint64_t wanted = psopack_key_rest(mixed, bucket_bits, columns[PSOPACK_COLUMN_KEY_REST].width);
    uint64_t row, end, rest, pso;
    PSOPACK_TRY(psopack_column_read(&columns[PSOPACK_COLUMN_KEY_BUCKET], bucket, &row, diag));
    PSOPACK_TRY(psopack_column_read(&columns[PSOPACK_COLUMN_KEY_BUCKET], bucket + 1, &end, diag));
    PSOPACK_TRY(skip_rows(&columns[PSOPACK_COLUMN_KEY_REST], wanted, &row, end, diag));
    for (uint64_t first = row; row < end; row++) {
        PSOPACK_TRY(psopack_column_read(&columns[PSOPACK_COLUMN_KEY_REST], row, &rest, diag));
        if (rest > wanted || (rest < wanted && row - first >= ROWS_TO_SCAN))
            break;
        if (rest < wanted || nth-- != 0)
            continue;
        PSOPACK_TRY(psopack_column_read(&columns[PSOPACK_COLUMN_KEY_PSO], row, &pso, diag));
        if (pso >= view->psos)
            return psopack_fail(diag, PSOPACK_E_CORRUPT, "a key names PSO %llu of %u",
                                (unsigned long long)pso, view->psos);
        *ret_pso = (uint32_t)pso;
        return PSOPACK_OK;
    }
    return PSOPACK_E_NOT_FOUND;
}
