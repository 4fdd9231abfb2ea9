/* SPDX-License-Identifier: MIT */
/* The checks of value files: CRC32C for headers and heads, chained XXH3-64 for key with value. */
#include "session/session_record.h"

#include <stddef.h>
#include <string.h>
#include <xxhash.h>

#include "format/crc32c.h"

static uint32_t header_crc(const psopack_disk_value_header *header)
{
    psopack_disk_value_header copy = *header;
    copy.crc = psopack_store32(0);
    return psopack_crc32c(0, &copy, sizeof copy);
}

void psopack_value_header_make(const psopack_session_identity *identity, uint64_t version,
                               uint64_t file_id, psopack_disk_value_header ret_header[2])
{
    psopack_disk_value_header header = {0};
    memcpy(header.magic, PSOPACK_VALUE_FILE_MAGIC, sizeof header.magic);
    header.version = psopack_store32(PSOPACK_SESSION_VERSION);
    header.header_size = psopack_store32(sizeof header);
    header.file_id = psopack_store64(file_id);
    header.flags = psopack_store32(identity->flags);
    memcpy(header.identifier, identity->identifier, sizeof header.identifier);
    header.cache_version = psopack_store64(version);
    header.tag_size = psopack_store32(identity->tag_size);
    memcpy(header.tag, identity->tag, identity->tag_size);
    header.crc = psopack_store32(header_crc(&header));
    ret_header[0] = header;
    ret_header[1] = header;
}

bool psopack_value_header_pick(const psopack_disk_value_header header[2], size_t size,
                               const psopack_disk_value_header **ret_sound)
{
    for (size_t i = 0; i < 2 && (i + 1) * sizeof *header <= size; i++) {
        if (memcmp(header[i].magic, PSOPACK_VALUE_FILE_MAGIC, sizeof header[i].magic) == 0 &&
            psopack_load32(header[i].crc) == header_crc(&header[i])) {
            *ret_sound = &header[i];
            return true;
        }
    }
    return false;
}

static bool same_identity(const psopack_disk_value_header *header,
                          const psopack_session_identity *identity)
{
    return memcmp(header->identifier, identity->identifier, sizeof header->identifier) == 0 &&
           psopack_load32(header->flags) == identity->flags &&
           psopack_load32(header->tag_size) == identity->tag_size &&
           memcmp(header->tag, identity->tag, identity->tag_size) == 0;
}

psopack_header_verdict psopack_value_header_judge(const psopack_disk_value_header header[2],
                                                  size_t size,
                                                  const psopack_session_identity *identity,
                                                  uint64_t version, uint64_t *ret_file_id)
{
    const psopack_disk_value_header *sound;
    if (!psopack_value_header_pick(header, size, &sound))
        return PSOPACK_HEADER_DAMAGED;
    if (psopack_load32(sound->version) != PSOPACK_SESSION_VERSION ||
        psopack_load32(sound->header_size) != sizeof *sound)
        return PSOPACK_HEADER_NEWER;
    if (!same_identity(sound, identity) || psopack_load64(sound->cache_version) != version)
        return PSOPACK_HEADER_OTHER;
    *ret_file_id = psopack_load64(sound->file_id);
    return PSOPACK_HEADER_GOOD;
}

typedef struct record_context {
    psopack_u64le file_id;
    psopack_u64le offset;
} record_context;

static record_context context_of(psopack_record_place place)
{
    return (record_context){psopack_store64(place.file_id), psopack_store64(place.offset)};
}

static uint32_t head_crc(const psopack_disk_record *head, psopack_record_place place)
{
    record_context context = context_of(place);
    uint32_t crc = psopack_crc32c(0, &context, sizeof context);
    return psopack_crc32c(crc, head, offsetof(psopack_disk_record, crc));
}

static uint64_t body_check(const psopack_disk_record *head, psopack_record_place place)
{
    struct {
        record_context context;
        uint8_t head[offsetof(psopack_disk_record, body)];
    } first = {context_of(place), {0}};
    memcpy(first.head, head, sizeof first.head);
    const uint8_t *key = (const uint8_t *)(head + 1);
    uint32_t key_size = psopack_load32(head->key_size);
    uint64_t seed = XXH3_64bits(&first, sizeof first);
    seed = XXH3_64bits_withSeed(key, key_size, seed);
    return XXH3_64bits_withSeed(key + key_size, psopack_load32(head->value_size), seed);
}

void psopack_record_seal(psopack_disk_record *head, psopack_record_place place, uint32_t key_size,
                         uint32_t value_size)
{
    head->magic = psopack_store32(PSOPACK_RECORD_MAGIC);
    head->kind = psopack_store32(PSOPACK_RECORD_ENTRY);
    head->key_size = psopack_store32(key_size);
    head->value_size = psopack_store32(value_size);
    head->body = psopack_store64(body_check(head, place));
    head->reserved = psopack_store32(0);
    head->crc = psopack_store32(head_crc(head, place));
}

bool psopack_record_head_good(const psopack_disk_record *head, psopack_record_place place)
{
    uint32_t key_size = psopack_load32(head->key_size);
    return psopack_load32(head->magic) == PSOPACK_RECORD_MAGIC && key_size > 0 &&
           key_size <= PSOPACK_SESSION_KEY_MAX &&
           psopack_load32(head->value_size) <= PSOPACK_SESSION_VALUE_MAX &&
           psopack_load32(head->crc) == head_crc(head, place);
}

bool psopack_record_body_good(const psopack_disk_record *head, psopack_record_place place)
{
    return psopack_load64(head->body) == body_check(head, place);
}
