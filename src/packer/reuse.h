/* SPDX-License-Identifier: MIT */
/*
 * Compressed blocks of the output that is about to be replaced, found by what they decode to. A
 * block is the same when its bytes, its base, its transform and the packer's recipe are; the
 * compressor would give the same stored bytes again, only much slower.
 */
#ifndef PSOPACK_PACKER_REUSE_H
#define PSOPACK_PACKER_REUSE_H

#include "packer/old_archive.h"

typedef struct psopack_reuse psopack_reuse;

/* Decodes all blocks once, to know what is in them: about 1 ms for each MiB. Those that are damaged
 * are not offered. `output` must outlive it. Memory: decoded bases, 24 bytes a block. */
psopack_status psopack_reuse_open(const psopack_old *output, psopack_reuse **ret_reuse,
                                  psopack_diag *diag);
void psopack_reuse_close(psopack_reuse **reuse);

/* Scratch of one thread. Zero it to begin. */
typedef struct psopack_reuse_worker {
    struct ZSTD_DCtx_s *decoder;
    uint8_t *bytes;
    size_t capacity;
} psopack_reuse_worker;

void psopack_reuse_worker_free(psopack_reuse_worker *worker);

typedef struct psopack_reuse_wanted {
    const uint8_t *bytes; /* before compression */
    uint32_t size;
    uint32_t transform;
    const uint8_t *base; /* its hash, 16 bytes; NULL: no base */
    bool is_base;
} psopack_reuse_wanted;

/* *ret_row: the block that decodes to exactly these bytes, NULL when there is none. Safe on several
 * threads with a worker each. */
psopack_status psopack_reuse_find(const psopack_reuse *reuse, psopack_reuse_worker *worker,
                                  const psopack_reuse_wanted *wanted,
                                  const psopack_block_row **ret_row, psopack_diag *diag);

/* A found block's stored bytes. */
const uint8_t *psopack_reuse_stored(const psopack_reuse *reuse, const psopack_block_row *row);

#endif
