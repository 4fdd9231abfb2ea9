/* SPDX-License-Identifier: MIT */
/*
 * The groups of rules. Each reads a collection whose bytes are fetched and appends findings.
 * All answer NOMEM when memory is out, and nothing else.
 */
#ifndef PSOPACK_LINT_CHECKS_H
#define PSOPACK_LINT_CHECKS_H

#include "lint/collection.h"
#include "lint/findings.h"
#include "lint/tiers.h"

typedef struct psopack_check {
    const psopack_collection *collection;
    const psopack_lint_options *options;
    psopack_findings *findings;
    psopack_lint_summary *summary;
} psopack_check;

/* What psopack_check_binding learns about one PSO. */
typedef struct psopack_pso_tier {
    int tier;
    psopack_misfit first; /* of the tier below, for tiers above 1 */
} psopack_pso_tier;

/* Shader limits: size, late alloc, disabled stages, CU locking, differences. */
psopack_status psopack_check_limits(const psopack_check *check);

/* Part of it: PSOs with equal instructions and other limits. `value_of` numbers the limits of each
 * PSO, PSOPACK_NO_INDEX for none. */
psopack_status psopack_check_limits_differ(const psopack_check *check, const uint32_t *value_of);

/*
 * Root signatures: readable, valid, tiers, static samplers, tables to fill. `live` has one byte per
 * PSO, 0 for those outside the live set. `ret_tiers` has room for one item per PSO.
 */
psopack_status psopack_check_binding(const psopack_check *check, const uint8_t *live,
                                     psopack_pso_tier *ret_tiers);

/* Near-duplicates: metadata, states, components that occur once. */
psopack_status psopack_check_sharing(const psopack_check *check);

#endif
