/* SPDX-License-Identifier: MIT */
/* The first steps of opening, which measuring shares: the ends of the file and the section table.
 */
#ifndef PSOPACK_LOADER_OPEN_H
#define PSOPACK_LOADER_OPEN_H

#include "loader/archive.h"

#define PSOPACK_TABLE_MAX (PSOPACK_SECTIONS_MAX * sizeof(psopack_disk_section))

/* The end of the file; the section table lies in it. */
typedef struct psopack_tail {
    uint8_t bytes[PSOPACK_TABLE_MAX + sizeof(psopack_disk_footer)];
    size_t size;
} psopack_tail;

/*
 * Reads and judges header and footer. With an allocator, 64 KiB of it serve to tell an extended
 * archive from a truncated one when there is no footer; without, both are called truncated.
 */
psopack_status psopack_tail_read(const psopack_origin *origin, const psopack_allocator *allocator,
                                 psopack_tail *ret_tail, psopack_ends *ret_ends,
                                 psopack_diag *diag);

/* psopack_ends_check() proved that the table lies right in front of the footer. */
static inline const uint8_t *psopack_tail_table(const psopack_tail *tail, const psopack_ends *ends)
{
    return tail->bytes + tail->size - (size_t)(ends->file_size - ends->repeat_offset);
}

/* What opening `origin` will allocate; `in_place`: as if it were in memory. Allocates nothing. */
psopack_status psopack_origin_memory_needed(const psopack_origin *origin,
                                            const psopack_open_options *options, bool in_place,
                                            psopack_memory *ret_memory, psopack_diag *diag);

#endif
