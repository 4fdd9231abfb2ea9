/* SPDX-License-Identifier: MIT */
/*
 * Writes column sets (format/column.h): each column in the encoding that takes the fewest bits,
 * found by counting, so the result depends on the values alone.
 */
#ifndef PSOPACK_PACKER_COLUMN_WRITE_H
#define PSOPACK_PACKER_COLUMN_WRITE_H

#include "format/column.h"
#include "packer/bytes.h"

typedef struct psopack_column_input {
    const uint64_t *values;
    uint64_t rows;
    uint16_t id;
    uint16_t link;       /* guess columns: the leading slot */
    bool flat_from_zero; /* flat, base 0, no shift, `width` bits: keys are compared as they lie */
    uint8_t width;
    uint8_t stride; /* flat_from_zero: 0, or bits of a record that several columns share */
    uint8_t first;  /* bit in the record; other than 0: of the column in front, whose data it is */
} psopack_column_input;

/* Appends a whole column set to an empty `section`. Ids must ascend. */
psopack_status psopack_columns_write(psopack_bytes *section, const psopack_column_input *columns,
                                     uint32_t count, psopack_diag *diag);

/* Bytes that the best encoding of these values takes, without the descriptor. */
uint64_t psopack_column_cost(const uint64_t *values, uint64_t rows);

#endif
