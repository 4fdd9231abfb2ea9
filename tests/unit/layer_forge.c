/* SPDX-License-Identifier: MIT */
/* Section by section: most are copied, a few are written anew, two are added. */
#include "layer_forge.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "format/crc32c.h"
#include "format/view.h"
#include "packer/column_write.h"

/* ---- looking at the archive ------------------------------------------------------------------ */

typedef struct source {
    psopack_view view;
    psopack_page_state *pages;
    psopack_column *columns;
} source;

/* In place: columns point into the view. */
static void open_source(const forge_input *input, source *own)
{
    psopack_ends ends;
    uint64_t manifest, pages;
    const uint8_t *bytes = input->own;
    size_t size = input->own_size;
    assert_int_equal(
        psopack_ends_check(bytes, sizeof(psopack_disk_header), bytes, size, size, &ends, NULL),
        PSOPACK_OK);
    assert_int_equal(
        psopack_table_check(&ends, bytes + ends.repeat_offset, &manifest, &pages, NULL),
        PSOPACK_OK);
    own->pages = calloc((size_t)pages, sizeof *own->pages);
    own->columns = calloc(2 * PSOPACK_SLOTS_MAX, sizeof *own->columns);
    assert_int_equal(
        psopack_view_open(&ends, bytes + manifest, manifest, own->pages, &own->view, NULL),
        PSOPACK_OK);
    assert_int_equal(psopack_view_open_columns(&own->view, own->columns, NULL), PSOPACK_OK);
    assert_int_equal(own->view.meta_flags & PSOPACK_META_TUPLE_DELTA, 0);
}

static uint64_t *read_column(const psopack_column *column)
{
    uint64_t *values = calloc((size_t)column->rows + 1, sizeof *values);
    for (uint64_t i = 0; i < column->rows; i++)
        assert_int_equal(psopack_column_read(column, i, &values[i], NULL), PSOPACK_OK);
    return values;
}

/* ---- sections -------------------------------------------------------------------------------- */

static void write_columns(psopack_bytes *section, uint64_t *const *values, const uint64_t *rows,
                          uint32_t count)
{
    psopack_column_input columns[PSOPACK_BLOCK_COLUMNS] = {{0}};
    for (uint32_t i = 0; i < count; i++)
        columns[i] =
            (psopack_column_input){.values = values[i], .rows = rows[i], .id = (uint16_t)i};
    assert_int_equal(psopack_columns_write(section, columns, count, NULL), PSOPACK_OK);
}

static void write_meta(const psopack_section *from, psopack_bytes *section)
{
    psopack_disk_meta meta;
    psopack_bytes_add(section, from->bytes, (size_t)from->size, NULL);
    memcpy(&meta, section->data, sizeof meta);
    meta.block_raw_max = psopack_store32(PSOPACK_SECTION_PAGE * 16); /* what was a base is none */
    meta.block_stored_max = meta.block_raw_max;
    memcpy(section->data, &meta, sizeof meta);
}

static void write_references(const forge_input *input, const source *own, psopack_bytes *section)
{
    uint64_t *values = read_column(&own->view.reference_column);
    for (uint64_t i = 0; input->shared && i < own->view.reference_column.rows; i++) {
        uint32_t shared = input->shared[values[i]];
        if (shared != 0)
            values[i] = own->view.components + shared - 1;
    }
    write_columns(section, &values, &own->view.reference_column.rows, 1);
    free(values);
}

static void write_bases(const psopack_section *from, uint32_t count, psopack_bytes *section)
{
    psopack_bytes_add(section, from->bytes, (size_t)from->size, NULL);
    for (uint32_t i = 0; i < count; i++) {
        psopack_disk_base row;
        uint8_t *at = section->data + sizeof(psopack_disk_count) + i * sizeof row;
        memcpy(&row, at, sizeof row);
        row.block = psopack_store32(PSOPACK_BASE_EXTERNAL);
        row.tables_size = psopack_store32(0);
        memcpy(at, &row, sizeof row);
    }
}

static void write_blocks(const source *own, psopack_bytes *section)
{
    uint64_t *values[PSOPACK_BLOCK_COLUMNS], rows[PSOPACK_BLOCK_COLUMNS];
    for (uint32_t i = 0; i < PSOPACK_BLOCK_COLUMNS; i++) {
        values[i] = read_column(&own->view.block_columns[i]);
        rows[i] = own->view.blocks;
    }
    for (uint32_t i = 0; i < own->view.blocks; i++)
        values[PSOPACK_COLUMN_BLOCK_FLAGS][i] &= ~(uint64_t)PSOPACK_BLOCK_BASE;
    write_columns(section, values, rows, PSOPACK_BLOCK_COLUMNS);
    for (uint32_t i = 0; i < PSOPACK_BLOCK_COLUMNS; i++)
        free(values[i]);
}

static void write_layer(const forge_input *input, psopack_bytes *section)
{
    psopack_info base;
    psopack_layer_info layer = {.depth = 0};
    psopack_archive_info(input->base, &base);
    psopack_archive_layer(input->base, &layer);
    psopack_disk_layer disk = {
        .depth = psopack_store32(layer.depth + 1),
        .base_psos = psopack_store32(base.psos),
        .base_components = psopack_store32(base.components),
        .psos = psopack_store64(input->whole.psos),
        .components = psopack_store64(input->whole.live_components),
        .references = psopack_store64(input->whole.references),
        .reference_bytes = psopack_store64(input->whole.reference_bytes),
        .component_bytes = psopack_store64(input->whole.component_bytes),
    };
    memcpy(disk.base_content_id, base.content_id, 16);
    memcpy(disk.base_archive_id, base.archive_id, 16);
    psopack_bytes_add(section, &disk, sizeof disk, NULL);
}

static void write_psos(const forge_input *input, uint64_t own_psos, psopack_bytes *section)
{
    uint64_t *values[PSOPACK_LAYER_COLUMNS] = {(uint64_t *)(uintptr_t)input->gone,
                                               (uint64_t *)(uintptr_t)input->place};
    const uint64_t rows[PSOPACK_LAYER_COLUMNS] = {input->gone_count, own_psos};
    write_columns(section, values, rows, PSOPACK_LAYER_COLUMNS);
}

static void write_section(const forge_input *input, const source *own, uint32_t id,
                          const psopack_section *from, psopack_bytes *section)
{
    if (id == PSOPACK_SECTION_LAYR)
        write_layer(input, section);
    else if (id == PSOPACK_SECTION_LPSO)
        write_psos(input, own->view.psos, section);
    else if (id == PSOPACK_SECTION_REFS)
        write_references(input, own, section);
    else if (id == PSOPACK_SECTION_META && input->external)
        write_meta(from, section);
    else if (id == PSOPACK_SECTION_BASE && input->external)
        write_bases(from, own->view.bases, section);
    else if (id == PSOPACK_SECTION_BLCK && input->external)
        write_blocks(own, section);
    else
        psopack_bytes_add(section, from->bytes, (size_t)from->size, NULL);
    assert_true(section->size <= PSOPACK_SECTION_PAGE);
}

/* ---- the file -------------------------------------------------------------------------------- */

uint8_t *forge_layer(const forge_input *input, size_t *ret_size)
{
    source own;
    psopack_disk_section rows[PSOPACK_SECTIONS_MAX] = {{.reserved = psopack_store32(0)}};
    psopack_disk_footer footer;
    psopack_bytes file = {0};
    open_source(input, &own);
    footer = own.view.ends.footer;
    uint32_t count = own.view.section_count + 2;
    psopack_bytes_add(&file, input->own, (size_t)own.view.manifest_offset, NULL);
    for (uint32_t i = 0; i < count; i++) {
        psopack_bytes section = {0};
        const psopack_section *from = i + 2 < count ? &own.view.sections[i] : NULL;
        uint32_t id = from             ? from->id
                      : i + 2 == count ? PSOPACK_SECTION_LAYR
                                       : PSOPACK_SECTION_LPSO;
        write_section(input, &own, id, from, &section);
        psopack_bytes_align(&file, 8, NULL);
        rows[i].id = psopack_store32(id);
        rows[i].flags = psopack_store32(PSOPACK_SECTION_REQUIRED);
        rows[i].offset = psopack_store64(file.size);
        rows[i].size = psopack_store64(section.size);
        psopack_bytes_add(&file, section.data, section.size, NULL);
        psopack_bytes_free(&section);
    }
    psopack_bytes_align(&file, 8, NULL);
    footer.section_count = psopack_store32(count);
    footer.table_offset = psopack_store64(file.size);
    footer.repeat_offset = psopack_store64(file.size + count * sizeof rows[0]);
    footer.file_size = psopack_store64(file.size + 2 * count * sizeof rows[0] + sizeof footer);
    footer.must_refuse = psopack_store64(PSOPACK_FEATURE_LAYER);
    memcpy(footer.content_id, input->whole.content_id, sizeof footer.content_id);
    psopack_bytes_add(&file, rows, count * sizeof rows[0], NULL);
    psopack_bytes_add(&file, rows, count * sizeof rows[0], NULL);
    psopack_bytes_add(&file, &footer, sizeof footer, NULL);
    forge_seal(file.data, file.size);
    free(own.pages);
    free(own.columns);
    *ret_size = file.size;
    return file.data;
}

/* ---- changing it ----------------------------------------------------------------------------- */

static size_t load_table(const uint8_t *bytes, size_t size, psopack_disk_section *rows)
{
    psopack_disk_footer footer;
    memcpy(&footer, bytes + size - sizeof footer, sizeof footer);
    size_t count = psopack_load32(footer.section_count);
    memcpy(rows, bytes + size - sizeof footer - count * sizeof *rows, count * sizeof *rows);
    return count;
}

uint8_t *forge_section(uint8_t *bytes, size_t size, uint32_t id, size_t *ret_size)
{
    psopack_disk_section rows[PSOPACK_SECTIONS_MAX];
    size_t count = load_table(bytes, size, rows), at = 0;
    while (at < count && psopack_load32(rows[at].id) != id)
        at++;
    assert_true(at < count);
    *ret_size = (size_t)psopack_load64(rows[at].size);
    return bytes + psopack_load64(rows[at].offset);
}

void forge_seal(uint8_t *bytes, size_t size)
{
    psopack_disk_footer footer;
    psopack_disk_section rows[PSOPACK_SECTIONS_MAX];
    uint8_t *end = bytes + size - sizeof footer;
    size_t count = load_table(bytes, size, rows), table_size = count * sizeof rows[0];
    memcpy(&footer, end, sizeof footer);
    for (size_t i = 0; i < count; i++) {
        uint64_t offset = psopack_load64(rows[i].offset), length = psopack_load64(rows[i].size);
        if (offset <= size && length <= size - offset)
            rows[i].crc = psopack_store32(psopack_crc32c(0, bytes + offset, length));
    }
    memcpy(end - table_size, rows, table_size);
    memcpy(end - 2 * table_size, rows, table_size);
    footer.table_crc = psopack_store32(psopack_crc32c(0, rows, table_size));
    psopack_archive_id(&footer, rows, table_size, footer.archive_id);
    footer.crc = psopack_store32(psopack_crc32c(0, &footer, sizeof footer - sizeof footer.crc));
    memcpy(end, &footer, sizeof footer);
}
