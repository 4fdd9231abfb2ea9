/* SPDX-License-Identifier: MIT */
/*
 * The format page against src/format/layout.h: its tables HEADER, FOOTER, SECTION TABLE, META and
 * COLUMNS must list every field of the struct, in order, with the offset and size it has, without
 * gaps. So page and code cannot drift.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/layout.h"

#define PAGE_PATH PSOPACK_SOURCE_ROOT "/doc/psopack-format.5.scd"

typedef struct field {
    const char *name;
    size_t offset, size;
} field;

#define FIELD(type, name)                                                                          \
    {                                                                                              \
#name, offsetof(type, name), sizeof(((type *)0)->name)                                     \
    }

#define H(name) FIELD(psopack_disk_header, name)
static const field header_fields[] = {H(magic),    H(version), H(header_size), H(footer_size),
                                      H(reserved), H(crc),     H(reserved_2)};

#define F(name) FIELD(psopack_disk_footer, name)
static const field footer_fields[] = {
    F(magic),        F(footer_size),    F(section_count), F(file_size),
    F(table_offset), F(repeat_offset),  F(table_crc),     F(version),
    F(may_ignore),   F(may_not_append), F(must_refuse),   F(key_seed),
    F(content_id),   F(archive_id),     F(reserved),      F(crc)};

#define S(name) FIELD(psopack_disk_section, name)
static const field section_fields[] = {S(id), S(flags), S(offset), S(size), S(crc), S(reserved)};

#define M(name) FIELD(psopack_disk_meta, name)
static const field meta_fields[] = {M(content_version),  M(psos),        M(components),
                                    M(blocks),           M(references),  M(reference_bytes),
                                    M(component_bytes),  M(split_size),  M(block_raw_max),
                                    M(block_stored_max), M(profile),     M(zstd_version),
                                    M(target_size),      M(recipe_size), M(flags),
                                    M(reserved)};

#define C(name) FIELD(psopack_disk_column, name)
static const field column_fields[] = {C(id),     C(link),       C(encoding),   C(width),
                                      C(shift),  C(group_log2), C(base_width), C(start_width),
                                      C(stride), C(first),      C(reserved),   C(rows),
                                      C(base),   C(directory),  C(data),       C(data_size)};

#define L(name) FIELD(psopack_disk_layer, name)
static const field layer_fields[] = {
    L(base_content_id), L(base_archive_id), L(depth),          L(base_psos),
    L(base_components), L(reserved),        L(psos),           L(components),
    L(references),      L(reference_bytes), L(component_bytes)};

typedef struct table {
    const char *heading;
    const field *fields;
    size_t count, size;
} table;

#define TABLE(heading, fields, type)                                                               \
    {                                                                                              \
        heading, fields, sizeof fields / sizeof fields[0], sizeof(type)                            \
    }

static const table tables[] = {
    TABLE("# HEADER\n", header_fields, psopack_disk_header),
    TABLE("# FOOTER\n", footer_fields, psopack_disk_footer),
    TABLE("# SECTION TABLE\n", section_fields, psopack_disk_section),
    TABLE("# META\n", meta_fields, psopack_disk_meta),
    TABLE("# COLUMNS\n", column_fields, psopack_disk_column),
    TABLE("# LAYER\n", layer_fields, psopack_disk_layer),
};

static int read_page(void **state)
{
    FILE *file = fopen(PAGE_PATH, "rb");
    assert_non_null(file);
    char *text = calloc(1, 1 << 20);
    assert_non_null(text);
    assert_true(fread(text, 1, (1 << 20) - 1, file) > 1000);
    fclose(file);
    *state = text;
    return 0;
}

static int free_page(void **state)
{
    free(*state);
    return 0;
}

/* The next cell: a line that begins with '|' (first of a row) or ':'. Skips spaces. */
static const char *next_cell(const char *at, char mark, char ret_cell[80])
{
    if (!at || *at != mark)
        return NULL;
    at++;
    while (*at == ' ')
        at++;
    size_t size = strcspn(at, "\n");
    snprintf(ret_cell, 80, "%.*s", (int)(size < 79 ? size : 79), at);
    return at[size] == '\n' ? at + size + 1 : at + size;
}

typedef struct row {
    char offset[80], size[80], name[80], check[80];
} row;

static const char *next_row(const char *at, row *ret_row)
{
    at = next_cell(at, '|', ret_row->offset);
    at = next_cell(at, ':', ret_row->size);
    at = next_cell(at, ':', ret_row->name);
    return next_cell(at, ':', ret_row->check);
}

/* scdoc escapes underscores. */
static void unescape(char *text)
{
    char *to = text;
    for (char *from = text; *from; from++) {
        if (*from != '\\')
            *to++ = *from;
    }
    *to = '\0';
}

static void check_table(const char *text, const table *wanted)
{
    const char *at = strstr(text, wanted->heading);
    if (!at)
        fail_msg("no heading %s", wanted->heading);
    at = strstr(at, "[[ *Offset*\n");
    assert_non_null(at);
    at = strstr(at, "\n|");
    assert_non_null(at);
    at++;
    size_t end = 0;
    for (size_t i = 0; i < wanted->count; i++) {
        const field *f = &wanted->fields[i];
        row found;
        at = next_row(at, &found);
        if (!at)
            fail_msg("%s: row %zu is missing: %s", wanted->heading, i, f->name);
        unescape(found.name);
        assert_string_equal(found.name, f->name);
        assert_int_equal(strtoul(found.offset, NULL, 10), f->offset);
        assert_int_equal(strtoul(found.size, NULL, 10), f->size);
        assert_int_equal(f->offset, end);
        assert_true(found.check[0] != '\0');
        end += f->size;
    }
    assert_int_equal(end, wanted->size);
    assert_true(*at != '|'); /* the page has no more rows */
}

static void test_tables(void **state)
{
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
        check_table(*state, &tables[i]);
}

/* Numbers that the page states in words. */
static void test_numbers(void **state)
{
    static const struct {
        const char *text;
        uint64_t value, wanted;
    } rows[] = {
        {"SLOT row (16 bytes)", sizeof(psopack_disk_slot), 16},
        {"KIND row (40 bytes)", sizeof(psopack_disk_kind), 40},
        {"BASE row (32 bytes)", sizeof(psopack_disk_base), 32},
        {"that many descriptors (56 bytes)", sizeof(psopack_disk_column), 56},
        {"A section of up to 4,096 bytes", PSOPACK_SECTION_PAGE, 4096},
        {":  1 to 64\n", PSOPACK_SECTIONS_MAX, 64},
        {"at most 256 each; bases at most 255", PSOPACK_SLOTS_MAX, 256},
        {"at most 256 each; bases at most 255", PSOPACK_KINDS_MAX, 256},
        {"at most 256 each; bases at most 255", PSOPACK_BASES_MAX, 255},
        {"zero-terminated, 1 to 255 bytes", PSOPACK_SLOT_NAME_MAX, 255},
        {"align_log2 u8 (0 to 16)", PSOPACK_ALIGN_LOG2_MAX, 16},
        {"tables_size u32 (up to 65,536)", PSOPACK_BASE_TABLES_MAX, 65536},
        {"with 9 zero bytes of slack", PSOPACK_COLUMN_SLACK, 9},
        {"page_raw_max u32 (up to 262,656)", PSOPACK_NAMES_PAGE_MAX, 262656},
        {"the names of PSOs 64p to 64p + 63", PSOPACK_NAMES_PER_PAGE, 64},
        {"Names have 1 to 4,096 bytes", PSOPACK_PSO_NAME_MAX, 4096},
        {":  1 to 2^28\n", PSOPACK_BLOCK_SIZE_MAX, UINT64_C(1) << 28},
        {"Column 256 is the tuple CRC", PSOPACK_COLUMN_PSO_TUPLE, 256},
        {"a guess column 512 + s", PSOPACK_COLUMN_PSO_GUESS, 512},
        {":  1 (the base is no layer) to 8;", PSOPACK_LAYER_DEPTH_MAX, 8},
        {"A BASE row with block 4,294,967,295", PSOPACK_BASE_EXTERNAL, 4294967295},
        {"Column 0: PSOs of the base", PSOPACK_COLUMN_LAYER_GONE, 0},
        {"Column 1: by PSO of the layer", PSOPACK_COLUMN_LAYER_PLACE, 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (!strstr(*state, rows[i].text))
            fail_msg("the page does not say: %s", rows[i].text);
        assert_int_equal(rows[i].value, rows[i].wanted);
    }
}

/* Section ids: those that the page calls known, in its words and order. */
static void test_section_ids(void **state)
{
    static const uint32_t ids[] = {
        PSOPACK_SECTION_META, PSOPACK_SECTION_SLOT, PSOPACK_SECTION_KIND, PSOPACK_SECTION_BASE,
        PSOPACK_SECTION_BLCK, PSOPACK_SECTION_COMP, PSOPACK_SECTION_REFS, PSOPACK_SECTION_PSOS,
        PSOPACK_SECTION_KEYS, PSOPACK_SECTION_NAME, PSOPACK_SECTION_HASH, PSOPACK_SECTION_PROV,
        PSOPACK_SECTION_LAYR, PSOPACK_SECTION_LPSO, PSOPACK_SECTION_SIGN};
    const char *at = strstr(*state, "Ids of this version: ");
    assert_non_null(at);
    at += strlen("Ids of this version: ");
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++) {
        char name[5] = {(char)ids[i], (char)(ids[i] >> 8), (char)(ids[i] >> 16),
                        (char)(ids[i] >> 24), 0};
        assert_memory_equal(at, name, 4);
        at += 4;
        at += strcspn(at, ",;.");
        at += strspn(at, ",; ");
    }
    assert_true(*at == '.');
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tables),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_section_ids),
    };
    return cmocka_run_group_tests(tests, read_page, free_page);
}
