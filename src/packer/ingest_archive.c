/* SPDX-License-Identifier: MIT */
/* PSOs of an archive, or of a layer on what it builds on, as inputs. Nothing is decoded yet. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/layout.h"
#include "format/tuple.h"
#include "packer/build_state.h"
#include "packer/salvage.h"

typedef struct ingest {
    psopack_build *build;
    const psopack_archive_filter *filter;
    psopack_archive *archive; /* of the whole chain */
    psopack_context *context;
    uint32_t first; /* of the chain's archives */
    uint32_t origin;
    uint32_t slots;
    bool *take_slot;
    uint32_t *components; /* of one PSO, by slot */
} ingest;

/* Components of a chain are numbered from the top: each archive's own, then those below. */
static psopack_archive_part part_of(const ingest *state, uint32_t component)
{
    const psopack_build_olds *olds = &state->build->olds;
    uint32_t archive = olds->count - 1;
    while (archive > state->first && component >= olds->olds[archive]->view.components)
        component -= olds->olds[archive--]->view.components;
    return (psopack_archive_part){archive, component};
}

static psopack_status add_slots(ingest *state, uint32_t pso, uint32_t input, psopack_diag *diag)
{
    uint32_t tuple = 0, wanted;
    PSOPACK_TRY(psopack_pso_components(state->archive, pso, state->components, diag));
    for (uint32_t slot = 0; slot < state->slots; slot++) {
        psopack_component_info info;
        const char *name = psopack_slot_name(state->archive, slot);
        if (state->components[slot] == PSOPACK_ABSENT || !state->take_slot[slot])
            continue;
        PSOPACK_TRY(psopack_component_get(state->archive, state->components[slot], &info, diag));
        tuple = psopack_tuple_add(tuple, name, strlen(name), info.size, info.crc);
        psopack_input_source source = {.part = part_of(state, state->components[slot])};
        PSOPACK_TRY(psopack_inputs_add_file(&state->build->inputs, input, name, strlen(name),
                                            source, info.size, diag));
    }
    /* Rows of a mended manifest: are they this PSO's? */
    if (!state->filter->salvage || state->filter->slot)
        return PSOPACK_OK;
    PSOPACK_TRY(psopack_pso_tuple_crc(state->archive, pso, &wanted, diag));
    if (tuple != wanted)
        return psopack_fail(diag, PSOPACK_E_TUPLE, "its parts are not those that were packed");
    return PSOPACK_OK;
}

static void warn(const ingest *state, const char *name, const psopack_diag *failure)
{
    psopack_diag text;
    const psopack_build_events *events = &state->build->options.events;
    psopack_fail(&text, failure->code, "PSO '%.150s' is lost: %.300s", name, failure->text);
    if (events->message)
        events->message(events->user, PSOPACK_WARNING, text.text);
}

/* A name from a damaged page must be the one that the PSO's key was made of. */
static psopack_status confirm_name(ingest *state, uint32_t pso, const char *name, size_t size,
                                   psopack_diag *diag)
{
    const psopack_build_olds *olds = &state->build->olds;
    const psopack_mended *mended = olds->olds[olds->count - 1]->mended;
    uint32_t found = UINT32_MAX;
    if (!mended || !mended->doubts_names)
        return PSOPACK_OK;
    psopack_status status =
        psopack_pso_find(state->archive, state->context, name, size, &found, diag);
    if (status == PSOPACK_OK && found == pso)
        return PSOPACK_OK;
    return psopack_fail(diag, PSOPACK_E_CHECKSUM, "its name is damaged");
}

static psopack_status give_up(const psopack_diag *failure, psopack_diag *diag)
{
    if (diag)
        *diag = *failure;
    return failure->code;
}

static psopack_status add_pso(ingest *state, uint32_t pso, psopack_diag *diag)
{
    char name[PSOPACK_PSO_NAME_MAX + 1];
    size_t size;
    uint32_t input;
    psopack_inputs *inputs = &state->build->inputs;
    const psopack_archive_filter *filter = state->filter;
    psopack_diag failure;
    psopack_status status =
        psopack_pso_name(state->archive, state->context, pso, name, sizeof name, &size, &failure);
    if (status == PSOPACK_OK)
        status = psopack_inputs_check_pso(name, size, &failure);
    if (status == PSOPACK_OK)
        status = confirm_name(state, pso, name, size, &failure);
    if (status != PSOPACK_OK && filter->salvage) {
        snprintf(name, sizeof name, "#%u", pso);
        state->build->lost_psos++;
        warn(state, name, &failure);
        return PSOPACK_OK;
    }
    if (status != PSOPACK_OK)
        return give_up(&failure, diag);
    if (filter->pso && !filter->pso(filter->user, name, size))
        return PSOPACK_OK;
    PSOPACK_TRY(psopack_inputs_add_pso(inputs, state->origin, name, size, &input, diag));
    status = add_slots(state, pso, input, &failure);
    if (status != PSOPACK_OK && filter->salvage) {
        inputs->psos[input].dropped = true;
        warn(state, name, &failure);
        return PSOPACK_OK;
    }
    return status == PSOPACK_OK ? status : give_up(&failure, diag);
}

static psopack_status open_chain(ingest *state, const char *const *paths, uint32_t count,
                                 psopack_diag *diag)
{
    psopack_build *build = state->build;
    const psopack_build_events *salvage = state->filter->salvage ? &build->options.events : NULL;
    for (uint32_t i = 0; i < count; i++) {
        PSOPACK_TRY(psopack_build_olds_add(&build->olds, paths[i], i != 0, salvage, diag));
        build->is_stripped |= (build->olds.olds[build->olds.count - 1]->view.ends.may_not_append &
                               PSOPACK_FEATURE_STRIPPED) != 0;
    }
    build->olds.no_stale |= state->filter->pso || state->filter->slot;
    build->inputs.olds = build->olds.olds;
    const psopack_old *top = build->olds.olds[build->olds.count - 1];
    if (!top->view.name_section)
        return psopack_fail(diag, PSOPACK_E_NO_NAMES,
                            "%s: its names were stripped, so its PSOs can't be packed again",
                            top->path);
    if ((top->view.meta_flags & PSOPACK_META_KEYS_GIVEN) != 0)
        return psopack_fail(diag, PSOPACK_E_FEATURE,
                            "%s: its keys came from a list: pack it again from that list",
                            top->path);
    state->archive = top->handle;
    return psopack_inputs_add_origin(&build->inputs, PSOPACK_ORIGIN_ARCHIVE, paths[count - 1],
                                     &state->origin, diag);
}

/* The larger of what the archive and the build ask for a slot. */
static psopack_status take_alignment(ingest *state, const char *name, uint32_t align_log2,
                                     psopack_diag *diag)
{
    psopack_build *build = state->build;
    if (align_log2 == 0)
        return PSOPACK_OK;
    for (size_t i = 0; i < build->align_count; i++) {
        psopack_align_rule *rule = &build->align[i];
        if (strcmp(rule->slot, name) != 0)
            continue;
        if (rule->align_log2 < align_log2)
            rule->align_log2 = align_log2;
        return PSOPACK_OK;
    }
    return psopack_build_align(build, name, UINT32_C(1) << align_log2, diag);
}

static psopack_status take_slots(ingest *state, psopack_diag *diag)
{
    const psopack_archive_filter *filter = state->filter;
    const psopack_build_olds *olds = &state->build->olds;
    psopack_slot_row row = {0};
    for (uint32_t i = 0; psopack_view_slot(&olds->olds[olds->count - 1]->view, i, &row); i++) {
        state->take_slot[i] = !filter->slot || filter->slot(filter->user, row.name) != 0;
        if (state->take_slot[i])
            PSOPACK_TRY(take_alignment(state, row.name, row.align_log2, diag));
        else
            state->build->is_stripped = true;
    }
    return PSOPACK_OK;
}

static psopack_status set_up(ingest *state, psopack_diag *diag)
{
    psopack_info info;
    psopack_origin *origin = &state->build->inputs.origins[state->origin];
    psopack_archive_info(state->archive, &info);
    state->slots = info.slots;
    origin->salvage = state->filter->salvage != 0;
    PSOPACK_TRY(psopack_new_array(&state->take_slot, info.slots, 1, diag));
    PSOPACK_TRY(psopack_new_array(&state->components, info.slots, sizeof(uint32_t), diag));
    PSOPACK_TRY(take_slots(state, diag));
    return psopack_context_create(state->archive, NULL, &state->context);
}

static psopack_status ingest_all(ingest *state, const char *const *paths, uint32_t count,
                                 psopack_diag *diag)
{
    psopack_info info;
    PSOPACK_TRY(open_chain(state, paths, count, diag));
    PSOPACK_TRY(set_up(state, diag));
    psopack_archive_info(state->archive, &info);
    for (uint32_t pso = 0; pso < info.psos; pso++)
        PSOPACK_TRY(add_pso(state, pso, diag));
    return PSOPACK_OK;
}

psopack_status psopack_build_add_archive(psopack_build *build, const char *const *paths,
                                         uint32_t count, const psopack_archive_filter *filter,
                                         psopack_diag *diag)
{
    static const psopack_archive_filter all = {0};
    ingest state = {.build = build, .filter = filter ? filter : &all, .first = build->olds.count};
    if (count == 0 || (build->olds.count != 0 && !build->olds.are_inputs))
        return psopack_fail(diag, PSOPACK_E_ARGUMENT,
                            "no archive is named, or the build has a base already");
    psopack_status status = ingest_all(&state, paths, count, diag);
    psopack_context_destroy(&state.context);
    free(state.take_slot);
    free(state.components);
    return status;
}

psopack_status psopack_build_salvage(psopack_build *build, const char *path, psopack_diag *diag)
{
    const psopack_archive_filter filter = {.salvage = 1};
    PSOPACK_TRY(psopack_build_add_archive(build, &path, 1, &filter, diag));
    const psopack_view *view = &build->olds.olds[build->olds.count - 1]->view;
    size_t size = strlen(view->target) + 1;
    char *target;
    if (!psopack_profile_get((psopack_profile)view->profile))
        return psopack_fail(diag, PSOPACK_E_FEATURE, "%s: its profile is not known", path);
    PSOPACK_TRY(psopack_new_array(&target, size, 1, diag));
    memcpy(target, view->target, size);
    free(build->target);
    build->target = target;
    build->options.profile = (psopack_profile)view->profile;
    build->options.content_version = view->content_version;
    build->options.hashes = view->hash_section != NULL;
    return PSOPACK_OK;
}
