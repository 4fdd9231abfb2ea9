/* SPDX-License-Identifier: MIT */
/* Finding a PSO by its key: one bucket, a handful of rows. */
#include "format/keys.h"

#include <xxhash.h>

#include "format/view.h"

uint64_t psopack_name_key(const void *name, size_t size, uint64_t seed)
{
    return XXH3_64bits_withSeed(name, size, seed);
}

static bool buckets_fit(const psopack_view *view)
{
    const psopack_column *columns = view->key_columns;
    const psopack_column *rest = &columns[PSOPACK_COLUMN_KEY_REST];
    unsigned bucket_bits = psopack_key_bucket_bits(view->psos);
    return columns[PSOPACK_COLUMN_KEY_BUCKET].rows == (UINT64_C(1) << bucket_bits) + 1 &&
           columns[PSOPACK_COLUMN_KEY_PSO].rows == view->psos && rest->rows == view->psos &&
           rest->encoding == PSOPACK_COLUMN_FLAT && rest->base == 0 && rest->shift == 0 &&
           rest->width == 64 - bucket_bits;
}

static bool cells_fit(const psopack_view *view)
{
    uint64_t cells = view->key_columns[PSOPACK_COLUMN_KEY_PAGE].rows;
    return cells != 0 && cells % PSOPACK_KEY_CELLS == 0 &&
           cells / PSOPACK_KEY_CELLS <= UINT32_MAX &&
           (view->meta_flags & PSOPACK_META_KEYS_GIVEN) == 0;
}

bool psopack_view_keys_are_paged(const psopack_view *view)
{
    return (view->meta_flags & PSOPACK_META_KEYS_PAGED) != 0;
}

psopack_status psopack_view_check_keys(const psopack_view *view, psopack_diag *diag)
{
    const psopack_section *section = view->key_columns[0].section;
    if (psopack_view_keys_are_paged(view) ? cells_fit(view) : buckets_fit(view))
        return PSOPACK_OK;
    return psopack_fail_at(diag, PSOPACK_E_CORRUPT, PSOPACK_OBJECT_SECTION, section->number,
                           section->offset, "section KEYS does not fit the number of PSOs");
}

psopack_status psopack_view_key_page(const psopack_view *view, uint64_t key, uint32_t *ret_page,
                                     psopack_diag *diag)
{
    const psopack_column *cells = &view->key_columns[PSOPACK_COLUMN_KEY_PAGE];
    uint64_t mixed = psopack_key_mix(key), page = 0, cell;
    uint64_t pages = ((uint64_t)view->psos + PSOPACK_NAMES_PER_PAGE - 1) / PSOPACK_NAMES_PER_PAGE;
    for (unsigned i = 0; i < PSOPACK_KEY_CELLS; i++) {
        PSOPACK_TRY(
            psopack_column_read(cells, psopack_key_cell(mixed, i, cells->rows), &cell, diag));
        page ^= cell;
    }
    if (page >= pages)
        return PSOPACK_E_NOT_FOUND;
    *ret_page = (uint32_t)page;
    return PSOPACK_OK;
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

psopack_status psopack_view_find_key(const psopack_view *view, uint64_t key, uint32_t *ret_pso,
                                     psopack_diag *diag)
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
        if (rest < wanted)
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
