/* SPDX-License-Identifier: MIT */
/* The four listings of psopack list. */
#include "list_parts.h"

#include "glob.h"

#include <inttypes.h>
#include <string.h>

/* Begins a table with its header row, one word per column. */
static void begin(psopack_listing *listing, const char *json_key, const char *columns,
                  const char *const *header)
{
    listing->json_key = json_key;
    listing->table.columns = columns;
    for (size_t i = 0; columns[i] && !listing->output->json; i++)
        psopack_table_cell(&listing->table, "%s", header[i]);
}

/* ---- PSOs ------------------------------------------------------------------------------------ */

typedef struct pso_row {
    uint32_t slots;
    uint64_t bytes;
    uint64_t own_bytes; /* in components that no other PSO or slot uses */
} pso_row;

static psopack_status measure(psopack_listing *listing, uint32_t pso, pso_row *ret_row,
                              psopack_diag *diag)
{
    psopack_reader *reader = &listing->reader;
    pso_row row = {0};
    psopack_status status = psopack_reader_parts(reader, pso, diag);
    if (status != PSOPACK_OK)
        return status;
    for (uint32_t slot = 0; slot < reader->info.slots; slot++) {
        uint32_t component = reader->parts[slot];
        if (component == PSOPACK_ABSENT)
            continue;
        row.slots++;
        row.bytes += listing->sharing.sizes[component];
        if (listing->sharing.uses[component] == 1)
            row.own_bytes += listing->sharing.sizes[component];
    }
    *ret_row = row;
    return PSOPACK_OK;
}

static void add_pso(psopack_listing *listing, uint32_t pso, const pso_row *row)
{
    const psopack_reader *reader = &listing->reader;
    if (listing->output->json) {
        json_t *object = json_object();
        psopack_json_set_bytes_text(object, "name", reader->name, reader->name_size);
        psopack_json_set_number(object, "index", pso);
        psopack_json_set_number(object, "slots", row->slots);
        psopack_json_set_number(object, "bytes", row->bytes);
        psopack_json_set_number(object, "own_bytes", row->own_bytes);
        psopack_json_append(listing->rows, object);
        return;
    }
    psopack_table_cell(&listing->table, "%" PRIu32, row->slots);
    psopack_table_cell(&listing->table, "%" PRIu64, row->bytes);
    psopack_table_cell(&listing->table, "%" PRIu64, row->own_bytes);
    psopack_table_name(&listing->table, reader->name, reader->name_size);
}

static psopack_status list_matching(psopack_listing *listing, psopack_glob *glob,
                                    psopack_diag *diag)
{
    for (uint32_t pso = 0; pso < listing->reader.info.psos; pso++) {
        psopack_status status = psopack_reader_name(&listing->reader, pso, diag);
        if (status != PSOPACK_OK)
            return status;
        if (!psopack_glob_match(glob, listing->reader.name))
            continue;
        pso_row row;
        status = measure(listing, pso, &row, diag);
        if (status != PSOPACK_OK)
            return status;
        add_pso(listing, pso, &row);
    }
    return psopack_glob_unmatched(glob, diag);
}

psopack_status psopack_list_psos(psopack_listing *listing, char *const *patterns, size_t count,
                                 psopack_diag *diag)
{
    static const char *const header[] = {"slots", "bytes", "own", "PSO"};
    begin(listing, "psos", "rrrl", header);
    psopack_glob glob;
    psopack_status status = psopack_glob_begin(&glob, patterns, count, diag);
    if (status == PSOPACK_OK)
        status = list_matching(listing, &glob, diag);
    psopack_glob_end(&glob);
    return status;
}

/* ---- components ------------------------------------------------------------------------------ */

static void add_component(psopack_listing *listing, uint32_t index,
                          const psopack_component_info *component)
{
    uint32_t uses = listing->sharing.uses[index];
    if (listing->output->json) {
        json_t *object = json_object();
        psopack_json_set_number(object, "index", index);
        psopack_json_set_number(object, "bytes", component->size);
        psopack_json_set_number(object, "alignment", component->alignment);
        psopack_json_set_number(object, "uses", uses);
        psopack_json_set_number(object, "reference_bytes", uses * component->size);
        if (component->blocks)
            psopack_json_set_number(object, "block", component->block);
        psopack_json_set_number(object, "blocks", component->blocks);
        psopack_json_set_number(object, "level", component->level);
        psopack_json_set_crc(object, "crc32c", component->crc);
        psopack_json_set_flag(object, "dead", component->dead != 0);
        psopack_json_append(listing->rows, object);
        return;
    }
    psopack_table_cell(&listing->table, "%" PRIu32, index);
    psopack_table_cell(&listing->table, "%" PRIu64, component->size);
    psopack_table_cell(&listing->table, "%" PRIu32, component->alignment);
    psopack_table_cell(&listing->table, "%" PRIu32, uses);
    psopack_table_cell(&listing->table, "%" PRIu64, uses * component->size);
    if (component->blocks)
        psopack_table_cell(&listing->table, "%" PRIu32, component->block);
    else
        psopack_table_cell(&listing->table, "-");
    psopack_table_cell(&listing->table, "%08" PRIx32, component->crc);
    psopack_table_cell(&listing->table, "%s", component->dead ? "dead" : "");
}

psopack_status psopack_list_components(psopack_listing *listing, psopack_diag *diag)
{
    static const char *const header[] = {"component", "bytes", "align",  "uses",
                                         "before",    "block", "crc32c", ""};
    begin(listing, "components", "rrrrrrll", header);
    for (uint32_t i = 0; i < listing->reader.components; i++) {
        psopack_component_info component;
        psopack_status status = psopack_component_get(listing->reader.archive, i, &component, diag);
        if (status != PSOPACK_OK)
            return status;
        add_component(listing, i, &component);
    }
    return PSOPACK_OK;
}

/* ---- slots ----------------------------------------------------------------------------------- */

static void add_slot(psopack_listing *listing, const char *name, const psopack_slot_sharing *slot)
{
    uint32_t absent = listing->reader.info.psos - slot->present;
    if (listing->output->json) {
        json_t *object = json_object();
        psopack_json_set_text(object, "name", name);
        psopack_json_set_number(object, "present", slot->present);
        psopack_json_set_number(object, "absent", absent);
        psopack_json_set_number(object, "empty", slot->empty);
        psopack_json_set_number(object, "components", slot->components);
        psopack_json_set_number(object, "reference_bytes", slot->reference_bytes);
        psopack_json_set_number(object, "component_bytes", slot->component_bytes);
        psopack_json_append(listing->rows, object);
        return;
    }
    psopack_table_name(&listing->table, name, strlen(name));
    psopack_table_cell(&listing->table, "%" PRIu32, slot->present);
    psopack_table_cell(&listing->table, "%" PRIu32, absent);
    psopack_table_cell(&listing->table, "%" PRIu32, slot->empty);
    psopack_table_cell(&listing->table, "%" PRIu32, slot->components);
    psopack_table_cell(&listing->table, "%" PRIu64, slot->reference_bytes);
    psopack_table_cell(&listing->table, "%" PRIu64, slot->component_bytes);
}

psopack_status psopack_list_slots(psopack_listing *listing, psopack_diag *diag)
{
    static const char *const header[] = {"slot",       "present", "absent", "empty",
                                         "components", "before",  "after"};
    (void)diag; /* what could fail did so while sharing was counted */
    begin(listing, "slots", "lrrrrrr", header);
    for (uint32_t i = 0; i < listing->reader.info.slots; i++)
        add_slot(listing, psopack_slot_name(listing->reader.archive, i),
                 &listing->sharing.slots[i]);
    return PSOPACK_OK;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

static const char *state_of(const psopack_block_info *block)
{
    if (block->is_dead)
        return "dead";
    if (block->is_base)
        return "base";
    return block->is_raw ? "raw" : "";
}

static void add_block_json(psopack_listing *listing, uint32_t index, const char *kind,
                           const psopack_block_info *block)
{
    json_t *object = json_object();
    psopack_json_set_number(object, "index", index);
    psopack_json_set_number(object, "offset", block->offset);
    psopack_json_set_number(object, "stored_bytes", block->stored_size);
    psopack_json_set_number(object, "raw_bytes", block->raw_size);
    psopack_json_set_number(object, "first_component", block->first_component);
    psopack_json_set_number(object, "components", block->components);
    psopack_json_set_text(object, "kind", kind);
    psopack_json_set_text(object, "transform", block->transform_name);
    psopack_json_set(object, "base", block->base ? json_integer(block->base - 1) : json_null());
    psopack_json_set_flag(object, "is_base", block->is_base != 0);
    psopack_json_set_flag(object, "is_raw", block->is_raw != 0);
    psopack_json_set_flag(object, "is_dead", block->is_dead != 0);
    psopack_json_append(listing->rows, object);
}

static void add_block_text(psopack_listing *listing, uint32_t index, const char *kind,
                           const psopack_block_info *block)
{
    psopack_table_cell(&listing->table, "%" PRIu32, index);
    psopack_table_cell(&listing->table, "%" PRIu64, block->offset);
    psopack_table_cell(&listing->table, "%" PRIu32, block->stored_size);
    psopack_table_cell(&listing->table, "%" PRIu32, block->raw_size);
    psopack_table_cell(&listing->table, "%" PRIu32, block->components);
    psopack_table_name(&listing->table, kind, strlen(kind));
    psopack_table_cell(&listing->table, "%s", block->transform_name);
    if (block->base)
        psopack_table_cell(&listing->table, "%" PRIu32, block->base - 1);
    else
        psopack_table_cell(&listing->table, "-");
    psopack_table_cell(&listing->table, "%s", state_of(block));
}

psopack_status psopack_list_blocks(psopack_listing *listing, psopack_diag *diag)
{
    static const char *const header[] = {"block", "offset",    "stored", "raw", "components",
                                         "kind",  "transform", "base",   ""};
    begin(listing, "blocks", "rrrrrllrl", header);
    for (uint32_t i = 0; i < listing->reader.info.blocks; i++) {
        psopack_block_info block;
        psopack_kind_info kind;
        psopack_status status = psopack_block_get(listing->reader.archive, i, &block, diag);
        if (status != PSOPACK_OK)
            return status;
        if (psopack_kind_get(listing->reader.archive, block.kind, &kind) != PSOPACK_OK)
            kind.name = "?";
        if (listing->output->json)
            add_block_json(listing, i, kind.name, &block);
        else
            add_block_text(listing, i, kind.name, &block);
    }
    return PSOPACK_OK;
}
