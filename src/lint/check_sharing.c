/* SPDX-License-Identifier: MIT */
/*
 * Advice on sharing: equal instructions with different metadata, and components that occur once.
 * One finding per slot with totals; near-duplicate states have a file of their own.
 */
#include "lint/checks.h"
#include "lint/near_states.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What one instructions component comes with. */
typedef struct partner_row {
    uint32_t partners; /* distinct metadata components */
    uint32_t slot;
} partner_row;

typedef struct sharing_check {
    const psopack_check *check;
    psopack_interner pairs; /* (instructions, metadata) */
    partner_row *rows;      /* by component */
    uint64_t *extra_bytes;  /* by slot: bytes of second and further metadata */
} sharing_check;

/* The metadata that belongs to an instructions slot: same stage, in the same PSO. */
static uint32_t metadata_of(const psopack_collection *collection, const psopack_lint_pso *pso,
                            psopack_stage stage)
{
    const psopack_lint_reference *references = collection->references + pso->first_reference;
    for (uint32_t i = 0; i < pso->reference_count; i++) {
        const psopack_lint_slot *slot = &collection->slots[references[i].slot];
        if (slot->roles & PSOPACK_ROLE_METADATA && slot->stage == stage)
            return references[i].component;
    }
    return PSOPACK_NO_INDEX;
}

static psopack_status note_pair(sharing_check *state, const psopack_lint_reference *instructions,
                                uint32_t metadata)
{
    partner_row *row = &state->rows[instructions->component];
    uint32_t pair[2] = {instructions->component, metadata};
    uint32_t known = state->pairs.count;
    uint32_t number;
    PSOPACK_TRY(psopack_intern(&state->pairs, pair, sizeof pair, &number));
    if (number < known)
        return PSOPACK_OK;
    if (row->partners)
        state->extra_bytes[row->slot] += state->check->collection->components[metadata].size;
    else
        row->slot = instructions->slot;
    row->partners++;
    return PSOPACK_OK;
}

static psopack_status note_pso(sharing_check *state, const psopack_lint_pso *pso)
{
    const psopack_collection *collection = state->check->collection;
    const psopack_lint_reference *references = collection->references + pso->first_reference;
    for (uint32_t i = 0; i < pso->reference_count; i++) {
        const psopack_lint_slot *slot = &collection->slots[references[i].slot];
        if (!(slot->roles & PSOPACK_ROLE_INSTRUCTIONS) || slot->stage == PSOPACK_STAGE_NONE)
            continue;
        uint32_t metadata = metadata_of(collection, pso, slot->stage);
        if (metadata != PSOPACK_NO_INDEX)
            PSOPACK_TRY(note_pair(state, &references[i], metadata));
    }
    return PSOPACK_OK;
}

/* Adds the PSOs that use the component. */
static psopack_status add_users(const psopack_check *check, psopack_finding *finding,
                                uint32_t component)
{
    const psopack_collection *collection = check->collection;
    for (uint32_t pso = 0; pso < psopack_collection_pso_count(collection); pso++) {
        const psopack_lint_pso *row = &collection->psos[pso];
        for (uint32_t i = 0; i < row->reference_count; i++) {
            if (collection->references[row->first_reference + i].component == component)
                PSOPACK_TRY(psopack_finding_add_pso(finding, pso));
        }
    }
    return PSOPACK_OK;
}

static psopack_status report_metadata(const sharing_check *state, uint32_t slot)
{
    const psopack_collection *collection = state->check->collection;
    uint32_t several = 0;
    uint32_t extra = 0;
    uint32_t worst = PSOPACK_NO_INDEX;
    for (uint32_t i = 0; i < collection->component_ids.count; i++) {
        const partner_row *row = &state->rows[i];
        if (row->partners < 2 || row->slot != slot)
            continue;
        several++;
        extra += row->partners - 1;
        if (worst == PSOPACK_NO_INDEX || row->partners > state->rows[worst].partners)
            worst = i;
    }
    if (!several)
        return PSOPACK_OK;
    const char *name = psopack_collection_slot_name(collection, slot);
    psopack_finding *finding =
        psopack_findings_new(state->check->findings, PSOPACK_RULE_SHARE_METADATA, name);
    if (!finding)
        return PSOPACK_E_NOMEM;
    finding->public.slot = name;
    psopack_finding_measure(finding, state->rows[worst].partners, 1);
    PSOPACK_TRY(add_users(state->check, finding, worst));
    return psopack_finding_say(finding,
                               "%u components of %s come with 2 or more metadata: %u further "
                               "components, %llu bytes before compression; the PSOs of the one "
                               "with most (%u)",
                               (unsigned)several, name, (unsigned)extra,
                               (unsigned long long)state->extra_bytes[slot],
                               (unsigned)state->rows[worst].partners);
}

typedef struct once_row {
    uint64_t components;
    uint64_t bytes;
    uint64_t all_components;
    uint64_t all_bytes;
} once_row;

static psopack_status report_once(const psopack_check *check, uint32_t slot, const once_row *row)
{
    if (!row->components)
        return PSOPACK_OK;
    const char *name = psopack_collection_slot_name(check->collection, slot);
    psopack_finding *finding = psopack_findings_new(check->findings, PSOPACK_RULE_SHARE_ONCE, name);
    if (!finding)
        return PSOPACK_E_NOMEM;
    finding->public.slot = name;
    return psopack_finding_say(
        finding, "%llu of %llu components of %s occur once: %llu of %llu bytes before compression",
        (unsigned long long)row->components, (unsigned long long)row->all_components, name,
        (unsigned long long)row->bytes, (unsigned long long)row->all_bytes);
}

static psopack_status check_once(const psopack_check *check)
{
    const psopack_collection *collection = check->collection;
    once_row *rows = calloc((size_t)collection->slot_names.count + 1, sizeof *rows);
    if (!rows)
        return PSOPACK_E_NOMEM;
    for (uint32_t i = 0; i < collection->component_ids.count; i++) {
        const psopack_lint_component *component = &collection->components[i];
        once_row *row = &rows[component->slot];
        row->all_components++;
        row->all_bytes += component->size;
        row->components += component->uses == 1;
        row->bytes += component->uses == 1 ? component->size : 0;
    }
    psopack_status status = PSOPACK_OK;
    for (uint32_t slot = 0; slot < collection->slot_names.count && status == PSOPACK_OK; slot++)
        status = report_once(check, slot, &rows[slot]);
    free(rows);
    return status;
}

static psopack_status check_metadata(sharing_check *state)
{
    const psopack_collection *collection = state->check->collection;
    for (uint32_t pso = 0; pso < psopack_collection_pso_count(collection); pso++)
        PSOPACK_TRY(note_pso(state, &collection->psos[pso]));
    for (uint32_t slot = 0; slot < collection->slot_names.count; slot++)
        PSOPACK_TRY(report_metadata(state, slot));
    return PSOPACK_OK;
}

psopack_status psopack_check_sharing(const psopack_check *check)
{
    const psopack_collection *collection = check->collection;
    sharing_check state = {.check = check};
    state.rows = calloc((size_t)collection->component_ids.count + 1, sizeof *state.rows);
    state.extra_bytes = calloc((size_t)collection->slot_names.count + 1, sizeof *state.extra_bytes);
    psopack_status status = PSOPACK_E_NOMEM;
    if (state.rows && state.extra_bytes)
        status = check_metadata(&state);
    psopack_interner_free(&state.pairs);
    free(state.rows);
    free(state.extra_bytes);
    PSOPACK_TRY(status);
    PSOPACK_TRY(psopack_check_near_states(check));
    return check_once(check);
}
