/* SPDX-License-Identifier: MIT */
/*
 * The cache that sessions of one host share: index, window, value files, counters.
 *
 * Two mutexes. `mutex` guards every member and is held for short: reading a record, appending one
 * and flushing give it away meanwhile. `writer` is taken first and makes stores, flushes, clears
 * and evictions one at a time: who holds it knows that the own value file stays what it is. Readers
 * count themselves in `readers`; who closes a file waits for them
 * (psopack_session_cache_wait_idle).
 *
 * Calls need `mutex` held, those that change files both; exceptions say so.
 */
#ifndef PSOPACK_SESSION_CACHE_H
#define PSOPACK_SESSION_CACHE_H

#include "format/error.h"
#include "platform/thread.h"
#include "session/entry_index.h"
#include "session/presence.h"
#include "session/session_path.h"
#include "session/value_file.h"
#include "session/window.h"

typedef uint64_t (*psopack_session_hash)(const void *key, size_t size);

#define PSOPACK_SLOT_NONE UINT32_MAX

/* A description with defaults filled in; what does not change while the cache is open. */
typedef struct psopack_session_plan {
    psopack_session_identity identity;
    psopack_session_mode mode;
    const char *directory; /* the host's string; NULL in memory mode */
    uint64_t version;
    uint64_t value_file_max;
    uint64_t memory_bytes_max;
    uint32_t memory_entries_max;
    bool oldest_first;
    const psopack_allocator *allocator; /* the host's */
    psopack_session_hash hash;
} psopack_session_plan;

typedef struct psopack_session_counters {
    uint64_t damaged;
    uint64_t memory_only;
    uint64_t finds_memory;
    uint64_t finds_disk;
    uint64_t misses;
    uint64_t evicted;
    uint64_t merged;
} psopack_session_counters;

typedef struct psopack_session_cache psopack_session_cache;
struct psopack_session_cache {
    psopack_session_cache *next; /* in the host's list; the host's mutex guards it and `sessions` */
    uint32_t sessions;

    psopack_session_plan plan;
    uint64_t probe; /* what plan.hash makes of a fixed text */
    char base[PSOPACK_SESSION_BASE_SIZE];

    psopack_mutex writer;
    psopack_mutex mutex;
    psopack_cond idle; /* readers became 0, or draining ended */
    uint32_t readers;
    bool draining; /* somebody waits for the readers: finds begin later */

    psopack_entry_index index;
    psopack_window window;
    psopack_presence presence;
    psopack_value_file slots[PSOPACK_SESSION_WRITERS_MAX];
    uint32_t own_slot;    /* the one this host writes, or PSOPACK_SLOT_NONE */
    uint64_t flushed_end; /* of the own slot */
    bool new_uses;        /* since the last index was published */
    bool delete_on_destroy;
    psopack_status degraded;
    char degraded_text[256];
    psopack_session_counters counters;
};

/* cache_open.c: takes no mutex. PSOPACK_E_EXISTS: another process has it open with another version.
 * Trouble with files degrades the cache instead of failing. */
psopack_status psopack_session_cache_open(const psopack_session_plan *plan,
                                          psopack_session_cache **ret_cache, psopack_diag *diag);
/* Flushes, publishes the index, clears when asked to, frees. */
void psopack_session_cache_close(psopack_session_cache *cache);

/* cache_clear.c: takes both mutexes. PSOPACK_E_BUSY when another process has the cache open. */
psopack_status psopack_session_cache_clear(psopack_session_cache *cache, psopack_diag *diag);
/* The same for a cache that this host does not have open. */
psopack_status psopack_session_clear_closed(const char *base, psopack_diag *diag);
/* With the gate held and alone: removes the files of a cache, then the mark. */
psopack_status psopack_session_remove_files(const char *base, const psopack_presence *presence,
                                            psopack_diag *diag);

/* cache_slots.c */
/* Opens a value file for reading and loads its entries. `merging`: uses of entries that are known
 * from another file count for those. PSOPACK_E_NO_ENTRY, _STALE_CONTENT, _CORRUPT, _VERSION. */
psopack_status psopack_session_slot_read(psopack_session_cache *cache, uint32_t slot, bool merging,
                                         psopack_diag *diag);
/* Becomes the writer of a value file: made when missing, loaded, cut to its last good record.
 * PSOPACK_E_BUSY when it has a writer. */
psopack_status psopack_session_slot_own(psopack_session_cache *cache, uint32_t slot,
                                        psopack_diag *diag);
void psopack_session_slot_close(psopack_session_cache *cache, uint32_t slot);
/* Finds a value file to write, if this host has none yet. */
psopack_status psopack_session_cache_claim(psopack_session_cache *cache, psopack_diag *diag);
/* Looks for records that other processes have added. True when there are new entries. */
bool psopack_session_cache_refresh(psopack_session_cache *cache);
/* Bytes of all value files. */
uint64_t psopack_session_cache_file_bytes(const psopack_session_cache *cache);

/* cache_merge.c: with the gate held and alone, moves all entries of other value files to the own
 * one and removes those files. On failure what was not moved stays readable where it is. */
psopack_status psopack_session_cache_merge(psopack_session_cache *cache, psopack_diag *diag);

/* cache_flush.c */
/* Needs both mutexes; gives `mutex` away while the system works. */
psopack_status psopack_session_cache_flush(psopack_session_cache *cache, psopack_diag *diag);
/* Publishes the index of the own value file when it is out of date; flushes first. */
psopack_status psopack_session_cache_checkpoint(psopack_session_cache *cache, psopack_diag *diag);

/* cache_find.c */
/* Takes `mutex`. */
psopack_status psopack_session_cache_find(psopack_session_cache *cache, const void *key,
                                          uint32_t key_size, void *value, size_t *value_size);
/* The entry with this hash, also if another process has just added it; NULL when there is none. */
psopack_session_entry *psopack_session_cache_lookup(psopack_session_cache *cache, uint64_t hash);
/* PSOPACK_OK when the key of the entry with this hash, which exists, is this one;
 * PSOPACK_E_COLLISION when it is another; PSOPACK_E_NOT_FOUND when its record was damaged: then the
 * entry is gone. */
psopack_status psopack_session_cache_compare(psopack_session_cache *cache, uint64_t hash,
                                             const void *key, uint32_t key_size);

/* cache_keep.c */
/* Puts a new item, which fits, into the window and lets older ones go; entries that lie nowhere
 * else go with them. Pointers to entries are not valid afterwards. */
void psopack_session_cache_keep(psopack_session_cache *cache, psopack_session_entry *entry,
                                psopack_window_item *item);
/* Forgets an entry and its item. */
void psopack_session_cache_drop(psopack_session_cache *cache, psopack_session_entry *entry);
/* Forgets all entries and items. */
void psopack_session_cache_forget(psopack_session_cache *cache);

/* cache_store.c: takes both mutexes. */
psopack_status psopack_session_cache_store(psopack_session_cache *cache, const void *key,
                                           uint32_t key_size, const void *value,
                                           uint32_t value_size);

/* cache_evict.c: makes room for a record by dropping the oldest ones. PSOPACK_E_FULL when it
 * cannot. */
psopack_status psopack_session_cache_evict(psopack_session_cache *cache, uint64_t record_size);

/* cache_state.c */
/* New values stay in memory from now on. The first reason stays. */
void psopack_session_cache_degrade(psopack_session_cache *cache, psopack_status status,
                                   const psopack_diag *diag);
void psopack_session_cache_wait_idle(psopack_session_cache *cache);
void psopack_session_cache_get_state(const psopack_session_cache *cache,
                                     psopack_session_state *ret_state);

#endif
