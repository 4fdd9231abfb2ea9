/* SPDX-License-Identifier: MIT */
/* The one pass over all input. */
#ifndef PSOPACK_PACKER_SCAN_H
#define PSOPACK_PACKER_SCAN_H

#include "packer/hash_cache.h"

typedef struct psopack_scan_options {
    unsigned threads;
    bool keep_going;
    psopack_hash_cache *cache; /* NULL: every file is read */
    const psopack_build_events *events;
} psopack_scan_options;

/* Reads, hashes and files every input file. *ret_known: how many were not read, the cache knew
 * them. Then writes the cache. */
psopack_status psopack_scan(psopack_inputs *inputs, psopack_store *store,
                            const psopack_scan_options *options, uint64_t *ret_known,
                            psopack_diag *diag);

#endif
