/* SPDX-License-Identifier: MIT */
/*
 * The files of cache sessions, read offline: what testers have met, as input for the next build.
 *
 * Nothing here takes a lock or writes: files may be copies from another machine, damaged, or in
 * use. A value file (`*.val`) is read from front to back; the index beside it (`*.idx`), if it is
 * there and sound, tells how often each entry was met.
 */
#ifndef PSOPACK_SESSION_FILES_H
#define PSOPACK_SESSION_FILES_H

#include <psopack/psopack.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct psopack_session_file_info {
    uint8_t identifier[16];
    uint64_t version;
    uint8_t driver_tag[128];
    uint32_t driver_tag_size; /* 0: not driver-versioned */
    uint64_t file_bytes;
    uint64_t entries;          /* good records */
    uint64_t damaged;          /* records and gaps in front of the last good record */
    uint64_t damaged_bytes;    /* that they take */
    uint64_t unfinished_bytes; /* behind the last good record: a store that was cut short */
    int has_index;
} psopack_session_file_info;

/* Reads the header only: identity and file_bytes; the rest is 0. Fails as a visit does. */
PSOPACK_API psopack_status psopack_session_file_identify(const char *path,
                                                         psopack_session_file_info *ret_info,
                                                         psopack_diag *diag);

/* An entry while it is visited; pointers are valid during the call. */
typedef struct psopack_session_file_entry {
    const void *key;
    const void *value;
    uint32_t key_size;
    uint32_t value_size;
    uint32_t uses;   /* times stored or found; 1 when the index does not know */
    uint64_t offset; /* of the record in the file */
} psopack_session_file_entry;

/* Anything but PSOPACK_OK ends the visit with that status. Each may be NULL. */
typedef struct psopack_session_visitor {
    psopack_status (*entry)(void *user, const psopack_session_file_entry *entry);
    /* A stretch that holds no good record, although good ones follow. */
    psopack_status (*damage)(void *user, uint64_t offset, uint64_t size);
    void *user;
} psopack_session_visitor;

/*
 * Visits all good records of a value file in the order they were stored. `allocator` and `ret_info`
 * may be NULL. Damage is no failure, it is counted; PSOPACK_E_CORRUPT: no value file at all,
 * PSOPACK_E_VERSION: of a newer format, PSOPACK_E_NO_ENTRY, _ACCESS, _IO, _NOMEM.
 */
PSOPACK_API psopack_status psopack_session_file_visit(const char *path,
                                                      const psopack_allocator *allocator,
                                                      const psopack_session_visitor *visitor,
                                                      psopack_session_file_info *ret_info,
                                                      psopack_diag *diag);

/* ---- collections: many files as one -----------------------------------------------------------
 */

/*
 * The entries of many value files by key, each once, with the sum of their uses. Values stay in the
 * files, which must not change meanwhile; in memory is some 64 bytes and the key for each entry.
 * One thread uses a collection.
 */
typedef struct psopack_session_collection psopack_session_collection;

typedef struct psopack_session_collected {
    const void *key; /* belongs to the collection */
    uint32_t key_size;
    uint32_t value_size;
    uint64_t uses;
    uint32_t files;            /* that have this entry */
    uint32_t conflicts;        /* of them with another value: the first file's value counts */
    const char *path;          /* of the file that has the value; belongs to the collection */
    const char *conflict_path; /* of the first file with another value; NULL: none */
} psopack_session_collected;

PSOPACK_API psopack_status psopack_session_collection_create(
    const psopack_allocator *allocator, psopack_session_collection **ret_collection);
PSOPACK_API void psopack_session_collection_destroy(psopack_session_collection **collection);

/*
 * Adds a value file. All files of a collection have one identifier, version and driver tag: those
 * of the first; another one is PSOPACK_E_STALE_CONTENT and adds nothing. After another failure a
 * part of the file's entries may be in.
 */
PSOPACK_API psopack_status psopack_session_collection_add(psopack_session_collection *collection,
                                                          const char *path,
                                                          psopack_session_file_info *ret_info,
                                                          psopack_diag *diag);

PSOPACK_API uint64_t psopack_session_collection_count(const psopack_session_collection *collection);

/* Puts the entries in their final order: most uses first, then by key bytes; the same for any order
 * of the same files, conflicts apart. Indexes below are in this order. */
PSOPACK_API void psopack_session_collection_sort(psopack_session_collection *collection);

/* `index` is below the count. */
PSOPACK_API void psopack_session_collection_get(const psopack_session_collection *collection,
                                                uint64_t index,
                                                psopack_session_collected *ret_entry);

/* Reads and checks a value into `buffer`, which has at least its value_size bytes. */
PSOPACK_API psopack_status psopack_session_collection_read(psopack_session_collection *collection,
                                                           uint64_t index, void *buffer,
                                                           psopack_diag *diag);

#ifdef __cplusplus
}
#endif

#endif
