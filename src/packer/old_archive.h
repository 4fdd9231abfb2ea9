/* SPDX-License-Identifier: MIT */
/*
 * An archive that a build starts from: whose blocks are kept, whose components a layer leaves out,
 * or whose PSOs are packed again. Its rows are read through the format; its components are decoded
 * by the public loader, with every check on.
 */
#ifndef PSOPACK_PACKER_OLD_ARCHIVE_H
#define PSOPACK_PACKER_OLD_ARCHIVE_H

#include <psopack/psopack.h>

#include "format/transform.h"
#include "format/view.h"
#include "packer/store.h"
#include "platform/map.h"

#define PSOPACK_NO_ITEM UINT32_MAX

typedef struct psopack_old {
    char *path;
    psopack_archive *handle; /* opened on the archive below, when it is a layer */
    psopack_map map;
    psopack_view view; /* what this file holds itself */
    psopack_page_state *pages;
    psopack_column *columns;
    psopack_block_row *blocks;         /* [view.blocks] */
    psopack_component_row *components; /* [view.components] */
    uint32_t *block_of;                /* by component: its first block; UINT32_MAX for size 0 */
    uint32_t *item;                    /* by component: in the store; PSOPACK_NO_ITEM: not there */
    bool *lost;                        /* by block: something in it could not be decoded */
    struct psopack_mended *mended;     /* of a damaged archive: its manifest as it should be, and */
    struct psopack_salvage *salvage;   /* what reads components that the loader can't; else NULL */
    XXH128_hash_t *hash;               /* by component, once matched */
} psopack_old;

/* Opens the archive at `path` and reads all block and component rows. `below` is the handle of what
 * a layer builds on, NULL for an archive of its own. The caller closes *ret_old. */
psopack_status psopack_old_open(const char *path, const psopack_archive *below,
                                psopack_old **ret_old, psopack_diag *diag);
void psopack_old_close(psopack_old **old);

/* The same of an archive that may be damaged: what can be mended is, rows that can't be read are
 * as if they were not there. `events` hears what was mended. */
psopack_status psopack_old_open_damaged(const char *path, const psopack_archive *below,
                                        const psopack_build_events *events, psopack_old **ret_old,
                                        psopack_diag *diag);

/*
 * Decodes every component of `old` and finds each in the store by its bytes: fills old->item. A
 * component that cannot be decoded is an error, in a dead block it is just not there.
 */
psopack_status psopack_old_match(psopack_old *old, const psopack_store *store, unsigned threads,
                                 const psopack_build_events *events, psopack_diag *diag);

/* Decodes and files the components of the first `archives` of inputs->olds, and settles the files
 * that they are. In place of psopack_old_match(). */
psopack_status psopack_scan_archives(psopack_inputs *inputs, uint32_t archives,
                                     psopack_store *store, unsigned threads,
                                     const psopack_build_events *events, psopack_diag *diag);

/* Part of psopack_scan_archives(): components that are damaged in one archive and whole in another
 * get the item of the whole one. */
psopack_status psopack_scan_repair(const psopack_inputs *inputs, const psopack_store *store,
                                   const psopack_build_events *events, psopack_diag *diag);

/* One component's bytes into `buffer`, with a context of its own: for the odd one that memory had
 * no room to keep. */
psopack_status psopack_old_read(const psopack_old *old, uint32_t component,
                                psopack_read_buffer *buffer, uint64_t *ret_size,
                                psopack_diag *diag);

/*
 * What a block decodes to, before the inverse transform: each component decoded, stripped and
 * transformed again. `out` has the block's raw size. For base blocks, whose bytes are dictionaries.
 */
psopack_status psopack_old_block_bytes(const psopack_old *old, uint32_t block, uint8_t *out,
                                       psopack_diag *diag);

/* Compares a block's stored bytes with its check: CHECKSUM. */
psopack_status psopack_old_block_check(const psopack_old *old, uint32_t block, psopack_diag *diag);

#endif
