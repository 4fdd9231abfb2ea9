/* SPDX-License-Identifier: MIT */
/* The value files of a cache: opening, loading, owning one, following the others. */
#include <string.h>

#include "platform/lock.h"
#include "platform/path.h"
#include "session/cache.h"
#include "session/checkpoint.h"
#include "session/scan.h"

typedef struct slot_load {
    psopack_session_cache *cache;
    uint32_t slot;
    bool merging;
    uint64_t found;
} slot_load;

/* What another file says about an entry that is known already. */
static void take_known(const slot_load *load, psopack_session_entry *known,
                       const psopack_session_entry *entry)
{
    if (known->file != load->slot) {
        if (load->merging) {
            known->new_uses = psopack_add_uses(known->new_uses, entry->uses);
            load->cache->new_uses = true;
        }
    } else if (!known->item) {
        /* Stored again because the first record was damaged: the later one holds. */
        known->offset = entry->offset;
        known->key_size = entry->key_size;
        known->value_size = entry->value_size;
    }
}

static psopack_status take_entry(slot_load *load, const psopack_session_entry *entry)
{
    psopack_session_entry *known = psopack_entry_index_find(&load->cache->index, entry->hash);
    if (known) {
        take_known(load, known, entry);
        return PSOPACK_OK;
    }
    load->found++;
    return psopack_entry_index_add(&load->cache->index, entry);
}

static psopack_status on_record(void *context, uint64_t offset, const psopack_disk_record *head)
{
    slot_load *load = context;
    uint32_t key_size = psopack_load32(head->key_size);
    psopack_session_entry entry = {
        .hash = load->cache->plan.hash(head + 1, key_size),
        .offset = offset,
        .key_size = key_size,
        .value_size = psopack_load32(head->value_size),
        .uses = 1,
        .file = load->slot,
    };
    return take_entry(load, &entry);
}

static void take_foreign(psopack_session_cache *cache, const psopack_checkpoint *checkpoint)
{
    for (uint32_t i = 0; i < checkpoint->foreign; i++) {
        const psopack_disk_foreign_row *row = &checkpoint->foreign_rows[i];
        psopack_session_entry *entry =
            psopack_entry_index_find(&cache->index, psopack_load64(row->hash));
        if (!entry)
            continue;
        entry->new_uses = psopack_add_uses(entry->new_uses, psopack_load32(row->uses));
        cache->new_uses = true;
    }
}

static psopack_status take_rows(slot_load *load, const psopack_checkpoint *checkpoint)
{
    psopack_session_cache *cache = load->cache;
    PSOPACK_TRY(psopack_entry_index_reserve(&cache->index,
                                            (uint64_t)cache->index.count + checkpoint->entries));
    for (uint32_t i = 0; i < checkpoint->entries; i++) {
        const psopack_disk_index_row *row = &checkpoint->rows[i];
        psopack_session_entry entry = {
            .hash = psopack_load64(row->hash),
            .offset = psopack_load64(row->offset),
            .key_size = psopack_load32(row->key_size),
            .value_size = psopack_load32(row->value_size),
            .uses = psopack_load32(row->uses),
            .file = load->slot,
        };
        PSOPACK_TRY(take_entry(load, &entry));
    }
    if (load->merging || cache->slots[load->slot].owned)
        take_foreign(cache, checkpoint);
    return PSOPACK_OK;
}

/* The index file, if it is of any use; a bad one of the own file is removed, so that it cannot come
 * back to life when the file has grown past what it covers. */
static psopack_status load_index(slot_load *load)
{
    psopack_session_cache *cache = load->cache;
    psopack_value_file *values = &cache->slots[load->slot];
    psopack_checkpoint_of of = {values->id, values->size, cache->probe};
    char path[PSOPACK_SESSION_PATH_SIZE];
    psopack_session_path_index(cache->base, load->slot, path);
    psopack_checkpoint checkpoint;
    psopack_status status =
        psopack_checkpoint_load(path, cache->plan.allocator, &of, &checkpoint, NULL);
    if (status == PSOPACK_E_NOMEM)
        return status;
    if (status != PSOPACK_OK) {
        if (status != PSOPACK_E_NO_ENTRY && status != PSOPACK_E_IO && values->owned)
            psopack_path_remove(path, NULL);
        return PSOPACK_OK;
    }
    status = take_rows(load, &checkpoint);
    values->end = checkpoint.covered;
    values->covered = checkpoint.covered;
    psopack_checkpoint_free(&checkpoint, cache->plan.allocator);
    return status;
}

/* Records behind `end`, whatever has happened to the file since. */
static psopack_status follow(slot_load *load, psopack_diag *diag)
{
    psopack_session_cache *cache = load->cache;
    psopack_value_file *values = &cache->slots[load->slot];
    psopack_scan scan = {.file = &values->file,
                         .allocator = cache->plan.allocator,
                         .file_id = values->id,
                         .on_record = on_record,
                         .context = load};
    psopack_scan_result result;
    PSOPACK_TRY(psopack_scan_records(&scan, values->end, &result, diag));
    values->end = result.end;
    values->size = result.size;
    cache->counters.damaged += result.damaged;
    return PSOPACK_OK;
}

static psopack_status load_entries(psopack_session_cache *cache, uint32_t slot, bool merging,
                                   psopack_diag *diag)
{
    psopack_value_file *values = &cache->slots[slot];
    psopack_file_stat stat;
    PSOPACK_TRY(psopack_file_get_stat(&values->file, &stat, diag));
    values->size = stat.size;
    values->end = PSOPACK_VALUE_RECORDS_AT;
    slot_load load = {cache, slot, merging, 0};
    PSOPACK_TRY(load_index(&load));
    return follow(&load, diag);
}

void psopack_session_slot_close(psopack_session_cache *cache, uint32_t slot)
{
    psopack_session_cache_wait_idle(cache);
    psopack_file_close(&cache->slots[slot].file, NULL);
    cache->slots[slot] = (psopack_value_file){.file = PSOPACK_FILE_NONE};
    if (cache->own_slot == slot)
        cache->own_slot = PSOPACK_SLOT_NONE;
}

static psopack_status verdict_status(psopack_header_verdict verdict, const char *base,
                                     psopack_diag *diag)
{
    switch (verdict) {
    case PSOPACK_HEADER_GOOD:
        return PSOPACK_OK;
    case PSOPACK_HEADER_OTHER:
        return psopack_fail(diag, PSOPACK_E_STALE_CONTENT, "%s: cache of another version", base);
    case PSOPACK_HEADER_NEWER:
        return psopack_fail(diag, PSOPACK_E_VERSION,
                            "%s: written by a newer psopack; remove it or update", base);
    default:
        return psopack_fail(diag, PSOPACK_E_CORRUPT, "%s: value file without a header", base);
    }
}

psopack_status psopack_session_slot_read(psopack_session_cache *cache, uint32_t slot, bool merging,
                                         psopack_diag *diag)
{
    char path[PSOPACK_SESSION_PATH_SIZE];
    psopack_session_path_values(cache->base, slot, path);
    psopack_value_file values = {.file = PSOPACK_FILE_NONE};
    PSOPACK_TRY(psopack_file_open_read(path, &values.file, NULL, diag));
    values.file.path = cache->base;
    psopack_header_verdict verdict;
    psopack_status status = psopack_value_file_judge(
        &values.file, &cache->plan.identity, cache->plan.version, &verdict, &values.id, diag);
    if (status == PSOPACK_OK)
        status = verdict_status(verdict, cache->base, diag);
    if (status != PSOPACK_OK) {
        psopack_file_close(&values.file, NULL);
        return status;
    }
    cache->slots[slot] = values;
    return load_entries(cache, slot, merging, diag);
}

/* With the lock of `values` held: a sound header, kept or made. */
static psopack_status settle_header(psopack_session_cache *cache, psopack_value_file *values,
                                    psopack_diag *diag)
{
    const psopack_session_plan *plan = &cache->plan;
    psopack_header_verdict verdict;
    PSOPACK_TRY(psopack_value_file_judge(&values->file, &plan->identity, plan->version, &verdict,
                                         &values->id, diag));
    if (verdict == PSOPACK_HEADER_GOOD)
        return PSOPACK_OK;
    if (verdict == PSOPACK_HEADER_NEWER)
        return verdict_status(verdict, cache->base, diag);
    values->new_name = true;
    return psopack_value_file_restart(&values->file, &plan->identity, plan->version, &values->id,
                                      diag);
}

/* Entries stay when the file is the one they came from; else they are loaded. */
static psopack_status take_over(psopack_session_cache *cache, uint32_t slot,
                                psopack_value_file *values, psopack_diag *diag)
{
    psopack_value_file *known = &cache->slots[slot];
    bool loaded = psopack_value_file_is_open(known) && known->id == values->id;
    if (loaded) {
        values->end = known->end;
        values->size = known->size;
    }
    psopack_session_slot_close(cache, slot);
    *known = *values;
    known->owned = true;
    slot_load load = {cache, slot, false, 0};
    PSOPACK_TRY(loaded ? follow(&load, diag) : load_entries(cache, slot, false, diag));
    if (known->size > known->end)
        PSOPACK_TRY(psopack_file_truncate(&known->file, known->end, diag));
    known->size = known->end;
    cache->own_slot = slot;
    cache->flushed_end = known->covered > 0 ? known->covered : PSOPACK_VALUE_RECORDS_AT;
    return PSOPACK_OK;
}

psopack_status psopack_session_slot_own(psopack_session_cache *cache, uint32_t slot,
                                        psopack_diag *diag)
{
    char path[PSOPACK_SESSION_PATH_SIZE];
    psopack_session_path_values(cache->base, slot, path);
    psopack_value_file values = {.file = PSOPACK_FILE_NONE};
    PSOPACK_TRY(psopack_file_open_update(path, &values.file, diag));
    values.file.path = cache->base;
    psopack_status status = psopack_lock_try(&values.file, PSOPACK_LOCK_EXCLUSIVE, diag);
    if (status == PSOPACK_OK)
        status = settle_header(cache, &values, diag);
    if (status != PSOPACK_OK) {
        psopack_file_close(&values.file, NULL);
        return status;
    }
    status = take_over(cache, slot, &values, diag);
    if (status != PSOPACK_OK)
        cache->slots[slot].owned = false;
    return status;
}

/* With the gate held. */
static psopack_status claim_first_free(psopack_session_cache *cache, psopack_diag *diag)
{
    psopack_status status = PSOPACK_E_BUSY;
    uint32_t slot = 0;
    for (; slot < PSOPACK_SESSION_WRITERS_MAX && status == PSOPACK_E_BUSY; slot++)
        status = psopack_session_slot_own(cache, slot, diag);
    if (status == PSOPACK_E_BUSY)
        return psopack_fail(diag, PSOPACK_E_BUSY, "%s: %u processes write already", cache->base,
                            PSOPACK_SESSION_WRITERS_MAX);
    if (status == PSOPACK_OK && slot > psopack_presence_files(&cache->presence))
        status = psopack_presence_set_files(&cache->presence, slot, diag);
    return status;
}

psopack_status psopack_session_cache_claim(psopack_session_cache *cache, psopack_diag *diag)
{
    if (cache->own_slot != PSOPACK_SLOT_NONE)
        return PSOPACK_OK;
    PSOPACK_TRY(psopack_presence_enter(&cache->presence, diag));
    psopack_status status = claim_first_free(cache, diag);
    psopack_presence_leave(&cache->presence);
    return status;
}

static bool refresh_slot(psopack_session_cache *cache, uint32_t slot)
{
    psopack_value_file *values = &cache->slots[slot];
    uint32_t before = cache->index.count;
    if (!psopack_value_file_is_open(values)) {
        psopack_session_slot_read(cache, slot, false, NULL);
        return cache->index.count > before;
    }
    psopack_file_stat stat;
    if (psopack_file_get_stat(&values->file, &stat, NULL) != PSOPACK_OK ||
        stat.size == values->size)
        return false;
    slot_load load = {cache, slot, false, 0};
    return follow(&load, NULL) == PSOPACK_OK && load.found > 0;
}

bool psopack_session_cache_refresh(psopack_session_cache *cache)
{
    if (!psopack_presence_is_open(&cache->presence))
        return false;
    bool found = false;
    uint32_t files = psopack_presence_files(&cache->presence);
    for (uint32_t slot = 0; slot < files; slot++) {
        if (slot != cache->own_slot)
            found |= refresh_slot(cache, slot);
    }
    return found;
}

uint64_t psopack_session_cache_file_bytes(const psopack_session_cache *cache)
{
    uint64_t bytes = 0;
    for (uint32_t slot = 0; slot < PSOPACK_SESSION_WRITERS_MAX; slot++) {
        if (psopack_value_file_is_open(&cache->slots[slot]))
            bytes += cache->slots[slot].size;
    }
    return bytes;
}
