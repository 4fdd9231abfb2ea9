/* SPDX-License-Identifier: MIT */
/*
 * Columns: integers packed in the bits they need, read in O(1) where they lie.
 *
 * flat      value(row) = base + (bits(row) << shift). All rows equal costs no bits at all. Columns
 *           that are read together can share data as records: `stride` bits a row, each column's
 *           value at bit `first` of the record; one cache line then serves them all.
 * grouped   rows in groups of 2^group_log2. A directory entry per group holds its base, width (7
 *           bits) and first bit. A code of `width` bits per row: value = 0 for code 0, else
 *           group base + code - 1. With width 0 every row of the group is the group base. So zero
 *           (absent) stays cheap among large neighbours.
 *
 * A column that passed psopack_columns_parse() never leads a read out of its section, whatever its
 * bits are; what a value means is checked by whoever uses it.
 */
#ifndef PSOPACK_FORMAT_COLUMN_H
#define PSOPACK_FORMAT_COLUMN_H

#include <string.h>

#include "format/section.h"

typedef enum psopack_column_encoding {
    PSOPACK_COLUMN_FLAT = 0,
    PSOPACK_COLUMN_GROUPED = 1
} psopack_column_encoding;

#define PSOPACK_GROUP_WIDTH_BITS 7u /* of a group's width in the directory: 0 .. 64 */
#define PSOPACK_GROUP_LOG2_MAX 16u

typedef struct psopack_column {
    const psopack_section *section; /* NULL: the archive has no such column */
    uint64_t rows;
    uint64_t base;
    uint64_t directory;
    uint64_t data;
    uint64_t data_size;
    uint16_t id;
    uint16_t link;
    uint8_t encoding;
    uint8_t width;
    uint8_t shift;
    uint8_t group_log2;
    uint8_t base_width;
    uint8_t start_width;
    uint8_t stride;
    uint8_t first;
} psopack_column;

/* Called once per column of a set, in order; returning a failure ends the walk with it. */
typedef psopack_status psopack_column_fn(void *user, const psopack_column *column,
                                         psopack_diag *diag);

/*
 * Walks a column set: proves that every descriptor's directory and data lie in the section behind
 * the descriptors, that widths are legal and that ids strictly ascend, then hands each column over.
 */
psopack_status psopack_columns_parse(const psopack_section *section, psopack_column_fn *each,
                                     void *user, psopack_diag *diag);

/* `width` (0 .. 64) bits at bit `position` of `bytes`; reads 8 bytes, 9 where the bits end there.
 */
static inline uint64_t psopack_bits_load(const uint8_t *bytes, uint64_t position, unsigned width)
{
    const uint8_t *at = bytes + (position >> 3);
    unsigned skip = (unsigned)(position & 7);
    psopack_u64le word;
    memcpy(&word, at, sizeof word);
    uint64_t value = psopack_load64(word) >> skip;
    if (skip + width > 64)
        value |= (uint64_t)at[8] << (64 - skip);
    return width == 64 ? value : value & ((UINT64_C(1) << width) - 1);
}

/* Slow parts of psopack_column_get(). */
bool psopack_column_get_grouped(const psopack_column *column, uint64_t row, uint64_t *ret_value);

/* False when `row` is out of range or the page that holds it is damaged. */
static inline bool psopack_column_get(const psopack_column *column, uint64_t row,
                                      uint64_t *ret_value)
{
    if (row >= column->rows)
        return false;
    if (column->encoding != PSOPACK_COLUMN_FLAT)
        return psopack_column_get_grouped(column, row, ret_value);
    uint64_t bits = 0;
    if (column->width != 0) {
        uint64_t position = column->first + row * column->stride;
        uint64_t first = column->data + (position >> 3);
        if (!psopack_section_touch(column->section, first, first + 8))
            return false;
        bits = psopack_bits_load(column->section->bytes + column->data, position, column->width);
    }
    *ret_value = column->base + (bits << column->shift);
    return true;
}

/*
 * Adds up rows [first, end), modulo 2^64: one look at the directory per group, so about a
 * nanosecond a row. False as psopack_column_get().
 */
bool psopack_column_sum(const psopack_column *column, uint64_t first, uint64_t end,
                        uint64_t *ret_sum);

/* Why psopack_column_get() of `row`, or a sum that ends with it, failed: CHECKSUM names the page,
 * CORRUPT a row that the column does not have. Never PSOPACK_OK. */
psopack_status psopack_column_explain(const psopack_column *column, uint64_t row,
                                      psopack_diag *diag);

/* psopack_column_get() as a status. */
static inline psopack_status psopack_column_read(const psopack_column *column, uint64_t row,
                                                 uint64_t *ret_value, psopack_diag *diag)
{
    if (psopack_column_get(column, row, ret_value))
        return PSOPACK_OK;
    return psopack_column_explain(column, row, diag);
}

#endif
