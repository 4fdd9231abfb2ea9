/* SPDX-License-Identifier: MIT */
/* Decoding and counting root signatures once, however many PSOs use them. */
#include "lint/rootsig_set.h"

#include "lint/dxbc.h"
#include "lint/grow.h"

#include <stdlib.h>

psopack_status psopack_rootsig_set_init(psopack_rootsig_set *set,
                                        const psopack_collection *collection)
{
    *set = (psopack_rootsig_set){.component_count = collection->component_ids.count};
    set->entries = calloc(set->component_count + 1, sizeof *set->entries);
    return set->entries ? PSOPACK_OK : PSOPACK_E_NOMEM;
}

static psopack_status decode(const psopack_lint_component *component, psopack_rootsig_entry *entry)
{
    if (!component->bytes) {
        (void)psopack_fail(
            &entry->diag, PSOPACK_E_LIMIT, "root signature: %llu bytes, psopack reads up to %llu",
            (unsigned long long)component->size, (unsigned long long)PSOPACK_LINT_FETCH_MAX);
        entry->state = PSOPACK_ROOTSIG_BAD;
        return PSOPACK_OK;
    }
    size_t size = (size_t)component->size;
    if (!psopack_dxbc_is(component->bytes, size)) {
        entry->state = PSOPACK_ROOTSIG_FOREIGN;
        return PSOPACK_OK;
    }
    psopack_status status =
        psopack_rootsig_parse(component->bytes, size, &entry->rootsig, &entry->diag);
    if (status == PSOPACK_E_NOMEM)
        return status;
    entry->state = status == PSOPACK_OK ? PSOPACK_ROOTSIG_READ : PSOPACK_ROOTSIG_BAD;
    if (status != PSOPACK_OK)
        return PSOPACK_OK;
    return psopack_rootsig_problems(&entry->rootsig, &entry->problems);
}

psopack_status psopack_rootsig_set_entry(psopack_rootsig_set *set,
                                         const psopack_collection *collection, uint32_t component,
                                         psopack_rootsig_entry **ret_entry)
{
    psopack_rootsig_entry **entry = &set->entries[component];
    if (!*entry) {
        *entry = calloc(1, sizeof **entry);
        if (!*entry)
            return PSOPACK_E_NOMEM;
        PSOPACK_TRY(decode(&collection->components[component], *entry));
    }
    *ret_entry = *entry;
    return PSOPACK_OK;
}

/* Against the target; without one only what no tier allows is a misfit. */
static void judge(psopack_binding_entry *entry, const psopack_lint_options *options)
{
    psopack_feature_level level = options->feature_level;
    entry->tier.tier = psopack_tier_lowest(&entry->binding, level, &entry->tier.first);
    int target = options->tier ? options->tier : PSOPACK_TIER_MAX;
    if (entry->tier.tier > target)
        entry->misfit_count = psopack_tier_misfits(&entry->binding, target, level, entry->misfits);
}

psopack_status psopack_rootsig_set_binding(psopack_rootsig_set *set, uint32_t component,
                                           uint32_t stages, const psopack_lint_options *options,
                                           psopack_binding_entry **ret_binding)
{
    uint32_t key[2] = {component, stages};
    uint32_t known = set->keys.count;
    uint32_t number;
    psopack_binding_entry *bindings = psopack_lint_grow(set->bindings, &set->binding_capacity,
                                                        (size_t)known + 1, sizeof *bindings);
    if (!bindings)
        return PSOPACK_E_NOMEM;
    set->bindings = bindings;
    PSOPACK_TRY(psopack_intern(&set->keys, key, sizeof key, &number));
    psopack_binding_entry *entry = &bindings[number];
    if (number == known) {
        *entry = (psopack_binding_entry){.component = component, .stages = stages};
        PSOPACK_TRY(
            psopack_binding_count(&set->entries[component]->rootsig, stages, &entry->binding));
        judge(entry, options);
    }
    *ret_binding = entry;
    return PSOPACK_OK;
}

void psopack_rootsig_set_free(psopack_rootsig_set *set)
{
    for (size_t i = 0; i < set->component_count && set->entries; i++) {
        if (set->entries[i])
            psopack_rootsig_free(&set->entries[i]->rootsig);
        free(set->entries[i]);
    }
    free(set->entries);
    free(set->bindings);
    psopack_interner_free(&set->keys);
    *set = (psopack_rootsig_set){0};
}
