/* SPDX-License-Identifier: MIT */
/* One value file: its header, reading and appending a record, and making a new file whole. */
#ifndef PSOPACK_SESSION_VALUE_FILE_H
#define PSOPACK_SESSION_VALUE_FILE_H

#include "platform/file.h"
#include "platform/publish.h"
#include "session/entry_index.h"
#include "session/session_record.h"
#include "session/window.h"

typedef struct psopack_value_file {
    psopack_file file; /* handle -1: not open */
    uint64_t id;
    uint64_t end;     /* behind the last record that is in the index */
    uint64_t size;    /* of the file when it was last scanned; equals `end` when owned */
    uint64_t covered; /* what its index file on disk covers, 0: there is none */
    bool owned;       /* locked: this host is its one writer */
    bool new_name;    /* the directory was not flushed since the file was made */
} psopack_value_file;

static inline bool psopack_value_file_is_open(const psopack_value_file *values)
{
    return values->file.handle != -1;
}

/* Reads and judges the header of an open file. `ret_id` is written for GOOD only. */
psopack_status psopack_value_file_judge(const psopack_file *file,
                                        const psopack_session_identity *identity, uint64_t version,
                                        psopack_header_verdict *ret_verdict, uint64_t *ret_id,
                                        psopack_diag *diag);

/* Empties an open file and writes the header of a new one. */
psopack_status psopack_value_file_restart(const psopack_file *file,
                                          const psopack_session_identity *identity,
                                          uint64_t version, uint64_t *ret_id, psopack_diag *diag);

/* Starts a file that replaces the one at `path` at commit; the header is written. */
psopack_status psopack_value_file_begin(const char *path, const psopack_session_identity *identity,
                                        uint64_t version, psopack_publish **ret_publish,
                                        uint64_t *ret_id, psopack_diag *diag);

/*
 * Reads the record of an entry whole and proves it. PSOPACK_E_CHECKSUM when it is not what the
 * entry says, PSOPACK_E_NOMEM, PSOPACK_E_IO. The caller owns the item.
 */
psopack_status psopack_value_file_read(const psopack_file *file, uint64_t file_id,
                                       const psopack_session_entry *entry,
                                       const psopack_allocator *allocator,
                                       psopack_window_item **ret_item);

/* True when head and key are readable and the key is this one. Proves sizes, not the value. */
bool psopack_value_file_has_key(const psopack_file *file, uint64_t file_id,
                                const psopack_session_entry *entry, const void *key,
                                const psopack_allocator *allocator);

/* Seals the item for this place and writes it. On failure the file is cut back to its end. */
psopack_status psopack_value_file_append(psopack_value_file *values, psopack_window_item *item,
                                         psopack_diag *diag);

#endif
