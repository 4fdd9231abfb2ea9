/* SPDX-License-Identifier: MIT */
/* A dense array of entries and, over it, linear probing at half load. */
#include "session/entry_index.h"

#include <string.h>

#define CAPACITY_FIRST 256u
#define CAPACITY_MAX (UINT32_C(1) << 30)

void psopack_entry_index_init(psopack_entry_index *index, const psopack_allocator *allocator)
{
    *index = (psopack_entry_index){.allocator = allocator};
}

static size_t bucket_count(const psopack_entry_index *index)
{
    return (size_t)index->capacity * 2;
}

static void release_arrays(psopack_entry_index *index)
{
    psopack_session_release(index->allocator, index->entries,
                            index->capacity * sizeof *index->entries);
    psopack_session_release(index->allocator, index->buckets,
                            bucket_count(index) * sizeof *index->buckets);
}

void psopack_entry_index_finish(psopack_entry_index *index)
{
    release_arrays(index);
    psopack_entry_index_init(index, index->allocator);
}

/* The bucket that names entry `number`, or the empty one where the probe for `hash` ends. */
static psopack_entry_bucket *probe(const psopack_entry_index *index, uint64_t hash)
{
    size_t mask = bucket_count(index) - 1;
    uint32_t tag = (uint32_t)(hash >> 32);
    for (size_t at = (size_t)hash & mask;; at = (at + 1) & mask) {
        psopack_entry_bucket *bucket = &index->buckets[at];
        if (bucket->number == 0 ||
            (bucket->tag == tag && index->entries[bucket->number - 1].hash == hash))
            return bucket;
    }
}

static void place(psopack_entry_index *index, uint32_t number)
{
    uint64_t hash = index->entries[number].hash;
    *probe(index, hash) = (psopack_entry_bucket){(uint32_t)(hash >> 32), number + 1};
}

psopack_status psopack_entry_index_reserve(psopack_entry_index *index, uint64_t count)
{
    if (count <= index->capacity)
        return PSOPACK_OK;
    if (count > CAPACITY_MAX)
        return PSOPACK_E_LIMIT;
    psopack_entry_index larger = *index;
    if (larger.capacity == 0)
        larger.capacity = CAPACITY_FIRST;
    while (larger.capacity < count)
        larger.capacity *= 2;
    size_t entries_size = larger.capacity * sizeof *larger.entries;
    size_t buckets_size = bucket_count(&larger) * sizeof *larger.buckets;
    larger.entries = psopack_session_allocate(index->allocator, entries_size);
    larger.buckets = psopack_session_allocate(index->allocator, buckets_size);
    if (!larger.entries || !larger.buckets) {
        release_arrays(&larger);
        return PSOPACK_E_NOMEM;
    }
    if (index->count > 0)
        memcpy(larger.entries, index->entries, index->count * sizeof *larger.entries);
    memset(larger.buckets, 0, buckets_size);
    release_arrays(index);
    *index = larger;
    for (uint32_t number = 0; number < index->count; number++)
        place(index, number);
    return PSOPACK_OK;
}

psopack_session_entry *psopack_entry_index_find(const psopack_entry_index *index, uint64_t hash)
{
    if (index->count == 0)
        return NULL;
    const psopack_entry_bucket *bucket = probe(index, hash);
    return bucket->number == 0 ? NULL : &index->entries[bucket->number - 1];
}

psopack_status psopack_entry_index_add(psopack_entry_index *index,
                                       const psopack_session_entry *entry)
{
    psopack_status status = psopack_entry_index_reserve(index, (uint64_t)index->count + 1);
    if (status != PSOPACK_OK)
        return status;
    index->entries[index->count] = *entry;
    place(index, index->count);
    index->count++;
    return PSOPACK_OK;
}

/* Empties a bucket; later ones of the same run move up, so that probes need no tombstones. */
static void vacate(psopack_entry_index *index, size_t hole)
{
    size_t mask = bucket_count(index) - 1;
    for (size_t at = (hole + 1) & mask; index->buckets[at].number != 0; at = (at + 1) & mask) {
        size_t home = (size_t)index->entries[index->buckets[at].number - 1].hash & mask;
        if (((at - home) & mask) >= ((at - hole) & mask)) {
            index->buckets[hole] = index->buckets[at];
            hole = at;
        }
    }
    index->buckets[hole].number = 0;
}

void psopack_entry_index_remove(psopack_entry_index *index, psopack_session_entry *entry)
{
    uint32_t number = (uint32_t)(entry - index->entries);
    vacate(index, (size_t)(probe(index, entry->hash) - index->buckets));
    index->count--;
    if (number != index->count) {
        probe(index, index->entries[index->count].hash)->number = number + 1;
        index->entries[number] = index->entries[index->count];
    }
}

void psopack_entry_index_clear(psopack_entry_index *index)
{
    index->count = 0;
    if (index->buckets)
        memset(index->buckets, 0, bucket_count(index) * sizeof *index->buckets);
}
