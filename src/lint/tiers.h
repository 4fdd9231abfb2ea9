/* SPDX-License-Identifier: MIT */
/* Resource binding tiers 1 to 3: the public table, and the lowest tier of a binding. */
#ifndef PSOPACK_LINT_TIERS_H
#define PSOPACK_LINT_TIERS_H

#include "lint/binding.h"
#include "lint/rules.h"

#include <psopack/lint.h>

#define PSOPACK_TIER_MAX 3
#define PSOPACK_STATIC_SAMPLERS_MAX 2032u /* unique, over live root signatures */

/* One limit of a tier that a binding passes. */
typedef struct psopack_misfit {
    psopack_rule_number rule;
    psopack_stage stage; /* the one with the highest count; NONE when not about one stage */
    bool all_stages;     /* measured across stages */
    bool has_limit;      /* false: the tier lacks a thing, whatever its count */
    uint64_t measured;
    uint64_t limit;
} psopack_misfit;

#define PSOPACK_MISFITS_MAX                                                                        \
    11u /* one per row of the table, and one per type for unbounded ranges */

/* Fills in the limits of `tier` that the binding passes, in the order of the table; returns how
 * many. */
size_t psopack_tier_misfits(const psopack_binding *binding, int tier, psopack_feature_level level,
                            psopack_misfit ret_misfits[PSOPACK_MISFITS_MAX]);

/*
 * The lowest tier without misfits, or PSOPACK_TIER_NONE. For a tier above 1, `ret_first` is the
 * first misfit of the tier below it.
 */
int psopack_tier_lowest(const psopack_binding *binding, psopack_feature_level level,
                        psopack_misfit *ret_first);

#endif
