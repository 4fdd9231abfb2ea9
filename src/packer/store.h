/* SPDX-License-Identifier: MIT */
/*
 * Unique components. Two byte strings are one component when their bytes are equal; the hash only
 * says where to look. Strings with equal hashes and different bytes are both kept and counted.
 *
 * Bytes stay in memory up to a budget; beyond it a component is read again from its input file,
 * and checked against its hash, whenever it is needed. Which ones stay depends on timing; what the
 * archive holds does not.
 */
#ifndef PSOPACK_PACKER_STORE_H
#define PSOPACK_PACKER_STORE_H

#include <xxhash.h>

#include "packer/inputs.h"
#include "platform/thread.h"

/* Test hooks: hashes that are weakened where components are looked up force collisions, a wrong
 * `equal` makes a packer that dedups wrongly. */
typedef struct psopack_hooks {
    XXH128_hash_t (*weaken)(XXH128_hash_t hash);
    bool (*equal)(const void *a, const void *b, size_t size);
} psopack_hooks;

typedef struct psopack_stored {
    XXH128_hash_t hash;
    uint64_t size;
    uint8_t *bytes; /* NULL: read `file` again */
    uint32_t file;  /* an input file that has these bytes */
    uint32_t crc;
    uint32_t next; /* in its chain, + 1 */
} psopack_stored;

typedef struct psopack_store {
    const psopack_inputs *inputs;
    psopack_hooks hooks;
    psopack_mutex mutex;
    bool has_mutex;
    psopack_stored *items;
    size_t count, capacity;
    uint32_t *table; /* heads of chains by hash: item + 1 */
    size_t table_size;
    uint32_t *groups; /* of a hash cache: item + 1 */
    uint32_t group_count;
    uint64_t kept_bytes;
    uint64_t budget;
    uint64_t collisions;
} psopack_store;

psopack_status psopack_store_init(psopack_store *store, const psopack_inputs *inputs,
                                  const psopack_hooks *hooks, uint64_t budget, psopack_diag *diag);
void psopack_store_free(psopack_store *store);

/*
 * Files the bytes of input file `file`: *ret_item is the component they are. Safe on several
 * threads; `buffer` is scratch for comparing with a component that is not in memory.
 */
psopack_status psopack_store_add(psopack_store *store, uint32_t file, const uint8_t *bytes,
                                 uint64_t size, uint32_t crc, psopack_read_buffer *buffer,
                                 uint32_t *ret_item, psopack_diag *diag);

/* ---- files whose bytes are known from an earlier build ------------------------------------------
 */

/* What that build found. Files of one `group` were compared by it, byte for byte, and are equal. */
typedef struct psopack_known_file {
    XXH128_hash_t hash;
    uint64_t size;
    uint32_t crc;
    uint32_t group; /* below what psopack_store_expect_groups() was told */
} psopack_known_file;

psopack_status psopack_store_expect_groups(psopack_store *store, uint32_t count,
                                           psopack_diag *diag);

/*
 * Files input file `file` without reading it. *ret_item is UINT32_MAX, and nothing is filed, where
 * only its bytes could tell: an item outside its group has the same hash. Safe on several threads.
 */
psopack_status psopack_store_add_known(psopack_store *store, uint32_t file,
                                       const psopack_known_file *known, uint32_t *ret_item,
                                       psopack_diag *diag);

/* After such a file was read and filed as `item`: so are others of its group. */
void psopack_store_join(psopack_store *store, const psopack_known_file *known, uint32_t item);

/* An item's hash, while others are added. */
XXH128_hash_t psopack_store_hash(psopack_store *store, uint32_t item);

/* The item that has these bytes, UINT32_MAX when none has. Once nothing is added any more: safe on
 * several threads, with a buffer each. */
psopack_status psopack_store_find(const psopack_store *store, const uint8_t *bytes, uint64_t size,
                                  psopack_read_buffer *buffer, uint32_t *ret_item,
                                  psopack_diag *diag);

/* A component's bytes, from memory or read again into `buffer`. CHANGED when the input did. Safe on
 * several threads once nothing is added any more. */
psopack_status psopack_store_bytes(const psopack_store *store, uint32_t item,
                                   psopack_read_buffer *buffer, const uint8_t **ret_bytes,
                                   psopack_diag *diag);

#endif
