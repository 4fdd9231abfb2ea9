/* SPDX-License-Identifier: MIT */
/* The list of findings while rules write it. */
#ifndef PSOPACK_LINT_FINDINGS_H
#define PSOPACK_LINT_FINDINGS_H

#include "format/error.h"
#include "lint/rules.h"

/* A finding with the memory behind the public struct. */
typedef struct psopack_finding {
    psopack_lint_finding public;
    char *message;
    char *subject;
    uint32_t *psos;
    size_t pso_capacity;
    uint32_t order; /* of creation: the last key of the sort */
} psopack_finding;

/* Pointers to findings stay valid while the list grows. */
typedef struct psopack_findings {
    psopack_finding **items;
    size_t count;
    size_t capacity;
} psopack_findings;

/*
 * Starts a finding with the rule's severity and the subject given. NULL when memory is out. A NULL
 * finding may be passed to the calls below: they then answer NOMEM.
 */
psopack_finding *psopack_findings_new(psopack_findings *findings, psopack_rule_number rule,
                                      const char *subject);

psopack_status psopack_finding_say(psopack_finding *finding, const char *format, ...)
    PSOPACK_PRINTF(2, 3);

/* PSOs come in ascending order; the last one again adds nothing. */
psopack_status psopack_finding_add_pso(psopack_finding *finding, uint32_t pso);

static inline void psopack_finding_measure(psopack_finding *finding, uint64_t measured,
                                           uint64_t limit)
{
    finding->public.has_limit = true;
    finding->public.measured = measured;
    finding->public.limit = limit;
}

/* The order that psopack_lint_finding_at documents. */
void psopack_findings_sort(psopack_findings *findings);

/* Frees one that is in no list. */
void psopack_finding_free(psopack_finding *finding);

void psopack_findings_free(psopack_findings *findings);

#endif
