/* SPDX-License-Identifier: MIT */
/*
 * Files between the stages of a build that is spread over machines. One description serves writing
 * and reading: each function below writes what it is given, or reads it back, as the stage's
 * direction says. The first failure sticks and later calls do nothing, so a description is a plain
 * list; check psopack_stage.status once at its end.
 *
 *   magic | bytes of blocks, in parts only | record | size u64, XXH3-128 of the record, magic
 *
 * Integers are little-endian. The files are not archives: no promise between versions is made.
 */
#ifndef PSOPACK_PACKER_STAGE_H
#define PSOPACK_PACKER_STAGE_H

#include "packer/bytes.h"
#include "platform/map.h"
#include "platform/publish.h"

typedef enum psopack_stage_kind {
    PSOPACK_STAGE_SCAN = 1,
    PSOPACK_STAGE_PLAN = 2,
    PSOPACK_STAGE_PART = 3
} psopack_stage_kind;

typedef struct psopack_stage {
    bool reads;
    psopack_status status;
    psopack_diag *diag;
    const char *path;
    psopack_bytes record; /* written so far */
    psopack_map map;      /* of the file that is read */
    const uint8_t *bytes; /* of the record */
    size_t at, size;
    uint8_t id[16]; /* of the record, once read or written: how other files name this one */
} psopack_stage;

/* Begins to write a record into memory. */
void psopack_stage_begin(psopack_stage *stage, psopack_diag *diag);

/* Ends it: appends record and end to `publish`, which begins with psopack_stage_magic(). */
psopack_status psopack_stage_end(psopack_stage *stage, psopack_publish *publish,
                                 psopack_stage_kind kind, psopack_diag *diag);
psopack_status psopack_stage_magic(psopack_publish *publish, psopack_diag *diag);

/* Opens a file of this kind for reading; CHECKSUM, CORRUPT, or NOT_ARCHIVE for another kind of
 * file. Strings that are read lie in the stage's map. */
psopack_status psopack_stage_open(psopack_stage *stage, const char *path, psopack_stage_kind kind,
                                  psopack_diag *diag);
void psopack_stage_close(psopack_stage *stage);

void psopack_stage_u64(psopack_stage *stage, uint64_t *value);
void psopack_stage_u32(psopack_stage *stage, uint32_t *value);
void psopack_stage_u16(psopack_stage *stage, uint16_t *value);
void psopack_stage_u8(psopack_stage *stage, uint8_t *value);
void psopack_stage_flag(psopack_stage *stage, bool *value);
void psopack_stage_fixed(psopack_stage *stage, void *bytes, size_t size);

/* Zero-terminated in the record, `size` bytes without the zero. */
void psopack_stage_text(psopack_stage *stage, const char **bytes, uint32_t *size);

/*
 * The length of an array. Reading: bounded by what is left of the record at `row_size` bytes a row
 * there, and *array is allocated (zeroed, `element` bytes each, and one more); the caller frees it,
 * also after a failure.
 */
void psopack_stage_array(psopack_stage *stage, uint64_t *count, size_t row_size, void *array,
                         size_t element);

/* Fails the stage: an index that is read must be below `limit`. */
void psopack_stage_bound(psopack_stage *stage, uint64_t index, uint64_t limit);

#endif
