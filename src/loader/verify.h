/* SPDX-License-Identifier: MIT */
/*
 * Verifying a whole archive, in four passes that share one state: sections, layout and blocks (with
 * their components), then PSOs. A pass reports what it finds and goes on; it stops only when the
 * caller wants no more.
 */
#ifndef PSOPACK_LOADER_VERIFY_H
#define PSOPACK_LOADER_VERIFY_H

#ifndef XXH_STATIC_LINKING_ONLY
#define XXH_STATIC_LINKING_ONLY /* hash states in our own memory instead of from malloc */
#endif
#include <xxhash.h>

#include "loader/context.h"

typedef enum psopack_component_state {
    PSOPACK_COMPONENT_UNSEEN = 0,
    PSOPACK_COMPONENT_DAMAGED,
    PSOPACK_COMPONENT_GOOD, /* this or more */
    PSOPACK_COMPONENT_USED  /* by a PSO that was seen, and counted */
} psopack_component_state;

typedef struct psopack_verify_sums {
    uint64_t references, reference_bytes;
    uint64_t component_bytes; /* each component once */
    XXH3_state_t content;     /* on the way to the content id */
} psopack_verify_sums;

typedef struct psopack_verifier {
    const psopack_archive *shown;   /* the handle: all its archives are verified */
    const psopack_archive *archive; /* the one at hand; in the pass over PSOs, `shown` */
    psopack_context *context;
    psopack_verify_fn *each;
    void *user;
    psopack_verify_result result;
    psopack_diag first; /* finding; its code is the answer */
    bool stopped;
    uint64_t blocks_end; /* of those that were decoded: where the next may begin */

    /* Room from one allocation. */
    uint32_t *crcs;   /* [components] of the archive at hand: of the bytes as decoded */
    uint8_t *hashes;  /* [components][16]: XXH3-128, canonical, of the bytes as decoded */
    uint8_t *states;  /* [components]: psopack_component_state */
    uint8_t *scratch; /* the largest decoded block: a component as delivered, less strip */
    uint32_t *slots;  /* [slots] */
    uint8_t *previous_name;
    uint32_t previous_size;
    psopack_verify_sums sums;
} psopack_verifier;

/* Counts a finding and hands it to the caller. `diag` is filled by the check that failed. */
void psopack_verify_report(psopack_verifier *verifier, const psopack_diag *diag, bool harmless);

/* Every page, page table and padding byte from the first section to the footer. */
void psopack_verify_sections(psopack_verifier *verifier);

/* Of a layer: that what it replaces, and where its own PSOs go, is in order. */
void psopack_verify_layer(psopack_verifier *verifier);

/* That all bytes between blocks are zero. */
void psopack_verify_layout(psopack_verifier *verifier);

/* Decodes every block that lies behind the one before it, checks every component; fills crcs and
 * states. */
void psopack_verify_blocks(psopack_verifier *verifier);

/* In place of psopack_verify_blocks(): takes crcs from the components' rows. */
void psopack_verify_rows(psopack_verifier *verifier);

/* Names, keys, slots and tuple CRC of every PSO, and what they add up to. `decoded`: hashes are
 * there. */
void psopack_verify_psos(psopack_verifier *verifier, bool decoded);

/* For psopack_verify_psos(): sums over sound PSOs. Add takes the PSO whose slots and name are in
 * `slots` and `previous_name`; end compares, once every PSO was added. */
void psopack_verify_sums_begin(psopack_verifier *verifier);
void psopack_verify_sums_add(psopack_verifier *verifier, uint32_t name_size);
void psopack_verify_sums_end(psopack_verifier *verifier, bool with_content);

#endif
