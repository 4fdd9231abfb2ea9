/* SPDX-License-Identifier: MIT */
/* Recording PSOs, and fetching the few components whose bytes matter. */
#include "lint/collection.h"

#include "format/error.h"
#include "lint/grow.h"

#include <stdlib.h>
#include <string.h>

static psopack_status out_of_memory(psopack_diag *diag)
{
    return psopack_fail(diag, PSOPACK_E_NOMEM, "lint: out of memory");
}

static bool same(const char *name, const char *wanted)
{
    return wanted && !strcmp(name, wanted);
}

static bool ends_with(const char *name, const char *end)
{
    size_t size = strlen(name);
    return size > strlen(end) && !strcmp(name + size - strlen(end), end);
}

static psopack_lint_slot describe_slot(const char *name, const psopack_lint_options *options)
{
    psopack_lint_slot slot = {psopack_stage_of_slot(name), 0};
    if (ends_with(name, ".instructions"))
        slot.roles |= PSOPACK_ROLE_INSTRUCTIONS;
    if (ends_with(name, ".metadata"))
        slot.roles |= PSOPACK_ROLE_METADATA;
    if (same(name, options->rootsig_slot))
        slot.roles |= PSOPACK_ROLE_ROOTSIG;
    if (same(name, options->state_slot))
        slot.roles |= PSOPACK_ROLE_STATE;
    if (same(name, options->limits_slot))
        slot.roles |= PSOPACK_ROLE_LIMITS;
    if (same(name, options->limits_at_slot))
        slot.roles |= PSOPACK_ROLE_LIMITS_AT;
    return slot;
}

static psopack_status slot_index(psopack_collection *collection,
                                 const psopack_lint_options *options, const char *name,
                                 uint32_t *ret_slot)
{
    uint32_t known = collection->slot_names.count;
    psopack_lint_slot *slots = psopack_lint_grow(collection->slots, &collection->slot_capacity,
                                                 (size_t)known + 1, sizeof *slots);
    if (!slots)
        return PSOPACK_E_NOMEM;
    collection->slots = slots;
    PSOPACK_TRY(psopack_intern(&collection->slot_names, name, strlen(name) + 1, ret_slot));
    if (*ret_slot == known)
        slots[known] = describe_slot(name, options);
    return PSOPACK_OK;
}

static psopack_status component_index(psopack_collection *collection, const psopack_lint_part *part,
                                      uint32_t *ret_component)
{
    uint32_t known = collection->component_ids.count;
    psopack_lint_component *components =
        psopack_lint_grow(collection->components, &collection->component_capacity,
                          (size_t)known + 1, sizeof *components);
    if (!components)
        return PSOPACK_E_NOMEM;
    collection->components = components;
    PSOPACK_TRY(psopack_intern(&collection->component_ids, &part->component, sizeof part->component,
                               ret_component));
    if (*ret_component == known)
        components[known] = (psopack_lint_component){.id = part->component,
                                                     .size = part->size,
                                                     .slot = PSOPACK_NO_INDEX,
                                                     .pso = PSOPACK_NO_INDEX};
    return PSOPACK_OK;
}

static psopack_status add_part(psopack_collection *collection, const psopack_lint_options *options,
                               uint32_t pso, const psopack_lint_part *part, psopack_diag *diag)
{
    psopack_lint_reference *reference = &collection->references[collection->reference_count];
    psopack_status status = slot_index(collection, options, part->slot, &reference->slot);
    if (status == PSOPACK_OK)
        status = component_index(collection, part, &reference->component);
    if (status != PSOPACK_OK)
        return psopack_fail(diag, status, "lint: %s", psopack_status_text(status));
    psopack_lint_component *component = &collection->components[reference->component];
    if (component->size != part->size)
        return psopack_fail_at(diag, PSOPACK_E_ARGUMENT, PSOPACK_OBJECT_COMPONENT, part->component,
                               PSOPACK_NO_OFFSET, "lint: component %llu has two sizes",
                               (unsigned long long)part->component);
    if (!component->uses) {
        component->slot = reference->slot;
        component->pso = pso;
    }
    component->uses++;
    component->roles |= collection->slots[reference->slot].roles;
    collection->reference_count++;
    return PSOPACK_OK;
}

static int by_slot(const void *left, const void *right)
{
    uint32_t a = ((const psopack_lint_reference *)left)->slot;
    uint32_t b = ((const psopack_lint_reference *)right)->slot;
    return (a > b) - (a < b);
}

/* Sorts the PSO's references by slot and works out its stages. */
static psopack_status close_pso(psopack_collection *collection, psopack_lint_pso *pso,
                                const char *name, psopack_diag *diag)
{
    psopack_lint_reference *references = collection->references + pso->first_reference;
    uint32_t named_stages = 0;
    if (pso->reference_count)
        qsort(references, pso->reference_count, sizeof *references, by_slot);
    for (uint32_t i = 0; i < pso->reference_count; i++) {
        uint32_t slot = references[i].slot;
        if (i && references[i - 1].slot == slot)
            return psopack_fail(diag, PSOPACK_E_DUPLICATE, "lint: PSO '%s' has slot '%s' twice",
                                name, psopack_collection_slot_name(collection, slot));
        if (collection->slots[slot].stage != PSOPACK_STAGE_NONE)
            named_stages |= UINT32_C(1) << collection->slots[slot].stage;
    }
    pso->stages = psopack_stages_complete(named_stages);
    return PSOPACK_OK;
}

static psopack_status reserve(psopack_collection *collection, size_t part_count)
{
    psopack_lint_pso *psos =
        psopack_lint_grow(collection->psos, &collection->pso_capacity,
                          (size_t)collection->pso_names.count + 1, sizeof *psos);
    if (!psos)
        return PSOPACK_E_NOMEM;
    collection->psos = psos;
    psopack_lint_reference *references =
        psopack_lint_grow(collection->references, &collection->reference_capacity,
                          collection->reference_count + part_count, sizeof *references);
    if (!references)
        return PSOPACK_E_NOMEM;
    collection->references = references;
    return PSOPACK_OK;
}

psopack_status psopack_collection_add(psopack_collection *collection,
                                      const psopack_lint_options *options, const char *name,
                                      const psopack_lint_part *parts, size_t part_count,
                                      psopack_diag *diag)
{
    uint32_t known = collection->pso_names.count;
    uint32_t index;
    psopack_status status = reserve(collection, part_count);
    if (status == PSOPACK_OK)
        status = psopack_intern(&collection->pso_names, name, strlen(name) + 1, &index);
    if (status != PSOPACK_OK)
        return psopack_fail(diag, status, "lint: %s", psopack_status_text(status));
    if (index < known)
        return psopack_fail(diag, PSOPACK_E_DUPLICATE, "lint: PSO '%s' was added before", name);
    psopack_lint_pso *pso = &collection->psos[index];
    *pso = (psopack_lint_pso){collection->reference_count, (uint32_t)part_count, 0};
    for (size_t i = 0; i < part_count; i++)
        PSOPACK_TRY(add_part(collection, options, index, &parts[i], diag));
    return close_pso(collection, pso, name, diag);
}

/* Limits blobs of another size, and components too large for any rule, are judged unseen. */
static bool wants_bytes(const psopack_lint_component *component)
{
    uint32_t reading = PSOPACK_ROLE_ROOTSIG | PSOPACK_ROLE_STATE | PSOPACK_ROLE_LIMITS_AT;
    if (component->size > PSOPACK_LINT_FETCH_MAX)
        return false;
    if (component->roles & reading)
        return true;
    return component->roles & PSOPACK_ROLE_LIMITS && component->size == PSOPACK_LIMITS_SIZE;
}

static int by_id(const void *left, const void *right)
{
    uint64_t a = (*(psopack_lint_component *const *)left)->id;
    uint64_t b = (*(psopack_lint_component *const *)right)->id;
    return (a > b) - (a < b);
}

static psopack_status fetch_one(psopack_collection *collection, const psopack_lint_options *options,
                                psopack_lint_component *component, psopack_diag *diag)
{
    size_t size = (size_t)component->size;
    component->bytes = malloc(size ? size : 1);
    if (!component->bytes)
        return out_of_memory(diag);
    collection->fetched++;
    return options->fetch(options->fetch_context, component->id, component->bytes, size, diag);
}

psopack_status psopack_collection_fetch(psopack_collection *collection,
                                        const psopack_lint_options *options, psopack_diag *diag)
{
    size_t count = 0;
    uint32_t all = collection->component_ids.count;
    psopack_lint_component **wanted = malloc(((size_t)all + 1) * sizeof *wanted);
    if (!wanted)
        return out_of_memory(diag);
    for (uint32_t i = 0; i < all; i++) {
        if (wants_bytes(&collection->components[i]))
            wanted[count++] = &collection->components[i];
    }
    qsort(wanted, count, sizeof *wanted, by_id);
    psopack_status status = PSOPACK_OK;
    for (size_t i = 0; i < count && status == PSOPACK_OK; i++)
        status = fetch_one(collection, options, wanted[i], diag);
    free(wanted);
    return status;
}

uint32_t psopack_collection_find(const psopack_collection *collection, uint32_t pso, uint32_t roles)
{
    const psopack_lint_pso *row = &collection->psos[pso];
    const psopack_lint_reference *references = collection->references + row->first_reference;
    for (uint32_t i = 0; i < row->reference_count; i++) {
        if (collection->slots[references[i].slot].roles & roles)
            return references[i].component;
    }
    return PSOPACK_NO_INDEX;
}

void psopack_collection_free(psopack_collection *collection)
{
    for (uint32_t i = 0; i < collection->component_ids.count && collection->components; i++)
        free(collection->components[i].bytes);
    psopack_interner_free(&collection->pso_names);
    psopack_interner_free(&collection->slot_names);
    psopack_interner_free(&collection->component_ids);
    free(collection->psos);
    free(collection->slots);
    free(collection->components);
    free(collection->references);
    *collection = (psopack_collection){0};
}
