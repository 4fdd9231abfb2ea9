/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a value file and its index: open, find, store, close, open again.
 *
 *   input: mode u8, index size u16 LE, index bytes, value-file bytes
 *   mode bit 0: give the value file a sound header; bit 1: seal its records; bit 2: seal the index
 *
 * The bits let a fuzzer reach what lies behind the checks. A find that answers must answer the same
 * bytes again, and a cache that could be opened must take a new value and give it back.
 */
#include <psopack/session.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "session/session_record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FILE_ID UINT64_C(0x5eed)

static const uint8_t identifier[16] = "fuzz session 01";
static const char base_name[] = "66757a7a2073657373696f6e20303100";

/* A violated promise, for the fuzzer to report. */
static void require(bool good)
{
    if (!good)
        abort();
}

static void seal_header(uint8_t *bytes, size_t size)
{
    psopack_session_identity identity = {.flags = 0};
    psopack_disk_value_header header[2];
    memcpy(identity.identifier, identifier, sizeof identifier);
    psopack_value_header_make(&identity, 1, FILE_ID, header);
    memcpy(bytes, header, size < sizeof header ? size : sizeof header);
}

/* Sizes are what the input says, cut to what is there. */
static void seal_records(uint8_t *bytes, size_t size)
{
    size_t at = PSOPACK_VALUE_RECORDS_AT;
    while (at < size && size - at > sizeof(psopack_disk_record)) {
        psopack_disk_record *head = (psopack_disk_record *)(bytes + at);
        size_t room = size - at - sizeof *head;
        uint32_t key_size = (uint32_t)(1 + psopack_load32(head->key_size) % room % 64);
        uint32_t value_size = (uint32_t)(psopack_load32(head->value_size) % (room - key_size + 1));
        psopack_record_seal(head, (psopack_record_place){FILE_ID, at}, key_size, value_size);
        at += (size_t)psopack_record_size(key_size, value_size);
    }
}

static void seal_index(uint8_t *bytes, size_t size)
{
    psopack_disk_index_header *header = (psopack_disk_index_header *)bytes;
    if (size < sizeof *header)
        return;
    size_t rows = (size - sizeof *header) / sizeof(psopack_disk_index_row);
    memcpy(header->magic, PSOPACK_INDEX_FILE_MAGIC, sizeof header->magic);
    header->version = psopack_store32(PSOPACK_SESSION_VERSION);
    header->header_size = psopack_store32(sizeof *header);
    header->file_id = psopack_store64(FILE_ID);
    header->entries = psopack_store32((uint32_t)rows);
    header->foreign =
        psopack_store32((uint32_t)((size - sizeof *header) % sizeof(psopack_disk_index_row) /
                                   sizeof(psopack_disk_foreign_row)));
    header->probe = psopack_store64(XXH3_64bits(PSOPACK_INDEX_FILE_MAGIC, PSOPACK_MAGIC_SIZE));
    uint64_t seed = XXH3_64bits(bytes + sizeof *header, size - sizeof *header);
    header->check = psopack_store64(
        XXH3_64bits_withSeed(bytes, offsetof(psopack_disk_index_header, check), seed));
}

static void write_file(const char *directory, const char *ending, const uint8_t *bytes, size_t size)
{
    char path[400];
    snprintf(path, sizeof path, "%s/psopack-sessions/%s%s", directory, base_name, ending);
    FILE *file = fopen(path, "wb");
    require(file && fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
}

static void check_find(psopack_session *session, const void *key, size_t key_size)
{
    size_t value_size = 0;
    psopack_status status = psopack_session_find(session, key, key_size, NULL, &value_size);
    if (status != PSOPACK_OK) {
        require(status == PSOPACK_E_NOT_FOUND || status == PSOPACK_E_COLLISION);
        return;
    }
    uint8_t *first = malloc(2 * value_size + 1);
    require(first != NULL);
    size_t room = value_size;
    /* The size is proved by the head alone, the bytes by the whole record. */
    if (psopack_session_find(session, key, key_size, first, &room) == PSOPACK_OK) {
        require(room == value_size);
        require(psopack_session_find(session, key, key_size, first + value_size, &room) ==
                PSOPACK_OK);
        require(memcmp(first, first + value_size, value_size) == 0);
    }
    free(first);
}

/* Keys that the input itself names, where records are likely to have them. */
static void find_all(psopack_session *session, const uint8_t *bytes, size_t size)
{
    check_find(session, "k", 1);
    for (size_t at = PSOPACK_VALUE_RECORDS_AT + sizeof(psopack_disk_record); at < size; at += 37)
        check_find(session, bytes + at, 1 + bytes[at] % (size - at) % 64);
}

static void use_cache(const char *directory, const uint8_t *bytes, size_t size, bool last)
{
    psopack_session_host_options options = PSOPACK_SESSION_HOST_OPTIONS_INIT;
    options.directory = directory;
    psopack_session_desc desc = {.mode = PSOPACK_SESSION_DISK, .version = 1};
    memcpy(desc.identifier, identifier, sizeof identifier);
    psopack_session_host *host;
    psopack_session *session;
    require(psopack_session_host_create(&options, &host, NULL) == PSOPACK_OK);
    require(psopack_session_open(host, &desc, &session, NULL) == PSOPACK_OK);
    find_all(session, bytes, size);
    psopack_status status = psopack_session_store(session, "a new key", 9, "value", 5);
    require(status == PSOPACK_OK || status == PSOPACK_E_EXISTS);
    check_find(session, "a new key", 9);
    if (last)
        psopack_session_set_delete_on_destroy(session);
    psopack_session_host_destroy(&host);
}

static const char *scratch_directory(void)
{
    static char directory[300];
    if (directory[0] == '\0') {
        char path[330];
        const char *temp = getenv("TMPDIR");
        snprintf(directory, sizeof directory, "%s/psopack-fuzz-XXXXXX", temp ? temp : "/tmp");
        require(mkdtemp(directory) != NULL);
        snprintf(path, sizeof path, "%s/psopack-sessions", directory);
        require(mkdir(path, 0777) == 0);
    }
    return directory;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 3 || size > 1 << 20)
        return 0;
    uint8_t mode = data[0];
    size_t index_size = (size_t)(data[1] | data[2] << 8);
    if (index_size > size - 3)
        index_size = size - 3;
    size_t values_size = size - 3 - index_size;
    uint8_t *copy = malloc(size);
    require(copy != NULL);
    memcpy(copy, data + 3, size - 3);
    uint8_t *values = copy + index_size;
    if (mode & 1)
        seal_header(values, values_size);
    if (mode & 2)
        seal_records(values, values_size);
    if (mode & 4)
        seal_index(copy, index_size);
    const char *directory = scratch_directory();
    write_file(directory, ".0.val", values, values_size);
    if (index_size > 0)
        write_file(directory, ".0.idx", copy, index_size);
    use_cache(directory, values, values_size, false);
    use_cache(directory, values, values_size, true);
    free(copy);
    return 0;
}
