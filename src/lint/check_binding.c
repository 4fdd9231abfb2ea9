/* SPDX-License-Identifier: MIT */
/*
 * Rules about root signatures, PSO by PSO: can it be read, is it valid, does it fit the target.
 * Findings are per root signature and stage mask, so that they stay few.
 */
#include "lint/rootsig_set.h"

#include "lint/archive_rules.h"

#include <stdio.h>
#include <stdlib.h>
#include <xxhash.h>

typedef struct binding_check {
    const psopack_check *check;
    psopack_rootsig_set set;
    psopack_pso_tier *tiers;
    psopack_finding *foreign; /* one per archive */
    psopack_finding *uav_level;
} binding_check;

/* What findings about a root signature are about: its content, the same from build to build. */
static psopack_finding *new_finding(const binding_check *state, uint32_t index,
                                    psopack_rule_number rule)
{
    const psopack_check *check = state->check;
    const psopack_lint_component *component = &check->collection->components[index];
    char subject[48] = "root signature, too large to read";
    if (component->bytes)
        snprintf(subject, sizeof subject, "root signature %016llx",
                 (unsigned long long)XXH3_64bits(component->bytes, (size_t)component->size));
    psopack_finding *finding = psopack_findings_new(check->findings, rule, subject);
    if (finding)
        finding->public.slot = check->options->rootsig_slot;
    return finding;
}

static psopack_status report_foreign(binding_check *state, uint32_t pso, uint32_t index)
{
    const psopack_lint_component *component = &state->check->collection->components[index];
    if (!state->foreign) {
        state->foreign = psopack_findings_new(state->check->findings, PSOPACK_RULE_CONTAINER,
                                              "root signature slot");
        if (!state->foreign)
            return PSOPACK_E_NOMEM;
        state->foreign->public.slot = state->check->options->rootsig_slot;
        char magic[5] = "";
        for (size_t i = 0; i < 4 && i < component->size; i++)
            magic[i] =
                (char)(component->bytes[i] > ' ' && component->bytes[i] < 127 ? component->bytes[i]
                                                                              : '.');
        PSOPACK_TRY(psopack_finding_say(state->foreign,
                                        "slot %s holds another container (it begins with \"%s\"): "
                                        "binding tiers are not checked there",
                                        state->foreign->public.slot, magic));
    }
    return psopack_finding_add_pso(state->foreign, pso);
}

static psopack_status report_bad(binding_check *state, uint32_t pso, uint32_t component,
                                 psopack_rootsig_entry *entry)
{
    if (!entry->finding) {
        entry->finding = new_finding(state, component, PSOPACK_RULE_DAMAGED);
        if (entry->diag.offset == PSOPACK_NO_OFFSET)
            PSOPACK_TRY(psopack_finding_say(entry->finding, "%s", entry->diag.text));
        else
            PSOPACK_TRY(psopack_finding_say(
                entry->finding, "%s, at byte %llu [%s]", entry->diag.text,
                (unsigned long long)entry->diag.offset, psopack_status_name(entry->diag.code)));
    }
    return psopack_finding_add_pso(entry->finding, pso);
}

static psopack_status report_problems(binding_check *state, uint32_t pso, uint32_t component,
                                      psopack_rootsig_entry *entry)
{
    if (!entry->problems)
        return PSOPACK_OK;
    if (!entry->finding) {
        entry->finding = new_finding(state, component, PSOPACK_RULE_INVALID);
        PSOPACK_TRY(psopack_finding_say(entry->finding, "%s: D3D12 refuses such a root signature",
                                        psopack_rootsig_problem_text(entry->problems)));
    }
    return psopack_finding_add_pso(entry->finding, pso);
}

/* "14 for ps" reads better than a stage number; the words differ with what was measured. */
static psopack_status say_misfit(psopack_finding *finding, const psopack_misfit *misfit,
                                 const char *target)
{
    const psopack_lint_rule *rule = psopack_lint_rule_at(misfit->rule);
    if (misfit->rule == PSOPACK_RULE_FEATURE_LEVEL)
        return psopack_finding_say(finding, "needs tier 3, which feature level 11.0 does not have");
    if (!misfit->has_limit)
        return psopack_finding_say(finding, "%s %s has none", rule->title, target);
    if (finding)
        psopack_finding_measure(finding, misfit->measured, misfit->limit);
    const char *stage = misfit->all_stages ? "all stages" : psopack_stage_name(misfit->stage);
    return psopack_finding_say(finding, "%s %s%s%llu, %s allows %llu", rule->title,
                               *stage ? stage : "It has", *stage ? ": " : " ",
                               (unsigned long long)misfit->measured, target,
                               (unsigned long long)misfit->limit);
}

static psopack_status report_misfits(binding_check *state, uint32_t pso,
                                     psopack_binding_entry *entry)
{
    char target[16] = "every tier";
    if (state->check->options->tier)
        snprintf(target, sizeof target, "tier %d", state->check->options->tier);
    for (size_t i = 0; i < entry->misfit_count; i++) {
        if (!entry->findings[i]) {
            entry->findings[i] = new_finding(state, entry->component, entry->misfits[i].rule);
            PSOPACK_TRY(say_misfit(entry->findings[i], &entry->misfits[i], target));
        }
        PSOPACK_TRY(psopack_finding_add_pso(entry->findings[i], pso));
    }
    return PSOPACK_OK;
}

/* Tier 1 was judged at 11.1, because nobody said otherwise: tell who would miss 11.0. */
static psopack_status report_uav_level(binding_check *state, uint32_t pso,
                                       const psopack_binding_entry *entry)
{
    psopack_misfit misfits[PSOPACK_MISFITS_MAX];
    if (state->check->options->feature_level != PSOPACK_FEATURE_LEVEL_UNSET ||
        entry->tier.tier != 1 ||
        !psopack_tier_misfits(&entry->binding, 1, PSOPACK_FEATURE_LEVEL_11_0, misfits))
        return PSOPACK_OK;
    if (!state->uav_level) {
        state->uav_level =
            psopack_findings_new(state->check->findings, PSOPACK_RULE_UAV_LEVEL, "tier 1");
        PSOPACK_TRY(psopack_finding_say(state->uav_level,
                                        "more than %llu UAVs across stages: tier 1 from feature "
                                        "level 11.1 on, tier 2 at 11.0",
                                        (unsigned long long)misfits[0].limit));
    }
    return psopack_finding_add_pso(state->uav_level, pso);
}

static psopack_status check_pso(binding_check *state, uint32_t pso, bool live)
{
    const psopack_collection *collection = state->check->collection;
    uint32_t component = psopack_collection_find(collection, pso, PSOPACK_ROLE_ROOTSIG);
    if (component == PSOPACK_NO_INDEX)
        return PSOPACK_OK;
    psopack_rootsig_entry *entry;
    PSOPACK_TRY(psopack_rootsig_set_entry(&state->set, collection, component, &entry));
    if (entry->state == PSOPACK_ROOTSIG_FOREIGN)
        return report_foreign(state, pso, component);
    if (entry->state == PSOPACK_ROOTSIG_BAD)
        return report_bad(state, pso, component, entry);
    entry->live |= live;
    PSOPACK_TRY(report_problems(state, pso, component, entry));
    psopack_binding_entry *binding;
    PSOPACK_TRY(psopack_rootsig_set_binding(&state->set, component, collection->psos[pso].stages,
                                            state->check->options, &binding));
    state->tiers[pso] = binding->tier;
    PSOPACK_TRY(report_misfits(state, pso, binding));
    return report_uav_level(state, pso, binding);
}

static psopack_status check_psos(binding_check *state, const uint8_t *live)
{
    for (uint32_t pso = 0; pso < psopack_collection_pso_count(state->check->collection); pso++) {
        state->tiers[pso] = (psopack_pso_tier){.tier = PSOPACK_TIER_UNKNOWN};
        PSOPACK_TRY(check_pso(state, pso, live[pso]));
        state->check->summary->psos_by_tier[state->tiers[pso].tier]++;
    }
    return PSOPACK_OK;
}

psopack_status psopack_check_binding(const psopack_check *check, const uint8_t *live,
                                     psopack_pso_tier *ret_tiers)
{
    binding_check state = {.check = check, .tiers = ret_tiers};
    psopack_status status = psopack_rootsig_set_init(&state.set, check->collection);
    if (status == PSOPACK_OK)
        status = check_psos(&state, live);
    if (status == PSOPACK_OK)
        status = psopack_check_archive(check, &state.set, live);
    psopack_rootsig_set_free(&state.set);
    return status;
}
