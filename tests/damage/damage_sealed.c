/* SPDX-License-Identifier: MIT */
/*
 * Damage with every check over the manifest made right again: as if a packer had been wrong, or a
 * forger at work. Component CRCs, block checks and tuple CRCs are values here, not checks.
 */
#include "damage.h"

#include <stdlib.h>
#include <string.h>

#include "format/column.h"
#include "format/crc32c.h"
#include "format/view.h"

typedef struct sealed {
    uint8_t *bytes;
    size_t size;
    psopack_disk_footer footer;
    psopack_disk_section rows[PSOPACK_SECTIONS_MAX];
    size_t count;
} sealed;

static sealed unseal(const fixture *made)
{
    sealed file = {.bytes = fixture_copy(made->bytes, made->size), .size = made->size};
    memcpy(&file.footer, file.bytes + file.size - sizeof file.footer, sizeof file.footer);
    file.count = psopack_load32(file.footer.section_count);
    memcpy(file.rows, file.bytes + psopack_load64(file.footer.table_offset),
           file.count * sizeof file.rows[0]);
    return file;
}

/* Sections have one page here, or, where their row was changed, lie anywhere. */
static void seal(sealed *file)
{
    uint8_t *end = file->bytes + file->size - sizeof file->footer;
    size_t table_size = file->count * sizeof file->rows[0];
    for (size_t i = 0; i < file->count; i++) {
        uint64_t at = psopack_load64(file->rows[i].offset),
                 size = psopack_load64(file->rows[i].size);
        if (at <= file->size && size <= file->size - at)
            file->rows[i].crc = psopack_store32(psopack_crc32c(0, file->bytes + at, size));
    }
    memcpy(end - table_size, file->rows, table_size);
    memcpy(end - 2 * table_size, file->rows, table_size);
    psopack_disk_footer *footer = &file->footer;
    footer->table_crc = psopack_store32(psopack_crc32c(0, file->rows, table_size));
    psopack_archive_id(footer, file->rows, table_size, footer->archive_id);
    footer->crc = psopack_store32(psopack_crc32c(0, footer, offsetof(psopack_disk_footer, crc)));
    memcpy(end, footer, sizeof *footer);
}

static uint8_t *find_section(sealed *file, uint32_t id)
{
    for (size_t i = 0; i < file->count; i++) {
        if (psopack_load32(file->rows[i].id) == id)
            return file->bytes + psopack_load64(file->rows[i].offset);
    }
    return NULL;
}

/* ---- two rows of a column ------------------------------------------------------------------- */

static void store_bits(uint8_t *bytes, uint64_t position, unsigned width, uint64_t value)
{
    for (unsigned i = 0; i < width; i++, position++) {
        uint8_t mask = (uint8_t)(1u << (position & 7));
        bytes[position >> 3] &= (uint8_t)~mask;
        if (value >> i & 1)
            bytes[position >> 3] |= mask;
    }
}

/* Where row's bits lie, and how many; 0 where it has none of its own. */
static unsigned find_bits(const uint8_t *section, const psopack_disk_column *column, uint64_t row,
                          uint64_t *ret_position)
{
    if (column->encoding == PSOPACK_COLUMN_FLAT) {
        *ret_position = row * column->width;
        return column->width;
    }
    unsigned entry_width = column->base_width + PSOPACK_GROUP_WIDTH_BITS + column->start_width;
    uint64_t entry = (row >> column->group_log2) * entry_width + column->base_width;
    const uint8_t *directory = section + psopack_load64(column->directory);
    unsigned width = (unsigned)psopack_bits_load(directory, entry, PSOPACK_GROUP_WIDTH_BITS);
    uint64_t start =
        psopack_bits_load(directory, entry + PSOPACK_GROUP_WIDTH_BITS, column->start_width);
    *ret_position = start + (row & ((UINT64_C(1) << column->group_log2) - 1)) * width;
    return width;
}

/* Codes change places; that is values only within one group. */
static void swap_rows(uint8_t *section, const psopack_disk_column *column, uint64_t a, uint64_t b)
{
    uint8_t *data = section + psopack_load64(column->data);
    uint64_t at_a, at_b;
    unsigned width = find_bits(section, column, a, &at_a);
    if (width == 0 || width != find_bits(section, column, b, &at_b) ||
        (column->encoding != PSOPACK_COLUMN_FLAT &&
         a >> column->group_log2 != b >> column->group_log2))
        return;
    uint64_t value_a = psopack_bits_load(data, at_a, width);
    uint64_t value_b = psopack_bits_load(data, at_b, width);
    store_bits(data, at_a, width, value_b);
    store_bits(data, at_b, width, value_a);
}

#define PAIRS 16u

static uint8_t *swap_in_columns(const fixture *made, uint32_t id, unsigned n, size_t *ret_size)
{
    sealed file = unseal(made);
    uint8_t *section = find_section(&file, id);
    psopack_disk_count head;
    psopack_disk_column column;
    memcpy(&head, section, sizeof head);
    if (n / PAIRS >= psopack_load32(head.count)) {
        free(file.bytes);
        return NULL;
    }
    memcpy(&column, section + sizeof head + n / PAIRS * sizeof column, sizeof column);
    uint64_t rows = psopack_load64(column.rows), row = n % PAIRS * rows / PAIRS;
    if (row + 1 < rows)
        swap_rows(section, &column, row, row + 1);
    seal(&file);
    *ret_size = file.size;
    return file.bytes;
}

#define SWAP_IN(id)                                                                                \
    static uint8_t *swap_in_##id(const fixture *made, const fixture *other, unsigned n,            \
                                 size_t *ret_size)                                                 \
    {                                                                                              \
        (void)other;                                                                               \
        return swap_in_columns(made, PSOPACK_SECTION_##id, n, ret_size);                           \
    }
SWAP_IN(BLCK)
SWAP_IN(COMP)
SWAP_IN(REFS)
SWAP_IN(PSOS)
SWAP_IN(KEYS)

/* ---- counts and sizes ----------------------------------------------------------------------- */

#define CHANGES 5u

/* One less, one more, far too many, none, all bits. */
static uint64_t changed(uint64_t value, unsigned how)
{
    const uint64_t values[CHANGES] = {value - 1, value + 1, value + (UINT64_C(1) << 40), 0,
                                      UINT64_MAX};
    return values[how];
}

static uint8_t *change_meta(const fixture *made, const fixture *other, unsigned n, size_t *ret_size)
{
    static const size_t fields[] = {
        offsetof(psopack_disk_meta, psos),
        offsetof(psopack_disk_meta, components),
        offsetof(psopack_disk_meta, blocks),
        offsetof(psopack_disk_meta, references),
        offsetof(psopack_disk_meta, reference_bytes),
        offsetof(psopack_disk_meta, component_bytes),
    };
    (void)other;
    if (n / CHANGES >= sizeof fields / sizeof fields[0])
        return NULL;
    sealed file = unseal(made);
    uint8_t *field = find_section(&file, PSOPACK_SECTION_META) + fields[n / CHANGES];
    psopack_u64le value;
    memcpy(&value, field, sizeof value);
    value = psopack_store64(changed(psopack_load64(value), n % CHANGES));
    memcpy(field, &value, sizeof value);
    seal(&file);
    *ret_size = file.size;
    return file.bytes;
}

static uint8_t *change_table(const fixture *made, const fixture *other, unsigned n,
                             size_t *ret_size)
{
    (void)other;
    sealed file = unseal(made);
    if (n / CHANGES / 2 >= file.count) {
        free(file.bytes);
        return NULL;
    }
    psopack_disk_section *row = &file.rows[n / CHANGES / 2];
    psopack_u64le *field = n / CHANGES % 2 ? &row->offset : &row->size;
    *field = psopack_store64(changed(psopack_load64(*field), n % CHANGES));
    seal(&file);
    *ret_size = file.size;
    return file.bytes;
}

static uint8_t *change_footer(const fixture *made, const fixture *other, unsigned n,
                              size_t *ret_size)
{
    (void)other;
    sealed file = unseal(made);
    psopack_u64le *const fields[] = {&file.footer.file_size, &file.footer.table_offset,
                                     &file.footer.repeat_offset};
    if (n / CHANGES >= sizeof fields / sizeof fields[0]) {
        free(file.bytes);
        return NULL;
    }
    *fields[n / CHANGES] =
        psopack_store64(changed(psopack_load64(*fields[n / CHANGES]), n % CHANGES));
    seal(&file);
    *ret_size = file.size;
    return file.bytes;
}

const damage_file_kind damage_sealed_kinds[] = {
    {"two rows swapped in a column of BLCK", swap_in_BLCK},
    {"two rows swapped in a column of COMP", swap_in_COMP},
    {"two rows swapped in a column of REFS", swap_in_REFS},
    {"two rows swapped in a column of PSOS", swap_in_PSOS},
    {"two rows swapped in a column of KEYS", swap_in_KEYS},
    {"a count or sum of META off by one or huge", change_meta},
    {"a section's size or place off by one or huge", change_table},
    {"a size or place of the footer off by one or huge", change_footer},
};
const size_t damage_sealed_kind_count = sizeof damage_sealed_kinds / sizeof damage_sealed_kinds[0];
