/* SPDX-License-Identifier: MIT */
/* What a psopack_lint holds. */
#ifndef PSOPACK_LINT_OBJECT_H
#define PSOPACK_LINT_OBJECT_H

#include "lint/patterns.h"

struct psopack_lint {
    psopack_lint_options options;
    psopack_collection collection;
    psopack_patterns suppressions;
    psopack_patterns live_set;
    psopack_findings findings;
    psopack_pso_tier *tiers; /* by PSO; NULL before psopack_lint_finish */
    psopack_lint_summary summary;
    bool finished;
};

#endif
