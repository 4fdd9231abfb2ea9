/* SPDX-License-Identifier: MIT */
/*
 * The bytes of a cache on disk: value files and their indexes. doc/session.md has the same tables.
 *
 *   NAME.K.val    header, header again, record, record, ...        append-only, K = 0 .. 15
 *   NAME.K.idx    header, entry rows, foreign rows                 published whole, may be missing
 *
 * A record's checks cover the id of its file and its own offset, so that a record of an earlier
 * file, or one that lies inside a stored value, is never taken for a record of this file.
 */
#ifndef PSOPACK_SESSION_LAYOUT_H
#define PSOPACK_SESSION_LAYOUT_H

#include "format/layout.h"

#define PSOPACK_VALUE_FILE_MAGIC "PSOSVAL\x1a"
#define PSOPACK_INDEX_FILE_MAGIC "PSOSIDX\x1a"
#define PSOPACK_SESSION_VERSION 1u

#define PSOPACK_TAG_ROOM 160u /* the header's room for a driver tag */

typedef struct psopack_disk_value_header {
    uint8_t magic[8];
    psopack_u32le version;
    psopack_u32le header_size; /* 256 */
    psopack_u64le file_id;     /* differs between any two value files ever made */
    psopack_u32le flags;       /* psopack_session_flags that are part of the identity */
    psopack_u32le crc;         /* CRC32C of all 256 bytes, this field taken as zero */
    uint8_t identifier[16];
    psopack_u64le cache_version;
    psopack_u32le tag_size;
    uint8_t reserved[36]; /* zero */
    uint8_t tag[PSOPACK_TAG_ROOM];
} psopack_disk_value_header;
static_assert(sizeof(psopack_disk_value_header) == 256, "session format v1");

/* The header is written twice, so that one damaged byte does not lose the file. */
#define PSOPACK_VALUE_RECORDS_AT (2u * (uint32_t)sizeof(psopack_disk_value_header))

#define PSOPACK_RECORD_MAGIC PSOPACK_FOURCC('P', 'R', 'E', 'C')
#define PSOPACK_RECORD_ENTRY 1u /* the only kind so far; a reader skips others */

/* Followed by key_size bytes of key, value_size bytes of value, the next record. No padding. */
typedef struct psopack_disk_record {
    psopack_u32le magic;
    psopack_u32le kind;
    psopack_u32le key_size;   /* 1 .. PSOPACK_SESSION_KEY_MAX */
    psopack_u32le value_size; /* 0 .. PSOPACK_SESSION_VALUE_MAX */
    psopack_u64le body;       /* XXH3-64 of the value, seeded with XXH3-64 of the key, seeded with
                                 XXH3-64 of: file id, offset, the 16 bytes above */
    psopack_u32le reserved;   /* zero */
    psopack_u32le crc;        /* CRC32C of: file id, offset, the 28 bytes above */
} psopack_disk_record;
static_assert(sizeof(psopack_disk_record) == 32, "session format v1");

typedef struct psopack_disk_index_header {
    uint8_t magic[8];
    psopack_u32le version;
    psopack_u32le header_size; /* 64 */
    psopack_u64le file_id;     /* of the value file */
    psopack_u64le covered;     /* its records below this offset are listed */
    psopack_u32le entries;
    psopack_u32le foreign; /* uses of entries that lie in other files of the cache */
    psopack_u64le probe;   /* hash of a fixed text: rows of another hash function are useless */
    uint8_t reserved[8];   /* zero */
    psopack_u64le check;   /* XXH3-64 of all other bytes: rows, then this header in front of it */
} psopack_disk_index_header;
static_assert(sizeof(psopack_disk_index_header) == 64, "session format v1");

typedef struct psopack_disk_index_row {
    psopack_u64le hash;
    psopack_u64le offset;
    psopack_u32le key_size;
    psopack_u32le value_size;
    psopack_u32le uses;     /* times stored or found, all sessions so far; stays at 2^32 - 1 */
    psopack_u32le reserved; /* zero */
} psopack_disk_index_row;
static_assert(sizeof(psopack_disk_index_row) == 32, "session format v1");

typedef struct psopack_disk_foreign_row {
    psopack_u64le hash;
    psopack_u32le uses;
    psopack_u32le reserved; /* zero */
} psopack_disk_foreign_row;
static_assert(sizeof(psopack_disk_foreign_row) == 16, "session format v1");

#endif
