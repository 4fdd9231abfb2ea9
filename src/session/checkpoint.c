/* SPDX-License-Identifier: MIT */
/* Reading, proving and publishing index files. */
#include "session/checkpoint.h"

#include <string.h>
#include <xxhash.h>

#include "format/error.h"
#include "platform/file.h"
#include "platform/publish.h"
#include "session/session_record.h"

static uint64_t index_check(const uint8_t *bytes, size_t size)
{
    size_t header_size = sizeof(psopack_disk_index_header);
    uint64_t seed = XXH3_64bits(bytes + header_size, size - header_size);
    return XXH3_64bits_withSeed(bytes, offsetof(psopack_disk_index_header, check), seed);
}

static psopack_status read_index(const char *path, const psopack_allocator *allocator,
                                 psopack_checkpoint *checkpoint, psopack_diag *diag)
{
    psopack_file file;
    psopack_file_stat stat;
    PSOPACK_TRY(psopack_file_open_read(path, &file, &stat, diag));
    psopack_status status = PSOPACK_E_TRUNCATED;
    /* Rows of the largest possible cache: nothing sensible is larger. */
    if (stat.size > (UINT64_C(1) << 36) || stat.size > SIZE_MAX)
        status = psopack_fail(diag, PSOPACK_E_LIMIT, "%s: too large for an index", path);
    else if (stat.size >= sizeof(psopack_disk_index_header)) {
        checkpoint->size = (size_t)stat.size;
        checkpoint->bytes = psopack_session_allocate(allocator, checkpoint->size);
        status = checkpoint->bytes
                     ? psopack_file_read_at(&file, 0, checkpoint->bytes, checkpoint->size, diag)
                     : PSOPACK_E_NOMEM;
    }
    psopack_file_close(&file, NULL);
    return status;
}

static psopack_status check_header(const char *path, const psopack_checkpoint_of *of,
                                   psopack_checkpoint *checkpoint, psopack_diag *diag)
{
    const psopack_disk_index_header *header = (const psopack_disk_index_header *)checkpoint->bytes;
    checkpoint->entries = psopack_load32(header->entries);
    checkpoint->foreign = psopack_load32(header->foreign);
    checkpoint->covered = psopack_load64(header->covered);
    uint64_t size = sizeof *header +
                    (uint64_t)checkpoint->entries * sizeof(psopack_disk_index_row) +
                    (uint64_t)checkpoint->foreign * sizeof(psopack_disk_foreign_row);
    if (memcmp(header->magic, PSOPACK_INDEX_FILE_MAGIC, sizeof header->magic) != 0 ||
        size != checkpoint->size ||
        psopack_load64(header->check) != index_check(checkpoint->bytes, checkpoint->size))
        return psopack_fail(diag, PSOPACK_E_CHECKSUM, "%s: damaged index; it is made anew", path);
    if (psopack_load32(header->version) != PSOPACK_SESSION_VERSION ||
        psopack_load32(header->header_size) != sizeof *header)
        return psopack_fail(diag, PSOPACK_E_VERSION, "%s: unknown index version", path);
    if (psopack_load64(header->file_id) != of->file_id ||
        psopack_load64(header->probe) != of->probe || checkpoint->covered > of->file_size ||
        checkpoint->covered < PSOPACK_VALUE_RECORDS_AT)
        return psopack_fail(diag, PSOPACK_E_CHANGED, "%s: index of another value file", path);
    checkpoint->rows = (const psopack_disk_index_row *)(header + 1);
    checkpoint->foreign_rows =
        (const psopack_disk_foreign_row *)(checkpoint->rows + checkpoint->entries);
    return PSOPACK_OK;
}

static bool row_good(const psopack_disk_index_row *row, uint64_t covered)
{
    uint64_t offset = psopack_load64(row->offset);
    uint32_t key_size = psopack_load32(row->key_size);
    uint32_t value_size = psopack_load32(row->value_size);
    return key_size > 0 && key_size <= PSOPACK_SESSION_KEY_MAX &&
           value_size <= PSOPACK_SESSION_VALUE_MAX && offset >= PSOPACK_VALUE_RECORDS_AT &&
           offset <= covered && psopack_record_size(key_size, value_size) <= covered - offset;
}

psopack_status psopack_checkpoint_load(const char *path, const psopack_allocator *allocator,
                                       const psopack_checkpoint_of *of,
                                       psopack_checkpoint *ret_checkpoint, psopack_diag *diag)
{
    psopack_checkpoint checkpoint = {0};
    psopack_status status = read_index(path, allocator, &checkpoint, diag);
    if (status == PSOPACK_OK)
        status = check_header(path, of, &checkpoint, diag);
    for (uint32_t i = 0; status == PSOPACK_OK && i < checkpoint.entries; i++) {
        if (!row_good(&checkpoint.rows[i], checkpoint.covered))
            status = psopack_fail(diag, PSOPACK_E_CORRUPT, "%s: impossible row %u", path, i);
    }
    if (status != PSOPACK_OK) {
        psopack_checkpoint_free(&checkpoint, allocator);
        return status;
    }
    *ret_checkpoint = checkpoint;
    return PSOPACK_OK;
}

void psopack_checkpoint_free(psopack_checkpoint *checkpoint, const psopack_allocator *allocator)
{
    psopack_session_release(allocator, checkpoint->bytes, checkpoint->size);
    *checkpoint = (psopack_checkpoint){0};
}

static void count_rows(const psopack_entry_index *index, uint32_t slot, uint32_t *ret_entries,
                       uint32_t *ret_foreign)
{
    uint32_t entries = 0;
    uint32_t foreign = 0;
    for (uint32_t i = 0; i < index->count; i++) {
        const psopack_session_entry *entry = &index->entries[i];
        if (entry->file == slot)
            entries++;
        else if (entry->file != PSOPACK_FILE_MEMORY && entry->new_uses > 0)
            foreign++;
    }
    *ret_entries = entries;
    *ret_foreign = foreign;
}

static void fill_rows(const psopack_entry_index *index, uint32_t slot, psopack_disk_index_row *rows,
                      psopack_disk_foreign_row *foreign_rows)
{
    for (uint32_t i = 0; i < index->count; i++) {
        const psopack_session_entry *entry = &index->entries[i];
        if (entry->file == slot) {
            *rows++ = (psopack_disk_index_row){
                .hash = psopack_store64(entry->hash),
                .offset = psopack_store64(entry->offset),
                .key_size = psopack_store32(entry->key_size),
                .value_size = psopack_store32(entry->value_size),
                .uses = psopack_store32(psopack_add_uses(entry->uses, entry->new_uses)),
            };
        } else if (entry->file != PSOPACK_FILE_MEMORY && entry->new_uses > 0) {
            *foreign_rows++ = (psopack_disk_foreign_row){
                .hash = psopack_store64(entry->hash),
                .uses = psopack_store32(entry->new_uses),
            };
        }
    }
}

static psopack_status publish_bytes(const char *path, const uint8_t *bytes, size_t size,
                                    psopack_diag *diag)
{
    psopack_publish *publish;
    PSOPACK_TRY(psopack_publish_begin(path, &publish, diag));
    psopack_status status = psopack_publish_write(publish, bytes, size, diag);
    if (status != PSOPACK_OK) {
        psopack_publish_abort(&publish);
        return status;
    }
    return psopack_publish_commit(&publish, NULL, NULL, diag);
}

psopack_status psopack_checkpoint_save(const char *path, const psopack_entry_index *index,
                                       uint32_t slot, const psopack_checkpoint_of *of,
                                       psopack_diag *diag)
{
    uint32_t entries;
    uint32_t foreign;
    count_rows(index, slot, &entries, &foreign);
    size_t size = sizeof(psopack_disk_index_header) + entries * sizeof(psopack_disk_index_row) +
                  foreign * sizeof(psopack_disk_foreign_row);
    uint8_t *bytes = psopack_session_allocate(index->allocator, size);
    if (!bytes)
        return psopack_fail(diag, PSOPACK_E_NOMEM, "%s: no memory for an index", path);
    psopack_disk_index_header *header = (psopack_disk_index_header *)bytes;
    *header = (psopack_disk_index_header){
        .version = psopack_store32(PSOPACK_SESSION_VERSION),
        .header_size = psopack_store32(sizeof *header),
        .file_id = psopack_store64(of->file_id),
        .covered = psopack_store64(of->file_size),
        .entries = psopack_store32(entries),
        .foreign = psopack_store32(foreign),
        .probe = psopack_store64(of->probe),
    };
    memcpy(header->magic, PSOPACK_INDEX_FILE_MAGIC, sizeof header->magic);
    psopack_disk_index_row *rows = (psopack_disk_index_row *)(header + 1);
    fill_rows(index, slot, rows, (psopack_disk_foreign_row *)(rows + entries));
    header->check = psopack_store64(index_check(bytes, size));
    psopack_status status = publish_bytes(path, bytes, size, diag);
    psopack_session_release(index->allocator, bytes, size);
    return status;
}
