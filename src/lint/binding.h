/* SPDX-License-Identifier: MIT */
/* What one root signature binds, for a PSO with given stages: the numbers that tiers limit. */
#ifndef PSOPACK_LINT_BINDING_H
#define PSOPACK_LINT_BINDING_H

#include "lint/rootsig.h"
#include "lint/stage.h"

/*
 * Descriptor tables only; root descriptors, root constants and static samplers are not counted.
 *
 * A range counts for each stage of the PSO that sees it: all of them with visibility ALL, less the
 * stages that the root signature's DENY flags exclude. Compute has one stage and sees ALL only.
 * A descriptor counts once for a stage, although ranges overlap: the count is the smaller of the
 * union over places in the tables and the union over (space, register).
 */
typedef struct psopack_binding {
    /* Bounded ranges only. */
    uint64_t count[PSOPACK_RANGE_TYPES][PSOPACK_STAGE_COUNT];
    uint64_t uav_all_stages; /* a UAV that several stages see is one */
    /* Stages that see an unbounded range, as a bit mask. */
    uint32_t unbounded[PSOPACK_RANGE_TYPES];
    /* The longest table that a stage of the PSO sees: descriptors up to its last bounded one. */
    uint64_t resource_table; /* CBV, SRV, UAV */
    uint64_t sampler_table;
} psopack_binding;

/* NOMEM. `stages` is a bit mask. */
psopack_status psopack_binding_count(const psopack_rootsig *rootsig, uint32_t stages,
                                     psopack_binding *ret_binding);

/* The longest table declared, whichever stages see it. */
typedef struct psopack_longest_table {
    uint64_t descriptors; /* up to its last bounded one */
    bool unbounded;       /* the table goes on behind them */
} psopack_longest_table;

psopack_longest_table psopack_binding_longest(const psopack_rootsig *rootsig, bool samplers);

/* Things that a root signature may say, but D3D12 refuses to create. Bits of a mask. */
enum {
    PSOPACK_ROOTSIG_EMPTY_RANGE = 1,      /* a range of 0 descriptors */
    PSOPACK_ROOTSIG_AFTER_UNBOUNDED = 2,  /* a range appended behind an unbounded one */
    PSOPACK_ROOTSIG_REGISTER_END = 4,     /* registers past 2^32 - 1 */
    PSOPACK_ROOTSIG_MIXED_TABLE = 8,      /* samplers and other descriptors in one table */
    PSOPACK_ROOTSIG_REGISTER_OVERLAP = 16 /* two ranges give one stage the same register */
};

/* NOMEM. */
psopack_status psopack_rootsig_problems(const psopack_rootsig *rootsig, uint32_t *ret_problems);

/* A text for the lowest bit of the mask. */
const char *psopack_rootsig_problem_text(uint32_t problems);

#endif
