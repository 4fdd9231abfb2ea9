/* SPDX-License-Identifier: MIT */
/* Reading one value file offline, with the uses that its index knows. */
#include <psopack/session_files.h>

#include <string.h>
#include <xxhash.h>

#include "format/error.h"
#include "platform/file.h"
#include "session/checkpoint.h"
#include "session/scan.h"

#define VALUES_ENDING ".val"
#define INDEX_ENDING ".idx"

typedef struct visit {
    const psopack_session_visitor *visitor;
    psopack_session_file_info *info;
    psopack_entry_index uses; /* by hash, as the index file lists them */
} visit;

static psopack_status on_record(void *context, uint64_t offset, const psopack_disk_record *head)
{
    visit *work = context;
    work->info->entries++;
    if (!work->visitor->entry)
        return PSOPACK_OK;
    const uint8_t *key = (const uint8_t *)(head + 1);
    psopack_session_file_entry entry = {
        .key = key,
        .key_size = psopack_load32(head->key_size),
        .value = key + psopack_load32(head->key_size),
        .value_size = psopack_load32(head->value_size),
        .uses = 1,
        .offset = offset,
    };
    const psopack_session_entry *known =
        psopack_entry_index_find(&work->uses, XXH3_64bits(key, entry.key_size));
    if (known && known->uses > 0)
        entry.uses = known->uses;
    return work->visitor->entry(work->visitor->user, &entry);
}

static psopack_status on_damage(void *context, uint64_t offset, uint64_t size)
{
    visit *work = context;
    work->info->damaged_bytes += size;
    if (!work->visitor->damage)
        return PSOPACK_OK;
    return work->visitor->damage(work->visitor->user, offset, size);
}

static void fill_info(const psopack_disk_value_header *header, psopack_session_file_info *ret_info)
{
    memcpy(ret_info->identifier, header->identifier, sizeof ret_info->identifier);
    ret_info->version = psopack_load64(header->cache_version);
    ret_info->driver_tag_size = psopack_load32(header->tag_size);
    memcpy(ret_info->driver_tag, header->tag, ret_info->driver_tag_size);
}

static psopack_status read_header(const psopack_file *file, psopack_session_file_info *ret_info,
                                  uint64_t *ret_id, psopack_diag *diag)
{
    psopack_disk_value_header header[2];
    const psopack_disk_value_header *sound;
    size_t got;
    PSOPACK_TRY(psopack_file_read_up_to(file, 0, header, sizeof header, &got, diag));
    if (got < sizeof header || !psopack_value_header_pick(header, got, &sound))
        return psopack_fail(diag, PSOPACK_E_CORRUPT, "%s: no value file of a cache session",
                            file->path);
    if (psopack_load32(sound->version) != PSOPACK_SESSION_VERSION)
        return psopack_fail(diag, PSOPACK_E_VERSION, "%s: value file of a newer psopack",
                            file->path);
    if (psopack_load32(sound->tag_size) > PSOPACK_SESSION_TAG_MAX)
        return psopack_fail(diag, PSOPACK_E_CORRUPT, "%s: impossible driver tag", file->path);
    fill_info(sound, ret_info);
    *ret_id = psopack_load64(sound->file_id);
    return PSOPACK_OK;
}

static psopack_status take_uses(visit *work, const psopack_checkpoint *checkpoint)
{
    PSOPACK_TRY(psopack_entry_index_reserve(&work->uses, checkpoint->entries));
    for (uint32_t i = 0; i < checkpoint->entries; i++) {
        psopack_session_entry entry = {.hash = psopack_load64(checkpoint->rows[i].hash),
                                       .uses = psopack_load32(checkpoint->rows[i].uses)};
        if (!psopack_entry_index_find(&work->uses, entry.hash))
            PSOPACK_TRY(psopack_entry_index_add(&work->uses, &entry));
    }
    return PSOPACK_OK;
}

/* The index beside the value file; without one, or with a bad one, every entry counts once. */
static psopack_status load_uses(visit *work, const char *path, uint64_t id)
{
    const psopack_allocator *allocator = work->uses.allocator;
    size_t size = strlen(path);
    size_t ending = sizeof VALUES_ENDING - 1;
    if (size < ending || strcmp(path + size - ending, VALUES_ENDING) != 0)
        return PSOPACK_OK;
    char *index_path = psopack_session_allocate(allocator, size + 1);
    if (!index_path)
        return PSOPACK_E_NOMEM;
    memcpy(index_path, path, size - ending);
    memcpy(index_path + size - ending, INDEX_ENDING, sizeof INDEX_ENDING);
    psopack_checkpoint_of of = {id, work->info->file_bytes,
                                XXH3_64bits(PSOPACK_INDEX_FILE_MAGIC, PSOPACK_MAGIC_SIZE)};
    psopack_checkpoint checkpoint;
    psopack_status status = PSOPACK_OK;
    if (psopack_checkpoint_load(index_path, allocator, &of, &checkpoint, NULL) == PSOPACK_OK) {
        work->info->has_index = 1;
        status = take_uses(work, &checkpoint);
        psopack_checkpoint_free(&checkpoint, allocator);
    }
    psopack_session_release(allocator, index_path, size + 1);
    return status;
}

static psopack_status visit_records(visit *work, const psopack_file *file, psopack_diag *diag)
{
    uint64_t id;
    PSOPACK_TRY(read_header(file, work->info, &id, diag));
    if (work->visitor->entry)
        PSOPACK_TRY(load_uses(work, file->path, id));
    psopack_file_advise_sequential(file);
    psopack_scan scan = {.file = file,
                         .allocator = work->uses.allocator,
                         .file_id = id,
                         .on_record = on_record,
                         .on_damage = on_damage,
                         .context = work};
    psopack_scan_result result;
    PSOPACK_TRY(psopack_scan_records(&scan, PSOPACK_VALUE_RECORDS_AT, &result, diag));
    work->info->damaged = result.damaged;
    work->info->unfinished_bytes = result.size - result.end;
    return PSOPACK_OK;
}

psopack_status psopack_session_file_identify(const char *path, psopack_session_file_info *ret_info,
                                             psopack_diag *diag)
{
    if (!path)
        return psopack_fail(diag, PSOPACK_E_ARGUMENT, "no path");
    psopack_file file;
    psopack_file_stat stat;
    PSOPACK_TRY(psopack_file_open_read(path, &file, &stat, diag));
    psopack_session_file_info info = {.file_bytes = stat.size};
    uint64_t id;
    psopack_status status = read_header(&file, &info, &id, diag);
    psopack_file_close(&file, NULL);
    if (status == PSOPACK_OK)
        *ret_info = info;
    return status;
}

psopack_status psopack_session_file_visit(const char *path, const psopack_allocator *allocator,
                                          const psopack_session_visitor *visitor,
                                          psopack_session_file_info *ret_info, psopack_diag *diag)
{
    static const psopack_allocator plain = {NULL, NULL, NULL};
    static const psopack_session_visitor nobody = {NULL, NULL, NULL};
    psopack_session_file_info info = {.file_bytes = 0};
    visit work = {.visitor = visitor ? visitor : &nobody, .info = &info};
    if (!path)
        return psopack_fail(diag, PSOPACK_E_ARGUMENT, "no path");
    psopack_entry_index_init(&work.uses, allocator ? allocator : &plain);
    psopack_file file;
    psopack_file_stat stat;
    PSOPACK_TRY(psopack_file_open_read(path, &file, &stat, diag));
    info.file_bytes = stat.size;
    psopack_status status = visit_records(&work, &file, diag);
    psopack_file_close(&file, NULL);
    psopack_entry_index_finish(&work.uses);
    if (status == PSOPACK_OK && ret_info)
        *ret_info = info;
    return status;
}
