/* SPDX-License-Identifier: MIT */
/*
 * An open archive, as the loader's files see it.
 *
 * Memory, all from the caller's allocator while opening:
 *   1. this struct, the page states, and the manifest where it can't be used in place;
 *   2. the slot columns, the base states, and the bases themselves: for each [entropy tables]
 *      [decoded bytes][ZSTD_DDict][stored bytes, only where those can't be used in place].
 * Afterwards only atomic states and the bases' bytes change, each written once.
 */
#ifndef PSOPACK_LOADER_ARCHIVE_H
#define PSOPACK_LOADER_ARCHIVE_H

#include <psopack/psopack.h>

#include "format/view.h"
#include "loader/once.h"
#include "loader/source.h"

/* From zstd.h, which only the files that decode include. */
struct ZSTD_DDict_s;

#define PSOPACK_ALLOCATION_ALIGNMENT 64u

typedef struct psopack_base {
    psopack_once once;
    uint32_t block;
    uint32_t tables_size;
    uint32_t raw_size;
    uint8_t *bytes;  /* entropy tables, then what the block decodes to */
    uint8_t *stored; /* room for the block as it is in the file; NULL: used in place */
    void *dictionary_room;
    const struct ZSTD_DDict_s *dictionary; /* set before `once` says good */
} psopack_base;

/* The dictionary that pages of names are decoded with. */
typedef struct psopack_names {
    psopack_once once;
    void *dictionary_room;
    const struct ZSTD_DDict_s *dictionary;
} psopack_names;

struct psopack_archive {
    psopack_view view;
    psopack_origin origin;
    psopack_allocator allocator;
    psopack_open_limits limits;
    psopack_wait wait;
    psopack_base *bases; /* [view.bases] */

    psopack_names *names; /* NULL: the archive has no names */

    size_t size;  /* of allocation 1 */
    void *second; /* allocation 2 */
    size_t second_size;
    uint64_t base_memory; /* of the second: what the bases take */
};

/* Fills in defaults. */
psopack_status psopack_options_load(const psopack_open_options *options,
                                    psopack_open_options *ret_options, psopack_diag *diag);
psopack_status psopack_allocator_load(const psopack_allocator *allocator,
                                      psopack_allocator *ret_allocator, psopack_diag *diag);

/* NULL, and the diag filled for PSOPACK_E_NOMEM, when there is none. Aligned to 64. */
void *psopack_allocate(const psopack_allocator *allocator, uint64_t size, psopack_diag *diag);

void psopack_wait_default(void *user);

/* Takes over `origin`, also on failure: it is closed then. `options` are loaded ones. */
psopack_status psopack_archive_open_origin(psopack_origin *origin,
                                           const psopack_open_options *options,
                                           psopack_archive **ret_archive, psopack_diag *diag);

static inline uint64_t psopack_align_up(uint64_t value, uint64_t alignment)
{
    return (value + alignment - 1) & ~(alignment - 1);
}

#endif
