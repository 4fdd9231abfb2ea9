/* SPDX-License-Identifier: MIT */
/* Proving column sets, and the slow half of reading them. */
#include "format/column.h"

/* Bytes that `rows` values of `width` bits take, without slack; false when it passes `limit`. */
static bool packed_size(uint64_t rows, unsigned width, uint64_t limit, uint64_t *ret_size)
{
    if (width != 0 && rows > limit * 8 / width)
        return false;
    *ret_size = (rows * width + 7) / 8;
    return true;
}

static unsigned directory_width(const psopack_column *column)
{
    return column->base_width + PSOPACK_GROUP_WIDTH_BITS + column->start_width;
}

static bool range_in(const psopack_section *section, uint64_t first, uint64_t offset, uint64_t size)
{
    return offset >= first && offset <= section->size && size <= section->size - offset;
}

static bool flat_is_legal(const psopack_column *column)
{
    uint64_t size;
    return column->width <= 64 && column->shift < 64 && column->directory == 0 &&
           column->group_log2 == 0 && column->base_width == 0 && column->start_width == 0 &&
           packed_size(column->rows, column->width, column->section->size, &size) &&
           (column->width == 0 ? column->data_size == 0
                               : column->data_size == size + PSOPACK_COLUMN_SLACK);
}

static bool grouped_is_legal(const psopack_column *column, uint64_t first)
{
    if (column->width != 0 || column->shift != 0 || column->base != 0 ||
        column->group_log2 > PSOPACK_GROUP_LOG2_MAX || column->base_width > 64 ||
        column->start_width > 40 || column->data_size < PSOPACK_COLUMN_SLACK)
        return false;
    uint64_t groups = (column->rows >> column->group_log2) +
                      ((column->rows & ((UINT64_C(1) << column->group_log2) - 1)) != 0);
    uint64_t size;
    return packed_size(groups, directory_width(column), column->section->size, &size) &&
           range_in(column->section, first, column->directory, size + PSOPACK_COLUMN_SLACK);
}

static void load_column(psopack_column *column, const psopack_section *section,
                        const psopack_disk_column *disk)
{
    *column = (psopack_column){
        .section = section,
        .rows = psopack_load64(disk->rows),
        .base = psopack_load64(disk->base),
        .directory = psopack_load64(disk->directory),
        .data = psopack_load64(disk->data),
        .data_size = psopack_load64(disk->data_size),
        .id = psopack_load16(disk->id),
        .link = psopack_load16(disk->link),
        .encoding = disk->encoding,
        .width = disk->width,
        .shift = disk->shift,
        .group_log2 = disk->group_log2,
        .base_width = disk->base_width,
        .start_width = disk->start_width,
    };
}

static bool is_legal(const psopack_column *column, const psopack_disk_column *disk, uint64_t first)
{
    static const uint8_t zeros[sizeof disk->reserved];
    if (memcmp(disk->reserved, zeros, sizeof zeros) != 0 ||
        !range_in(column->section, first, column->data, column->data_size))
        return false;
    switch (column->encoding) {
    case PSOPACK_COLUMN_FLAT:
        return flat_is_legal(column);
    case PSOPACK_COLUMN_GROUPED:
        return grouped_is_legal(column, first);
    default:
        return false;
    }
}

psopack_status psopack_columns_parse(const psopack_section *section, psopack_column_fn *each,
                                     void *user, psopack_diag *diag)
{
    psopack_disk_count head;
    PSOPACK_TRY(psopack_section_require(section, 0, sizeof head, diag));
    memcpy(&head, section->bytes, sizeof head);
    uint32_t count = psopack_load32(head.count);
    uint64_t first = sizeof head + (uint64_t)count * sizeof(psopack_disk_column);
    if (count > PSOPACK_COLUMNS_MAX || psopack_load32(head.reserved) != 0 || first > section->size)
        return psopack_fail_at(diag, PSOPACK_E_CORRUPT, PSOPACK_OBJECT_SECTION, section->number,
                               section->offset, "a table's column count %u is impossible", count);
    PSOPACK_TRY(psopack_section_require(section, 0, first, diag));

    int previous = -1;
    for (uint32_t i = 0; i < count; i++) {
        psopack_disk_column disk;
        uint64_t at = sizeof head + (uint64_t)i * sizeof disk;
        memcpy(&disk, section->bytes + at, sizeof disk);
        psopack_column column;
        load_column(&column, section, &disk);
        if (!is_legal(&column, &disk, first) || column.id <= previous)
            return psopack_fail_at(diag, PSOPACK_E_CORRUPT, PSOPACK_OBJECT_SECTION, section->number,
                                   section->offset + at,
                                   "column %u of a table does not fit its section", i);
        previous = column.id;
        PSOPACK_TRY(each(user, &column, diag));
    }
    return PSOPACK_OK;
}

/* Loads `width` bits at bit `position` of the part of the section that begins at `start`. */
static bool load_checked(const psopack_section *section, uint64_t start, uint64_t position,
                         unsigned width, uint64_t *ret_value)
{
    uint64_t first = start + (position >> 3);
    if (!psopack_section_touch(section, first, first + 8))
        return false;
    *ret_value = psopack_bits_load(section->bytes + start, position, width);
    return true;
}

bool psopack_column_get_grouped(const psopack_column *column, uint64_t row, uint64_t *ret_value)
{
    uint64_t entry = (row >> column->group_log2) * directory_width(column);
    uint64_t base, width, start;
    if (!load_checked(column->section, column->directory, entry, column->base_width, &base) ||
        !load_checked(column->section, column->directory, entry + column->base_width,
                      PSOPACK_GROUP_WIDTH_BITS, &width) ||
        !load_checked(column->section, column->directory,
                      entry + column->base_width + PSOPACK_GROUP_WIDTH_BITS, column->start_width,
                      &start))
        return false;
    if (width == 0) {
        *ret_value = base;
        return true;
    }
    uint64_t in_group = row & ((UINT64_C(1) << column->group_log2) - 1);
    uint64_t bits = (column->data_size - PSOPACK_COLUMN_SLACK) * 8;
    if (width > 64 || start > bits || (in_group + 1) * width > bits - start)
        return false;
    uint64_t code;
    if (!load_checked(column->section, column->data, start + in_group * width, (unsigned)width,
                      &code))
        return false;
    *ret_value = code == 0 ? 0 : base + code - 1;
    return true;
}

psopack_status psopack_column_read(const psopack_column *column, uint64_t row, uint64_t *ret_value,
                                   psopack_diag *diag)
{
    if (psopack_column_get(column, row, ret_value))
        return PSOPACK_OK;
    const psopack_section *section = column->section;
    char name[5];
    psopack_section_name(section ? section->id : 0, name);
    if (!section || row >= column->rows)
        return psopack_fail(diag, PSOPACK_E_CORRUPT, "section %s: a table has no such row", name);
    /* A damaged page answers CHECKSUM; find it among those that this row may have touched. */
    PSOPACK_TRY(psopack_section_require(section, column->data, column->data_size, diag));
    if (column->directory != 0)
        PSOPACK_TRY(psopack_section_require(section, column->directory,
                                            column->data - column->directory, diag));
    return psopack_fail_at(diag, PSOPACK_E_CORRUPT, PSOPACK_OBJECT_SECTION, section->number,
                           section->offset, "section %s: column %u has an impossible group", name,
                           column->id);
}
