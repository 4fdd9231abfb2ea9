/* SPDX-License-Identifier: MIT */
/* Positioned reads and writes of value files; nothing here knows the index or other processes. */
#include "session/value_file.h"

#include <string.h>
#include <xxhash.h>

#include "format/error.h"
#include "platform/clock.h"

psopack_status psopack_value_file_judge(const psopack_file *file,
                                        const psopack_session_identity *identity, uint64_t version,
                                        psopack_header_verdict *ret_verdict, uint64_t *ret_id,
                                        psopack_diag *diag)
{
    psopack_disk_value_header header[2];
    size_t got;
    PSOPACK_TRY(psopack_file_read_up_to(file, 0, header, sizeof header, &got, diag));
    *ret_verdict = psopack_value_header_judge(header, got, identity, version, ret_id);
    /* Records start behind both copies: a file that ends earlier has none and is made anew. */
    if (*ret_verdict == PSOPACK_HEADER_GOOD && got < sizeof header)
        *ret_verdict = PSOPACK_HEADER_DAMAGED;
    return PSOPACK_OK;
}

/* Differs from the id of every other value file, as far as a clock and a file system can tell, so
 * that blocks of an earlier file that come back after a power cut do not pass for this one's. */
static uint64_t new_file_id(const psopack_file *file, const psopack_session_identity *identity)
{
    struct {
        uint64_t now;
        uint64_t place;
        psopack_file_stat stat;
    } source;
    memset(&source, 0, sizeof source);
    source.now = psopack_clock_ns();
    source.place = (uint64_t)(uintptr_t)&source;
    psopack_file_get_stat(file, &source.stat, NULL);
    return XXH3_64bits_withSeed(&source, sizeof source,
                                XXH3_64bits(identity->identifier, sizeof identity->identifier));
}

psopack_status psopack_value_file_restart(const psopack_file *file,
                                          const psopack_session_identity *identity,
                                          uint64_t version, uint64_t *ret_id, psopack_diag *diag)
{
    psopack_disk_value_header header[2];
    uint64_t id = new_file_id(file, identity);
    psopack_value_header_make(identity, version, id, header);
    PSOPACK_TRY(psopack_file_truncate(file, 0, diag));
    PSOPACK_TRY(psopack_file_write_at(file, 0, header, sizeof header, diag));
    *ret_id = id;
    return PSOPACK_OK;
}

psopack_status psopack_value_file_begin(const char *path, const psopack_session_identity *identity,
                                        uint64_t version, psopack_publish **ret_publish,
                                        uint64_t *ret_id, psopack_diag *diag)
{
    psopack_publish *publish;
    PSOPACK_TRY(psopack_publish_begin(path, &publish, diag));
    psopack_disk_value_header header[2];
    uint64_t id = new_file_id(psopack_publish_file(publish), identity);
    psopack_value_header_make(identity, version, id, header);
    psopack_status status = psopack_publish_write(publish, header, sizeof header, diag);
    if (status != PSOPACK_OK) {
        psopack_publish_abort(&publish);
        return status;
    }
    *ret_publish = publish;
    *ret_id = id;
    return PSOPACK_OK;
}

static bool proves_entry(const psopack_disk_record *head, psopack_record_place place,
                         const psopack_session_entry *entry)
{
    return psopack_record_head_good(head, place) &&
           psopack_load32(head->key_size) == entry->key_size &&
           psopack_load32(head->value_size) == entry->value_size;
}

psopack_status psopack_value_file_read(const psopack_file *file, uint64_t file_id,
                                       const psopack_session_entry *entry,
                                       const psopack_allocator *allocator,
                                       psopack_window_item **ret_item)
{
    psopack_window_item *item =
        psopack_window_item_new(allocator, entry->hash, entry->key_size, entry->value_size);
    if (!item)
        return PSOPACK_E_NOMEM;
    psopack_record_place place = {file_id, entry->offset};
    size_t size = (size_t)psopack_record_size(entry->key_size, entry->value_size);
    psopack_status status = psopack_file_read_at(file, entry->offset, &item->record, size, NULL);
    if (status == PSOPACK_E_TRUNCATED ||
        (status == PSOPACK_OK && (!proves_entry(&item->record, place, entry) ||
                                  !psopack_record_body_good(&item->record, place))))
        status = PSOPACK_E_CHECKSUM;
    if (status != PSOPACK_OK) {
        psopack_window_item_free(allocator, item);
        return status;
    }
    *ret_item = item;
    return PSOPACK_OK;
}

bool psopack_value_file_has_key(const psopack_file *file, uint64_t file_id,
                                const psopack_session_entry *entry, const void *key,
                                const psopack_allocator *allocator)
{
    size_t size = sizeof(psopack_disk_record) + entry->key_size;
    uint8_t *bytes = psopack_session_allocate(allocator, size);
    if (!bytes)
        return false;
    psopack_record_place place = {file_id, entry->offset};
    bool same = psopack_file_read_at(file, entry->offset, bytes, size, NULL) == PSOPACK_OK &&
                proves_entry((const psopack_disk_record *)bytes, place, entry) &&
                memcmp(bytes + sizeof(psopack_disk_record), key, entry->key_size) == 0;
    psopack_session_release(allocator, bytes, size);
    return same;
}

psopack_status psopack_value_file_append(psopack_value_file *values, psopack_window_item *item,
                                         psopack_diag *diag)
{
    psopack_record_place place = {values->id, values->end};
    psopack_record_seal(&item->record, place, item->key_size, item->value_size);
    uint64_t size = psopack_record_size(item->key_size, item->value_size);
    psopack_status status =
        psopack_file_write_at(&values->file, values->end, &item->record, (size_t)size, diag);
    if (status != PSOPACK_OK) {
        /* A tail that stays is no danger: every reader takes it for unfinished. */
        psopack_file_truncate(&values->file, values->end, NULL);
        return status;
    }
    values->end += size;
    values->size = values->end;
    return PSOPACK_OK;
}
