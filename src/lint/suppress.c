/* SPDX-License-Identifier: MIT */
/* Applying suppressions: whole findings, or the PSOs of a finding that a glob names. */
#include "lint/patterns.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The suppressed part of a finding: the same words, with its own PSOs. */
static psopack_finding *copy_finding(psopack_findings *findings, const psopack_finding *from,
                                     const char *reason)
{
    psopack_rule_number rule = psopack_rule_number_of(from->public.rule);
    psopack_finding *copy = psopack_findings_new(findings, rule, from->subject);
    if (!copy || psopack_finding_say(copy, "%s", from->message) != PSOPACK_OK)
        return NULL;
    copy->public.severity = from->public.severity;
    copy->public.slot = from->public.slot;
    copy->public.has_limit = from->public.has_limit;
    copy->public.measured = from->public.measured;
    copy->public.limit = from->public.limit;
    copy->public.suppressed = reason;
    return copy;
}

/* Moves the PSOs that the pattern matches into a suppressed copy; all of them: suppresses it. */
static psopack_status split(psopack_findings *findings, psopack_finding *finding,
                            psopack_pattern *pattern, const psopack_collection *collection)
{
    psopack_finding *part = NULL;
    size_t kept = 0;
    for (size_t i = 0; i < finding->public.pso_count; i++) {
        uint32_t pso = finding->psos[i];
        if (fnmatch(pattern->glob, psopack_collection_pso_name(collection, pso), 0) != 0) {
            finding->psos[kept++] = pso;
            continue;
        }
        if (!part)
            part = copy_finding(findings, finding, pattern->reason);
        PSOPACK_TRY(psopack_finding_add_pso(part, pso));
        pattern->hit = true;
    }
    finding->public.pso_count = kept;
    return PSOPACK_OK;
}

static psopack_status apply(psopack_findings *findings, size_t index, psopack_pattern *pattern,
                            const psopack_collection *collection)
{
    psopack_finding *finding = findings->items[index];
    if (finding->public.suppressed || psopack_rule_number_of(finding->public.rule) != pattern->rule)
        return PSOPACK_OK;
    if (finding->public.pso_count)
        return split(findings, finding, pattern, collection);
    if (!strcmp(pattern->glob, "*")) {
        finding->public.suppressed = pattern->reason;
        pattern->hit = true;
    }
    return PSOPACK_OK;
}

/* Findings that lost their last PSO to suppressed copies. */
static void drop_emptied(psopack_findings *findings, const uint8_t *had_psos, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < findings->count; i++) {
        psopack_finding *finding = findings->items[i];
        if (i < count && had_psos[i] && !finding->public.pso_count)
            psopack_finding_free(finding);
        else
            findings->items[kept++] = finding;
    }
    findings->count = kept;
}

static psopack_status apply_all(psopack_patterns *patterns, const psopack_collection *collection,
                                psopack_findings *findings, size_t count)
{
    for (size_t p = 0; p < patterns->count; p++) {
        for (size_t i = 0; i < count; i++)
            PSOPACK_TRY(apply(findings, i, &patterns->items[p], collection));
    }
    return PSOPACK_OK;
}

static psopack_status note_unused(psopack_findings *findings, const psopack_pattern *pattern)
{
    if (pattern->hit)
        return PSOPACK_OK;
    const char *rule = psopack_lint_rule_at(pattern->rule)->id;
    psopack_finding *finding =
        psopack_findings_new(findings, PSOPACK_RULE_SUPPRESSION_UNUSED, rule);
    return psopack_finding_say(finding, "line %llu of the suppressions has no effect: %s %s",
                               (unsigned long long)pattern->line, rule, pattern->glob);
}

psopack_status psopack_patterns_suppress(psopack_patterns *patterns,
                                         const psopack_collection *collection,
                                         psopack_findings *findings)
{
    size_t count = findings->count;
    uint8_t *had_psos = malloc(count + 1);
    if (!had_psos)
        return PSOPACK_E_NOMEM;
    for (size_t i = 0; i < count; i++)
        had_psos[i] = findings->items[i]->public.pso_count > 0;
    psopack_status status = apply_all(patterns, collection, findings, count);
    if (status == PSOPACK_OK)
        drop_emptied(findings, had_psos, count);
    free(had_psos);
    for (size_t i = 0; i < patterns->count && status == PSOPACK_OK; i++)
        status = note_unused(findings, &patterns->items[i]);
    return status;
}
