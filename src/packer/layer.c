/* SPDX-License-Identifier: MIT */
/* Two lists of PSOs in byte order of their names, walked side by side. */
#include "packer/layer.h"

#include <stdlib.h>
#include <string.h>

#include "format/layout.h"

typedef struct comparison {
    const psopack_keep *keep;
    const psopack_model *model;
    psopack_layer *layer;
    psopack_archive *archive; /* of the whole chain */
    psopack_context *context;
    psopack_info info;
    uint32_t *of_item;    /* by store item: component of the model, or UINT32_MAX */
    uint32_t *slot_of;    /* by slot of the base: the model's */
    uint32_t *components; /* of a PSO of the base, by its slots */
    char name[PSOPACK_PSO_NAME_MAX + 1];
    size_t name_size;
} comparison;

/* ---- one PSO ----------------------------------------------------------------------------------
 */

/* The model's component that one of the base is, counted from the top of the chain. */
static uint32_t model_component(const comparison *state, uint32_t component)
{
    uint32_t archive = state->keep->count - 1;
    while (archive > 0 && component >= state->keep->olds[archive]->view.components)
        component -= state->keep->olds[archive--]->view.components;
    uint32_t item = state->keep->olds[archive]->item[component];
    return item == PSOPACK_NO_ITEM ? UINT32_MAX : state->of_item[item];
}

static psopack_status is_same(comparison *state, uint32_t base_pso, uint32_t pso, bool *ret_same,
                              psopack_diag *diag)
{
    const psopack_model *model = state->model;
    uint32_t at = model->psos[pso].first_reference, end = model->psos[pso + 1].first_reference;
    PSOPACK_TRY(psopack_pso_components(state->archive, base_pso, state->components, diag));
    *ret_same = false;
    for (uint32_t slot = 0; slot < state->info.slots; slot++) {
        if (state->components[slot] == PSOPACK_ABSENT)
            continue;
        if (at == end || model->references[at].slot != state->slot_of[slot] ||
            model->references[at].component != model_component(state, state->components[slot]))
            return PSOPACK_OK;
        at++;
    }
    *ret_same = at == end;
    return PSOPACK_OK;
}

/* ---- the walk ---------------------------------------------------------------------------------
 */

static psopack_status read_name(comparison *state, uint32_t base_pso, psopack_diag *diag)
{
    return psopack_pso_name(state->archive, state->context, base_pso, state->name,
                            sizeof state->name, &state->name_size, diag);
}

/* Below 0: the model's PSO comes first, or the base has no more. */
static int compare_names(const comparison *state, uint32_t base_pso, uint32_t pso)
{
    if (base_pso == state->info.psos)
        return -1;
    if (pso == state->model->pso_count)
        return 1;
    psopack_string name = {.bytes = state->name, .size = (uint32_t)state->name_size};
    return psopack_string_compare(&state->model->psos[pso].name, &name);
}

static psopack_status walk(comparison *state, psopack_diag *diag)
{
    psopack_layer *layer = state->layer;
    uint32_t base_pso = 0, pso = 0;
    if (state->info.psos != 0)
        PSOPACK_TRY(read_name(state, 0, diag));
    while (base_pso < state->info.psos || pso < state->model->pso_count) {
        int order = compare_names(state, base_pso, pso);
        bool same = false;
        if (order == 0)
            PSOPACK_TRY(is_same(state, base_pso, pso, &same, diag));
        if (order <= 0 && !same) {
            layer->take[pso] = true;
            layer->place[layer->place_count++] = pso;
        }
        if (order >= 0 && !same)
            layer->gone[layer->gone_count++] = base_pso;
        layer->removed_count += order > 0;
        pso += order <= 0;
        base_pso += order >= 0;
        if (order >= 0 && base_pso < state->info.psos)
            PSOPACK_TRY(read_name(state, base_pso, diag));
    }
    return PSOPACK_OK;
}

/* ---- the whole --------------------------------------------------------------------------------
 */

static uint32_t find_slot(const psopack_model *model, const char *name)
{
    uint32_t slot = 0;
    while (slot < model->slot_count && strcmp(model->slots[slot].name.bytes, name) != 0)
        slot++;
    return slot;
}

static psopack_status set_up(comparison *state, size_t store_items, psopack_diag *diag)
{
    const psopack_model *model = state->model;
    psopack_layer *layer = state->layer;
    psopack_archive_info(state->archive, &state->info);
    PSOPACK_TRY(psopack_new_array(&state->of_item, store_items, sizeof(uint32_t), diag));
    PSOPACK_TRY(psopack_new_array(&state->slot_of, state->info.slots, sizeof(uint32_t), diag));
    PSOPACK_TRY(psopack_new_array(&state->components, state->info.slots, sizeof(uint32_t), diag));
    PSOPACK_TRY(psopack_new_array(&layer->take, model->pso_count, 1, diag));
    PSOPACK_TRY(psopack_new_array(&layer->place, model->pso_count, sizeof *layer->place, diag));
    PSOPACK_TRY(psopack_new_array(&layer->gone, state->info.psos, sizeof *layer->gone, diag));
    for (size_t i = 0; i < store_items; i++)
        state->of_item[i] = UINT32_MAX;
    for (uint32_t i = 0; i < model->component_count; i++)
        state->of_item[model->components[i].item] = i;
    for (uint32_t slot = 0; slot < state->info.slots; slot++)
        state->slot_of[slot] = find_slot(model, psopack_slot_name(state->archive, slot));
    return psopack_context_create(state->archive, NULL, &state->context);
}

static void set_sums(comparison *state)
{
    const psopack_model *model = state->model;
    psopack_layer *layer = state->layer;
    layer->base = state->keep->olds[state->keep->count - 1];
    layer->depth = state->keep->count;
    layer->base_psos = state->info.psos;
    for (uint32_t i = 0; i < state->keep->count; i++)
        layer->base_components += state->keep->olds[i]->view.components;
    layer->psos = model->pso_count;
    layer->components = model->component_count;
    layer->references = model->reference_count;
    layer->reference_bytes = model->reference_bytes;
    layer->component_bytes = model->component_bytes;
}

psopack_status psopack_layer_make(const psopack_keep *keep, const psopack_model *model,
                                  size_t store_items, psopack_layer *ret_layer, psopack_diag *diag)
{
    comparison *state;
    PSOPACK_TRY(psopack_new_array(&state, 1, sizeof *state, diag));
    *ret_layer = (psopack_layer){0};
    state->keep = keep;
    state->model = model;
    state->layer = ret_layer;
    state->archive = keep->olds[keep->count - 1]->handle;
    psopack_status status = set_up(state, store_items, diag);
    if (status == PSOPACK_OK)
        status = walk(state, diag);
    if (status == PSOPACK_OK)
        set_sums(state);
    psopack_context_destroy(&state->context);
    free(state->of_item);
    free(state->slot_of);
    free(state->components);
    free(state);
    if (status != PSOPACK_OK)
        psopack_layer_free(ret_layer);
    return status;
}

void psopack_layer_free(psopack_layer *layer)
{
    free(layer->take);
    free(layer->place);
    free(layer->gone);
    *layer = (psopack_layer){0};
}
