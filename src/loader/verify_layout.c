/* SPDX-License-Identifier: MIT */
/*
 * Every byte of the file belongs to exactly one thing. Header, footer and both section tables are
 * proved at open; here follow the sections with their page tables, the blocks, and the zeros in
 * between.
 */
#include <string.h>

#include "loader/verify.h"

/* ---- sections ------------------------------------------------------------------------------- */

static void check_pages(psopack_verifier *verifier, const psopack_section *section)
{
    psopack_diag diag;
    for (uint64_t at = 0; at < section->size && !verifier->stopped; at += PSOPACK_SECTION_PAGE) {
        uint64_t left = section->size - at;
        uint64_t size = left < PSOPACK_SECTION_PAGE ? left : PSOPACK_SECTION_PAGE;
        if (psopack_section_require(section, at, size, &diag) != PSOPACK_OK)
            psopack_verify_report(verifier, &diag, false);
    }
}

/* Zeros up to where the section's page table begins, and behind it up to the next section. */
static bool padding_is_zero(const psopack_section *section, uint64_t end, uint64_t *ret_at)
{
    uint64_t table_size = psopack_section_table_size(section->size);
    uint64_t pages = table_size ? psopack_section_pages(section->size) * sizeof(psopack_u32le) : 0;
    uint64_t table_end = section->size + table_size;
    for (uint64_t at = section->size; at < end; at++) {
        bool in_table = at >= table_end - pages && at < table_end;
        if (!in_table && section->bytes[at] != 0) {
            *ret_at = at;
            return false;
        }
    }
    return true;
}

void psopack_verify_sections(psopack_verifier *verifier)
{
    const psopack_view *view = &verifier->archive->view;
    for (uint32_t i = 0; i < view->section_count && !verifier->stopped; i++) {
        const psopack_section *section = &view->sections[i];
        uint64_t next = i + 1 < view->section_count ? section[1].offset : view->ends.table_offset;
        uint64_t at;
        check_pages(verifier, section);
        if (padding_is_zero(section, next - section->offset, &at) || verifier->stopped)
            continue;
        psopack_diag diag;
        char name[5];
        psopack_section_name(section->id, name);
        psopack_fail_at(&diag, PSOPACK_E_CORRUPT, PSOPACK_OBJECT_SECTION, i, section->offset + at,
                        "padding behind section %s is not zero", name);
        psopack_verify_report(verifier, &diag, false);
    }
}

/* ---- LPSO ----------------------------------------------------------------------------------- */

static psopack_status check_rising(const psopack_column *column, uint64_t end, psopack_diag *diag)
{
    uint64_t least = 0, value;
    for (uint64_t row = 0; row < column->rows; row++) {
        PSOPACK_TRY(psopack_column_read(column, row, &value, diag));
        if (value < least || value >= end)
            return psopack_fail_at(diag, PSOPACK_E_CORRUPT, PSOPACK_OBJECT_SECTION,
                                   column->section->number, column->section->offset,
                                   "section LPSO: row %llu of column %u is out of order",
                                   (unsigned long long)row, column->id);
        least = value + 1;
    }
    return PSOPACK_OK;
}

void psopack_verify_layer(psopack_verifier *verifier)
{
    const psopack_view *view = &verifier->archive->view;
    psopack_diag diag;
    if (view->layer.depth == 0 || verifier->stopped)
        return;
    if (check_rising(&view->layer_columns[PSOPACK_COLUMN_LAYER_GONE], view->layer.base_psos,
                     &diag) != PSOPACK_OK)
        psopack_verify_report(verifier, &diag, false);
    if (check_rising(&view->layer_columns[PSOPACK_COLUMN_LAYER_PLACE], view->layer.psos, &diag) !=
            PSOPACK_OK &&
        !verifier->stopped)
        psopack_verify_report(verifier, &diag, false);
}

/* ---- between blocks ------------------------------------------------------------------------- */

static bool is_zero(const uint8_t *bytes, size_t size, size_t *ret_at)
{
    for (size_t i = 0; i < size; i++) {
        if (bytes[i] != 0) {
            *ret_at = i;
            return false;
        }
    }
    return true;
}

static psopack_status check_gap(const psopack_origin *origin, uint64_t from, uint64_t to,
                                psopack_diag *diag)
{
    uint8_t bytes[1024];
    while (from < to) {
        size_t size = to - from < sizeof bytes ? (size_t)(to - from) : sizeof bytes, at;
        PSOPACK_TRY(psopack_origin_read(origin, from, bytes, size, diag));
        if (!is_zero(bytes, size, &at))
            return psopack_fail_at(diag, PSOPACK_E_CORRUPT, PSOPACK_OBJECT_FILE, 0, from + at,
                                   "a byte between blocks is not zero and belongs to nothing");
        from += size;
    }
    return PSOPACK_OK;
}

/* Moves *at over one block, checking what lies between. */
static psopack_status step(const psopack_origin *origin, uint64_t offset, uint64_t size,
                           uint64_t *at, psopack_diag *diag)
{
    uint64_t from = *at;
    if (offset < from) /* psopack_verify_blocks() reports it */
        return PSOPACK_OK;
    *at = offset + size;
    return check_gap(origin, from, offset, diag);
}

void psopack_verify_layout(psopack_verifier *verifier)
{
    const psopack_archive *archive = verifier->archive;
    const psopack_view *view = &archive->view;
    uint64_t at = sizeof(psopack_disk_header);
    bool known = true; /* behind a row that can't be read, where the next gap begins is not */
    psopack_diag diag;
    for (uint32_t i = 0; i < view->blocks && !verifier->stopped; i++) {
        psopack_block_row row;
        if (psopack_view_block(view, i, &row, NULL) != PSOPACK_OK) {
            known = false; /* psopack_verify_blocks() reports it */
            continue;
        }
        if (!known)
            at = row.offset;
        known = true;
        if (step(&archive->origin, row.offset, row.stored_size, &at, &diag) != PSOPACK_OK)
            psopack_verify_report(verifier, &diag, false);
    }
    if (known && !verifier->stopped &&
        check_gap(&archive->origin, at, view->manifest_offset, &diag) != PSOPACK_OK)
        psopack_verify_report(verifier, &diag, false);
}
