/* SPDX-License-Identifier: MIT */
/*
 * The file: a header of 64 bytes, then entries of 80 bytes in ascending order of their paths'
 * hashes. All integers are little-endian. Nothing of it is used before its one check has matched.
 */
#define XXH_STATIC_LINKING_ONLY /* a hash state on the stack */
#include "packer/hash_cache.h"

#include <stdlib.h>
#include <string.h>

#include "format/layout.h"
#include "packer/memory.h"
#include "platform/path.h"
#include "platform/publish.h"

#define CACHE_MAGIC "PSOHASH\x1a"
#define CACHE_VERSION 1u

/* How far the clock of a file system may lag behind: its times change in steps. Times with a
 * fraction of a second come from one that counts in 10 ms or finer, others in up to 2 s (FAT). */
#define STEP_FINE_NS INT64_C(100000000)
#define STEP_COARSE_NS INT64_C(2000000000)
#define SECOND_NS INT64_C(1000000000)

typedef struct disk_header {
    uint8_t magic[8];
    psopack_u32le version;
    psopack_u32le entry_size;
    psopack_u64le entries;
    psopack_u32le groups;
    uint8_t reserved[28]; /* zero */
    psopack_u64le check;  /* XXH3-64 of all entries, seeded with that of the 56 bytes before */
} disk_header;
static_assert(sizeof(disk_header) == 64, "cache v1");

typedef struct disk_entry {
    XXH128_canonical_t path; /* XXH3-128 of the absolute path */
    psopack_u64le size;
    psopack_u64le mtime_ns; /* since 1970, two's complement */
    psopack_u64le ctime_ns;
    psopack_u64le device;
    psopack_u64le inode;
    XXH128_canonical_t hash; /* XXH3-128 of the bytes */
    psopack_u32le crc;       /* CRC32C of the bytes */
    psopack_u32le group;     /* equal for files with equal bytes */
} disk_entry;
static_assert(sizeof(disk_entry) == 80, "cache v1");

#define NOT_RECORDED UINT32_MAX /* a record's group */

struct psopack_hash_cache {
    const char *path;
    const psopack_build_events *events;
    char *directory; /* the current one: what relative paths begin with */
    disk_entry *entries;
    uint64_t entry_count;
    uint32_t group_count;
    disk_entry *records; /* by input file */
    size_t record_count;
    psopack_publish *publish; /* NULL: it cannot be written */
    int64_t started_ns;       /* by the clock of the file system that the cache is on */
};

static void note(const psopack_hash_cache *cache, const char *what, const char *why)
{
    psopack_diag text;
    if (!cache->events->message)
        return;
    psopack_fail(&text, PSOPACK_OK, "hash cache %.200s: %s%s", cache->path, what, why);
    cache->events->message(cache->events->user, PSOPACK_NOTE, text.text);
}

static uint64_t check_of(const disk_header *header, const disk_entry *entries, uint64_t count)
{
    uint64_t seed = XXH3_64bits(header, offsetof(disk_header, check));
    return XXH3_64bits_withSeed(entries, (size_t)count * sizeof *entries, seed);
}

/* ---- reading ----------------------------------------------------------------------------------
 */

/* Why the entries cannot be used; NULL when they can. */
static const char *judge(const disk_header *header, const disk_entry *entries, uint64_t count)
{
    if (psopack_load64(header->check) != check_of(header, entries, count))
        return "it is damaged";
    for (uint64_t i = 0; i < count; i++) {
        if (psopack_load32(entries[i].group) >= psopack_load32(header->groups) ||
            (i != 0 && memcmp(&entries[i - 1].path, &entries[i].path, sizeof entries->path) >= 0))
            return "it is malformed";
    }
    return NULL;
}

static psopack_status read_entries(psopack_hash_cache *cache, const psopack_file *file,
                                   const disk_header *header, uint64_t size, const char **ret_why,
                                   psopack_diag *diag)
{
    uint64_t count = psopack_load64(header->entries), body = size - sizeof *header;
    if (psopack_load32(header->version) != CACHE_VERSION ||
        psopack_load32(header->entry_size) != sizeof(disk_entry)) {
        *ret_why = "it is of another version";
        return PSOPACK_OK;
    }
    if (count != body / sizeof(disk_entry) || body % sizeof(disk_entry) != 0 || body > SIZE_MAX) {
        *ret_why = "its size is not what it should be";
        return PSOPACK_OK;
    }
    PSOPACK_TRY(psopack_new_array(&cache->entries, (size_t)count, sizeof(disk_entry), diag));
    PSOPACK_TRY(psopack_file_read_at(file, sizeof *header, cache->entries, (size_t)body, diag));
    *ret_why = judge(header, cache->entries, count);
    if (!*ret_why) {
        cache->entry_count = count;
        cache->group_count = psopack_load32(header->groups);
    }
    return PSOPACK_OK;
}

/* *ret_foreign: the file is somebody else's, not a cache that was cut or damaged. */
static psopack_status read_file(psopack_hash_cache *cache, const psopack_file *file, uint64_t size,
                                const char **ret_why, bool *ret_foreign, psopack_diag *diag)
{
    disk_header header;
    size_t got;
    PSOPACK_TRY(psopack_file_read_up_to(file, 0, &header, sizeof header, &got, diag));
    size_t known = got < sizeof header.magic ? got : sizeof header.magic;
    *ret_foreign = memcmp(header.magic, CACHE_MAGIC, known) != 0;
    if (*ret_foreign)
        *ret_why = "it is not a hash cache, and is left alone";
    else if (got < sizeof header)
        *ret_why = "it is cut short";
    else
        return read_entries(cache, file, &header, size, ret_why, diag);
    return PSOPACK_OK;
}

/* Problems of the file are no problems of the build; running out of memory is. */
static psopack_status read_cache(psopack_hash_cache *cache, bool *ret_may_write, psopack_diag *diag)
{
    psopack_diag inner = {0};
    psopack_file file;
    psopack_file_stat stat;
    const char *why = NULL;
    bool foreign = false;
    psopack_status status = psopack_file_open_read(cache->path, &file, &stat, &inner);
    if (status == PSOPACK_OK) {
        status = read_file(cache, &file, stat.size, &why, &foreign, &inner);
        psopack_file_close(&file, NULL);
    }
    *ret_may_write = !foreign && status != PSOPACK_E_FILE_TYPE;
    if (status == PSOPACK_E_NOMEM)
        return psopack_no_memory(diag);
    if (status != PSOPACK_OK && status != PSOPACK_E_NO_ENTRY)
        why = inner.text;
    if (why)
        note(cache, "ignored: ", why);
    return PSOPACK_OK;
}

/* The new file is made at once: its time is the start of this build, by the clock that counts. */
static void begin_writing(psopack_hash_cache *cache)
{
    psopack_diag why = {0};
    psopack_file_stat stat;
    psopack_status status = psopack_publish_begin(cache->path, &cache->publish, &why);
    if (status == PSOPACK_OK)
        status = psopack_file_get_stat(psopack_publish_file(cache->publish), &stat, &why);
    if (status == PSOPACK_OK) {
        cache->started_ns = stat.mtime_ns;
    } else {
        psopack_publish_abort(&cache->publish);
        note(cache, "it cannot be written: ", why.text);
    }
}

psopack_status psopack_hash_cache_open(const char *path, size_t file_count,
                                       const psopack_build_events *events,
                                       psopack_hash_cache **ret_cache, psopack_diag *diag)
{
    psopack_hash_cache *cache;
    bool may_write = false;
    PSOPACK_TRY(psopack_new_array(&cache, 1, sizeof *cache, diag));
    *cache = (psopack_hash_cache){.path = path, .events = events, .record_count = file_count};
    psopack_status status = psopack_path_working_directory(&cache->directory, diag);
    if (status == PSOPACK_OK)
        status = psopack_new_array(&cache->records, file_count, sizeof *cache->records, diag);
    if (status == PSOPACK_OK)
        status = read_cache(cache, &may_write, diag);
    if (status != PSOPACK_OK) {
        psopack_hash_cache_close(&cache);
        return status;
    }
    for (size_t i = 0; i < file_count; i++)
        cache->records[i].group = psopack_store32(NOT_RECORDED);
    if (may_write)
        begin_writing(cache);
    *ret_cache = cache;
    return PSOPACK_OK;
}

void psopack_hash_cache_close(psopack_hash_cache **cache_at)
{
    psopack_hash_cache *cache = *cache_at;
    if (!cache)
        return;
    psopack_publish_abort(&cache->publish);
    free(cache->directory);
    free(cache->entries);
    free(cache->records);
    free(cache);
    *cache_at = NULL;
}

/* ---- look-up ----------------------------------------------------------------------------------
 */

uint32_t psopack_hash_cache_groups(const psopack_hash_cache *cache)
{
    return cache->group_count;
}

/* A relative path counts from the current directory, so that the same file is found from another
 * one. The path is not resolved: another way to the file is just not found. */
static XXH128_canonical_t hash_path(const psopack_hash_cache *cache, const char *path)
{
    XXH3_state_t state;
    XXH128_canonical_t hash;
    XXH3_INITSTATE(&state);
    XXH3_128bits_reset(&state);
    if (path[0] != '/') {
        XXH3_128bits_update(&state, cache->directory, strlen(cache->directory));
        XXH3_128bits_update(&state, "/", 1);
    }
    XXH3_128bits_update(&state, path, strlen(path));
    XXH128_canonicalFromHash(&hash, XXH3_128bits_digest(&state));
    return hash;
}

static int compare_paths(const void *a, const void *b)
{
    const disk_entry *left = a, *right = b;
    return memcmp(&left->path, &right->path, sizeof left->path);
}

static disk_entry describe(const psopack_hash_cache *cache, const char *path,
                           const psopack_file_stat *stat)
{
    return (disk_entry){
        .path = hash_path(cache, path),
        .size = psopack_store64(stat->size),
        .mtime_ns = psopack_store64((uint64_t)stat->mtime_ns),
        .ctime_ns = psopack_store64((uint64_t)stat->ctime_ns),
        .device = psopack_store64(stat->device),
        .inode = psopack_store64(stat->inode),
    };
}

bool psopack_hash_cache_find(const psopack_hash_cache *cache, const char *path,
                             const psopack_file_stat *stat, psopack_known_file *ret_known)
{
    if (cache->entry_count == 0 || stat->type != PSOPACK_FILE_REGULAR)
        return false;
    disk_entry wanted = describe(cache, path, stat);
    const disk_entry *entry =
        bsearch(&wanted, cache->entries, (size_t)cache->entry_count, sizeof wanted, compare_paths);
    if (!entry || memcmp(entry, &wanted, offsetof(disk_entry, hash)) != 0)
        return false;
    *ret_known = (psopack_known_file){
        .hash = XXH128_hashFromCanonical(&entry->hash),
        .size = stat->size,
        .crc = psopack_load32(entry->crc),
        .group = psopack_load32(entry->group),
    };
    return true;
}

/* ---- writing ----------------------------------------------------------------------------------
 */

void psopack_hash_cache_record(psopack_hash_cache *cache, uint32_t file, const char *path,
                               const psopack_file_stat *stat, const psopack_known_file *found)
{
    disk_entry entry = describe(cache, path, stat);
    XXH128_canonicalFromHash(&entry.hash, found->hash);
    entry.crc = psopack_store32(found->crc);
    entry.group = psopack_store32(found->group);
    cache->records[file] = entry;
}

/* Whether the file could change once more without a new time, by the clock's next step. */
static bool is_racy(const psopack_hash_cache *cache, const disk_entry *entry)
{
    int64_t mtime = (int64_t)psopack_load64(entry->mtime_ns);
    int64_t ctime = (int64_t)psopack_load64(entry->ctime_ns);
    int64_t last = mtime > ctime ? mtime : ctime;
    int64_t step = ctime % SECOND_NS == 0 ? STEP_COARSE_NS : STEP_FINE_NS;
    return last >= cache->started_ns - step;
}

/* Keeps what the next build may trust, in order, each path once. */
static uint64_t sift(psopack_hash_cache *cache)
{
    disk_entry *records = cache->records;
    size_t count = 0, kept = 0;
    for (size_t i = 0; i < cache->record_count; i++) {
        if (psopack_load32(records[i].group) != NOT_RECORDED && !is_racy(cache, &records[i]))
            records[count++] = records[i];
    }
    qsort(records, count, sizeof *records, compare_paths);
    for (size_t i = 0; i < count; i++) {
        if (kept == 0 || compare_paths(&records[kept - 1], &records[i]) != 0)
            records[kept++] = records[i];
    }
    return kept;
}

/* Store numbers are by arrival; groups are numbered as they come, so that equal caches are equal
 * files. */
static psopack_status number_groups(disk_entry *records, uint64_t count, size_t item_count,
                                    uint32_t *ret_groups, psopack_diag *diag)
{
    uint32_t *group_of, groups = 0;
    PSOPACK_TRY(psopack_new_array(&group_of, item_count, sizeof *group_of, diag));
    for (uint64_t i = 0; i < count; i++) {
        uint32_t *group = &group_of[psopack_load32(records[i].group)];
        if (*group == 0)
            *group = ++groups;
        records[i].group = psopack_store32(*group - 1);
    }
    free(group_of);
    *ret_groups = groups;
    return PSOPACK_OK;
}

static psopack_status publish(psopack_hash_cache *cache, uint64_t count, uint32_t groups,
                              psopack_diag *diag)
{
    disk_header header = {
        .magic = CACHE_MAGIC,
        .version = psopack_store32(CACHE_VERSION),
        .entry_size = psopack_store32(sizeof(disk_entry)),
        .entries = psopack_store64(count),
        .groups = psopack_store32(groups),
    };
    /* Not flushed: after a power cut a damaged cache is seen, and costs one reading. */
    const psopack_publish_options options = {.no_sync = true, .keep_if_identical = true};
    header.check = psopack_store64(check_of(&header, cache->records, count));
    PSOPACK_TRY(psopack_publish_write(cache->publish, &header, sizeof header, diag));
    PSOPACK_TRY(psopack_publish_write(cache->publish, cache->records,
                                      (size_t)count * sizeof *cache->records, diag));
    return psopack_publish_commit(&cache->publish, &options, NULL, diag);
}

psopack_status psopack_hash_cache_write(psopack_hash_cache *cache, size_t item_count,
                                        psopack_diag *diag)
{
    psopack_diag why = {0};
    uint32_t groups;
    if (!cache->publish)
        return PSOPACK_OK;
    uint64_t count = sift(cache);
    PSOPACK_TRY(number_groups(cache->records, count, item_count, &groups, diag));
    if (publish(cache, count, groups, &why) != PSOPACK_OK)
        note(cache, "it was not written: ", why.text);
    return PSOPACK_OK;
}
