/* SPDX-License-Identifier: MIT */
/*
 * Sealing: from the tail to the front, every value that is a check of others, or must agree with
 * the file's size, is made right; all else stays as the fuzzer left it.
 */
#include "fuzz_archive.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "format/crc32c.h"
#include "format/view.h"

typedef struct seal {
    uint8_t *bytes;
    size_t size;
    psopack_disk_footer footer;
    psopack_disk_section rows[PSOPACK_SECTIONS_MAX];
    size_t count, table_size;
} seal;

static void seal_header(seal *all)
{
    psopack_disk_header header = {
        .version = psopack_store32(PSOPACK_FORMAT_VERSION),
        .header_size = psopack_store32(sizeof header),
        .footer_size = psopack_store32(sizeof(psopack_disk_footer)),
    };
    memcpy(header.magic, PSOPACK_HEADER_MAGIC, PSOPACK_MAGIC_SIZE);
    header.crc = psopack_store32(psopack_crc32c(0, &header, sizeof header));
    memcpy(all->bytes, &header, sizeof header);
}

static uint64_t section_end(uint64_t offset, uint64_t size)
{
    return (offset + size + psopack_section_table_size(size) + 7) & ~UINT64_C(7);
}

/* Sections lie end to end and the last one reaches the table; sizes are kept where they can be. */
static void place_sections(seal *all)
{
    uint64_t end = all->size - sizeof all->footer - 2 * all->table_size;
    uint64_t at = psopack_load64(all->rows[0].offset);
    if (at < sizeof(psopack_disk_header) || at > end || at % 8 != 0)
        at = sizeof(psopack_disk_header);
    for (size_t i = 0; i < all->count; i++) {
        psopack_disk_section *row = &all->rows[i];
        uint64_t size = psopack_load64(row->size);
        if (size > end - at || section_end(at, size) > end)
            size = 0;
        if (i + 1 == all->count && section_end(at, size) != end)
            size = end - at <= PSOPACK_SECTION_PAGE ? end - at : 0;
        row->offset = psopack_store64(at);
        row->size = psopack_store64(size);
        row->flags = psopack_store32(psopack_load32(row->flags) & PSOPACK_SECTION_REQUIRED);
        row->reserved = psopack_store32(0);
        at = section_end(at, size);
    }
}

static void seal_section(seal *all, psopack_disk_section *row)
{
    uint8_t *at = all->bytes + psopack_load64(row->offset);
    uint64_t size = psopack_load64(row->size), pages = psopack_section_pages(size);
    row->crc = psopack_store32(psopack_crc32c(0, at, size));
    if (pages <= 1)
        return;
    uint8_t *table = at + size + psopack_section_table_size(size) - 4 * pages;
    for (uint64_t page = 0; page < pages; page++) {
        uint64_t start = page * PSOPACK_SECTION_PAGE, left = size - start;
        psopack_u32le crc = psopack_store32(psopack_crc32c(
            0, at + start, left < PSOPACK_SECTION_PAGE ? left : PSOPACK_SECTION_PAGE));
        memcpy(table + 4 * page, &crc, sizeof crc);
    }
    row->crc = psopack_store32(psopack_crc32c(0, table, 4 * pages));
}

static void seal_tail(seal *all)
{
    uint8_t *end = all->bytes + all->size - sizeof all->footer;
    for (size_t i = 0; i < all->count; i++)
        seal_section(all, &all->rows[i]);
    memcpy(end - all->table_size, all->rows, all->table_size);
    memcpy(end - 2 * all->table_size, all->rows, all->table_size);
    psopack_disk_footer *footer = &all->footer;
    footer->table_crc = psopack_store32(psopack_crc32c(0, all->rows, all->table_size));
    psopack_archive_id(footer, all->rows, all->table_size, footer->archive_id);
    footer->crc = psopack_store32(psopack_crc32c(0, footer, offsetof(psopack_disk_footer, crc)));
    memcpy(end, footer, sizeof *footer);
}

static bool load_tail(seal *all)
{
    if (all->size < sizeof(psopack_disk_header) + sizeof all->footer)
        return false;
    psopack_disk_footer *footer = &all->footer;
    uint8_t *end = all->bytes + all->size - sizeof *footer;
    memcpy(footer, end, sizeof *footer);
    all->count = psopack_load32(footer->section_count);
    all->table_size = all->count * sizeof all->rows[0];
    if (all->count == 0 || all->count > PSOPACK_SECTIONS_MAX || all->size % 8 != 0 ||
        all->size < sizeof(psopack_disk_header) + 2 * all->table_size + sizeof *footer)
        return false;
    memcpy(all->rows, end - all->table_size, all->table_size);
    memcpy(footer->magic, PSOPACK_FOOTER_MAGIC, PSOPACK_MAGIC_SIZE);
    footer->footer_size = psopack_store32(sizeof *footer);
    footer->version = psopack_store32(PSOPACK_FORMAT_VERSION);
    footer->file_size = psopack_store64(all->size);
    footer->repeat_offset = psopack_store64(all->size - sizeof *footer - all->table_size);
    footer->table_offset = psopack_store64(all->size - sizeof *footer - 2 * all->table_size);
    footer->must_refuse =
        psopack_store64(psopack_load64(footer->must_refuse) & PSOPACK_KNOWN_MUST_REFUSE);
    memset(footer->reserved, 0, sizeof footer->reserved);
    return true;
}

/* ---- block checks -----------------------------------------------------------------------------
 */

/* The check as the column holds it; only columns of whole words can take any value. */
static void store_check(seal *all, const psopack_column *column, uint32_t block, uint64_t check)
{
    psopack_u64le bits = psopack_store64(check - column->base);
    if (column->encoding == PSOPACK_COLUMN_FLAT && column->width == 64 && column->shift == 0)
        memcpy(all->bytes + column->section->offset + column->data + 8 * (uint64_t)block, &bits,
               sizeof bits);
}

static void seal_blocks(seal *all, const psopack_view *view)
{
    for (uint32_t block = 0; block < view->blocks && block < 1000; block++) {
        psopack_block_row row;
        psopack_base_row base;
        if (psopack_view_block(view, block, &row, NULL) != PSOPACK_OK)
            continue;
        bool has_base = row.base != 0 && psopack_view_base(view, row.base - 1, &base);
        uint64_t check = psopack_block_check(all->bytes + row.offset, row.stored_size, row.raw_size,
                                             row.transform, has_base ? base.hash : NULL);
        store_check(all, &view->block_columns[PSOPACK_COLUMN_BLOCK_CHECK], block, check);
    }
}

/* Looks through a copy: the view's pages are judged as they were before the checks were written. */
static void seal_blocks_of(seal *all, uint8_t *copy)
{
    psopack_ends ends;
    uint64_t manifest = 0, pages = 0;
    psopack_view view;
    size_t header = sizeof(psopack_disk_header);
    if (psopack_ends_check(copy, header, copy, all->size, all->size, &ends, NULL) != PSOPACK_OK ||
        psopack_table_check(&ends, copy + ends.repeat_offset, &manifest, &pages, NULL) !=
            PSOPACK_OK)
        return;
    psopack_page_state *states = calloc(pages ? pages : 1, sizeof *states);
    psopack_column *columns = calloc(2 * PSOPACK_SLOTS_MAX, sizeof *columns);
    if (!states || !columns)
        abort();
    if (psopack_view_open(&ends, copy + manifest, manifest, states, &view, NULL) == PSOPACK_OK &&
        psopack_view_open_columns(&view, columns, NULL) == PSOPACK_OK)
        seal_blocks(all, &view);
    free(columns);
    free(states);
}

void fuzz_seal_archive(uint8_t *bytes, size_t size)
{
    seal all = {.bytes = bytes, .size = size};
    if (!load_tail(&all))
        return;
    seal_header(&all);
    place_sections(&all);
    seal_tail(&all);
    uint8_t *copy = malloc(size);
    if (!copy)
        abort();
    memcpy(copy, bytes, size);
    seal_blocks_of(&all, copy);
    free(copy);
    seal_tail(&all);
}
