/* SPDX-License-Identifier: MIT */
/* Making and checking value-file headers and records. Pure: bytes in, verdict out. */
#ifndef PSOPACK_SESSION_RECORD_H
#define PSOPACK_SESSION_RECORD_H

#include <psopack/session.h>
#include <stdbool.h>

#include "session/session_layout.h"

/* What makes two sessions share a cache, and what a value file must carry to belong to it. */
typedef struct psopack_session_identity {
    uint8_t identifier[16];
    uint32_t flags; /* PSOPACK_SESSION_DRIVER_VERSIONED, _WORKING_DIRECTORY */
    uint32_t tag_size;
    uint8_t tag[PSOPACK_SESSION_TAG_MAX];
} psopack_session_identity;

typedef enum psopack_header_verdict {
    PSOPACK_HEADER_GOOD,
    PSOPACK_HEADER_OTHER,  /* a sound file of another version or identity */
    PSOPACK_HEADER_NEWER,  /* a format version this library does not know */
    PSOPACK_HEADER_DAMAGED /* or too short, or something else */
} psopack_header_verdict;

/* Fills both copies of the header of a new file. */
void psopack_value_header_make(const psopack_session_identity *identity, uint64_t version,
                               uint64_t file_id, psopack_disk_value_header ret_header[2]);

/* True when one of the copies is sound; `size` is how much of them the file has. */
bool psopack_value_header_pick(const psopack_disk_value_header header[2], size_t size,
                               const psopack_disk_value_header **ret_sound);

/* Reads both copies. `ret_file_id` is written for GOOD only. */
psopack_header_verdict psopack_value_header_judge(const psopack_disk_value_header header[2],
                                                  size_t size,
                                                  const psopack_session_identity *identity,
                                                  uint64_t version, uint64_t *ret_file_id);

/* Head, key and value of one record; at most 2^31 bytes by the limits of the sizes. */
static inline uint64_t psopack_record_size(uint32_t key_size, uint32_t value_size)
{
    return sizeof(psopack_disk_record) + (uint64_t)key_size + value_size;
}

/* Where a record lies: everything its checks are bound to besides its own bytes. */
typedef struct psopack_record_place {
    uint64_t file_id;
    uint64_t offset;
} psopack_record_place;

/* Fills the head of a record whose key and value follow at `head + 1` already. */
void psopack_record_seal(psopack_disk_record *head, psopack_record_place place, uint32_t key_size,
                         uint32_t value_size);

/* Proves the head alone; afterwards its sizes are within the limits. */
bool psopack_record_head_good(const psopack_disk_record *head, psopack_record_place place);

/* Proves key and value, which follow at `head + 1`, of a good head. */
bool psopack_record_body_good(const psopack_disk_record *head, psopack_record_place place);

#endif
