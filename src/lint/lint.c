/* SPDX-License-Identifier: MIT */
/* The lint object: options in, PSOs in, checks, results out. */
#include "lint/object.h"

#include <stdlib.h>

static psopack_status check_level(psopack_feature_level level, psopack_diag *diag)
{
    switch (level) {
    case PSOPACK_FEATURE_LEVEL_UNSET:
    case PSOPACK_FEATURE_LEVEL_11_0:
    case PSOPACK_FEATURE_LEVEL_11_1:
    case PSOPACK_FEATURE_LEVEL_12_0:
    case PSOPACK_FEATURE_LEVEL_12_1:
    case PSOPACK_FEATURE_LEVEL_12_2:
        return PSOPACK_OK;
    }
    return psopack_fail(diag, PSOPACK_E_ARGUMENT,
                        "lint: feature levels are 11.0, 11.1, 12.0, 12.1 and 12.2");
}

static psopack_status check_options(const psopack_lint_options *options, psopack_diag *diag)
{
    if (!options || options->struct_size != sizeof *options)
        return psopack_fail(diag, PSOPACK_E_ARGUMENT, "lint: options of another version");
    if (!options->fetch)
        return psopack_fail(diag, PSOPACK_E_ARGUMENT, "lint: options without a fetch callback");
    if (options->tier < 0 || options->tier > PSOPACK_TIER_MAX)
        return psopack_fail(diag, PSOPACK_E_ARGUMENT, "lint: tiers are 1, 2 and 3");
    PSOPACK_TRY(check_level(options->feature_level, diag));
    if (options->tier == PSOPACK_TIER_MAX && options->feature_level == PSOPACK_FEATURE_LEVEL_11_0)
        return psopack_fail(diag, PSOPACK_E_ARGUMENT,
                            "lint: tier 3 does not exist at feature level 11.0, only from 11.1 on");
    return PSOPACK_OK;
}

psopack_status psopack_lint_create(psopack_lint **ret_lint, const psopack_lint_options *options,
                                   psopack_diag *diag)
{
    PSOPACK_TRY(check_options(options, diag));
    psopack_lint *lint = calloc(1, sizeof *lint);
    if (!lint)
        return psopack_fail(diag, PSOPACK_E_NOMEM, "lint: out of memory");
    lint->options = *options;
    *ret_lint = lint;
    return PSOPACK_OK;
}

void psopack_lint_destroy(psopack_lint **lint)
{
    if (!lint || !*lint)
        return;
    psopack_collection_free(&(*lint)->collection);
    psopack_findings_free(&(*lint)->findings);
    psopack_patterns_free(&(*lint)->suppressions);
    psopack_patterns_free(&(*lint)->live_set);
    free((*lint)->tiers);
    free(*lint);
    *lint = NULL;
}

static psopack_status refuse_finished(const psopack_lint *lint, psopack_diag *diag)
{
    if (!lint->finished)
        return PSOPACK_OK;
    return psopack_fail(diag, PSOPACK_E_ARGUMENT, "lint: it is finished already");
}

psopack_status psopack_lint_add_suppressions(psopack_lint *lint, const char *text, size_t size,
                                             psopack_diag *diag)
{
    PSOPACK_TRY(refuse_finished(lint, diag));
    return psopack_patterns_add_suppressions(&lint->suppressions, text, size, diag);
}

psopack_status psopack_lint_add_live_set(psopack_lint *lint, const char *text, size_t size,
                                         psopack_diag *diag)
{
    PSOPACK_TRY(refuse_finished(lint, diag));
    return psopack_patterns_add_live_set(&lint->live_set, text, size, diag);
}

psopack_status psopack_lint_add_pso(psopack_lint *lint, const char *name,
                                    const psopack_lint_part *parts, size_t part_count,
                                    psopack_diag *diag)
{
    PSOPACK_TRY(refuse_finished(lint, diag));
    return psopack_collection_add(&lint->collection, &lint->options, name, parts, part_count, diag);
}

static psopack_status run_checks(psopack_lint *lint, const uint8_t *live)
{
    psopack_check check = {&lint->collection, &lint->options, &lint->findings, &lint->summary};
    PSOPACK_TRY(psopack_check_limits(&check));
    PSOPACK_TRY(psopack_check_binding(&check, live, lint->tiers));
    PSOPACK_TRY(psopack_check_sharing(&check));
    return psopack_patterns_suppress(&lint->suppressions, &lint->collection, &lint->findings);
}

static void sum_up(psopack_lint *lint)
{
    psopack_lint_summary *summary = &lint->summary;
    summary->psos = psopack_collection_pso_count(&lint->collection);
    summary->references = lint->collection.reference_count;
    summary->components = lint->collection.component_ids.count;
    summary->fetched = lint->collection.fetched;
    for (size_t i = 0; i < lint->findings.count; i++) {
        const psopack_lint_finding *finding = &lint->findings.items[i]->public;
        if (finding->suppressed)
            summary->suppressed++;
        else if (finding->severity == PSOPACK_LINT_ERROR)
            summary->errors++;
        else if (finding->severity == PSOPACK_LINT_WARNING)
            summary->warnings++;
        else
            summary->notes++;
    }
}

psopack_status psopack_lint_finish(psopack_lint *lint, psopack_diag *diag)
{
    PSOPACK_TRY(refuse_finished(lint, diag));
    lint->finished = true;
    size_t count = psopack_collection_pso_count(&lint->collection);
    lint->tiers = calloc(count + 1, sizeof *lint->tiers);
    uint8_t *live = calloc(count + 1, 1);
    if (!lint->tiers || !live) {
        free(live);
        return psopack_fail(diag, PSOPACK_E_NOMEM, "lint: out of memory");
    }
    psopack_status status = psopack_patterns_mark(&lint->live_set, &lint->collection, live, diag);
    if (status == PSOPACK_OK)
        status = psopack_collection_fetch(&lint->collection, &lint->options, diag);
    if (status == PSOPACK_OK) {
        status = run_checks(lint, live);
        if (status != PSOPACK_OK)
            status = psopack_fail(diag, status, "lint: %s", psopack_status_text(status));
    }
    free(live);
    PSOPACK_TRY(status);
    psopack_findings_sort(&lint->findings);
    sum_up(lint);
    return PSOPACK_OK;
}

size_t psopack_lint_finding_count(const psopack_lint *lint)
{
    return lint->findings.count;
}

const psopack_lint_finding *psopack_lint_finding_at(const psopack_lint *lint, size_t index)
{
    return index < lint->findings.count ? &lint->findings.items[index]->public : NULL;
}

size_t psopack_lint_pso_count(const psopack_lint *lint)
{
    return psopack_collection_pso_count(&lint->collection);
}

const char *psopack_lint_pso_name(const psopack_lint *lint, size_t index)
{
    if (index >= psopack_lint_pso_count(lint))
        return NULL;
    return psopack_collection_pso_name(&lint->collection, (uint32_t)index);
}

psopack_status psopack_lint_pso_tier_at(const psopack_lint *lint, size_t index,
                                        psopack_lint_pso_tier *ret_tier)
{
    if (!lint->tiers || index >= psopack_lint_pso_count(lint))
        return PSOPACK_E_NOT_FOUND;
    const psopack_pso_tier *from = &lint->tiers[index];
    *ret_tier = (psopack_lint_pso_tier){.tier = from->tier, .stage = ""};
    if (from->tier <= 1)
        return PSOPACK_OK;
    ret_tier->rule = psopack_lint_rule_at(from->first.rule);
    ret_tier->stage = from->first.all_stages ? "all" : psopack_stage_name(from->first.stage);
    ret_tier->has_limit = from->first.has_limit;
    ret_tier->measured = from->first.measured;
    ret_tier->limit = from->first.limit;
    return PSOPACK_OK;
}

void psopack_lint_get_summary(const psopack_lint *lint, psopack_lint_summary *ret_summary)
{
    *ret_summary = lint->summary;
}
