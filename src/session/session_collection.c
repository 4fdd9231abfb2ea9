/* SPDX-License-Identifier: MIT */
/*
 * Entries of many value files by key. Each distinct key is kept once in an array; an
 * open-addressing table finds it by hash and compares the bytes of the key.
 */
#include <psopack/session_files.h>

#include <stdbool.h>
#include <string.h>
#include <xxhash.h>

#include "format/error.h"
#include "platform/file.h"
#include "session/session_layout.h"
#include "session/session_memory.h"

typedef struct collected {
    uint8_t *key;
    uint64_t hash;
    uint64_t value_check; /* XXH3-64 of the value, to tell conflicts */
    uint64_t value_at;    /* offset of the value in its file */
    uint64_t uses;
    uint32_t key_size;
    uint32_t value_size;
    uint32_t files;
    uint32_t conflicts;
    uint32_t file;          /* number of the file that has the value */
    uint32_t last_file;     /* that was counted in `files` */
    uint32_t conflict_file; /* the first of `conflicts` */
} collected;

struct psopack_session_collection {
    psopack_allocator allocator;
    collected *entries;
    uint32_t *buckets; /* entry number plus 1, 0 empty; twice as many as `capacity` */
    uint32_t count;
    uint32_t capacity;
    char **paths;
    uint32_t path_count;
    uint32_t path_capacity;
    psopack_session_file_info first; /* whose identity all files share */
    psopack_file open_file;          /* the file read last */
    uint32_t open_number;
};

#define CAPACITY_FIRST 1024u
#define CAPACITY_MAX (UINT32_C(1) << 30)

psopack_status psopack_session_collection_create(const psopack_allocator *allocator,
                                                 psopack_session_collection **ret_collection)
{
    static const psopack_allocator plain = {NULL, NULL, NULL};
    if (!allocator)
        allocator = &plain;
    psopack_session_collection *collection =
        psopack_session_allocate(allocator, sizeof *collection);
    if (!collection)
        return PSOPACK_E_NOMEM;
    memset(collection, 0, sizeof *collection);
    collection->allocator = *allocator;
    collection->open_file = PSOPACK_FILE_NONE;
    *ret_collection = collection;
    return PSOPACK_OK;
}

static void release_tables(const psopack_allocator *allocator, collected *entries,
                           uint32_t *buckets, uint32_t capacity)
{
    psopack_session_release(allocator, entries, capacity * sizeof *entries);
    psopack_session_release(allocator, buckets, (size_t)capacity * 2 * sizeof *buckets);
}

void psopack_session_collection_destroy(psopack_session_collection **collection)
{
    if (!collection || !*collection)
        return;
    psopack_session_collection *self = *collection;
    const psopack_allocator allocator = self->allocator;
    psopack_file_close(&self->open_file, NULL);
    for (uint32_t i = 0; i < self->count; i++)
        psopack_session_release(&allocator, self->entries[i].key, self->entries[i].key_size);
    for (uint32_t i = 0; i < self->path_count; i++)
        psopack_session_release(&allocator, self->paths[i], strlen(self->paths[i]) + 1);
    psopack_session_release(&allocator, self->paths, self->path_capacity * sizeof *self->paths);
    release_tables(&allocator, self->entries, self->buckets, self->capacity);
    psopack_session_release(&allocator, self, sizeof *self);
    *collection = NULL;
}

/* Adding --------------------------------------------------------------------------------------- */

static uint32_t *find_bucket(const psopack_session_collection *self, uint64_t hash, const void *key,
                             uint32_t key_size)
{
    size_t mask = (size_t)self->capacity * 2 - 1;
    for (size_t at = (size_t)hash & mask;; at = (at + 1) & mask) {
        uint32_t number = self->buckets[at];
        if (number == 0)
            return &self->buckets[at];
        const collected *entry = &self->entries[number - 1];
        if (entry->hash == hash && entry->key_size == key_size &&
            memcmp(entry->key, key, key_size) == 0)
            return &self->buckets[at];
    }
}

static void fill_buckets(psopack_session_collection *self)
{
    memset(self->buckets, 0, (size_t)self->capacity * 2 * sizeof *self->buckets);
    for (uint32_t i = 0; i < self->count; i++) {
        const collected *entry = &self->entries[i];
        *find_bucket(self, entry->hash, entry->key, entry->key_size) = i + 1;
    }
}

static psopack_status grow(psopack_session_collection *self)
{
    if (self->count < self->capacity)
        return PSOPACK_OK;
    if (self->capacity >= CAPACITY_MAX)
        return PSOPACK_E_LIMIT;
    uint32_t capacity = self->capacity > 0 ? self->capacity * 2 : CAPACITY_FIRST;
    collected *entries = psopack_session_allocate(&self->allocator, capacity * sizeof *entries);
    uint32_t *buckets =
        psopack_session_allocate(&self->allocator, (size_t)capacity * 2 * sizeof *buckets);
    if (!entries || !buckets) {
        release_tables(&self->allocator, entries, buckets, capacity);
        return PSOPACK_E_NOMEM;
    }
    if (self->count > 0)
        memcpy(entries, self->entries, self->count * sizeof *entries);
    release_tables(&self->allocator, self->entries, self->buckets, self->capacity);
    self->entries = entries;
    self->buckets = buckets;
    self->capacity = capacity;
    fill_buckets(self);
    return PSOPACK_OK;
}

static psopack_status add_new(psopack_session_collection *self, uint64_t hash, uint64_t check,
                              const psopack_session_file_entry *entry)
{
    uint8_t *key = psopack_session_allocate(&self->allocator, entry->key_size);
    if (!key)
        return PSOPACK_E_NOMEM;
    memcpy(key, entry->key, entry->key_size);
    self->entries[self->count] = (collected){
        .key = key,
        .hash = hash,
        .value_check = check,
        .value_at = entry->offset + sizeof(psopack_disk_record) + entry->key_size,
        .uses = entry->uses,
        .key_size = entry->key_size,
        .value_size = entry->value_size,
        .files = 1,
        .file = self->path_count - 1,
        .last_file = self->path_count - 1,
    };
    self->count++;
    *find_bucket(self, hash, key, entry->key_size) = self->count;
    return PSOPACK_OK;
}

/* A key once more: in another file, or in this one where it was stored again after damage. */
static void add_again(psopack_session_collection *self, collected *known, uint64_t check,
                      const psopack_session_file_entry *entry)
{
    if (known->last_file == self->path_count - 1)
        return;
    known->last_file = self->path_count - 1;
    known->files++;
    known->uses += entry->uses;
    if (check == known->value_check && entry->value_size == known->value_size)
        return;
    if (known->conflicts == 0)
        known->conflict_file = self->path_count - 1;
    known->conflicts++;
}

static psopack_status on_entry(void *user, const psopack_session_file_entry *entry)
{
    psopack_session_collection *self = user;
    PSOPACK_TRY(grow(self));
    uint64_t hash = XXH3_64bits(entry->key, entry->key_size);
    uint64_t check = XXH3_64bits(entry->value, entry->value_size);
    uint32_t number = *find_bucket(self, hash, entry->key, entry->key_size);
    if (number == 0)
        return add_new(self, hash, check, entry);
    add_again(self, &self->entries[number - 1], check, entry);
    return PSOPACK_OK;
}

static psopack_status add_path(psopack_session_collection *self, const char *path)
{
    if (self->path_count == self->path_capacity) {
        uint32_t capacity = self->path_capacity > 0 ? self->path_capacity * 2 : 16;
        char **paths = psopack_session_allocate(&self->allocator, capacity * sizeof *paths);
        if (!paths)
            return PSOPACK_E_NOMEM;
        if (self->path_count > 0)
            memcpy(paths, self->paths, self->path_count * sizeof *paths);
        psopack_session_release(&self->allocator, self->paths, self->path_capacity * sizeof *paths);
        self->paths = paths;
        self->path_capacity = capacity;
    }
    size_t size = strlen(path) + 1;
    char *copy = psopack_session_allocate(&self->allocator, size);
    if (!copy)
        return PSOPACK_E_NOMEM;
    memcpy(copy, path, size);
    self->paths[self->path_count++] = copy;
    return PSOPACK_OK;
}

static bool same_identity(const psopack_session_file_info *a, const psopack_session_file_info *b)
{
    return memcmp(a->identifier, b->identifier, sizeof a->identifier) == 0 &&
           a->version == b->version && a->driver_tag_size == b->driver_tag_size &&
           memcmp(a->driver_tag, b->driver_tag, a->driver_tag_size) == 0;
}

psopack_status psopack_session_collection_add(psopack_session_collection *collection,
                                              const char *path, psopack_session_file_info *ret_info,
                                              psopack_diag *diag)
{
    psopack_session_file_info info;
    PSOPACK_TRY(psopack_session_file_identify(path, &info, diag));
    if (collection->path_count > 0 && !same_identity(&info, &collection->first))
        return psopack_fail(diag, PSOPACK_E_STALE_CONTENT,
                            "%s: another cache, version or driver than %s", path,
                            collection->paths[0]);
    if (collection->path_count == 0)
        collection->first = info;
    PSOPACK_TRY(add_path(collection, path));
    psopack_session_visitor visitor = {.entry = on_entry, .user = collection};
    PSOPACK_TRY(psopack_session_file_visit(path, &collection->allocator, &visitor, &info, diag));
    if (ret_info)
        *ret_info = info;
    return PSOPACK_OK;
}

/* Reading -------------------------------------------------------------------------------------- */

uint64_t psopack_session_collection_count(const psopack_session_collection *collection)
{
    return collection->count;
}

static int by_use(const void *a, const void *b)
{
    const collected *left = a;
    const collected *right = b;
    if (left->uses != right->uses)
        return left->uses < right->uses ? 1 : -1;
    uint32_t shorter = left->key_size < right->key_size ? left->key_size : right->key_size;
    int order = memcmp(left->key, right->key, shorter);
    if (order != 0)
        return order;
    return (left->key_size > right->key_size) - (left->key_size < right->key_size);
}

void psopack_session_collection_sort(psopack_session_collection *collection)
{
    if (collection->count == 0)
        return;
    qsort(collection->entries, collection->count, sizeof *collection->entries, by_use);
    fill_buckets(collection);
}

void psopack_session_collection_get(const psopack_session_collection *collection, uint64_t index,
                                    psopack_session_collected *ret_entry)
{
    const collected *entry = &collection->entries[index];
    *ret_entry = (psopack_session_collected){
        .key = entry->key,
        .key_size = entry->key_size,
        .value_size = entry->value_size,
        .uses = entry->uses,
        .files = entry->files,
        .conflicts = entry->conflicts,
        .path = collection->paths[entry->file],
        .conflict_path = entry->conflicts > 0 ? collection->paths[entry->conflict_file] : NULL,
    };
}

static psopack_status open_number(psopack_session_collection *self, uint32_t number,
                                  psopack_diag *diag)
{
    if (self->open_file.handle != -1 && self->open_number == number)
        return PSOPACK_OK;
    psopack_file_close(&self->open_file, NULL);
    self->open_number = number;
    return psopack_file_open_read(self->paths[number], &self->open_file, NULL, diag);
}

psopack_status psopack_session_collection_read(psopack_session_collection *collection,
                                               uint64_t index, void *buffer, psopack_diag *diag)
{
    const collected *entry = &collection->entries[index];
    PSOPACK_TRY(open_number(collection, entry->file, diag));
    PSOPACK_TRY(psopack_file_read_at(&collection->open_file, entry->value_at, buffer,
                                     entry->value_size, diag));
    if (XXH3_64bits(buffer, entry->value_size) != entry->value_check)
        return psopack_fail(diag, PSOPACK_E_CHANGED, "%s: changed since it was added",
                            collection->paths[entry->file]);
    return PSOPACK_OK;
}
