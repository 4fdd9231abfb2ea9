/* SPDX-License-Identifier: MIT */
/* Planning, start to end: strip and transform per kind, bases, then cutting into blocks. */
#include "packer/plan.h"
#include "packer/events.h"

#include <stdlib.h>
#include <string.h>

#include "format/layout.h"
#include "format/transform.h"
#include "packer/order.h"
#include "platform/parallel.h"

void psopack_plan_free(psopack_plan *plan)
{
    for (uint32_t i = 0; plan->bases && i < plan->base_count; i++) {
        free(plan->bases[i].tables);
        free(plan->bases[i].content);
    }
    free(plan->blocks);
    free(plan->bases);
    free(plan->kinds);
    free(plan->order);
    free(plan->strip);
    free(plan->kept);
    free(plan->kept_hashes);
    free(plan->outside);
    *plan = (psopack_plan){0};
}

/* ---- a component as its block holds it --------------------------------------------------------
 */

static psopack_status prove(const psopack_transform *transform, const uint8_t *stored,
                            const uint8_t *bytes, size_t size, void *scratch, psopack_diag *diag)
{
    uint8_t *back;
    PSOPACK_TRY(psopack_new_array(&back, size, 1, diag));
    transform->inverse(back, stored, size, scratch);
    bool equal = memcmp(back, bytes, size) == 0;
    free(back);
    if (!equal)
        return psopack_fail(diag, PSOPACK_E_INTERNAL,
                            "transform %s does not invert a component of %zu bytes: please report "
                            "it",
                            transform->name, size);
    return PSOPACK_OK;
}

psopack_status psopack_plan_component_bytes(const psopack_model *model, const psopack_store *store,
                                            const psopack_plan *plan, uint32_t component,
                                            psopack_read_buffer *buffer, uint8_t *out,
                                            void *scratch, psopack_diag *diag)
{
    const psopack_model_component *row = &model->components[component];
    size_t size = (size_t)psopack_plan_stored_size(model, plan, component);
    const uint8_t *bytes;
    PSOPACK_TRY(psopack_store_bytes(store, row->item, buffer, &bytes, diag));
    const psopack_transform *transform = psopack_transform_find(plan->kinds[row->kind].transform);
    if (!transform) {
        if (size != 0)
            memcpy(out, bytes, size);
        return PSOPACK_OK;
    }
    transform->forward(out, bytes, size, scratch);
    return prove(transform, out, bytes, size, scratch, diag);
}

/* ---- members ----------------------------------------------------------------------------------
 */

static bool is_large(const psopack_planner *planner, uint32_t component)
{
    return planner->model->components[component].size > planner->plan->split_size;
}

static bool is_placed(const psopack_planner *planner, uint32_t component)
{
    return planner->placed && planner->placed[component];
}

static bool is_listed(const psopack_planner *planner, uint32_t component)
{
    return planner->rank && planner->rank[component] != PSOPACK_ORDER_NONE;
}

static psopack_status collect_members(psopack_planner *planner, psopack_diag *diag)
{
    const psopack_model *model = planner->model;
    for (uint32_t kind = 0; kind < model->kind_count; kind++)
        PSOPACK_TRY(psopack_new_array(&planner->members[kind].components,
                                      model->kinds[kind].components, sizeof(uint32_t), diag));
    for (uint32_t i = 0; i < model->component_count; i++) {
        const psopack_model_component *component = &model->components[i];
        if (component->size == 0 || is_large(planner, i) || is_placed(planner, i))
            continue;
        psopack_kind_members *members = &planner->members[component->kind];
        members->components[members->count++] = i;
        members->bytes += component->size;
    }
    return PSOPACK_OK;
}

/* Stripped and transformed bytes of all members: what bases and sketches look at. */
typedef struct prepare_worker {
    psopack_read_buffer buffer;
    uint8_t scratch[PSOPACK_TRANSFORM_SCRATCH];
} prepare_worker;

typedef struct prepare_state {
    psopack_planner *planner;
    prepare_worker *workers;
} prepare_state;

static psopack_status prepare_component(void *context, unsigned worker_index, uint64_t item,
                                        psopack_diag *diag)
{
    prepare_state *state = context;
    psopack_planner *planner = state->planner;
    prepare_worker *worker = &state->workers[worker_index];
    uint32_t component = (uint32_t)item;
    PSOPACK_TRY(psopack_go_on(planner->events, diag));
    if (planner->model->components[component].size == 0 || is_large(planner, component) ||
        is_placed(planner, component))
        return PSOPACK_OK;
    uint64_t size = psopack_plan_stored_size(planner->model, planner->plan, component);
    PSOPACK_TRY(psopack_new_array(&planner->bytes[component], (size_t)size, 1, diag));
    return psopack_plan_component_bytes(planner->model, planner->store, planner->plan, component,
                                        &worker->buffer, planner->bytes[component], worker->scratch,
                                        diag);
}

static psopack_status prepare_bytes(psopack_planner *planner, psopack_diag *diag)
{
    prepare_state state = {.planner = planner};
    PSOPACK_TRY(psopack_new_array(&state.workers, planner->threads, sizeof *state.workers, diag));
    psopack_status status = psopack_parallel_for(planner->model->component_count, planner->threads,
                                                 prepare_component, &state, NULL, diag);
    for (unsigned i = 0; i < planner->threads; i++) {
        free(state.workers[i].buffer.bytes);
        free(state.workers[i].buffer.path);
    }
    free(state.workers);
    return status;
}

/* ---- blocks -----------------------------------------------------------------------------------
 */

/* Appends a block; its components are those placed in plan->order from *placed on. */
static psopack_status add_block(psopack_planner *planner, const psopack_plan_block *block,
                                psopack_diag *diag)
{
    psopack_plan *plan = planner->plan;
    PSOPACK_TRY(psopack_grow(&plan->blocks, &plan->block_capacity, plan->block_count + 1,
                             sizeof *plan->blocks, diag));
    plan->blocks[plan->block_count++] = *block;
    return PSOPACK_OK;
}

static uint32_t place(psopack_planner *planner, const uint32_t *components, uint32_t count,
                      uint32_t *placed)
{
    uint64_t size = 0;
    for (uint32_t i = 0; i < count; i++) {
        planner->plan->order[*placed + i] = components[i];
        size += psopack_plan_stored_size(planner->model, planner->plan, components[i]);
    }
    *placed += count;
    return (uint32_t)size;
}

static psopack_status emit_base(psopack_planner *planner, uint32_t base,
                                const psopack_kind_members *content, uint32_t *placed,
                                psopack_diag *diag)
{
    psopack_plan_block block = {
        .first = *placed,
        .count = content->count,
        .base = PSOPACK_NO_BASE,
        .kind = (uint16_t)planner->plan->bases[base].kind,
        .is_base = true,
    };
    block.raw_size = place(planner, content->components, content->count, placed);
    planner->plan->bases[base].block = (uint32_t)planner->plan->block_count;
    return add_block(planner, &block, diag);
}

static psopack_status emit_large(psopack_planner *planner, uint32_t kind, bool listed,
                                 uint32_t *placed, psopack_diag *diag)
{
    const psopack_model *model = planner->model;
    uint64_t split = planner->plan->split_size;
    for (uint32_t i = 0; i < model->component_count; i++) {
        uint64_t size = model->components[i].size;
        if (model->components[i].kind != kind || !is_large(planner, i) || is_placed(planner, i) ||
            is_listed(planner, i) != listed)
            continue;
        planner->plan->order[*placed] = i;
        for (uint64_t at = 0; at < size; at += split) {
            bool last = size - at <= split;
            psopack_plan_block block = {
                .first = *placed,
                .count = last,
                .piece_offset = at,
                .raw_size = (uint32_t)(last ? size - at : split),
                .base = PSOPACK_NO_BASE,
                .kind = (uint16_t)kind,
                .is_piece = true,
            };
            PSOPACK_TRY(add_block(planner, &block, diag));
        }
        (*placed)++;
    }
    return PSOPACK_OK;
}

static psopack_status sketch_items(const psopack_item *items, size_t count,
                                   psopack_sketch **ret_sketches, psopack_diag *diag)
{
    psopack_sketch *sketches;
    unsigned step = psopack_window_step(items, count);
    PSOPACK_TRY(psopack_new_array(&sketches, count, sizeof *sketches, diag));
    for (size_t i = 0; i < count; i++)
        psopack_sketch_item(&sketches[i], items[i].bytes, items[i].size, step);
    *ret_sketches = sketches;
    return PSOPACK_OK;
}

psopack_status psopack_plan_cut(const psopack_item *items, size_t count,
                                const psopack_cut_limits *limits, bool by_similarity,
                                psopack_cut *ret_cut, psopack_diag *diag)
{
    if (!by_similarity)
        return psopack_cut_in_order(ret_cut, items, count, limits, diag);
    psopack_sketch *sketches;
    PSOPACK_TRY(sketch_items(items, count, &sketches, diag));
    psopack_status status =
        psopack_cut_by_similarity(ret_cut, items, sketches, count, limits, diag);
    free(sketches);
    return status;
}

/* The members that no base took and that a load order lists, in that order; or those it does not
 * list. With their bytes (sizes alone where no bytes were prepared). */
static psopack_status list_items(const psopack_planner *planner, uint32_t kind, bool listed,
                                 psopack_item *items, uint32_t *components, uint32_t *ret_count,
                                 psopack_diag *diag)
{
    const psopack_kind_members *members = &planner->members[kind];
    uint32_t count = 0;
    for (uint32_t i = 0; i < members->count; i++) {
        uint32_t component = members->components[i];
        if (!planner->in_base[component] && is_listed(planner, component) == listed)
            components[count++] = component;
    }
    if (listed)
        PSOPACK_TRY(psopack_order_sort(planner->rank, components, count, diag));
    for (uint32_t i = 0; i < count; i++) {
        uint64_t size = psopack_plan_stored_size(planner->model, planner->plan, components[i]);
        items[i] = (psopack_item){planner->bytes[components[i]], (size_t)size};
    }
    *ret_count = count;
    return PSOPACK_OK;
}

static psopack_status emit_cut(psopack_planner *planner, uint32_t kind, const psopack_cut *found,
                               const uint32_t *components, uint32_t *scratch, uint32_t *placed,
                               psopack_diag *diag)
{
    for (size_t i = 0; i < found->block_count; i++) {
        uint32_t count = found->first[i + 1] - found->first[i];
        for (uint32_t j = 0; j < count; j++)
            scratch[j] = components[found->order[found->first[i] + j]];
        psopack_plan_block block = {
            .first = *placed,
            .count = count,
            .base = planner->plan->kinds[kind].base,
            .kind = (uint16_t)kind,
        };
        block.raw_size = place(planner, scratch, count, placed);
        PSOPACK_TRY(add_block(planner, &block, diag));
    }
    return PSOPACK_OK;
}

static psopack_status emit_kind(psopack_planner *planner, uint32_t kind, bool listed,
                                uint32_t *placed, psopack_diag *diag)
{
    uint32_t capacity = planner->members[kind].count, count = 0;
    uint32_t *components = NULL, *scratch = NULL;
    psopack_item *items = NULL;
    psopack_cut found = {0};
    psopack_status status = psopack_new_array(&components, capacity, sizeof *components, diag);
    if (status == PSOPACK_OK)
        status = psopack_new_array(&scratch, capacity, sizeof *scratch, diag);
    if (status == PSOPACK_OK)
        status = psopack_new_array(&items, capacity, sizeof *items, diag);
    if (status == PSOPACK_OK)
        status = list_items(planner, kind, listed, items, components, &count, diag);
    if (status == PSOPACK_OK) {
        psopack_cut_limits limits = {planner->plan->kinds[kind].block_target,
                                     planner->settings->members_max};
        status = psopack_plan_cut(items, count, &limits, planner->settings->similarity && !listed,
                                  &found, diag);
    }
    if (status == PSOPACK_OK)
        status = emit_cut(planner, kind, &found, components, scratch, placed, diag);
    psopack_cut_free(&found);
    free(components);
    free(scratch);
    free(items);
    return status == PSOPACK_OK ? emit_large(planner, kind, listed, placed, diag) : status;
}

/* The one component of size 0: in front of all blocks, or where others are in front already, in a
 * block of its own without bytes. */
static psopack_status emit_empty(psopack_planner *planner, uint32_t *placed, psopack_diag *diag)
{
    psopack_plan *plan = planner->plan;
    for (uint32_t i = 0; i < planner->model->component_count; i++) {
        if (planner->model->components[i].size != 0 || is_placed(planner, i))
            continue;
        psopack_plan_block block = {.first = *placed,
                                    .count = 1,
                                    .base = PSOPACK_NO_BASE,
                                    .kind = planner->model->components[i].kind};
        plan->order[(*placed)++] = i;
        if (plan->block_count != 0)
            return add_block(planner, &block, diag);
    }
    return PSOPACK_OK;
}

/* What is kept comes first, then the empty component, bases, what a load order lists of all kinds,
 * the rest of them. */
static psopack_status emit_blocks(psopack_planner *planner, const psopack_kind_members *contents,
                                  psopack_diag *diag)
{
    psopack_plan *plan = planner->plan;
    uint32_t placed = plan->kept_count;
    PSOPACK_TRY(emit_empty(planner, &placed, diag));
    for (uint32_t i = 0; contents && i < plan->base_count; i++)
        PSOPACK_TRY(emit_base(planner, i, &contents[i], &placed, diag));
    for (uint32_t kind = 0; planner->rank && kind < planner->model->kind_count; kind++)
        PSOPACK_TRY(emit_kind(planner, kind, true, &placed, diag));
    for (uint32_t kind = 0; kind < planner->model->kind_count; kind++)
        PSOPACK_TRY(emit_kind(planner, kind, false, &placed, diag));
    plan->row_count = placed;
    uint32_t left = 0;
    for (uint32_t i = 0; i < planner->model->component_count; i++)
        left += !is_placed(planner, i);
    if (placed - plan->kept_count != left)
        return psopack_fail(diag, PSOPACK_E_INTERNAL, "planning placed %u of %u components",
                            placed - plan->kept_count, left);
    return PSOPACK_OK;
}

/* ---- the whole --------------------------------------------------------------------------------
 */

static psopack_status allocate(psopack_planner *planner, psopack_diag *diag)
{
    const psopack_model *model = planner->model;
    psopack_plan *plan = planner->plan;
    PSOPACK_TRY(psopack_new_array(&plan->kinds, model->kind_count, sizeof *plan->kinds, diag));
    PSOPACK_TRY(psopack_new_array(&plan->order, model->component_count, sizeof *plan->order, diag));
    PSOPACK_TRY(psopack_new_array(&plan->strip, model->component_count, sizeof *plan->strip, diag));
    PSOPACK_TRY(
        psopack_new_array(&planner->members, model->kind_count, sizeof *planner->members, diag));
    PSOPACK_TRY(
        psopack_new_array(&planner->bytes, model->component_count, sizeof *planner->bytes, diag));
    PSOPACK_TRY(psopack_new_array(&planner->inherited, model->kind_count, 1, diag));
    return psopack_new_array(&planner->in_base, model->component_count, 1, diag);
}

static void free_planner(psopack_planner *planner)
{
    for (uint32_t i = 0; planner->members && i < planner->model->kind_count; i++)
        free(planner->members[i].components);
    for (uint32_t i = 0; planner->bytes && i < planner->model->component_count; i++)
        free(planner->bytes[i]);
    free(planner->members);
    free(planner->bytes);
    free(planner->in_base);
    free(planner->inherited);
    free(planner->placed);
}

/* Where an older archive is built upon there are its bases and no new ones. */
static psopack_status plan_all(psopack_planner *planner, const psopack_keep *keep,
                               psopack_diag *diag)
{
    const psopack_profile_settings *settings = planner->settings;
    psopack_kind_members *contents = NULL;
    PSOPACK_TRY(allocate(planner, diag));
    for (uint32_t kind = 0; kind < planner->model->kind_count; kind++) {
        planner->plan->kinds[kind].base = PSOPACK_NO_BASE;
        planner->plan->kinds[kind].block_target = settings->blocks.raw_max;
        planner->plan->kinds[kind].params = settings->block;
    }
    if (keep)
        PSOPACK_TRY(psopack_plan_keep(planner, keep, diag));
    PSOPACK_TRY(collect_members(planner, diag));
    if (settings->transforms)
        PSOPACK_TRY(psopack_plan_transforms(planner, diag));
    if (settings->bases || settings->similarity)
        PSOPACK_TRY(prepare_bytes(planner, diag));
    if (settings->bases && !keep)
        PSOPACK_TRY(psopack_plan_bases(planner, &contents, diag));
    psopack_status status = emit_blocks(planner, contents, diag);
    if (status == PSOPACK_OK && planner->plan->prefix && settings->few_search_log != 0)
        psopack_plan_search_less(planner);
    for (uint32_t i = 0; contents && i < planner->plan->base_count; i++)
        free(contents[i].components);
    free(contents);
    return status;
}

psopack_status psopack_plan_make(const psopack_model *model, const psopack_store *store,
                                 const psopack_profile_settings *settings, const psopack_keep *keep,
                                 const uint32_t *rank, unsigned threads,
                                 const psopack_build_events *events, psopack_plan *ret_plan,
                                 psopack_diag *diag)
{
    *ret_plan = (psopack_plan){.split_size = settings->split_size};
    psopack_planner planner = {
        .model = model,
        .store = store,
        .settings = settings,
        .events = events,
        .rank = rank,
        .threads = threads,
        .plan = ret_plan,
    };
    psopack_status status = plan_all(&planner, keep, diag);
    free_planner(&planner);
    if (status != PSOPACK_OK)
        psopack_plan_free(ret_plan);
    return status;
}
