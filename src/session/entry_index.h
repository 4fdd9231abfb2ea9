/* SPDX-License-Identifier: MIT */
/*
 * The entries of a cache by the 64-bit hash of their key; one entry a hash.
 *
 * Keys are not kept here: who finds an entry compares the key in the window or in the file.
 * Pointers to entries are valid until the next add or remove. The order of entries means nothing.
 */
#ifndef PSOPACK_SESSION_ENTRY_INDEX_H
#define PSOPACK_SESSION_ENTRY_INDEX_H

#include "session/session_memory.h"

#define PSOPACK_FILE_MEMORY UINT32_MAX /* psopack_session_entry.file: in the window only */

struct psopack_window_item;

typedef struct psopack_session_entry {
    uint64_t hash;
    uint64_t offset;                  /* of the record in its file */
    struct psopack_window_item *item; /* NULL: not in memory */
    uint32_t key_size;
    uint32_t value_size;
    uint32_t uses;     /* as loaded from the indexes */
    uint32_t new_uses; /* by this host since then */
    uint32_t file;     /* slot of the value file, or PSOPACK_FILE_MEMORY */
} psopack_session_entry;

/* Adds without passing 2^32 - 1. */
static inline uint32_t psopack_add_uses(uint32_t a, uint32_t b)
{
    return a > UINT32_MAX - b ? UINT32_MAX : a + b;
}

typedef struct psopack_entry_bucket {
    uint32_t tag;    /* high half of the hash */
    uint32_t number; /* of the entry plus 1; 0: empty */
} psopack_entry_bucket;

typedef struct psopack_entry_index {
    const psopack_allocator *allocator;
    psopack_session_entry *entries;
    psopack_entry_bucket *buckets;
    uint32_t count;
    uint32_t capacity; /* of entries; buckets are twice that, a power of two */
} psopack_entry_index;

void psopack_entry_index_init(psopack_entry_index *index, const psopack_allocator *allocator);
void psopack_entry_index_finish(psopack_entry_index *index);

/* Makes room for `count` entries in all. PSOPACK_E_LIMIT above 2^30. */
psopack_status psopack_entry_index_reserve(psopack_entry_index *index, uint64_t count);

/* NULL when there is none. */
psopack_session_entry *psopack_entry_index_find(const psopack_entry_index *index, uint64_t hash);

/* `entry->hash` must not be in the index. */
psopack_status psopack_entry_index_add(psopack_entry_index *index,
                                       const psopack_session_entry *entry);

void psopack_entry_index_remove(psopack_entry_index *index, psopack_session_entry *entry);

void psopack_entry_index_clear(psopack_entry_index *index);

#endif
