/* SPDX-License-Identifier: MIT */
/*
 * Limits that no single PSO shows: unique static samplers over live root signatures, and how many
 * descriptors the longest tables ask to fill.
 */
#include "lint/archive_rules.h"

#include <stdlib.h>

static psopack_rootsig_entry *entry_of(const psopack_check *check, const psopack_rootsig_set *set,
                                       uint32_t pso)
{
    uint32_t component = psopack_collection_find(check->collection, pso, PSOPACK_ROLE_ROOTSIG);
    psopack_rootsig_entry *entry = component == PSOPACK_NO_INDEX ? NULL : set->entries[component];
    return entry && entry->state == PSOPACK_ROOTSIG_READ ? entry : NULL;
}

static psopack_status add_samplers(psopack_interner *states, const psopack_rootsig *rootsig)
{
    uint32_t number;
    for (size_t i = 0; i < rootsig->sampler_count; i++)
        PSOPACK_TRY(psopack_intern(states, rootsig->samplers[i].state,
                                   sizeof rootsig->samplers[i].state, &number));
    return PSOPACK_OK;
}

/* Counts PSO by PSO; those whose samplers come past the limit are the finding's. */
static psopack_status count_samplers(const psopack_check *check, const psopack_rootsig_set *set,
                                     const uint8_t *live, psopack_interner *states,
                                     psopack_finding **finding)
{
    for (uint32_t pso = 0; pso < psopack_collection_pso_count(check->collection); pso++) {
        psopack_rootsig_entry *entry = live[pso] ? entry_of(check, set, pso) : NULL;
        if (!entry)
            continue;
        uint32_t before = states->count;
        PSOPACK_TRY(add_samplers(states, &entry->rootsig));
        if (states->count == before || states->count <= PSOPACK_STATIC_SAMPLERS_MAX)
            continue;
        if (!*finding)
            *finding = psopack_findings_new(check->findings, PSOPACK_RULE_STATIC_SAMPLERS,
                                            "static samplers");
        PSOPACK_TRY(psopack_finding_add_pso(*finding, pso));
    }
    return PSOPACK_OK;
}

static void count_root_signatures(psopack_lint_summary *summary, const psopack_rootsig_set *set)
{
    for (size_t i = 0; i < set->component_count; i++) {
        const psopack_rootsig_entry *entry = set->entries[i];
        if (!entry || entry->state != PSOPACK_ROOTSIG_READ)
            continue;
        summary->root_signatures++;
        summary->live_root_signatures += entry->live;
    }
}

static psopack_status check_samplers(const psopack_check *check, const psopack_rootsig_set *set,
                                     const uint8_t *live)
{
    psopack_interner states = {0};
    psopack_finding *finding = NULL;
    psopack_status status = count_samplers(check, set, live, &states, &finding);
    check->summary->static_samplers = states.count;
    if (status == PSOPACK_OK && finding) {
        psopack_finding_measure(finding, states.count, PSOPACK_STATIC_SAMPLERS_MAX);
        status = psopack_finding_say(
            finding, "%u unique static samplers over %llu live root signatures, %u allowed",
            (unsigned)states.count, (unsigned long long)check->summary->live_root_signatures,
            PSOPACK_STATIC_SAMPLERS_MAX);
    }
    psopack_interner_free(&states);
    return status;
}

/* The component with the longest table of CBVs, SRVs and UAVs, or of samplers. */
static psopack_longest_table find_longest(const psopack_rootsig_set *set, bool samplers,
                                          uint32_t *ret_component)
{
    psopack_longest_table longest = {0, false};
    *ret_component = PSOPACK_NO_INDEX;
    for (uint32_t i = 0; i < set->component_count; i++) {
        const psopack_rootsig_entry *entry = set->entries[i];
        if (!entry || entry->state != PSOPACK_ROOTSIG_READ)
            continue;
        psopack_longest_table table = psopack_binding_longest(&entry->rootsig, samplers);
        if (table.descriptors > longest.descriptors ||
            (table.unbounded && !longest.unbounded && table.descriptors == longest.descriptors)) {
            longest = table;
            *ret_component = i;
        }
    }
    return longest;
}

static psopack_status advise_fill(const psopack_check *check, const psopack_rootsig_set *set,
                                  bool samplers)
{
    uint32_t component;
    psopack_longest_table longest = find_longest(set, samplers, &component);
    if (component == PSOPACK_NO_INDEX)
        return PSOPACK_OK;
    psopack_finding *finding =
        psopack_findings_new(check->findings, PSOPACK_RULE_TABLE_FILL,
                             samplers ? "longest sampler table" : "longest CBV/SRV/UAV table");
    if (!finding)
        return PSOPACK_E_NOMEM;
    finding->public.slot = check->options->rootsig_slot;
    for (uint32_t pso = 0; pso < psopack_collection_pso_count(check->collection); pso++) {
        if (psopack_collection_find(check->collection, pso, PSOPACK_ROLE_ROOTSIG) == component)
            PSOPACK_TRY(psopack_finding_add_pso(finding, pso));
    }
    return psopack_finding_say(
        finding,
        "the longest %s table declares %llu descriptors%s: %s need all of them filled, "
        "with null descriptors where the shader uses none",
        samplers ? "sampler" : "CBV/SRV/UAV", (unsigned long long)longest.descriptors,
        longest.unbounded ? " and an unbounded range" : "",
        samplers ? "tier 1 devices" : "tier 1 devices (and tier 2, for CBVs and UAVs)");
}

psopack_status psopack_check_archive(const psopack_check *check, const psopack_rootsig_set *set,
                                     const uint8_t *live)
{
    count_root_signatures(check->summary, set);
    PSOPACK_TRY(check_samplers(check, set, live));
    PSOPACK_TRY(advise_fill(check, set, false));
    return advise_fill(check, set, true);
}
