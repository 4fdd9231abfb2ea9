/* SPDX-License-Identifier: MIT */
/*
 * Rule limits-differ: PSOs that share all their shader instructions but not their limits. Such PSOs
 * keep apart state that could be one component.
 */
#include "lint/checks.h"
#include "lint/grow.h"

#include <stdlib.h>

typedef struct instructions_group {
    uint32_t psos;   /* that have limits */
    uint32_t values; /* distinct limits among them */
} instructions_group;

typedef struct differ_state {
    const psopack_check *check;
    const uint32_t *value_of;
    psopack_interner keys;  /* (slot, component) pairs of the instructions of a PSO */
    psopack_interner pairs; /* (group, value) */
    instructions_group *groups;
    size_t group_capacity;
    uint32_t *group_of; /* by PSO, or PSOPACK_NO_INDEX */
    psopack_lint_reference *key;
    size_t key_capacity;
} differ_state;

/* Collects the PSO's instructions into `state->key`. */
static psopack_status collect_key(differ_state *state, uint32_t pso, size_t *ret_count)
{
    const psopack_collection *collection = state->check->collection;
    const psopack_lint_pso *row = &collection->psos[pso];
    const psopack_lint_reference *references = collection->references + row->first_reference;
    psopack_lint_reference *key =
        psopack_lint_grow(state->key, &state->key_capacity, row->reference_count, sizeof *key);
    if (!key)
        return PSOPACK_E_NOMEM;
    state->key = key;
    *ret_count = 0;
    for (uint32_t i = 0; i < row->reference_count; i++) {
        if (collection->slots[references[i].slot].roles & PSOPACK_ROLE_INSTRUCTIONS)
            key[(*ret_count)++] = references[i];
    }
    return PSOPACK_OK;
}

static psopack_status add_to_group(differ_state *state, uint32_t pso, size_t key_count)
{
    uint32_t known = state->keys.count;
    instructions_group *groups =
        psopack_lint_grow(state->groups, &state->group_capacity, (size_t)known + 1, sizeof *groups);
    if (!groups)
        return PSOPACK_E_NOMEM;
    state->groups = groups;
    uint32_t *group = &state->group_of[pso];
    PSOPACK_TRY(psopack_intern(&state->keys, state->key, key_count * sizeof *state->key, group));
    if (*group == known)
        groups[known] = (instructions_group){0};
    uint32_t pair[2] = {*group, state->value_of[pso]};
    uint32_t number;
    uint32_t known_pairs = state->pairs.count;
    PSOPACK_TRY(psopack_intern(&state->pairs, pair, sizeof pair, &number));
    groups[*group].values += number == known_pairs;
    groups[*group].psos++;
    return PSOPACK_OK;
}

static psopack_status group_psos(differ_state *state)
{
    for (uint32_t pso = 0; pso < psopack_collection_pso_count(state->check->collection); pso++) {
        state->group_of[pso] = PSOPACK_NO_INDEX;
        if (state->value_of[pso] == PSOPACK_NO_INDEX)
            continue;
        size_t count;
        PSOPACK_TRY(collect_key(state, pso, &count));
        if (count)
            PSOPACK_TRY(add_to_group(state, pso, count));
    }
    return PSOPACK_OK;
}

static psopack_status report(const differ_state *state)
{
    uint32_t groups = 0;
    uint32_t most = 1;
    for (uint32_t i = 0; i < state->keys.count; i++) {
        groups += state->groups[i].values > 1;
        if (state->groups[i].values > most)
            most = state->groups[i].values;
    }
    if (!groups)
        return PSOPACK_OK;
    psopack_finding *finding =
        psopack_findings_new(state->check->findings, PSOPACK_RULE_LIMITS_DIFFER, "limits");
    if (!finding)
        return PSOPACK_E_NOMEM;
    psopack_finding_measure(finding, most, 1);
    for (uint32_t pso = 0; pso < psopack_collection_pso_count(state->check->collection); pso++) {
        uint32_t group = state->group_of[pso];
        if (group != PSOPACK_NO_INDEX && state->groups[group].values > 1)
            PSOPACK_TRY(psopack_finding_add_pso(finding, pso));
    }
    return psopack_finding_say(finding,
                               "%u sets of shader instructions are used with more than one value "
                               "of shader limits (up to %u values), by %zu PSOs",
                               (unsigned)groups, (unsigned)most, finding->public.pso_count);
}

psopack_status psopack_check_limits_differ(const psopack_check *check, const uint32_t *value_of)
{
    size_t count = psopack_collection_pso_count(check->collection);
    differ_state state = {.check = check, .value_of = value_of};
    psopack_status status = PSOPACK_E_NOMEM;
    state.group_of = calloc(count + 1, sizeof *state.group_of);
    if (state.group_of)
        status = group_psos(&state);
    if (status == PSOPACK_OK)
        status = report(&state);
    psopack_interner_free(&state.keys);
    psopack_interner_free(&state.pairs);
    free(state.groups);
    free(state.group_of);
    free(state.key);
    return status;
}
