/* SPDX-License-Identifier: MIT */
/* Opening a view: sections into memory, META, the row sections, then the column sets. */
#include <string.h>

#include "format/transform.h"
#include "format/view.h"

static psopack_status corrupt(const psopack_section *section, psopack_diag *diag, const char *what)
{
    char name[5];
    psopack_section_name(section->id, name);
    return psopack_fail_at(diag, PSOPACK_E_CORRUPT, PSOPACK_OBJECT_SECTION, section->number,
                           section->offset, "section %s: %s", name, what);
}

/* ---- sections ---------------------------------------------------------------------------------
 */

static psopack_status place_sections(psopack_view *view, psopack_page_state *pages,
                                     psopack_diag *diag)
{
    const psopack_ends *ends = &view->ends;
    const uint8_t *table = view->manifest + (ends->table_offset - view->manifest_offset);
    size_t table_size = ends->section_count * sizeof(psopack_disk_section);
    if (memcmp(table, table + table_size, table_size) != 0)
        return psopack_fail_at(diag, PSOPACK_E_CHECKSUM, PSOPACK_OBJECT_FILE, 0, ends->table_offset,
                               "the two copies of the section table differ");
    for (uint32_t i = 0; i < ends->section_count; i++) {
        psopack_disk_section row;
        memcpy(&row, table + i * sizeof row, sizeof row);
        psopack_section *section = &view->sections[i];
        section->id = psopack_load32(row.id);
        section->flags = psopack_load32(row.flags);
        section->number = i;
        section->crc = psopack_load32(row.crc);
        section->offset = psopack_load64(row.offset);
        section->size = psopack_load64(row.size);
        section->bytes = view->manifest + (section->offset - view->manifest_offset);
        section->pages = pages;
        pages += psopack_section_pages(section->size);
    }
    view->section_count = ends->section_count;
    return PSOPACK_OK;
}

/* The page tables, all of them: they are small and everything else hangs on them. */
static psopack_status check_page_tables(const psopack_view *view, psopack_diag *diag)
{
    for (uint32_t i = 0; i < view->section_count; i++) {
        const psopack_section *section = &view->sections[i];
        uint64_t pages = psopack_section_pages(section->size);
        bool good =
            pages > 1 ? psopack_section_table_is_good(section) : pages == 1 || section->crc == 0;
        if (!good)
            return psopack_fail_at(diag, PSOPACK_E_CHECKSUM, PSOPACK_OBJECT_SECTION, i,
                                   section->offset + section->size,
                                   "the check of section %u's page table does not match; get the "
                                   "file again or run 'psopack salvage'",
                                   i);
    }
    return PSOPACK_OK;
}

static const psopack_section *find_section(const psopack_view *view, uint32_t id)
{
    for (uint32_t i = 0; i < view->section_count; i++) {
        if (view->sections[i].id == id)
            return &view->sections[i];
    }
    return NULL;
}

static psopack_status need_section(const psopack_view *view, uint32_t id,
                                   const psopack_section **ret_section, psopack_diag *diag)
{
    char name[5];
    psopack_section_name(id, name);
    *ret_section = find_section(view, id);
    if (!*ret_section)
        return psopack_fail(diag, PSOPACK_E_CORRUPT, "section %s is missing", name);
    for (uint32_t i = (*ret_section)->number + 1; i < view->section_count; i++) {
        if (view->sections[i].id == id)
            return corrupt(&view->sections[i], diag, "it is there twice");
    }
    return PSOPACK_OK;
}

/* ---- META -------------------------------------------------------------------------------------
 */

static psopack_status load_strings(psopack_view *view, const psopack_section *section,
                                   const psopack_disk_meta *meta, psopack_diag *diag)
{
    /* Both strings end in a zero byte, which their sizes count. */
    uint64_t target = psopack_load32(meta->target_size), recipe = psopack_load32(meta->recipe_size);
    if (target == 0 || recipe == 0 || sizeof *meta + target + recipe != section->size)
        return corrupt(section, diag, "its strings do not fit");
    view->target = (const char *)section->bytes + sizeof *meta;
    view->recipe = view->target + target;
    if (memchr(view->target, 0, target) != view->target + target - 1 ||
        memchr(view->recipe, 0, recipe) != view->recipe + recipe - 1)
        return corrupt(section, diag, "a string does not end where it should");
    return PSOPACK_OK;
}

/*
 * What a file of this size can hold: so that nobody is talked into work or memory by numbers that
 * cost nothing to write. Every PSO has its own place in KEYS and every component in REFS or a CRC
 * of its own, which takes at least a bit; blocks do not overlap.
 */
static bool counts_fit(const psopack_view *view, uint64_t psos, uint64_t components,
                       uint64_t blocks)
{
    uint64_t bits = 8 * (view->ends.file_size - view->manifest_offset);
    return psos <= bits && components <= bits && blocks <= view->manifest_offset;
}

static psopack_status load_meta(psopack_view *view, psopack_diag *diag)
{
    const psopack_section *section;
    PSOPACK_TRY(need_section(view, PSOPACK_SECTION_META, &section, diag));
    psopack_disk_meta meta;
    PSOPACK_TRY(psopack_section_require(section, 0, sizeof meta, diag));
    PSOPACK_TRY(psopack_section_require(section, 0, section->size, diag));
    memcpy(&meta, section->bytes, sizeof meta);
    uint64_t psos = psopack_load64(meta.psos), components = psopack_load64(meta.components),
             blocks = psopack_load64(meta.blocks), raw_max = psopack_load32(meta.block_raw_max),
             stored_max = psopack_load32(meta.block_stored_max);
    if (!counts_fit(view, psos, components, blocks) || psos >= UINT32_MAX ||
        components >= UINT32_MAX || blocks >= UINT32_MAX || raw_max > PSOPACK_BLOCK_SIZE_MAX ||
        stored_max > PSOPACK_BLOCK_SIZE_MAX || psopack_load64(meta.split_size) == 0 ||
        psopack_load64(meta.split_size) > PSOPACK_BLOCK_SIZE_MAX ||
        (psopack_load32(meta.flags) & ~PSOPACK_META_KNOWN_FLAGS) != 0 ||
        psopack_load32(meta.reserved) != 0)
        return corrupt(section, diag, "a count or limit is impossible");
    view->content_version = psopack_load64(meta.content_version);
    view->psos = (uint32_t)psos;
    view->components = (uint32_t)components;
    view->blocks = (uint32_t)blocks;
    view->references = psopack_load64(meta.references);
    view->reference_bytes = psopack_load64(meta.reference_bytes);
    view->component_bytes = psopack_load64(meta.component_bytes);
    view->split_size = psopack_load64(meta.split_size);
    view->block_raw_max = (uint32_t)raw_max;
    view->block_stored_max = (uint32_t)stored_max;
    view->profile = psopack_load32(meta.profile);
    view->zstd_version = psopack_load32(meta.zstd_version);
    view->meta_flags = psopack_load32(meta.flags);
    return load_strings(view, section, &meta, diag);
}

/* ---- LAYR -------------------------------------------------------------------------------------
 */

static psopack_status take_layer(psopack_view *view, const psopack_section *section,
                                 const psopack_disk_layer *disk, psopack_diag *diag)
{
    psopack_layer_row row = {
        .depth = psopack_load32(disk->depth),
        .base_psos = psopack_load32(disk->base_psos),
        .base_components = psopack_load32(disk->base_components),
        .psos = (uint32_t)psopack_load64(disk->psos),
        .live_components = (uint32_t)psopack_load64(disk->components),
        .references = psopack_load64(disk->references),
        .reference_bytes = psopack_load64(disk->reference_bytes),
        .component_bytes = psopack_load64(disk->component_bytes),
    };
    uint64_t component_end = (uint64_t)view->components + row.base_components;
    if (row.depth == 0 || row.depth > PSOPACK_LAYER_DEPTH_MAX ||
        psopack_load64(disk->psos) > (uint64_t)view->psos + row.base_psos ||
        psopack_load64(disk->psos) >= UINT32_MAX || component_end >= UINT32_MAX ||
        psopack_load64(disk->components) > component_end || psopack_load32(disk->reserved) != 0 ||
        (view->meta_flags & PSOPACK_META_TUPLE_DELTA) != 0)
        return corrupt(section, diag, "a count, a depth or a flag of META is impossible");
    memcpy(row.base_content_id, disk->base_content_id, sizeof row.base_content_id);
    memcpy(row.base_archive_id, disk->base_archive_id, sizeof row.base_archive_id);
    view->layer = row;
    view->component_end = (uint32_t)component_end;
    return PSOPACK_OK;
}

static psopack_status load_layer(psopack_view *view, psopack_diag *diag)
{
    const psopack_section *section;
    psopack_disk_layer disk;
    view->component_end = view->components;
    if ((view->ends.must_refuse & PSOPACK_FEATURE_LAYER) == 0)
        return PSOPACK_OK;
    PSOPACK_TRY(need_section(view, PSOPACK_SECTION_LAYR, &section, diag));
    if (section->size != sizeof disk)
        return corrupt(section, diag, "it has another size");
    PSOPACK_TRY(psopack_section_require(section, 0, sizeof disk, diag));
    memcpy(&disk, section->bytes, sizeof disk);
    return take_layer(view, section, &disk, diag);
}

/* ---- SLOT, KIND, BASE -------------------------------------------------------------------------
 */

/* Opens a section of rows: everything is checked, `row_size * count` bytes follow the count. */
static psopack_status open_rows(const psopack_view *view, uint32_t id, size_t row_size,
                                uint32_t count_max, const psopack_section **ret_section,
                                uint32_t *ret_count, psopack_diag *diag)
{
    const psopack_section *section;
    PSOPACK_TRY(need_section(view, id, &section, diag));
    psopack_disk_count head;
    if (section->size < sizeof head)
        return corrupt(section, diag, "it is too short");
    PSOPACK_TRY(psopack_section_require(section, 0, section->size, diag));
    memcpy(&head, section->bytes, sizeof head);
    uint32_t count = psopack_load32(head.count);
    if (count > count_max || psopack_load32(head.reserved) != 0 ||
        count * (uint64_t)row_size > section->size - sizeof head)
        return corrupt(section, diag, "its row count is impossible");
    *ret_section = section;
    *ret_count = count;
    return PSOPACK_OK;
}

/* A zero-terminated name of `size` bytes without zeros in it, behind the rows. */
static bool name_is_legal(const psopack_section *section, uint64_t rows_end, uint32_t offset,
                          uint32_t size)
{
    if (size == 0 || size > PSOPACK_SLOT_NAME_MAX || offset < rows_end || offset >= section->size ||
        size >= section->size - offset)
        return false;
    const uint8_t *name = section->bytes + offset;
    return memchr(name, 0, size + 1) == name + size;
}

static bool names_ascend(const char *a, const char *b)
{
    return strcmp(a, b) < 0; /* strcmp compares bytes, as unsigned */
}

static psopack_status load_slots(psopack_view *view, psopack_diag *diag)
{
    PSOPACK_TRY(open_rows(view, PSOPACK_SECTION_SLOT, sizeof(psopack_disk_slot), PSOPACK_SLOTS_MAX,
                          &view->slot_section, &view->slots, diag));
    uint64_t rows_end =
        sizeof(psopack_disk_count) + view->slots * (uint64_t)sizeof(psopack_disk_slot);
    const char *previous = NULL;
    for (uint32_t i = 0; i < view->slots; i++) {
        psopack_slot_row row;
        psopack_disk_slot disk;
        memcpy(&disk, view->slot_section->bytes + sizeof(psopack_disk_count) + i * sizeof disk,
               sizeof disk);
        if (!name_is_legal(view->slot_section, rows_end, psopack_load32(disk.name_offset),
                           psopack_load16(disk.name_size)) ||
            disk.align_log2 > PSOPACK_ALIGN_LOG2_MAX || disk.reserved != 0 ||
            !psopack_view_slot(view, i, &row) || (previous && !names_ascend(previous, row.name)))
            return corrupt(view->slot_section, diag, "a slot's name or alignment is impossible");
        previous = row.name;
    }
    return PSOPACK_OK;
}

static psopack_status load_kinds(psopack_view *view, psopack_diag *diag)
{
    PSOPACK_TRY(open_rows(view, PSOPACK_SECTION_KIND, sizeof(psopack_disk_kind), PSOPACK_KINDS_MAX,
                          &view->kind_section, &view->kinds, diag));
    uint64_t rows_end =
        sizeof(psopack_disk_count) + view->kinds * (uint64_t)sizeof(psopack_disk_kind);
    for (uint32_t i = 0; i < view->kinds; i++) {
        psopack_disk_kind disk;
        memcpy(&disk, view->kind_section->bytes + sizeof(psopack_disk_count) + i * sizeof disk,
               sizeof disk);
        if (!name_is_legal(view->kind_section, rows_end, psopack_load32(disk.name_offset),
                           psopack_load16(disk.name_size)) ||
            psopack_load32(disk.base) > view->bases)
            return corrupt(view->kind_section, diag, "a kind's name or base is impossible");
    }
    return PSOPACK_OK;
}

static psopack_status load_bases(psopack_view *view, psopack_diag *diag)
{
    PSOPACK_TRY(open_rows(view, PSOPACK_SECTION_BASE, sizeof(psopack_disk_base), PSOPACK_BASES_MAX,
                          &view->base_section, &view->bases, diag));
    const psopack_section *section = view->base_section;
    uint64_t rows_end =
        sizeof(psopack_disk_count) + view->bases * (uint64_t)sizeof(psopack_disk_base);
    for (uint32_t i = 0; i < view->bases; i++) {
        psopack_disk_base disk;
        memcpy(&disk, section->bytes + sizeof(psopack_disk_count) + i * sizeof disk, sizeof disk);
        uint64_t offset = psopack_load32(disk.tables_offset);
        uint64_t size = psopack_load32(disk.tables_size);
        bool is_external = view->layer.depth != 0 &&
                           psopack_load32(disk.block) == PSOPACK_BASE_EXTERNAL && size == 0;
        if ((psopack_load32(disk.block) >= view->blocks && !is_external) ||
            size > PSOPACK_BASE_TABLES_MAX || offset < rows_end || offset > section->size ||
            size > section->size - offset || psopack_load32(disk.raw_size) > PSOPACK_BLOCK_SIZE_MAX)
            return corrupt(section, diag, "a base's block or tables are impossible");
    }
    return PSOPACK_OK;
}

psopack_status psopack_view_open(const psopack_ends *ends, const uint8_t *manifest,
                                 uint64_t manifest_offset, psopack_page_state *pages,
                                 psopack_view *ret_view, psopack_diag *diag)
{
    psopack_view *view = ret_view;
    memset(view, 0, sizeof *view);
    view->ends = *ends;
    view->manifest = manifest;
    view->manifest_offset = manifest_offset;
    PSOPACK_TRY(place_sections(view, pages, diag));
    PSOPACK_TRY(check_page_tables(view, diag));
    PSOPACK_TRY(load_meta(view, diag));
    PSOPACK_TRY(load_layer(view, diag));
    PSOPACK_TRY(load_slots(view, diag));
    PSOPACK_TRY(load_bases(view, diag));
    PSOPACK_TRY(load_kinds(view, diag));
    view->name_section = find_section(view, PSOPACK_SECTION_NAME);
    view->hash_section = find_section(view, PSOPACK_SECTION_HASH);
    return PSOPACK_OK;
}

/* ---- column sets ------------------------------------------------------------------------------
 */

/* Where the columns of one set go, and how many rows each must have (UINT64_MAX: any number). */
typedef struct column_target {
    psopack_column *columns;
    uint32_t count;
    uint64_t rows;
    uint32_t seen;
} column_target;

static psopack_status take_numbered(void *user, const psopack_column *column, psopack_diag *diag)
{
    column_target *target = user;
    if (column->id >= target->count || (target->rows != UINT64_MAX && column->rows != target->rows))
        return corrupt(column->section, diag, "a column is unknown or has the wrong row count");
    target->columns[column->id] = *column;
    target->seen++;
    return PSOPACK_OK;
}

static psopack_status load_set(const psopack_view *view, uint32_t id, psopack_column *columns,
                               uint32_t count, uint64_t rows, psopack_diag *diag)
{
    const psopack_section *section;
    column_target target = {columns, count, rows, 0};
    PSOPACK_TRY(need_section(view, id, &section, diag));
    PSOPACK_TRY(psopack_columns_parse(section, take_numbered, &target, diag));
    if (target.seen != count)
        return corrupt(section, diag, "a column is missing");
    return PSOPACK_OK;
}

static psopack_status take_pso_column(void *user, const psopack_column *column, psopack_diag *diag)
{
    psopack_view *view = user;
    uint32_t id = column->id;
    if (id < view->slots && column->rows == view->psos) {
        view->slot_columns[id] = *column;
        return PSOPACK_OK;
    }
    if (id == PSOPACK_COLUMN_PSO_TUPLE && column->rows == view->psos) {
        view->tuple_column = *column;
        return PSOPACK_OK;
    }
    if (id >= PSOPACK_COLUMN_PSO_GUESS && id - PSOPACK_COLUMN_PSO_GUESS < view->slots &&
        column->link < view->slots && column->link != id - PSOPACK_COLUMN_PSO_GUESS) {
        view->guess_columns[id - PSOPACK_COLUMN_PSO_GUESS] = *column;
        return PSOPACK_OK;
    }
    return corrupt(column->section, diag, "a column is unknown or has the wrong row count");
}

static psopack_status load_psos(psopack_view *view, psopack_diag *diag)
{
    const psopack_section *section;
    PSOPACK_TRY(need_section(view, PSOPACK_SECTION_PSOS, &section, diag));
    PSOPACK_TRY(psopack_columns_parse(section, take_pso_column, view, diag));
    if (!view->tuple_column.section)
        return corrupt(section, diag, "a column is missing");
    for (uint32_t slot = 0; slot < view->slots; slot++) {
        const psopack_column *guess = &view->guess_columns[slot];
        if (!view->slot_columns[slot].section)
            return corrupt(section, diag, "a column is missing");
        if (guess->section && view->guess_columns[guess->link].section)
            return corrupt(section, diag, "a leading slot is guessed itself");
    }
    return PSOPACK_OK;
}

/* Own PSOs have a place each, and what is gone was there: so the whole has as many as LAYR says. */
static psopack_status load_layer_columns(psopack_view *view, psopack_diag *diag)
{
    if (view->layer.depth == 0)
        return PSOPACK_OK;
    PSOPACK_TRY(load_set(view, PSOPACK_SECTION_LPSO, view->layer_columns, PSOPACK_LAYER_COLUMNS,
                         UINT64_MAX, diag));
    uint64_t gone = view->layer_columns[PSOPACK_COLUMN_LAYER_GONE].rows;
    if (view->layer_columns[PSOPACK_COLUMN_LAYER_PLACE].rows != view->psos ||
        gone > view->layer.base_psos ||
        (uint64_t)view->layer.base_psos - gone + view->psos != view->layer.psos)
        return corrupt(view->layer_columns[0].section, diag, "it does not fit LAYR's counts");
    return PSOPACK_OK;
}

psopack_status psopack_view_open_columns(psopack_view *view, psopack_column *columns,
                                         psopack_diag *diag)
{
    memset(columns, 0, 2 * view->slots * sizeof *columns);
    view->slot_columns = columns;
    view->guess_columns = columns + view->slots;
    PSOPACK_TRY(load_set(view, PSOPACK_SECTION_BLCK, view->block_columns, PSOPACK_BLOCK_COLUMNS,
                         view->blocks, diag));
    PSOPACK_TRY(load_set(view, PSOPACK_SECTION_COMP, view->component_columns,
                         PSOPACK_COMPONENT_COLUMNS, view->components, diag));
    PSOPACK_TRY(load_set(view, PSOPACK_SECTION_REFS, &view->reference_column,
                         PSOPACK_REFERENCE_COLUMNS, UINT64_MAX, diag));
    PSOPACK_TRY(load_set(view, PSOPACK_SECTION_KEYS, view->key_columns,
                         psopack_view_keys_are_paged(view) ? 1 : PSOPACK_KEY_COLUMNS, UINT64_MAX,
                         diag));
    PSOPACK_TRY(psopack_view_check_keys(view, diag));
    PSOPACK_TRY(load_layer_columns(view, diag));
    if (view->reference_column.rows > view->component_end)
        return corrupt(view->reference_column.section, diag, "more references than components");
    view->live_components = (uint32_t)view->reference_column.rows;
    return load_psos(view, diag);
}

psopack_status psopack_view_check_all(const psopack_view *view, psopack_diag *diag)
{
    for (uint32_t i = 0; i < view->section_count; i++) {
        const psopack_section *section = &view->sections[i];
        PSOPACK_TRY(psopack_section_require(section, 0, section->size, diag));
        uint64_t end =
            i + 1 < view->section_count ? view->sections[i + 1].offset : view->ends.table_offset;
        uint64_t table_size = psopack_section_table_size(section->size);
        uint64_t table_bytes =
            table_size == 0 ? 0 : psopack_section_pages(section->size) * sizeof(psopack_u32le);
        for (uint64_t at = section->size; at < end - section->offset; at++) {
            bool in_table =
                at >= section->size + table_size - table_bytes && at < section->size + table_size;
            if (!in_table && section->bytes[at] != 0)
                return psopack_fail_at(diag, PSOPACK_E_CORRUPT, PSOPACK_OBJECT_SECTION, i,
                                       section->offset + at,
                                       "padding behind a section is not zero");
        }
    }
    return PSOPACK_OK;
}
