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
           packed_size(column->rows, column->stride, column->section->size, &size) &&
           (column->width == 0 ? column->stride == 0 && column->first == 0 && column->data_size == 0
                               : column->first + column->width <= column->stride &&
                                     column->data_size == size + PSOPACK_COLUMN_SLACK);
}

static bool grouped_is_legal(const psopack_column *column, uint64_t first)
{
    if (column->width != 0 || column->stride != 0 || column->first != 0 || column->shift != 0 ||
        column->base != 0 || column->group_log2 > PSOPACK_GROUP_LOG2_MAX ||
        column->base_width > 64 || column->start_width > 40 ||
        column->data_size < PSOPACK_COLUMN_SLACK)
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
        .stride = disk->stride,
        .first = disk->first,
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

/* A group's entry in the directory, and where its codes lie. */
typedef struct column_group {
    uint64_t base;
    uint64_t start; /* bit in the data */
    unsigned width;
} column_group;

/* Loads the entry of `row`'s group; proves that codes of all its rows lie in the data. */
static bool load_group(const psopack_column *column, uint64_t row, column_group *ret_group)
{
    uint64_t entry = (row >> column->group_log2) * directory_width(column);
    uint64_t last = entry + column->base_width + PSOPACK_GROUP_WIDTH_BITS + column->start_width;
    const uint8_t *directory = column->section->bytes + column->directory;
    if (!psopack_section_touch(column->section, column->directory + (entry >> 3),
                               column->directory + (last >> 3) + 8))
        return false;
    ret_group->base = psopack_bits_load(directory, entry, column->base_width);
    entry += column->base_width;
    ret_group->width = (unsigned)psopack_bits_load(directory, entry, PSOPACK_GROUP_WIDTH_BITS);
    entry += PSOPACK_GROUP_WIDTH_BITS;
    ret_group->start = psopack_bits_load(directory, entry, column->start_width);

    uint64_t rows = UINT64_C(1) << column->group_log2;
    uint64_t left = column->rows - (row & ~(rows - 1));
    uint64_t bits = (column->data_size - PSOPACK_COLUMN_SLACK) * 8;
    rows = left < rows ? left : rows;
    return ret_group->width <= 64 && ret_group->start <= bits &&
           rows * ret_group->width <= bits - ret_group->start;
}

static uint64_t decode(const column_group *group, uint64_t code)
{
    return code == 0 ? 0 : group->base + code - 1;
}

bool psopack_column_get_grouped(const psopack_column *column, uint64_t row, uint64_t *ret_value)
{
    column_group group;
    if (!load_group(column, row, &group))
        return false;
    if (group.width == 0) {
        *ret_value = group.base;
        return true;
    }
    uint64_t in_group = row & ((UINT64_C(1) << column->group_log2) - 1);
    uint64_t position = group.start + in_group * group.width;
    uint64_t first = column->data + (position >> 3);
    if (!psopack_section_touch(column->section, first, first + 8))
        return false;
    *ret_value = decode(
        &group, psopack_bits_load(column->section->bytes + column->data, position, group.width));
    return true;
}

/* Sum of rows [first, end) of one group. */
static bool sum_in_group(const psopack_column *column, uint64_t first, uint64_t end,
                         uint64_t *ret_sum)
{
    column_group group;
    if (!load_group(column, first, &group))
        return false;
    if (group.width == 0) {
        *ret_sum = group.base * (end - first);
        return true;
    }
    uint64_t in_group = first & ((UINT64_C(1) << column->group_log2) - 1);
    uint64_t position = group.start + in_group * group.width, sum = 0;
    uint64_t last = position + (end - first) * group.width;
    const uint8_t *data = column->section->bytes + column->data;
    if (!psopack_section_touch(column->section, column->data + (position >> 3),
                               column->data + ((last - 1) >> 3) + 8))
        return false;
    for (; position < last; position += group.width)
        sum += decode(&group, psopack_bits_load(data, position, group.width));
    *ret_sum = sum;
    return true;
}

/* The flat half of psopack_column_sum(): rows [first, end) of a column with bits. */
static bool sum_flat(const psopack_column *column, uint64_t first, uint64_t end, uint64_t *ret_sum)
{
    uint64_t position = column->first + first * column->stride, bits = 0;
    uint64_t last = column->first + (end - 1) * column->stride + column->width;
    const uint8_t *data = column->section->bytes + column->data;
    if (!psopack_section_touch(column->section, column->data + (position >> 3),
                               column->data + ((last - 1) >> 3) + 8))
        return false;
    for (; position < last; position += column->stride)
        bits += psopack_bits_load(data, position, column->width);
    *ret_sum = column->base * (end - first) + (bits << column->shift);
    return true;
}

bool psopack_column_sum(const psopack_column *column, uint64_t first, uint64_t end,
                        uint64_t *ret_sum)
{
    uint64_t sum = 0, part;
    if (first > end || end > column->rows)
        return false;
    if (column->encoding == PSOPACK_COLUMN_FLAT) {
        if (first != end && column->width != 0)
            return sum_flat(column, first, end, ret_sum);
        *ret_sum = column->base * (end - first);
        return true;
    }
    while (first < end) {
        uint64_t stop = (first | ((UINT64_C(1) << column->group_log2) - 1)) + 1;
        stop = stop < end ? stop : end;
        if (!sum_in_group(column, first, stop, &part))
            return false;
        sum += part;
        first = stop;
    }
    *ret_sum = sum;
    return true;
}

psopack_status psopack_column_explain(const psopack_column *column, uint64_t row,
                                      psopack_diag *diag)
{
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
