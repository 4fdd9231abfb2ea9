/* SPDX-License-Identifier: MIT */
/*
 * Index files: the entries of one value file, so that open need not read all records.
 *
 * An index is a claim about a prefix of its file, believed only when every byte of it checks out.
 * Even then a row only says where to look: the record proves itself at each read.
 */
#ifndef PSOPACK_SESSION_CHECKPOINT_H
#define PSOPACK_SESSION_CHECKPOINT_H

#include "session/entry_index.h"
#include "session/session_layout.h"

/* The value file an index must belong to. */
typedef struct psopack_checkpoint_of {
    uint64_t file_id;
    uint64_t file_size; /* an index that covers more is of no use */
    uint64_t probe;     /* see psopack_disk_index_header */
} psopack_checkpoint_of;

typedef struct psopack_checkpoint {
    uint8_t *bytes;
    size_t size;
    uint64_t covered;
    uint32_t entries;
    uint32_t foreign;
    const psopack_disk_index_row *rows; /* each in the limits and inside `covered` */
    const psopack_disk_foreign_row *foreign_rows;
} psopack_checkpoint;

/* PSOPACK_E_NO_ENTRY, or what is wrong with the index. The caller frees on PSOPACK_OK. */
psopack_status psopack_checkpoint_load(const char *path, const psopack_allocator *allocator,
                                       const psopack_checkpoint_of *of,
                                       psopack_checkpoint *ret_checkpoint, psopack_diag *diag);
void psopack_checkpoint_free(psopack_checkpoint *checkpoint, const psopack_allocator *allocator);

/*
 * Publishes the index of value file `slot`, whose records below `of->file_size` are all in `index`
 * and on the disk. New uses of entries in other files become foreign rows.
 */
psopack_status psopack_checkpoint_save(const char *path, const psopack_entry_index *index,
                                       uint32_t slot, const psopack_checkpoint_of *of,
                                       psopack_diag *diag);

#endif
