/* SPDX-License-Identifier: MIT */
/*
 * Atomic, durable output: readers see the old file whole or the new file whole, also after a crash.
 *
 * The bytes go into `NAME.tmp.PID.COUNTER` beside the output; commit flushes it, renames it over
 * the output and flushes the directory. Of writers that race for one output the last to commit wins
 * whole. The writer holds a lock on its temporary file; begin removes temporary files of the same
 * output whose lock nobody holds, so leftovers of killed processes go, whatever has become of their
 * process number. Where the file system knows no locks, leftovers stay.
 *
 * A new output gets the permissions of any new file (0666 less the umask); an existing one keeps
 * its permission bits, not its owner, its other hard links or its extended attributes. An output
 * that is a symbolic link stays one: the file it points to is replaced, in that file's directory. A
 * directory, pipe or device as output is refused with PSOPACK_E_FILE_TYPE.
 *
 * One thread at a time per object, except psopack_publish_write_at.
 */
#ifndef PSOPACK_PLATFORM_PUBLISH_H
#define PSOPACK_PLATFORM_PUBLISH_H

#include "platform/file.h"

typedef struct psopack_publish psopack_publish;

typedef struct psopack_publish_options {
    bool no_sync;           /* skip both flushes: atomic for readers, not safe against power cuts */
    bool keep_if_identical; /* leave an old output with the same bytes untouched, times and all */
} psopack_publish_options;

typedef enum psopack_publish_outcome {
    PSOPACK_PUBLISH_WRITTEN,
    PSOPACK_PUBLISH_UNCHANGED /* kept by keep_if_identical */
} psopack_publish_outcome;

/* `path` is copied. The caller owns *ret_publish until commit or abort. */
psopack_status psopack_publish_begin(const char *path, psopack_publish **ret_publish,
                                     psopack_diag *diag);

/* Writes at the running end, which starts at 0 and is moved by this call only. */
psopack_status psopack_publish_write(psopack_publish *publish, const void *data, size_t size,
                                     psopack_diag *diag);

/* Writes anywhere; may run on several threads for ranges that do not overlap. */
psopack_status psopack_publish_write_at(psopack_publish *publish, uint64_t offset, const void *data,
                                        size_t size, psopack_diag *diag);

/* Where the next psopack_publish_write goes. */
uint64_t psopack_publish_offset(const psopack_publish *publish);

/* The temporary file, to read back or map what was written; owned by `publish`, never closed. */
const psopack_file *psopack_publish_file(const psopack_publish *publish);

/*
 * Frees the object and sets *publish to NULL, also on failure, which leaves the old output as it
 * was and removes the temporary file. The one exception: when only the flush of the directory
 * fails, the new output is in place, the status is an error, and the text says so. `ret_outcome`
 * may be NULL, `options` too (all false).
 */
psopack_status psopack_publish_commit(psopack_publish **publish,
                                      const psopack_publish_options *options,
                                      psopack_publish_outcome *ret_outcome, psopack_diag *diag);

/* Removes the temporary file and frees the object; NULL inside is a no-op. */
void psopack_publish_abort(psopack_publish **publish);

/* Path of the temporary file, relative if the output's was; lives as long as the object. */
const char *psopack_publish_temp_path(const psopack_publish *publish);

/*
 * Removes a temporary file from a signal handler (async-signal-safe, keeps errno). The library has
 * no global state, so a program copies psopack_publish_temp_path into static storage of its own
 * after begin, marks it valid last through a volatile sig_atomic_t, and clears the mark after
 * commit or abort. Being late is harmless: after commit the name is gone.
 */
void psopack_publish_abort_from_signal(const char *temp_path);

#endif
