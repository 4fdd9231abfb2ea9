/* SPDX-License-Identifier: MIT */
/*
 * An open archive, as the loader's files see it.
 *
 * Memory, all from the caller's allocator while opening:
 *   1. this struct, the page states, and the manifest where it can't be used in place;
 *   2. the slot columns, the base states, a layer's table of slots, and the bases themselves: for
 *      each [entropy tables][decoded bytes][ZSTD_DDict][stored bytes, only where those can't be
 *      used in place].
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
    /* Who decodes it: this archive and this number, or, for an external one of a layer, an archive
     * that the layer builds on. NULL: external, and the layer was opened alone. */
    const psopack_archive *owner;
    uint32_t owner_index;
    uint32_t transform; /* known once it is decoded */
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

    /* What the handle shows: itself and, as a layer, all that it builds on. See loader/layer.h. */
    const psopack_archive *base; /* NULL: no layer, or one that was opened alone */
    uint32_t depth;              /* how many archives are below it */
    uint32_t psos;
    uint32_t components;        /* indexes run below this */
    const uint16_t *base_slots; /* [view.slots]: the base's slot, or PSOPACK_NO_SLOT */

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

/* True when every PSO that the handle shows has a name. */
bool psopack_archive_has_names(const psopack_archive *archive);

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
