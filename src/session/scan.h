/* SPDX-License-Identifier: MIT */
/*
 * Reading a value file from some offset on: every record that proves itself, whatever lies between.
 *
 * A damaged body costs that record. A damaged head costs the bytes up to the next head that proves
 * itself, if there is one; if there is none, what follows the last good record is the unfinished
 * tail of a writer, alive or dead.
 */
#ifndef PSOPACK_SESSION_SCAN_H
#define PSOPACK_SESSION_SCAN_H

#include "platform/file.h"
#include "session/session_memory.h"
#include "session/session_record.h"

typedef struct psopack_scan {
    const psopack_file *file;
    const psopack_allocator *allocator;
    uint64_t file_id;
    /* Anything but PSOPACK_OK ends the scan with that status. `head` is followed by key and value;
     * valid during the call. */
    psopack_status (*on_record)(void *context, uint64_t offset, const psopack_disk_record *head);
    /* A stretch in front of a good record that holds none; may be NULL. */
    psopack_status (*on_damage)(void *context, uint64_t offset, uint64_t size);
    void *context;
} psopack_scan;

typedef struct psopack_scan_result {
    uint64_t end;     /* behind the last good record: where a writer goes on */
    uint64_t size;    /* of the file when the scan began */
    uint64_t damaged; /* records and gaps in front of `end` */
} psopack_scan_result;

/* `from` is the end of a record, or PSOPACK_VALUE_RECORDS_AT. */
psopack_status psopack_scan_records(const psopack_scan *scan, uint64_t from,
                                    psopack_scan_result *ret_result, psopack_diag *diag);

#endif
