/* SPDX-License-Identifier: MIT */
/* The rules by number, in the order of reports. */
#ifndef PSOPACK_LINT_RULES_H
#define PSOPACK_LINT_RULES_H

#include <psopack/lint.h>

typedef enum psopack_rule_number {
    PSOPACK_RULE_LIMITS_SIZE = 0,
    PSOPACK_RULE_LATE_ALLOC,
    PSOPACK_RULE_LATE_ALLOC_MASKED,
    PSOPACK_RULE_STAGE_OFF,
    PSOPACK_RULE_CU_LOCKING,
    PSOPACK_RULE_LIMITS_DIFFER,
    PSOPACK_RULE_DAMAGED,
    PSOPACK_RULE_INVALID,
    PSOPACK_RULE_CONTAINER,
    PSOPACK_RULE_FEATURE_LEVEL,
    PSOPACK_RULE_HEAP,
    PSOPACK_RULE_CBV,
    PSOPACK_RULE_SRV,
    PSOPACK_RULE_UAV,
    PSOPACK_RULE_SAMPLER,
    PSOPACK_RULE_SAMPLER_HEAP,
    PSOPACK_RULE_UNBOUNDED_CBV, /* these four in the order in which tiers check them */
    PSOPACK_RULE_UNBOUNDED_SRV,
    PSOPACK_RULE_UNBOUNDED_UAV,
    PSOPACK_RULE_UNBOUNDED_SAMPLER,
    PSOPACK_RULE_UAV_LEVEL,
    PSOPACK_RULE_STATIC_SAMPLERS,
    PSOPACK_RULE_TABLE_FILL,
    PSOPACK_RULE_SHARE_METADATA,
    PSOPACK_RULE_SHARE_STATE,
    PSOPACK_RULE_SHARE_ONCE,
    PSOPACK_RULE_SUPPRESSION_UNUSED,
    PSOPACK_RULE_COUNT
} psopack_rule_number;

/* The number of the rule with that id, PSOPACK_RULE_COUNT when there is none. */
psopack_rule_number psopack_rule_find(const char *id, size_t size);

/* The number of a rule that came from psopack_lint_rule_at. */
psopack_rule_number psopack_rule_number_of(const psopack_lint_rule *rule);

#endif
