/* SPDX-License-Identifier: MIT */
/* psopack info: everything about an archive that one screen holds. */
#include "command.h"
#include "failure.h"
#include "sharing.h"
#include "table.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Components by how many PSO slots use them. */
typedef struct degree_row {
    const char *label;
    uint32_t most; /* uses, inclusive */
    uint32_t components;
    uint64_t reference_bytes;
    uint64_t component_bytes;
} degree_row;

enum { DEGREES = 5 };

typedef struct facts {
    psopack_output *output;
    psopack_reader reader;
    psopack_sharing sharing;
    degree_row degrees[DEGREES];
} facts;

static void count_degrees(facts *f)
{
    static const degree_row rows[DEGREES] = {
        {.label = "1", .most = 1},
        {.label = "2-9", .most = 9},
        {.label = "10-99", .most = 99},
        {.label = "100-999", .most = 999},
        {.label = "1000 and more", .most = UINT32_MAX},
    };
    for (size_t i = 0; i < DEGREES; i++)
        f->degrees[i] = rows[i];
    for (uint32_t i = 0; i < f->reader.info.components; i++) {
        uint32_t uses = f->sharing.uses[i];
        degree_row *row = f->degrees;
        if (uses == 0)
            continue; /* dead */
        while (uses > row->most)
            row++;
        row->components++;
        row->component_bytes += f->sharing.sizes[i];
        row->reference_bytes += uses * f->sharing.sizes[i];
    }
}

static double ratio(uint64_t part, uint64_t whole)
{
    return whole ? (double)part / (double)whole : 0;
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static json_t *sharing_json(const facts *f)
{
    json_t *rows = json_array();
    for (size_t i = 0; i < DEGREES; i++) {
        const degree_row *row = &f->degrees[i];
        json_t *object = json_object();
        psopack_json_set_text(object, "uses", row->label);
        psopack_json_set_number(object, "components", row->components);
        psopack_json_set_number(object, "reference_bytes", row->reference_bytes);
        psopack_json_set_number(object, "component_bytes", row->component_bytes);
        psopack_json_append(rows, object);
    }
    return rows;
}

static json_t *kinds_json(const facts *f)
{
    json_t *rows = json_array();
    psopack_kind_info kind;
    for (uint32_t i = 0; psopack_kind_get(f->reader.archive, i, &kind) == PSOPACK_OK; i++) {
        json_t *object = json_object();
        psopack_json_set_text(object, "name", kind.name);
        psopack_json_set_number(object, "components", kind.components);
        psopack_json_set_number(object, "component_bytes", kind.component_bytes);
        psopack_json_set_number(object, "stored_bytes", kind.stored_bytes);
        psopack_json_set(object, "base", kind.base ? json_integer(kind.base - 1) : json_null());
        psopack_json_set_text(object, "transform", kind.transform_name);
        psopack_json_append(rows, object);
    }
    return rows;
}

static json_t *sections_json(const facts *f)
{
    json_t *rows = json_array();
    psopack_section_info section;
    for (uint32_t i = 0; psopack_section_get(f->reader.archive, i, &section) == PSOPACK_OK; i++) {
        json_t *object = json_object();
        psopack_json_set_text(object, "name", section.name);
        psopack_json_set_number(object, "offset", section.offset);
        psopack_json_set_number(object, "bytes", section.size);
        psopack_json_set_flag(object, "required", section.required != 0);
        psopack_json_append(rows, object);
    }
    return rows;
}

static void set_sizes(json_t *object, const psopack_info *info)
{
    psopack_json_set_number(object, "file_bytes", info->file_bytes);
    psopack_json_set_number(object, "psos", info->psos);
    psopack_json_set_number(object, "slots", info->slots);
    psopack_json_set_number(object, "references", info->references);
    psopack_json_set_number(object, "reference_bytes", info->reference_bytes);
    psopack_json_set_number(object, "components", info->live_components);
    psopack_json_set_number(object, "component_rows", info->components);
    psopack_json_set_number(object, "component_bytes", info->component_bytes);
    psopack_json_set_number(object, "blocks", info->blocks);
    psopack_json_set_number(object, "bases", info->bases);
    psopack_json_set_number(object, "data_bytes", info->data_bytes);
    psopack_json_set_number(object, "base_bytes", info->base_bytes);
    psopack_json_set_number(object, "base_memory", info->base_memory);
    psopack_json_set_number(object, "manifest_bytes", info->manifest_bytes);
    psopack_json_set_number(object, "archive_memory", info->archive_memory);
    psopack_json_set_number(object, "context_memory", info->context_memory);
}

/* Keys of a layer; null and 0 for an archive that is none. */
static void set_layer(json_t *object, const psopack_reader *reader)
{
    psopack_layer_info layer = {.depth = 0};
    bool is_layer = psopack_archive_layer(reader->archive, &layer) == PSOPACK_OK;
    psopack_json_set_flag(object, "layer", is_layer);
    psopack_json_set_number(object, "depth", layer.depth);
    if (is_layer) {
        psopack_json_set_hex(object, "base_archive_id", layer.base_archive_id, 16);
        psopack_json_set_hex(object, "base_content_id", layer.base_content_id, 16);
    } else {
        psopack_json_set(object, "base_archive_id", json_null());
        psopack_json_set(object, "base_content_id", json_null());
    }
    if (reader->chain.count > 1)
        psopack_json_set_text(object, "base", reader->chain.paths[reader->chain.count - 2]);
    else
        psopack_json_set(object, "base", json_null());
    psopack_json_set_number(object, "own_psos", is_layer ? layer.own_psos : reader->info.psos);
    psopack_json_set_number(object, "gone_psos", layer.gone_psos);
    psopack_json_set_number(object, "own_components",
                            is_layer ? layer.own_components : reader->info.components);
}

static int print_json(const facts *f)
{
    const psopack_info *info = &f->reader.info;
    json_t *object = psopack_json_begin(f->output->command);
    psopack_json_set_text(object, "archive", f->reader.path);
    set_sizes(object, info);
    psopack_json_set_hex(object, "archive_id", info->archive_id, sizeof info->archive_id);
    psopack_json_set_hex(object, "content_id", info->content_id, sizeof info->content_id);
    set_layer(object, &f->reader);
    psopack_json_set_text(object, "target", info->target);
    psopack_json_set_number(object, "content_version", info->content_version);
    psopack_json_set_text(object, "profile", info->profile);
    psopack_json_set_text(object, "recipe", info->recipe);
    psopack_json_set_number(object, "zstd_version", info->zstd_version);
    psopack_json_set_flag(object, "has_names", info->has_names != 0);
    psopack_json_set_flag(object, "has_hashes", info->has_hashes != 0);
    psopack_json_set_flag(object, "is_stripped", info->is_stripped != 0);
    psopack_json_set(object, "sharing", sharing_json(f));
    psopack_json_set(object, "kinds", kinds_json(f));
    psopack_json_set(object, "sections", sections_json(f));
    return psopack_output_json(f->output, object, 0);
}

/* ---- text ------------------------------------------------------------------------------------ */

static void add_bytes(psopack_table *table, const char *label, uint64_t bytes)
{
    char text[PSOPACK_BYTES_SIZE];
    psopack_table_cell(table, "%s", label);
    psopack_table_cell(table, "%" PRIu64, bytes);
    psopack_table_cell(table, "%s", psopack_output_bytes(text, bytes));
}

static bool print_sizes(const psopack_info *info)
{
    psopack_table table = {.columns = "lrl"};
    add_bytes(&table, "file", info->file_bytes);
    add_bytes(&table, "  blocks", info->data_bytes);
    add_bytes(&table, "    of these bases", info->base_bytes);
    add_bytes(&table, "  manifest", info->manifest_bytes);
    add_bytes(&table, "before sharing", info->reference_bytes);
    add_bytes(&table, "after sharing", info->component_bytes);
    add_bytes(&table, "loader memory, bases", info->base_memory);
    add_bytes(&table, "loader memory, all", info->archive_memory);
    add_bytes(&table, "context memory", info->context_memory);
    return psopack_table_print(&table);
}

static bool print_sharing(const facts *f)
{
    psopack_table table = {.columns = "lrrr"};
    psopack_table_cell(&table, "uses");
    psopack_table_cell(&table, "components");
    psopack_table_cell(&table, "before");
    psopack_table_cell(&table, "after");
    for (size_t i = 0; i < DEGREES; i++) {
        const degree_row *row = &f->degrees[i];
        psopack_table_cell(&table, "%s", row->label);
        psopack_table_cell(&table, "%" PRIu32, row->components);
        psopack_table_cell(&table, "%" PRIu64, row->reference_bytes);
        psopack_table_cell(&table, "%" PRIu64, row->component_bytes);
    }
    return psopack_table_print(&table);
}

static bool print_kinds(const facts *f)
{
    static const char *const header[] = {"kind",  "components", "bytes",    "stored",
                                         "ratio", "base",       "transform"};
    psopack_table table = {.columns = "lrrrrrl"};
    for (size_t i = 0; i < sizeof header / sizeof header[0]; i++)
        psopack_table_cell(&table, "%s", header[i]);
    psopack_kind_info kind;
    for (uint32_t i = 0; psopack_kind_get(f->reader.archive, i, &kind) == PSOPACK_OK; i++) {
        psopack_table_name(&table, kind.name, strlen(kind.name));
        psopack_table_cell(&table, "%" PRIu64, kind.components);
        psopack_table_cell(&table, "%" PRIu64, kind.component_bytes);
        psopack_table_cell(&table, "%" PRIu64, kind.stored_bytes);
        psopack_table_cell(&table, "%.3f", ratio(kind.stored_bytes, kind.component_bytes));
        if (kind.base)
            psopack_table_cell(&table, "%" PRIu32, kind.base - 1);
        else
            psopack_table_cell(&table, "-");
        psopack_table_cell(&table, "%s", kind.transform_name);
    }
    return psopack_table_print(&table);
}

static bool print_sections(const facts *f)
{
    psopack_table table = {.columns = "lrr"};
    psopack_table_cell(&table, "section");
    psopack_table_cell(&table, "offset");
    psopack_table_cell(&table, "bytes");
    psopack_section_info section;
    for (uint32_t i = 0; psopack_section_get(f->reader.archive, i, &section) == PSOPACK_OK; i++) {
        psopack_table_cell(&table, "%s", section.name);
        psopack_table_cell(&table, "%" PRIu64, section.offset);
        psopack_table_cell(&table, "%" PRIu64, section.size);
    }
    return psopack_table_print(&table);
}

static void print_id(const char *label, const uint8_t id[16])
{
    printf("%s", label);
    for (size_t i = 0; i < 16; i++)
        printf("%02x", id[i]);
    putchar('\n');
}

/* Texts come from the archive. */
static void print_text_line(const char *label, const char *text)
{
    fputs(label, stdout);
    if (text[0])
        psopack_output_name(text, strlen(text));
    else
        putchar('-');
    putchar('\n');
}

static void print_head(const psopack_reader *reader)
{
    const psopack_info *info = &reader->info;
    printf("PSOs             %" PRIu32 ", %" PRIu64 " components in %" PRIu32 " slots\n",
           info->psos, info->references, info->slots);
    printf("distinct         %" PRIu32 " components", info->live_components);
    if (reader->own_components == info->components)
        printf(" in %" PRIu32 " blocks, %" PRIu32 " of them bases", info->blocks, info->bases);
    putchar('\n');
    print_text_line("target           ", info->target);
    printf("content version  %" PRIu64 "\n", info->content_version);
    print_text_line("profile          ", info->profile);
    print_text_line("recipe           ", info->recipe);
    printf("packed with zstd %" PRIu32 ".%" PRIu32 ".%" PRIu32 "\n", info->zstd_version / 10000,
           info->zstd_version / 100 % 100, info->zstd_version % 100);
    print_id("content id       ", info->content_id);
    print_id("archive id       ", info->archive_id);
    printf("names            %s\n", info->has_names ? "yes" : "no");
    printf("content hashes   %s\n", info->has_hashes ? "yes" : "no");
    if (info->is_stripped)
        printf("slots            some were stripped\n");
}

/* What the sizes below are of, when the archive is a layer. */
static void print_layer(const psopack_reader *reader)
{
    psopack_layer_info layer;
    if (psopack_archive_layer(reader->archive, &layer) != PSOPACK_OK)
        return;
    if (reader->chain.count > 1)
        print_text_line("layer of         ", reader->chain.paths[reader->chain.count - 2]);
    else
        puts("layer of         - (looked at alone)");
    print_id("  archive id     ", layer.base_archive_id);
    print_id("  content id     ", layer.base_content_id);
    printf("  depth          %" PRIu32 "\n", layer.depth);
    printf("  holds itself   %" PRIu32 " PSOs, %" PRIu32 " components in %" PRIu32 " blocks\n",
           layer.own_psos, layer.own_components, reader->info.blocks);
    printf("  hides          %" PRIu32 " PSOs of its base: replaced or removed\n", layer.gone_psos);
}

static int print_text(const facts *f)
{
    print_head(&f->reader);
    print_layer(&f->reader);
    putchar('\n');
    bool printed = print_sizes(&f->reader.info);
    putchar('\n');
    printed = print_sharing(f) && printed;
    putchar('\n');
    printed = print_kinds(f) && printed;
    if (f->output->verbose) {
        putchar('\n');
        printed = print_sections(f) && printed;
    }
    if (printed)
        return 0;
    psopack_diag diag;
    psopack_failure_memory(&diag, "a table");
    return psopack_output_fail(f->output, f->reader.path, &diag);
}

int psopack_command_info(psopack_output *output, const psopack_options *options)
{
    const char *path = options->operands.items[0];
    facts f = {.output = output};
    psopack_diag diag;
    int exit_code = 0;
    psopack_status status = psopack_reader_open(path, options, NULL, &f.reader, &diag);
    if (status == PSOPACK_OK)
        status = psopack_sharing_count(&f.reader, &f.sharing, &diag);
    if (status != PSOPACK_OK) {
        exit_code = psopack_output_fail(output, path, &diag);
    } else {
        count_degrees(&f);
        exit_code = output->json ? print_json(&f) : print_text(&f);
    }
    psopack_sharing_free(&f.sharing);
    psopack_reader_close(&f.reader);
    return exit_code;
}
