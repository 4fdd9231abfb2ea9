/* SPDX-License-Identifier: MIT */
/*
 * PSOs of a layer and its base, counted as one. Both columns of LPSO rise strictly, so that column
 * [row] - row never falls: it says how many kept PSOs of the base stand in front. Where a forged
 * column does not rise a search ends somewhere, and what it gives is checked like any index.
 */
#include "format/view.h"

/*
 * Rows of a rising column that hold less than `limit`, or, with `by_kept`, those with fewer than
 * `limit` kept PSOs in front: column[row] - row < limit.
 */
static psopack_status count_below(const psopack_column *column, uint64_t limit, bool by_kept,
                                  uint64_t *ret_count, psopack_diag *diag)
{
    uint64_t low = 0, high = column->rows, value;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        PSOPACK_TRY(psopack_column_read(column, middle, &value, diag));
        if (value < limit + (by_kept ? middle : 0))
            low = middle + 1;
        else
            high = middle;
    }
    *ret_count = low;
    return PSOPACK_OK;
}

/* As above without `by_kept`; *ret_is_there: the row behind them holds just `value`. */
static psopack_status count_up_to(const psopack_column *column, uint64_t value, uint64_t *ret_count,
                                  bool *ret_is_there, psopack_diag *diag)
{
    uint64_t at = value + 1;
    PSOPACK_TRY(count_below(column, value, false, ret_count, diag));
    if (*ret_count < column->rows)
        PSOPACK_TRY(psopack_column_read(column, *ret_count, &at, diag));
    *ret_is_there = at == value;
    return PSOPACK_OK;
}

static psopack_status out_of_order(const psopack_view *view, psopack_diag *diag)
{
    const psopack_section *section = view->layer_columns[0].section;
    return psopack_fail_at(diag, PSOPACK_E_CORRUPT, PSOPACK_OBJECT_SECTION, section->number,
                           section->offset, "section LPSO: its PSOs are out of order");
}

static psopack_status take_index(const psopack_view *view, uint64_t index, uint64_t end,
                                 uint32_t *ret_index, psopack_diag *diag)
{
    if (index >= end)
        return out_of_order(view, diag);
    *ret_index = (uint32_t)index;
    return PSOPACK_OK;
}

psopack_status psopack_view_layer_find(const psopack_view *view, uint32_t pso, bool *ret_own,
                                       uint32_t *ret_index, psopack_diag *diag)
{
    uint64_t own, gone;
    bool is_own;
    if (pso >= view->layer.psos)
        return psopack_fail(diag, PSOPACK_E_NOT_FOUND, "PSO %u: there are %u", pso,
                            view->layer.psos);
    PSOPACK_TRY(
        count_up_to(&view->layer_columns[PSOPACK_COLUMN_LAYER_PLACE], pso, &own, &is_own, diag));
    *ret_own = is_own;
    if (is_own)
        return take_index(view, own, view->psos, ret_index, diag);
    if (own > pso)
        return out_of_order(view, diag);
    uint64_t kept = pso - own;
    PSOPACK_TRY(
        count_below(&view->layer_columns[PSOPACK_COLUMN_LAYER_GONE], kept + 1, true, &gone, diag));
    return take_index(view, kept + gone, view->layer.base_psos, ret_index, diag);
}

psopack_status psopack_view_layer_place(const psopack_view *view, uint32_t own, uint32_t *ret_pso,
                                        psopack_diag *diag)
{
    uint64_t place;
    PSOPACK_TRY(
        psopack_column_read(&view->layer_columns[PSOPACK_COLUMN_LAYER_PLACE], own, &place, diag));
    return take_index(view, place, view->layer.psos, ret_pso, diag);
}

psopack_status psopack_view_layer_keep(const psopack_view *view, uint32_t pso, uint32_t *ret_pso,
                                       psopack_diag *diag)
{
    uint64_t gone, own;
    bool is_gone;
    PSOPACK_TRY(
        count_up_to(&view->layer_columns[PSOPACK_COLUMN_LAYER_GONE], pso, &gone, &is_gone, diag));
    if (is_gone)
        return PSOPACK_E_NOT_FOUND;
    if (gone > pso)
        return out_of_order(view, diag);
    PSOPACK_TRY(count_below(&view->layer_columns[PSOPACK_COLUMN_LAYER_PLACE], pso - gone + 1, true,
                            &own, diag));
    return take_index(view, pso - gone + own, view->layer.psos, ret_pso, diag);
}
