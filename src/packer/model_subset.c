/* SPDX-License-Identifier: MIT */
/* A part of a model as a model of its own: the PSOs that a layer holds. */
#include <stdlib.h>
#include <string.h>

#include "packer/model.h"

typedef struct subset {
    const psopack_model *whole;
    const bool *take;
    psopack_model *model;
    uint32_t *number; /* by component of the whole: its number here + 1 */
} subset;

static psopack_status allocate(subset *state, psopack_diag *diag)
{
    const psopack_model *whole = state->whole;
    psopack_model *model = state->model;
    PSOPACK_TRY(psopack_new_array(&state->number, whole->component_count, 4, diag));
    PSOPACK_TRY(psopack_new_array(&model->slots, whole->slot_count, sizeof *model->slots, diag));
    PSOPACK_TRY(
        psopack_new_array(&model->psos, (size_t)whole->pso_count + 1, sizeof *model->psos, diag));
    PSOPACK_TRY(psopack_new_array(&model->references, whole->reference_count,
                                  sizeof *model->references, diag));
    return psopack_new_array(&model->components, whole->component_count, sizeof *model->components,
                             diag);
}

static void take_reference(subset *state, const psopack_model_reference *reference)
{
    psopack_model *model = state->model;
    uint32_t *number = &state->number[reference->component];
    if (*number == 0) {
        model->components[model->component_count] = state->whole->components[reference->component];
        model->components[model->component_count].references = 0;
        model->component_bytes += model->components[model->component_count].size;
        *number = ++model->component_count;
    }
    model->components[*number - 1].references++;
    model->reference_bytes += model->components[*number - 1].size;
    model->references[model->reference_count++] =
        (psopack_model_reference){*number - 1, reference->slot};
}

static void take_psos(subset *state)
{
    const psopack_model *whole = state->whole;
    psopack_model *model = state->model;
    for (uint32_t pso = 0; pso < whole->pso_count; pso++) {
        if (!state->take[pso])
            continue;
        psopack_model_pso *taken = &model->psos[model->pso_count++];
        *taken = whole->psos[pso];
        taken->first_reference = (uint32_t)model->reference_count;
        uint32_t end = whole->psos[pso + 1].first_reference;
        for (uint32_t at = whole->psos[pso].first_reference; at < end; at++)
            take_reference(state, &whole->references[at]);
    }
    model->psos[model->pso_count].first_reference = (uint32_t)model->reference_count;
}

psopack_status psopack_model_subset(const psopack_model *whole, const bool *take,
                                    psopack_model *ret_model, psopack_diag *diag)
{
    *ret_model = (psopack_model){
        .slot_count = whole->slot_count,
        .key_seed = whole->key_seed,
        .keys_given = whole->keys_given,
        .skipped_psos = whole->skipped_psos,
    };
    memcpy(ret_model->content_id, whole->content_id, sizeof ret_model->content_id);
    subset state = {.whole = whole, .take = take, .model = ret_model};
    psopack_status status = allocate(&state, diag);
    if (status == PSOPACK_OK) {
        memcpy(ret_model->slots, whole->slots, whole->slot_count * sizeof *whole->slots);
        take_psos(&state);
        status = psopack_model_file_kinds(ret_model, NULL, 0, diag);
    }
    if (status == PSOPACK_OK)
        status = psopack_model_number_by_kind(ret_model, diag);
    free(state.number);
    if (status != PSOPACK_OK)
        psopack_model_free(ret_model);
    return status;
}
