/* SPDX-License-Identifier: MIT */
/*
 * Cache sessions: a key/value store for the PSOs that nobody knew at build time.
 *
 * The contract is the public one of ID3D12ShaderCacheSession, call by call (doc/session.md has the
 * table), on every platform, on files that survive kill -9 and power loss. Every value handed out
 * has had its check verified together with its key: damage loses entries, it never changes them.
 *
 * Caveats first:
 * - "The same process" is a psopack_session_host object. Make one per process; two hosts behave
 *   like two processes, even inside one.
 * - A host, its sessions and their files do not survive fork(): open them in the child.
 * - The checks detect accidents. Who can write the files can put values in them.
 * - Stored values reach the system at once (kill -9 loses nothing), the disk at
 *   psopack_session_flush() and at the last close (power loss may take what came after).
 * - File locks must work where the files are. Without them the cache opens degraded: it reads what
 *   is there and keeps new values in memory.
 *
 * Thread safety: any number of threads may use one host and its sessions. Closing a session while
 * another thread uses that same session is the caller's error.
 */
#ifndef PSOPACK_SESSION_H
#define PSOPACK_SESSION_H

#include <psopack/psopack.h> /* psopack_allocator */

#ifdef __cplusplus
extern "C" {
#endif

typedef struct psopack_session_host psopack_session_host;
typedef struct psopack_session psopack_session;

/* What 0 means in a psopack_session_desc. */
#define PSOPACK_SESSION_MEMORY_BYTES_DEFAULT UINT64_C(1024)
#define PSOPACK_SESSION_MEMORY_ENTRIES_DEFAULT 128u
#define PSOPACK_SESSION_VALUE_FILE_BYTES_DEFAULT (UINT64_C(128) << 20)

/* Limits of a record, of the driver tag, and of writer processes of one cache at one time. */
#define PSOPACK_SESSION_KEY_MAX 65536u
#define PSOPACK_SESSION_VALUE_MAX (UINT32_C(1) << 30)
#define PSOPACK_SESSION_TAG_MAX 128u
#define PSOPACK_SESSION_WRITERS_MAX 16u

typedef struct psopack_session_host_options {
    size_t struct_size; /* sizeof(psopack_session_host_options) */

    /* Where disk caches live, UTF-8; the directories must exist. `directory` is the one that a disk
     * clean-up may empty; `working_directory` serves PSOPACK_SESSION_WORKING_DIRECTORY. Either may
     * be NULL when no session needs it. Copied. */
    const char *directory;
    const char *working_directory;

    psopack_allocator allocator; /* both NULL: malloc and free. Called from any thread */
} psopack_session_host_options;

#define PSOPACK_SESSION_HOST_OPTIONS_INIT                                                          \
    {                                                                                              \
        sizeof(psopack_session_host_options), NULL, NULL,                                          \
        {                                                                                          \
            NULL, NULL, NULL                                                                       \
        }                                                                                          \
    }

/* On PSOPACK_OK the caller owns *ret_host. Touches no file. */
PSOPACK_API psopack_status psopack_session_host_create(const psopack_session_host_options *options,
                                                       psopack_session_host **ret_host,
                                                       psopack_diag *diag);

/* Closes sessions that are still open, frees the host, sets *host to NULL. NULL is fine. */
PSOPACK_API void psopack_session_host_destroy(psopack_session_host **host);

typedef enum psopack_session_mode {
    PSOPACK_SESSION_MEMORY = 0, /* no backing file: all stores end with the last session */
    PSOPACK_SESSION_DISK = 1    /* files persist from run to run */
} psopack_session_mode;

typedef enum psopack_session_flags {
    /* `driver_tag` is part of the identity: caches of several drivers and adapters side by side. */
    PSOPACK_SESSION_DRIVER_VERSIONED = 1,
    /* The files live in the host's working_directory. Disk mode only. */
    PSOPACK_SESSION_WORKING_DIRECTORY = 2,
    /* Ours: a store that would pass the maximum drops the oldest stored entries instead of
     * answering full, as long as no other process has the cache open. Disk mode only. */
    PSOPACK_SESSION_OLDEST_FIRST = 1 << 16
} psopack_session_flags;

typedef struct psopack_session_desc {
    uint8_t identifier[16];
    psopack_session_mode mode;
    uint32_t flags;                    /* psopack_session_flags */
    uint64_t maximum_memory_bytes;     /* of keys and values kept in memory; 0: 1 KiB */
    uint32_t maximum_memory_entries;   /* 0: 128 */
    uint64_t maximum_value_file_bytes; /* of all files of the cache, indexes apart; 0: 128 MiB */
    uint64_t version;
    const void *driver_tag; /* with PSOPACK_SESSION_DRIVER_VERSIONED, else NULL and 0 */
    size_t driver_tag_size; /* 1 .. PSOPACK_SESSION_TAG_MAX */
} psopack_session_desc;

/*
 * Opens a session on the cache that `desc` names: identifier, mode, directory and driver tag.
 * Sessions of one host on the same cache share it; the first opener's limits and
 * PSOPACK_SESSION_OLDEST_FIRST hold while it is open. `desc` and its tag are copied.
 *
 * An existing cache of another version is cleared and made anew when nobody else has it open, in
 * this process or another. Side files that other processes left are merged when nobody else has it
 * open. Trouble with the files does not fail the call: the cache opens degraded
 * (psopack_session_get_state() says why).
 *
 * PSOPACK_E_EXISTS       somebody has the cache open with another version
 * PSOPACK_E_UNAVAILABLE  sessions are disabled (psopack_session_host_control)
 * PSOPACK_E_ARGUMENT     an impossible description, or no directory for disk mode
 * PSOPACK_E_NOMEM
 *
 * Cost: O(entries) with a checkpoint, under 10 ms for 100,000; else one read of the files.
 */
PSOPACK_API psopack_status psopack_session_open(psopack_session_host *host,
                                                const psopack_session_desc *desc,
                                                psopack_session **ret_session, psopack_diag *diag);

/*
 * Ends the session and sets *session to NULL; NULL is fine. The last one of a cache flushes, writes
 * the checkpoint, and clears the cache when a session was marked with
 * psopack_session_set_delete_on_destroy().
 */
PSOPACK_API void psopack_session_close(psopack_session **session);

/*
 * Finds the value stored under exactly this key. In: *value_size is the room at `value`. Out:
 * *value_size is the value's size, on PSOPACK_OK and PSOPACK_E_BUFFER. With `value` NULL only the
 * size is answered. Meant to be called twice, size first: the second call is served from memory
 * when the value fits the in-memory window.
 *
 * PSOPACK_E_NOT_FOUND    no such key (or its record is damaged: see state.damaged_records)
 * PSOPACK_E_COLLISION    another key with the same 64-bit hash is stored
 * PSOPACK_E_BUFFER       the room is too small
 * PSOPACK_E_UNAVAILABLE  sessions are disabled
 * PSOPACK_E_ARGUMENT, PSOPACK_E_NOMEM, PSOPACK_E_IO
 *
 * On any failure but PSOPACK_E_BUFFER *value_size is untouched; bytes at `value` are written only
 * on PSOPACK_OK. Cost: a hash and a copy when in memory; else one read of the record.
 */
PSOPACK_API psopack_status psopack_session_find(psopack_session *session, const void *key,
                                                size_t key_size, void *value, size_t *value_size);

/*
 * Stores a value under a key of 1 .. PSOPACK_SESSION_KEY_MAX bytes. The value may be empty.
 *
 * PSOPACK_E_EXISTS       the key is there already; its value stays
 * PSOPACK_E_COLLISION    another key with the same 64-bit hash is stored
 * PSOPACK_E_FULL         the value file would pass its maximum
 * PSOPACK_E_LIMIT        memory mode: key and value are larger than the whole window; both modes: a
 *                        size above the limits of a record
 * PSOPACK_E_UNAVAILABLE  sessions are disabled
 * PSOPACK_E_ARGUMENT, PSOPACK_E_NOMEM
 *
 * In a degraded cache values go to the in-memory window alone; one that does not fit there fails
 * with the reason of the degradation (PSOPACK_E_NO_SPACE, PSOPACK_E_ACCESS, ...).
 */
PSOPACK_API psopack_status psopack_session_store(psopack_session *session, const void *key,
                                                 size_t key_size, const void *value,
                                                 size_t value_size);

/* When all sessions of the cache are closed, in all processes, the cache is cleared. */
PSOPACK_API void psopack_session_set_delete_on_destroy(psopack_session *session);

/* The description this session was opened with, as given. The tag belongs to the session. */
PSOPACK_API void psopack_session_get_desc(const psopack_session *session,
                                          psopack_session_desc *ret_desc);

/* Returns when everything stored by this process so far is on the disk. PSOPACK_OK in memory mode;
 * in a degraded cache the reason of the degradation. */
PSOPACK_API psopack_status psopack_session_flush(psopack_session *session, psopack_diag *diag);

/* What the contract does not tell: the limits in force and the health of the shared cache. */
typedef struct psopack_session_state {
    size_t struct_size; /* in: sizeof(psopack_session_state) */
    /* PSOPACK_OK, or why new values stay in memory: PSOPACK_E_ACCESS on read-only media,
     * PSOPACK_E_NO_SPACE on a full disk, PSOPACK_E_BUSY when too many processes write, ... */
    psopack_status degraded;
    uint64_t memory_bytes_limit; /* the first opener's, defaults filled in */
    uint64_t value_file_limit;
    uint32_t memory_entries_limit;
    uint32_t sessions;       /* of this host on this cache */
    uint64_t entries;        /* that find may answer */
    uint64_t memory_entries; /* of them in the window */
    uint64_t memory_bytes;
    uint64_t value_file_bytes;   /* all data files of the cache */
    uint64_t unflushed_bytes;    /* stored by this process since the last flush */
    uint64_t damaged_records;    /* records or gaps skipped since open */
    uint64_t memory_only_stores; /* values that a degraded cache did not write */
    uint64_t finds_memory;       /* finds answered from the window */
    uint64_t finds_disk;         /* finds that read a record */
    uint64_t misses;
    uint64_t evicted_entries; /* dropped by PSOPACK_SESSION_OLDEST_FIRST since open */
    uint64_t merged_entries;  /* taken over from side files at open */
    char text[256];           /* one line on `degraded`, empty when PSOPACK_OK */
} psopack_session_state;

PSOPACK_API void psopack_session_get_state(psopack_session *session,
                                           psopack_session_state *ret_state);

/* The kinds of shader caches of D3D12_SHADER_CACHE_KIND_FLAGS. Only application-managed caches are
 * psopack's; the others hold nothing here. */
typedef enum psopack_session_kinds {
    PSOPACK_SESSION_KIND_IMPLICIT_FOR_DRIVER = 1,
    PSOPACK_SESSION_KIND_IMPLICIT_CONVERSIONS = 2,
    PSOPACK_SESSION_KIND_IMPLICIT_DRIVER_MANAGED = 4,
    PSOPACK_SESSION_KIND_APPLICATION_MANAGED = 8
} psopack_session_kinds;

typedef enum psopack_session_controls {
    PSOPACK_SESSION_DISABLE = 1, /* open, find, store, flush answer PSOPACK_E_UNAVAILABLE */
    PSOPACK_SESSION_ENABLE = 2,
    PSOPACK_SESSION_CLEAR = 4 /* all open caches of the host, and the caches in `directory` */
} psopack_session_controls;

/*
 * ID3D12Device9::ShaderCacheControl. Disable and enable together, no control, no kind, or an
 * unknown bit is PSOPACK_E_ARGUMENT. Kinds without APPLICATION_MANAGED change nothing.
 *
 * Clear leaves a cache alone that another process has open; it clears all others, then answers
 * PSOPACK_E_BUSY.
 */
PSOPACK_API psopack_status psopack_session_host_control(psopack_session_host *host, uint32_t kinds,
                                                        uint32_t controls, psopack_diag *diag);

#ifdef __cplusplus
}
#endif

#endif
