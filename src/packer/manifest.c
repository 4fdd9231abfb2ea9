/* SPDX-License-Identifier: MIT */
/* Small sections, blocks, components and references; then everything is put behind the blocks. */
#include "packer/manifest.h"

#include <stdio.h>
#include <zstd.h>

#include "format/crc32c.h"
#include "format/layout.h"
#include "format/view.h"
#include "packer/column_write.h"
#include "packer/recipe.h"

/* ---- META, SLOT, KIND, BASE -------------------------------------------------------------------
 */

static void describe_recipe(const psopack_manifest_input *input, char *text, size_t size)
{
    int used = psopack_recipe_describe(input->settings, input->order, text, size);
    if (!input->plan->prefix)
        return;
    used += snprintf(text + used, size - (size_t)used, "; on ");
    for (int i = 0; i < 16; i++)
        used += snprintf(text + used, size - (size_t)used, "%02x",
                         input->plan->prefix->view.ends.archive_id[i]);
}

static void largest_blocks(const psopack_manifest_input *input, psopack_disk_meta *meta)
{
    uint32_t raw = 0, stored = 0;
    for (size_t i = 0; i < input->plan->block_count; i++) {
        const psopack_written_block *block = &input->blocks[i];
        if (input->plan->blocks[i].is_base)
            continue;
        raw = block->raw_size > raw ? block->raw_size : raw;
        stored = block->stored_size > stored ? block->stored_size : stored;
    }
    meta->block_raw_max = psopack_store32(raw);
    meta->block_stored_max = psopack_store32(stored);
}

static psopack_status section_meta(const psopack_manifest_input *input, psopack_bytes *section,
                                   psopack_diag *diag)
{
    char recipe[PSOPACK_RECIPE_SIZE + 64];
    describe_recipe(input, recipe, sizeof recipe);
    const psopack_model *model = input->model;
    size_t target_size = strlen(input->target) + 1, recipe_size = strlen(recipe) + 1;
    psopack_disk_meta meta = {
        .content_version = psopack_store64(input->content_version),
        .psos = psopack_store64(model->pso_count),
        .components = psopack_store64(input->plan->row_count),
        .blocks = psopack_store64(input->plan->block_count),
        .references = psopack_store64(model->reference_count),
        .reference_bytes = psopack_store64(model->reference_bytes),
        .component_bytes = psopack_store64(model->component_bytes),
        .split_size = psopack_store64(input->plan->split_size),
        .profile = psopack_store32(input->settings->profile),
        .zstd_version = psopack_store32(ZSTD_versionNumber()),
        .target_size = psopack_store32((uint32_t)target_size),
        .recipe_size = psopack_store32((uint32_t)recipe_size),
        .flags = psopack_store32(
            (model->keys_given ? PSOPACK_META_KEYS_GIVEN : 0) |
            (psopack_manifest_has_paged_keys(input) ? PSOPACK_META_KEYS_PAGED : 0) |
            (psopack_manifest_has_tuple_delta(input) ? PSOPACK_META_TUPLE_DELTA : 0)),
    };
    largest_blocks(input, &meta);
    PSOPACK_TRY(psopack_bytes_add(section, &meta, sizeof meta, diag));
    PSOPACK_TRY(psopack_bytes_add(section, input->target, target_size, diag));
    return psopack_bytes_add(section, recipe, recipe_size, diag);
}

static psopack_status begin_rows(psopack_bytes *section, uint32_t count, size_t row_size,
                                 psopack_diag *diag)
{
    psopack_disk_count head = {.count = psopack_store32(count)};
    PSOPACK_TRY(psopack_bytes_add(section, &head, sizeof head, diag));
    return psopack_bytes_add_zeros(section, count * row_size, diag);
}

static void set_row(psopack_bytes *section, uint32_t index, const void *row, size_t row_size)
{
    memcpy(section->data + sizeof(psopack_disk_count) + index * row_size, row, row_size);
}

static psopack_status section_slots(const psopack_manifest_input *input, psopack_bytes *section,
                                    psopack_diag *diag)
{
    const psopack_model *model = input->model;
    PSOPACK_TRY(begin_rows(section, model->slot_count, sizeof(psopack_disk_slot), diag));
    for (uint32_t i = 0; i < model->slot_count; i++) {
        const psopack_model_slot *slot = &model->slots[i];
        psopack_disk_slot row = {
            .name_offset = psopack_store32((uint32_t)section->size),
            .name_size = psopack_store16((uint16_t)slot->name.size),
            .align_log2 = (uint8_t)slot->align_log2,
            .references = psopack_store64(slot->references),
        };
        PSOPACK_TRY(psopack_bytes_add(section, slot->name.bytes, slot->name.size + 1, diag));
        set_row(section, i, &row, sizeof row);
    }
    return PSOPACK_OK;
}

static psopack_status section_kinds(const psopack_manifest_input *input, psopack_bytes *section,
                                    psopack_diag *diag)
{
    const psopack_model *model = input->model;
    PSOPACK_TRY(begin_rows(section, model->kind_count, sizeof(psopack_disk_kind), diag));
    for (uint32_t i = 0; i < model->kind_count; i++) {
        const psopack_model_kind *kind = &model->kinds[i];
        const psopack_plan_kind *plan = &input->plan->kinds[i];
        psopack_disk_kind row = {
            .name_offset = psopack_store32((uint32_t)section->size),
            .name_size = psopack_store16((uint16_t)kind->name.size),
            .transform = psopack_store16((uint16_t)plan->transform),
            .strip_word = psopack_store32(plan->strip_word),
            .base = psopack_store32(plan->base == PSOPACK_NO_BASE ? 0 : plan->base + 1),
            .components = psopack_store64(kind->components),
            .component_bytes = psopack_store64(kind->bytes),
            .stored_bytes = psopack_store64(plan->stored_bytes),
        };
        PSOPACK_TRY(psopack_bytes_add(section, kind->name.bytes, kind->name.size + 1, diag));
        set_row(section, i, &row, sizeof row);
    }
    return PSOPACK_OK;
}

static psopack_status section_bases(const psopack_manifest_input *input, psopack_bytes *section,
                                    psopack_diag *diag)
{
    const psopack_plan *plan = input->plan;
    PSOPACK_TRY(begin_rows(section, plan->base_count, sizeof(psopack_disk_base), diag));
    for (uint32_t i = 0; i < plan->base_count; i++) {
        const psopack_plan_base *base = &plan->bases[i];
        psopack_disk_base row = {
            .block = psopack_store32(base->block),
            .tables_offset = psopack_store32((uint32_t)section->size),
            .tables_size = psopack_store32(base->tables_size),
            .raw_size =
                psopack_store32(base->old ? base->raw_size : plan->blocks[base->block].raw_size),
        };
        const uint8_t *tables = base->tables;
        psopack_base_row old = {0};
        if (base->old && psopack_view_base(&base->old->view, base->old_base, &old))
            tables = old.tables;
        if (base->block == PSOPACK_BASE_EXTERNAL)
            row.tables_size = psopack_store32(0); /* they are where the base is */
        memcpy(row.hash, base->hash, sizeof row.hash);
        PSOPACK_TRY(psopack_bytes_add(section, tables, psopack_load32(row.tables_size), diag));
        set_row(section, i, &row, sizeof row);
    }
    return PSOPACK_OK;
}

/* ---- BLCK, COMP, REFS -------------------------------------------------------------------------
 */

/* `count` columns of `rows` values, numbered from 0, in one allocation. */
static psopack_status new_columns(psopack_column_input *columns, uint32_t count, uint64_t rows,
                                  uint64_t **ret_values, psopack_diag *diag)
{
    PSOPACK_TRY(psopack_new_array(ret_values, count * (size_t)rows, sizeof **ret_values, diag));
    for (uint32_t i = 0; i < count; i++)
        columns[i] = (psopack_column_input){
            .values = *ret_values + i * rows, .rows = rows, .id = (uint16_t)i};
    return PSOPACK_OK;
}

static psopack_status section_blocks(const psopack_manifest_input *input, psopack_bytes *section,
                                     psopack_diag *diag)
{
    const psopack_plan *plan = input->plan;
    psopack_column_input columns[PSOPACK_BLOCK_COLUMNS];
    size_t rows = plan->block_count;
    uint64_t *values;
    PSOPACK_TRY(new_columns(columns, PSOPACK_BLOCK_COLUMNS, rows, &values, diag));
    for (size_t i = 0; i < rows; i++) {
        const psopack_plan_block *block = &plan->blocks[i];
        const psopack_written_block *written = &input->blocks[i];
        values[PSOPACK_COLUMN_BLOCK_OFFSET * rows + i] = written->offset;
        values[PSOPACK_COLUMN_BLOCK_STORED * rows + i] = written->stored_size;
        values[PSOPACK_COLUMN_BLOCK_RAW * rows + i] = written->raw_size;
        values[PSOPACK_COLUMN_BLOCK_FIRST * rows + i] = block->first;
        values[PSOPACK_COLUMN_BLOCK_CHECK * rows + i] = written->check;
        values[PSOPACK_COLUMN_BLOCK_TRANSFORM * rows + i] =
            block->old        ? block->old->blocks[block->old_block].transform
            : block->is_piece ? PSOPACK_TRANSFORM_NONE
                              : plan->kinds[block->kind].transform;
        values[PSOPACK_COLUMN_BLOCK_BASE * rows + i] =
            block->base == PSOPACK_NO_BASE ? 0 : block->base + 1;
        values[PSOPACK_COLUMN_BLOCK_KIND * rows + i] = block->kind;
        values[PSOPACK_COLUMN_BLOCK_FLAGS * rows + i] = written->flags;
    }
    psopack_status status = psopack_columns_write(section, columns, PSOPACK_BLOCK_COLUMNS, diag);
    free(values);
    return status;
}

static psopack_status section_components(const psopack_manifest_input *input,
                                         psopack_bytes *section, psopack_diag *diag)
{
    psopack_column_input columns[PSOPACK_COMPONENT_COLUMNS];
    size_t rows = input->plan->row_count;
    uint64_t *values;
    PSOPACK_TRY(new_columns(columns, PSOPACK_COMPONENT_COLUMNS, rows, &values, diag));
    for (size_t i = 0; i < rows; i++) {
        psopack_component_row row = psopack_plan_row(input->model, input->plan, (uint32_t)i);
        values[PSOPACK_COLUMN_COMPONENT_SIZE * rows + i] = row.size;
        values[PSOPACK_COLUMN_COMPONENT_CRC * rows + i] = row.crc;
        values[PSOPACK_COLUMN_COMPONENT_ALIGN * rows + i] = row.align_log2;
        values[PSOPACK_COLUMN_COMPONENT_STRIP * rows + i] = row.strip;
        values[PSOPACK_COLUMN_COMPONENT_DEAD * rows + i] = row.dead;
    }
    psopack_status status =
        psopack_columns_write(section, columns, PSOPACK_COMPONENT_COLUMNS, diag);
    free(values);
    return status;
}

static psopack_status section_references(const psopack_manifest_input *input,
                                         psopack_bytes *section, psopack_diag *diag)
{
    psopack_column_input column;
    uint64_t rows = input->model->component_count, *values;
    const psopack_plan *plan = input->plan;
    PSOPACK_TRY(new_columns(&column, 1, rows, &values, diag));
    for (uint64_t i = 0; plan->outside && i < rows; i++)
        values[i] = (uint64_t)plan->row_count + plan->outside[i];
    for (uint64_t i = 0; i < plan->row_count; i++) {
        if (plan->order[i] != PSOPACK_NO_COMPONENT)
            values[plan->order[i]] = i;
    }
    psopack_status status = psopack_columns_write(section, &column, 1, diag);
    free(values);
    return status;
}

static psopack_status section_hashes(const psopack_manifest_input *input, psopack_bytes *section,
                                     psopack_diag *diag)
{
    const psopack_plan *plan = input->plan;
    for (uint32_t i = 0; i < plan->row_count; i++) {
        XXH128_canonical_t hash;
        XXH128_canonicalFromHash(&hash, i < plan->kept_count
                                            ? plan->kept_hashes[i]
                                            : input->model->components[plan->order[i]].hash);
        PSOPACK_TRY(psopack_bytes_add(section, hash.digest, sizeof hash.digest, diag));
    }
    return PSOPACK_OK;
}

/* ---- the tail ---------------------------------------------------------------------------------
 */

typedef psopack_status section_fn(const psopack_manifest_input *input, psopack_bytes *section,
                                  psopack_diag *diag);

typedef struct section_plan {
    psopack_section_id id;
    uint32_t flags;
    section_fn *make;
} section_plan;

/* In file order: the hot ones first, so that they share pages of the system. */
static const section_plan section_plans[] = {
    {PSOPACK_SECTION_META, PSOPACK_SECTION_REQUIRED, section_meta},
    {PSOPACK_SECTION_SLOT, PSOPACK_SECTION_REQUIRED, section_slots},
    {PSOPACK_SECTION_KIND, PSOPACK_SECTION_REQUIRED, section_kinds},
    {PSOPACK_SECTION_BASE, PSOPACK_SECTION_REQUIRED, section_bases},
    {PSOPACK_SECTION_BLCK, PSOPACK_SECTION_REQUIRED, section_blocks},
    {PSOPACK_SECTION_COMP, PSOPACK_SECTION_REQUIRED, section_components},
    {PSOPACK_SECTION_REFS, PSOPACK_SECTION_REQUIRED, section_references},
    {PSOPACK_SECTION_PSOS, PSOPACK_SECTION_REQUIRED, psopack_section_psos},
    {PSOPACK_SECTION_KEYS, PSOPACK_SECTION_REQUIRED, psopack_section_keys},
    {PSOPACK_SECTION_NAME, 0, psopack_section_names},
    {PSOPACK_SECTION_HASH, 0, section_hashes},
    {PSOPACK_SECTION_LAYR, PSOPACK_SECTION_REQUIRED, psopack_section_layer},
    {PSOPACK_SECTION_LPSO, PSOPACK_SECTION_REQUIRED, psopack_section_layer_psos},
};

static bool is_wanted(const psopack_manifest_input *input, psopack_section_id id)
{
    switch (id) {
    case PSOPACK_SECTION_HASH:
        return input->hashes;
    case PSOPACK_SECTION_NAME:
        return !input->no_names;
    case PSOPACK_SECTION_LAYR:
    case PSOPACK_SECTION_LPSO:
        return input->layer != NULL;
    default:
        return true;
    }
}

#define SECTION_COUNT (sizeof section_plans / sizeof section_plans[0])

typedef struct tail {
    psopack_publish *publish;
    psopack_disk_section rows[SECTION_COUNT];
    uint32_t count;
} tail;

static psopack_status pad_to_8(psopack_publish *publish, psopack_diag *diag)
{
    static const uint8_t zeros[8];
    size_t padding = (8 - psopack_publish_offset(publish) % 8) % 8;
    return psopack_publish_write(publish, zeros, padding, diag);
}

/* Appends the page table, if the section needs one; *ret_crc is what the section table holds. */
static psopack_status add_page_table(psopack_bytes *section, uint32_t *ret_crc, psopack_diag *diag)
{
    size_t size = section->size;
    if (psopack_section_pages(size) <= 1) {
        *ret_crc = psopack_crc32c(0, section->data, size);
        return PSOPACK_OK;
    }
    PSOPACK_TRY(psopack_bytes_align(section, 4, diag));
    size_t table = section->size;
    for (size_t at = 0; at < size; at += PSOPACK_SECTION_PAGE) {
        size_t count = size - at < PSOPACK_SECTION_PAGE ? size - at : PSOPACK_SECTION_PAGE;
        psopack_u32le crc = psopack_store32(psopack_crc32c(0, section->data + at, count));
        PSOPACK_TRY(psopack_bytes_add(section, &crc, sizeof crc, diag));
    }
    *ret_crc = psopack_crc32c(0, section->data + table, section->size - table);
    return PSOPACK_OK;
}

static psopack_status write_section(tail *out, const psopack_manifest_input *input,
                                    const section_plan *what, psopack_bytes *section,
                                    psopack_diag *diag)
{
    uint32_t crc;
    PSOPACK_TRY(what->make(input, section, diag));
    size_t size = section->size;
    PSOPACK_TRY(add_page_table(section, &crc, diag));
    PSOPACK_TRY(pad_to_8(out->publish, diag));
    out->rows[out->count++] = (psopack_disk_section){
        .id = psopack_store32(what->id),
        .flags = psopack_store32(what->flags),
        .offset = psopack_store64(psopack_publish_offset(out->publish)),
        .size = psopack_store64(size),
        .crc = psopack_store32(crc),
    };
    return psopack_publish_write(out->publish, section->data, section->size, diag);
}

static psopack_status write_sections(tail *out, const psopack_manifest_input *input,
                                     psopack_diag *diag)
{
    for (size_t i = 0; i < SECTION_COUNT; i++) {
        if (!is_wanted(input, section_plans[i].id))
            continue;
        psopack_bytes section = {NULL, 0, 0};
        psopack_status status = write_section(out, input, &section_plans[i], &section, diag);
        psopack_bytes_free(&section);
        PSOPACK_TRY(status);
    }
    return pad_to_8(out->publish, diag);
}

static psopack_status write_footer(const tail *out, const psopack_manifest_input *input,
                                   uint8_t ret_archive_id[16], psopack_diag *diag)
{
    size_t table_size = out->count * sizeof out->rows[0];
    uint64_t table_offset = psopack_publish_offset(out->publish);
    psopack_disk_footer footer = {
        .footer_size = psopack_store32(sizeof footer),
        .section_count = psopack_store32(out->count),
        .file_size = psopack_store64(table_offset + 2 * table_size + sizeof footer),
        .table_offset = psopack_store64(table_offset),
        .repeat_offset = psopack_store64(table_offset + table_size),
        .table_crc = psopack_store32(psopack_crc32c(0, out->rows, table_size)),
        .version = psopack_store32(PSOPACK_FORMAT_VERSION),
        .key_seed = psopack_store64(input->model->key_seed),
        .must_refuse = psopack_store64(input->layer ? PSOPACK_FEATURE_LAYER : UINT64_C(0)),
        .may_not_append =
            psopack_store64((input->plan->prefix ? PSOPACK_FEATURE_REBUILT : UINT64_C(0)) |
                            (input->is_stripped ? PSOPACK_FEATURE_STRIPPED : UINT64_C(0))),
    };
    memcpy(footer.magic, PSOPACK_FOOTER_MAGIC, PSOPACK_MAGIC_SIZE);
    memcpy(footer.content_id, input->model->content_id, sizeof footer.content_id);
    psopack_archive_id(&footer, out->rows, table_size, footer.archive_id);
    footer.crc = psopack_store32(psopack_crc32c(0, &footer, sizeof footer - sizeof footer.crc));
    memcpy(ret_archive_id, footer.archive_id, sizeof footer.archive_id);
    PSOPACK_TRY(psopack_publish_write(out->publish, out->rows, table_size, diag));
    PSOPACK_TRY(psopack_publish_write(out->publish, out->rows, table_size, diag));
    return psopack_publish_write(out->publish, &footer, sizeof footer, diag);
}

psopack_status psopack_header_write(psopack_publish *publish, psopack_diag *diag)
{
    psopack_disk_header header = {
        .version = psopack_store32(PSOPACK_FORMAT_VERSION),
        .header_size = psopack_store32(sizeof header),
        .footer_size = psopack_store32(sizeof(psopack_disk_footer)),
    };
    memcpy(header.magic, PSOPACK_HEADER_MAGIC, PSOPACK_MAGIC_SIZE);
    header.crc = psopack_store32(psopack_crc32c(0, &header, sizeof header));
    return psopack_publish_write(publish, &header, sizeof header, diag);
}

psopack_status psopack_manifest_write(const psopack_manifest_input *input, psopack_publish *publish,
                                      psopack_manifest_result *ret_result, psopack_diag *diag)
{
    tail out = {.publish = publish};
    uint8_t archive_id[16];
    PSOPACK_TRY(write_sections(&out, input, diag));
    PSOPACK_TRY(write_footer(&out, input, archive_id, diag));
    memcpy(ret_result->archive_id, archive_id, sizeof archive_id);
    return PSOPACK_OK;
}
