/* SPDX-License-Identifier: MIT */
/* psopack report: why is this archive as big as it is? */
#include "command.h"
#include "failure.h"
#include "near.h"
#include "plain.h"
#include "sharing.h"
#include "table.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TOP = 10 };

/* A component and its part of the block that holds it. */
typedef struct costly {
    uint32_t component;
    uint32_t kind;
    uint64_t stored; /* bytes of its blocks, shared out by size */
} costly;

/* What a kind's blocks are made of. */
typedef struct kind_cost {
    uint64_t base_stored;
    uint64_t block_stored;
    uint64_t raw;
    uint32_t blocks;
} kind_cost;

typedef struct report {
    psopack_output *output;
    psopack_reader reader;
    psopack_sharing sharing;
    psopack_near near;
    psopack_plain plain;
    kind_cost *kinds;
    costly top[TOP];
    uint32_t top_count;
    uint32_t dead_components;
    uint64_t dead_bytes;
} report;

/* ---- counting ---------------------------------------------------------------------------------
 */

static void keep_top(report *r, const costly *item)
{
    uint32_t at = r->top_count < TOP ? r->top_count++ : TOP - 1;
    if (at == TOP - 1 && r->top_count == TOP && r->top[at].stored >= item->stored &&
        r->top[at].stored != 0)
        return;
    for (; at > 0 && r->top[at - 1].stored < item->stored; at--)
        r->top[at] = r->top[at - 1];
    r->top[at] = *item;
}

static psopack_status count_block(report *r, uint32_t index, psopack_diag *diag)
{
    psopack_block_info block;
    psopack_status status = psopack_block_get(r->reader.archive, index, &block, diag);
    if (status != PSOPACK_OK)
        return status;
    kind_cost *kind = &r->kinds[block.kind];
    kind->blocks++;
    kind->raw += block.raw_size;
    *(block.is_base ? &kind->base_stored : &kind->block_stored) += block.stored_size;
    for (uint32_t i = 0; i < block.components; i++) {
        uint32_t component = block.first_component + i;
        uint64_t size = r->sharing.sizes[component];
        costly item = {component, block.kind, block.stored_size};
        if (block.components > 1)
            item.stored = block.raw_size ? size * block.stored_size / block.raw_size : 0;
        keep_top(r, &item);
    }
    return PSOPACK_OK;
}

static psopack_status count_all(report *r, psopack_diag *diag)
{
    const psopack_info *info = &r->reader.info;
    psopack_status status = psopack_sharing_count(&r->reader, &r->sharing, diag);
    r->kinds = calloc(info->kinds + 1u, sizeof *r->kinds);
    if (status == PSOPACK_OK && !r->kinds)
        status = psopack_failure_memory(diag, "the report");
    for (uint32_t i = 0; status == PSOPACK_OK && i < info->blocks; i++)
        status = count_block(r, i, diag);
    for (uint32_t i = 0; status == PSOPACK_OK && i < r->reader.own_components; i++) {
        if (r->sharing.uses[i] != 0)
            continue;
        r->dead_components++;
        r->dead_bytes += r->sharing.sizes[i];
    }
    if (status == PSOPACK_OK)
        status = psopack_near_find(&r->reader, &r->near, diag);
    return status == PSOPACK_OK ? psopack_plain_measure(&r->reader, &r->plain, diag) : status;
}

static double share(uint64_t part, uint64_t whole)
{
    return whole ? 100.0 * (double)part / (double)whole : 0;
}

/* ---- text -------------------------------------------------------------------------------------
 */

static void head(psopack_table *table, const char *const *labels, size_t count)
{
    for (size_t i = 0; i < count; i++)
        psopack_table_cell(table, "%s", labels[i]);
}

static bool print_parts(const report *r)
{
    const psopack_info *info = &r->reader.info;
    const struct {
        const char *label;
        uint64_t bytes;
    } rows[] = {
        {"blocks", info->data_bytes - info->base_bytes},
        {"bases", info->base_bytes},
        {"manifest", info->manifest_bytes},
        {"padding", info->file_bytes - info->data_bytes - info->manifest_bytes},
    };
    psopack_table table = {.columns = "lrr"};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        psopack_table_cell(&table, "%s", rows[i].label);
        psopack_table_cell(&table, "%" PRIu64, rows[i].bytes);
        psopack_table_cell(&table, "%.1f %%", share(rows[i].bytes, info->file_bytes));
    }
    printf("Where the %" PRIu64 " bytes are; dedup left out %.1f %% of %" PRIu64 " bytes:\n",
           info->file_bytes,
           share(info->reference_bytes - info->component_bytes, info->reference_bytes),
           info->reference_bytes);
    return psopack_table_print(&table);
}

static bool print_kinds(const report *r)
{
    static const char *const labels[] = {"kind",  "blocks",    "raw",       "stored", "in bases",
                                         "share", "transform", "near dup.", "bytes"};
    psopack_table table = {.columns = "lrrrrrlrr"};
    psopack_kind_info kind;
    head(&table, labels, sizeof labels / sizeof labels[0]);
    for (uint32_t i = 0; psopack_kind_get(r->reader.archive, i, &kind) == PSOPACK_OK; i++) {
        const kind_cost *cost = &r->kinds[i];
        uint64_t stored = cost->base_stored + cost->block_stored;
        psopack_table_name(&table, kind.name, strlen(kind.name));
        psopack_table_cell(&table, "%" PRIu32, cost->blocks);
        psopack_table_cell(&table, "%" PRIu64, cost->raw);
        psopack_table_cell(&table, "%" PRIu64, stored);
        psopack_table_cell(&table, "%" PRIu64, cost->base_stored);
        psopack_table_cell(&table, "%.1f %%", share(stored, r->reader.info.file_bytes));
        psopack_table_cell(&table, "%s", kind.transform_name);
        psopack_table_cell(&table, "%" PRIu32, r->near.count[i]);
        psopack_table_cell(&table, "%" PRIu64, r->near.bytes[i]);
    }
    printf("\nBy kind (a base counts for the kind it is filed under):\n");
    return psopack_table_print(&table);
}

/* Gains of bases, transforms and strip words together, which blocks hold together. */
static bool print_gains(const report *r)
{
    static const char *const labels[] = {"kind", "stored", "without", "tried"};
    psopack_table table = {.columns = "lrrr"};
    psopack_kind_info kind;
    uint64_t stored = 0, plain = 0;
    head(&table, labels, sizeof labels / sizeof labels[0]);
    for (uint32_t i = 0; psopack_kind_get(r->reader.archive, i, &kind) == PSOPACK_OK; i++) {
        uint64_t estimate = psopack_plain_estimate(&r->plain.kinds[i], r->kinds[i].block_stored);
        stored += r->kinds[i].block_stored;
        plain += estimate;
        psopack_table_name(&table, kind.name, strlen(kind.name));
        psopack_table_cell(&table, "%" PRIu64, r->kinds[i].block_stored);
        psopack_table_cell(&table, "%" PRIu64, estimate);
        psopack_table_cell(&table, "%" PRIu32, r->plain.kinds[i].blocks);
    }
    printf("\nBlocks without base and transform, estimated from those tried: %" PRIu64
           " bytes; stored %" PRIu64 ", and bases %" PRIu64 ":\n",
           plain, stored, r->reader.info.base_bytes);
    return psopack_table_print(&table);
}

static bool print_slots(const report *r)
{
    static const char *const labels[] = {"slot", "PSOs", "components", "before", "after", "uses"};
    psopack_table table = {.columns = "lrrrrr"};
    const char *name;
    head(&table, labels, sizeof labels / sizeof labels[0]);
    for (uint32_t i = 0; (name = psopack_slot_name(r->reader.archive, i)) != NULL; i++) {
        const psopack_slot_sharing *slot = &r->sharing.slots[i];
        psopack_table_name(&table, name, strlen(name));
        psopack_table_cell(&table, "%" PRIu32, slot->present);
        psopack_table_cell(&table, "%" PRIu32, slot->components);
        psopack_table_cell(&table, "%" PRIu64, slot->reference_bytes);
        psopack_table_cell(&table, "%" PRIu64, slot->component_bytes);
        psopack_table_cell(&table, "%.1f",
                           slot->components ? (double)slot->present / slot->components : 0);
    }
    printf("\nBy slot, before and after dedup:\n");
    return psopack_table_print(&table);
}

static bool print_sections(const report *r)
{
    psopack_table table = {.columns = "lrr"};
    psopack_section_info section;
    for (uint32_t i = 0; psopack_section_get(r->reader.archive, i, &section) == PSOPACK_OK; i++) {
        psopack_table_cell(&table, "%s", section.name);
        psopack_table_cell(&table, "%" PRIu64, section.size);
        psopack_table_cell(&table, "%.1f a PSO",
                           r->reader.info.psos ? (double)section.size / r->reader.info.psos : 0);
    }
    printf("\nManifest:\n");
    return psopack_table_print(&table);
}

static bool print_top(const report *r)
{
    static const char *const labels[] = {"component", "kind", "bytes", "stored", "uses"};
    psopack_table table = {.columns = "llrrr"};
    psopack_kind_info kind;
    head(&table, labels, sizeof labels / sizeof labels[0]);
    for (uint32_t i = 0; i < r->top_count; i++) {
        const costly *item = &r->top[i];
        psopack_kind_get(r->reader.archive, item->kind, &kind);
        psopack_table_cell(&table, "%" PRIu32, item->component);
        psopack_table_name(&table, kind.name, strlen(kind.name));
        psopack_table_cell(&table, "%" PRIu64, r->sharing.sizes[item->component]);
        psopack_table_cell(&table, "%" PRIu64, item->stored);
        psopack_table_cell(&table, "%" PRIu32, r->sharing.uses[item->component]);
    }
    printf("\nThe dearest components, by their part of their block:\n");
    return psopack_table_print(&table);
}

static int print_text(const report *r)
{
    bool printed = print_parts(r);
    printed = print_kinds(r) && printed;
    printed = print_gains(r) && printed;
    printed = print_slots(r) && printed;
    printed = print_sections(r) && printed;
    printed = print_top(r) && printed;
    printf("\nUnreferenced: %" PRIu32 " component%s, %" PRIu64 " bytes.\n", r->dead_components,
           psopack_plural(r->dead_components), r->dead_bytes);
    if (printed)
        return 0;
    psopack_diag diag;
    psopack_failure_memory(&diag, "a table");
    return psopack_output_fail(r->output, r->reader.path, &diag);
}

/* ---- JSON -------------------------------------------------------------------------------------
 */

static json_t *kinds_json(const report *r)
{
    json_t *rows = json_array();
    psopack_kind_info kind;
    for (uint32_t i = 0; psopack_kind_get(r->reader.archive, i, &kind) == PSOPACK_OK; i++) {
        json_t *object = json_object();
        psopack_json_set_text(object, "name", kind.name);
        psopack_json_set_number(object, "components", kind.components);
        psopack_json_set_number(object, "component_bytes", kind.component_bytes);
        psopack_json_set_number(object, "blocks", r->kinds[i].blocks);
        psopack_json_set_number(object, "block_bytes", r->kinds[i].block_stored);
        psopack_json_set_number(object, "base_bytes", r->kinds[i].base_stored);
        psopack_json_set_number(
            object, "plain_block_bytes",
            psopack_plain_estimate(&r->plain.kinds[i], r->kinds[i].block_stored));
        psopack_json_set_number(object, "plain_blocks_tried", r->plain.kinds[i].blocks);
        psopack_json_set_text(object, "transform", kind.transform_name);
        psopack_json_set_number(object, "near_duplicates", r->near.count[i]);
        psopack_json_set_number(object, "near_duplicate_bytes", r->near.bytes[i]);
        psopack_json_append(rows, object);
    }
    return rows;
}

static json_t *slots_json(const report *r)
{
    json_t *rows = json_array();
    const char *name;
    for (uint32_t i = 0; (name = psopack_slot_name(r->reader.archive, i)) != NULL; i++) {
        const psopack_slot_sharing *slot = &r->sharing.slots[i];
        json_t *object = json_object();
        psopack_json_set_text(object, "name", name);
        psopack_json_set_number(object, "psos", slot->present);
        psopack_json_set_number(object, "components", slot->components);
        psopack_json_set_number(object, "reference_bytes", slot->reference_bytes);
        psopack_json_set_number(object, "component_bytes", slot->component_bytes);
        psopack_json_append(rows, object);
    }
    return rows;
}

static json_t *top_json(const report *r)
{
    json_t *rows = json_array();
    for (uint32_t i = 0; i < r->top_count; i++) {
        json_t *object = json_object();
        psopack_json_set_number(object, "component", r->top[i].component);
        psopack_json_set_number(object, "bytes", r->sharing.sizes[r->top[i].component]);
        psopack_json_set_number(object, "stored_bytes", r->top[i].stored);
        psopack_json_set_number(object, "uses", r->sharing.uses[r->top[i].component]);
        psopack_json_append(rows, object);
    }
    return rows;
}

static json_t *sections_json(const report *r)
{
    json_t *object = json_object();
    psopack_section_info section;
    for (uint32_t i = 0; psopack_section_get(r->reader.archive, i, &section) == PSOPACK_OK; i++)
        psopack_json_set_number(object, section.name, section.size);
    return object;
}

static int print_json(const report *r)
{
    const psopack_info *info = &r->reader.info;
    json_t *object = psopack_json_begin(r->output->command);
    psopack_json_set_text(object, "archive", r->reader.path);
    psopack_json_set_number(object, "file_bytes", info->file_bytes);
    psopack_json_set_number(object, "data_bytes", info->data_bytes);
    psopack_json_set_number(object, "base_bytes", info->base_bytes);
    psopack_json_set_number(object, "manifest_bytes", info->manifest_bytes);
    psopack_json_set_number(object, "reference_bytes", info->reference_bytes);
    psopack_json_set_number(object, "component_bytes", info->component_bytes);
    psopack_json_set_number(object, "unreferenced_components", r->dead_components);
    psopack_json_set_number(object, "unreferenced_bytes", r->dead_bytes);
    psopack_json_set(object, "kinds", kinds_json(r));
    psopack_json_set(object, "slots", slots_json(r));
    psopack_json_set(object, "sections", sections_json(r));
    psopack_json_set(object, "top", top_json(r));
    return psopack_output_json(r->output, object, 0);
}

int psopack_command_report(psopack_output *output, const psopack_options *options)
{
    const char *path = options->operands.items[0];
    report r = {.output = output};
    psopack_diag diag;
    int exit_code;
    psopack_status status = psopack_reader_open(path, options, NULL, &r.reader, &diag);
    if (status == PSOPACK_OK)
        status = count_all(&r, &diag);
    if (status != PSOPACK_OK)
        exit_code = psopack_output_fail(output, path, &diag);
    else
        exit_code = output->json ? print_json(&r) : print_text(&r);
    free(r.kinds);
    psopack_near_free(&r.near);
    psopack_plain_free(&r.plain);
    psopack_sharing_free(&r.sharing);
    psopack_reader_close(&r.reader);
    return exit_code;
}
