/* SPDX-License-Identifier: MIT */
/*
 * Regular files: open, identity, positioned reads and writes of any size, flush.
 *
 * Every failure is a status by its cause (PSOPACK_E_NO_ENTRY, _ACCESS, _NO_SPACE, _EXISTS,
 * _FILE_TYPE, else _IO) and a text that names the path. Interrupted and short transfers are carried
 * on inside. Positioned calls may run on one file from many threads; the others need a lock.
 */
#ifndef PSOPACK_PLATFORM_FILE_H
#define PSOPACK_PLATFORM_FILE_H

#include <psopack/status.h>
#include <stdbool.h>

/*
 * An open file, by value: the copy that is closed is the last one used. `path` is the caller's
 * string, only for messages; it must live as long as the file, or be replaced by the caller.
 */
typedef struct psopack_file {
    intptr_t handle;
    const char *path;
    bool appends; /* opened by psopack_file_open_append */
} psopack_file;

#define PSOPACK_FILE_NONE ((psopack_file){.handle = -1, .path = "", .appends = false})

typedef enum psopack_file_type {
    PSOPACK_FILE_REGULAR,
    PSOPACK_FILE_DIRECTORY,
    PSOPACK_FILE_OTHER /* pipe, socket, device */
} psopack_file_type;

/* Size in bytes, times in nanoseconds since 1970, and what tells one file from another. */
typedef struct psopack_file_stat {
    uint64_t size;
    int64_t mtime_ns;
    int64_t ctime_ns;
    uint64_t device;
    uint64_t inode;
    psopack_file_type type;
} psopack_file_stat;

/*
 * Opens a regular file for reading, following links; `ret_stat` may be NULL. Never blocks: a pipe
 * or device is refused with PSOPACK_E_FILE_TYPE, as is a directory.
 */
psopack_status psopack_file_open_read(const char *path, psopack_file *ret_file,
                                      psopack_file_stat *ret_stat, psopack_diag *diag);

/* Makes a new file for reading and writing; PSOPACK_E_EXISTS when the name is taken. */
psopack_status psopack_file_create(const char *path, psopack_file *ret_file, psopack_diag *diag);

/* Opens for reading and writing, made when missing, never cut. */
psopack_status psopack_file_open_update(const char *path, psopack_file *ret_file,
                                        psopack_diag *diag);

/* The same, but every write goes to the end at that moment: psopack_file_append only. */
psopack_status psopack_file_open_append(const char *path, psopack_file *ret_file,
                                        psopack_diag *diag);

psopack_status psopack_file_get_stat(const psopack_file *file, psopack_file_stat *ret_stat,
                                     psopack_diag *diag);

/* Same file, same size, same times: what "not changed while it was read" means. */
bool psopack_file_stat_equal(const psopack_file_stat *a, const psopack_file_stat *b);

/* Reads exactly `size` bytes; PSOPACK_E_TRUNCATED with the offset of the end when there are less.
 */
psopack_status psopack_file_read_at(const psopack_file *file, uint64_t offset, void *buffer,
                                    size_t size, psopack_diag *diag);

/* Reads up to `size` bytes; fewer only at the end of the file. */
psopack_status psopack_file_read_up_to(const psopack_file *file, uint64_t offset, void *buffer,
                                       size_t size, size_t *ret_read, psopack_diag *diag);

/* Writes all or fails; after a failure any part may be written. Not for a file that appends. */
psopack_status psopack_file_write_at(const psopack_file *file, uint64_t offset, const void *data,
                                     size_t size, psopack_diag *diag);

/* Writes all at the end. One call is one write for the system as long as it is not cut short. */
psopack_status psopack_file_append(const psopack_file *file, const void *data, size_t size,
                                   psopack_diag *diag);

/* Cuts the file, or extends it with zeros that take no room. */
psopack_status psopack_file_truncate(const psopack_file *file, uint64_t size, psopack_diag *diag);

/* Returns when the bytes and the size are on stable storage, as far as the system can tell. */
psopack_status psopack_file_sync(const psopack_file *file, psopack_diag *diag);

/* A hint that the file is read once from front to back. */
void psopack_file_advise_sequential(const psopack_file *file);

/* Closes also on failure; the file is PSOPACK_FILE_NONE afterwards. Closing none is a no-op. */
psopack_status psopack_file_close(psopack_file *file, psopack_diag *diag);

#endif
