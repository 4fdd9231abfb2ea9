/* SPDX-License-Identifier: MIT */
/* The one pass of a build: scan, model, plan, compress, manifest, publish. */
#include <stdlib.h>
#include <string.h>

#include "format/layout.h"
#include "packer/build_state.h"
#include "packer/compress.h"
#include "packer/manifest.h"
#include "packer/output.h"
#include "packer/scan.h"
#include "platform/process.h"

/* All that lives while an archive is made. */
typedef struct work {
    psopack_build *build;
    const psopack_profile_settings *settings;
    psopack_store store;
    psopack_model model; /* of a layer: its own PSOs, see `whole` */
    psopack_model whole;
    psopack_layer layer;
    bool is_layer;
    psopack_plan plan;
    psopack_compress_result compressed;
    psopack_manifest_result manifest;
    psopack_publish *publish;
    uint32_t *rank; /* by component, of a load order; NULL: none */
    int64_t order_cost;
    bool order_cost_known;
    psopack_waste waste;
    bool repacked;
    psopack_old *output; /* what is at the output's place, made by the same recipe; or NULL */
} work;

/* `kinds` of older archives exist in any case when their blocks are to be kept. */
static psopack_status make_model(const psopack_build *build, const psopack_store *store,
                                 bool with_old_kinds, psopack_model *ret_model, psopack_diag *diag)
{
    psopack_model_options options = {
        .target = build->target,
        .content_version = build->options.content_version,
        .kinds = build->olds.kinds,
        .kind_count = with_old_kinds ? build->olds.kind_count : 0,
        .slots = build->olds.slots,
        .slot_count = build->olds.slot_count,
        .key_seed = build->olds.how == PSOPACK_KEEP_OUTSIDE && build->olds.count != 0
                        ? &build->olds.olds[0]->view.ends.key_seed
                        : NULL,
        .align = build->align,
        .align_count = build->align_count,
        .prefer = build->options.prefer,
        .events = &build->options.events,
    };
    return psopack_model_make(&build->inputs, store, &options, ret_model, diag);
}

/* Leaves to the model what the layer holds itself. */
static psopack_status split_layer(work *state, psopack_diag *diag)
{
    psopack_keep keep = psopack_build_olds_keep(&state->build->olds);
    state->whole = state->model;
    state->model = (psopack_model){0};
    PSOPACK_TRY(psopack_layer_make(&keep, &state->whole, state->store.count, &state->layer, diag));
    return psopack_model_subset(&state->whole, state->layer.take, &state->model, diag);
}

static psopack_status scan(psopack_build *build, psopack_store *store, psopack_diag *diag)
{
    psopack_hash_cache *cache = NULL;
    if (build->cache_path)
        PSOPACK_TRY(psopack_hash_cache_open(build->cache_path, build->inputs.file_count,
                                            &build->options.events, &cache, diag));
    psopack_scan_options options = {
        .threads = build->options.threads,
        .keep_going = build->options.keep_going != 0,
        .cache = cache,
        .events = &build->options.events,
    };
    psopack_status status =
        psopack_scan(&build->inputs, store, &options, &build->cached_files, diag);
    psopack_hash_cache_close(&cache);
    return status;
}

psopack_status psopack_build_collect(psopack_build *build, psopack_store *ret_store,
                                     psopack_model *ret_model, psopack_diag *diag)
{
    const psopack_build_options *options = &build->options;
    PSOPACK_TRY(psopack_build_olds_open(&build->olds, options->profile, diag));
    PSOPACK_TRY(
        psopack_store_init(ret_store, &build->inputs, &build->hooks, build->store_budget, diag));
    PSOPACK_TRY(psopack_scan_archives(&build->inputs,
                                      build->olds.are_inputs ? build->olds.count : 0, ret_store,
                                      options->threads, &options->events, diag));
    PSOPACK_TRY(scan(build, ret_store, diag));
    return make_model(build, ret_store, true, ret_model, diag);
}

static psopack_status collect(work *state, psopack_diag *diag)
{
    psopack_build *build = state->build;
    const psopack_build_options *options = &build->options;
    PSOPACK_TRY(psopack_build_collect(build, &state->store, &state->model, diag));
    PSOPACK_TRY(psopack_build_olds_match(&build->olds, &state->store, options->threads,
                                         &options->events, diag));
    state->is_layer = build->olds.count != 0 && build->olds.how == PSOPACK_KEEP_OUTSIDE;
    return state->is_layer ? split_layer(state, diag) : PSOPACK_OK;
}

static psopack_status make_plan(work *state, const psopack_keep *keep, psopack_diag *diag)
{
    const psopack_build_options *options = &state->build->options;
    return psopack_plan_make(&state->model, &state->store, state->settings, keep, state->rank,
                             options->threads, &options->events, &state->plan, diag);
}

static void note_repack(const work *state)
{
    psopack_diag text;
    const psopack_build_events *events = &state->build->options.events;
    if (!events->message)
        return;
    psopack_fail(&text, PSOPACK_OK,
                 "packed afresh: %llu of %llu stored bytes of the older archive are waste, more "
                 "than %u %%",
                 (unsigned long long)state->waste.dead_bytes,
                 (unsigned long long)state->waste.kept_bytes, state->build->olds.max_waste);
    events->message(events->user, PSOPACK_NOTE, text.text);
}

/* On older archives where there are any and they are worth it. */
static psopack_status plan(work *state, psopack_diag *diag)
{
    const psopack_build_olds *olds = &state->build->olds;
    psopack_keep keep = psopack_build_olds_keep(olds);
    PSOPACK_TRY(make_plan(state, olds->count ? &keep : NULL, diag));
    state->waste = psopack_plan_waste(&state->plan);
    state->repacked = psopack_build_olds_too_stale(olds, &state->waste);
    if (!state->repacked)
        return PSOPACK_OK;
    note_repack(state);
    psopack_plan_free(&state->plan);
    psopack_model_free(&state->model);
    PSOPACK_TRY(make_model(state->build, &state->store, false, &state->model, diag));
    return make_plan(state, NULL, diag);
}

/* Whether the older archive already is what this build would make of it: then so it stays. */
static bool is_up_to_date(const work *state)
{
    const psopack_old *old = state->plan.prefix;
    const psopack_model *model = &state->model;
    psopack_slot_row row = {0};
    if (!old || state->plan.row_count != state->plan.kept_count ||
        (old->view.hash_section != NULL) != (state->build->options.hashes != 0) ||
        !old->view.name_section || state->build->options.no_names ||
        old->view.slots != model->slot_count || model->keys_given ||
        (old->view.meta_flags & PSOPACK_META_KEYS_GIVEN) != 0)
        return false;
    for (uint32_t slot = 0; psopack_view_slot(&old->view, slot, &row); slot++) {
        if (row.align_log2 != model->slots[slot].align_log2)
            return false;
    }
    return memcmp(old->view.ends.content_id, model->content_id, sizeof model->content_id) == 0;
}

static psopack_status write_same(work *state, psopack_diag *diag)
{
    const psopack_old *old = state->plan.prefix;
    PSOPACK_TRY(psopack_publish_write(state->publish, old->map.data, old->map.size, diag));
    PSOPACK_TRY(
        psopack_new_array(&state->compressed.blocks, 1, sizeof *state->compressed.blocks, diag));
    for (uint32_t i = 0; i < old->view.blocks; i++) {
        PSOPACK_TRY(psopack_old_block_check(old, i, diag));
        state->compressed.data_bytes += old->blocks[i].stored_size;
        if ((old->blocks[i].flags & PSOPACK_BLOCK_BASE) != 0)
            state->compressed.base_bytes += old->blocks[i].stored_size;
    }
    memcpy(state->manifest.archive_id, old->view.ends.archive_id, 16);
    return PSOPACK_OK;
}

/* The header, or all of an older archive up to its manifest. */
static psopack_status write_front(work *state, psopack_diag *diag)
{
    const psopack_old *prefix = state->plan.prefix;
    if (!prefix)
        return psopack_header_write(state->publish, diag);
    return psopack_publish_write(state->publish, prefix->map.data,
                                 (size_t)prefix->view.manifest_offset, diag);
}

/* Blocks compressed against an older archive's bases are kept another way, see plan_keep.c. */
static bool may_reuse(const psopack_build *build)
{
    return build->olds.count == 0 && !build->options.force_write;
}

static psopack_status write_new(work *state, psopack_diag *diag)
{
    const psopack_build_options *options = &state->build->options;
    PSOPACK_TRY(write_front(state, diag));
    psopack_compress_job job = {
        .model = &state->model,
        .store = &state->store,
        .plan = &state->plan,
        .settings = state->settings,
        .events = &options->events,
        .threads = options->threads,
        .end = state->plan.block_count,
        .output = may_reuse(state->build) ? state->output : NULL,
        .publish = state->publish,
    };
    PSOPACK_TRY(psopack_compress(&job, &state->compressed, diag));
    psopack_manifest_input input = {
        .model = &state->model,
        .plan = &state->plan,
        .blocks = state->compressed.blocks,
        .settings = state->settings,
        .layer = state->is_layer ? &state->layer : NULL,
        .order = state->rank ? state->build->order.hash : NULL,
        .target = state->build->target,
        .content_version = options->content_version,
        .hashes = options->hashes != 0,
        .no_names = options->no_names != 0,
        .is_stripped = state->build->is_stripped,
    };
    return psopack_manifest_write(&input, state->publish, &state->manifest, diag);
}

static psopack_status write_archive(work *state, psopack_diag *diag)
{
    const psopack_build_options *options = &state->build->options;
    PSOPACK_TRY(plan(state, diag));
    PSOPACK_TRY(is_up_to_date(state) ? write_same(state, diag) : write_new(state, diag));
    if (!options->check)
        return PSOPACK_OK;
    return options->check(options->check_user, psopack_publish_temp_path(state->publish), diag);
}

void psopack_build_count(const psopack_model *model, const psopack_plan *plan,
                         const psopack_compress_result *compressed, uint64_t file_bytes,
                         psopack_publish_outcome outcome, psopack_build_result *ret_result)
{
    *ret_result = (psopack_build_result){
        .psos = model->pso_count,
        .references = model->reference_count,
        .reference_bytes = model->reference_bytes,
        .components = model->component_count,
        .component_bytes = model->component_bytes,
        .blocks = plan->block_count,
        .data_bytes = compressed->data_bytes,
        .base_bytes = compressed->base_bytes,
        .manifest_bytes = file_bytes - compressed->data_bytes, /* block padding too */
        .file_bytes = file_bytes,
        .skipped_psos = model->skipped_psos,
        .peak_memory = psopack_process_peak_memory(),
        .unchanged = outcome == PSOPACK_PUBLISH_UNCHANGED,
    };
    memcpy(ret_result->content_id, model->content_id, sizeof ret_result->content_id);
}

static void report(const work *state, uint64_t file_bytes, psopack_publish_outcome outcome,
                   psopack_build_result *ret_result)
{
    psopack_build_count(state->is_layer ? &state->whole : &state->model, &state->plan,
                        &state->compressed, file_bytes, outcome, ret_result);
    ret_result->skipped_psos += state->build->lost_psos;
    ret_result->collisions = state->store.collisions;
    ret_result->kept_bytes = state->repacked ? 0 : state->waste.kept_bytes;
    ret_result->waste_bytes = state->repacked ? 0 : state->waste.dead_bytes;
    ret_result->repacked = state->repacked;
    ret_result->order_cost_bytes = state->order_cost;
    ret_result->order_cost_known = state->order_cost_known;
    ret_result->reused_blocks = state->compressed.reused_blocks;
    ret_result->cached_files = state->build->cached_files;
    if (state->is_layer) {
        ret_result->layer_psos = state->layer.place_count;
        ret_result->removed_psos = state->layer.removed_count;
        for (uint32_t row = 0; row < state->plan.row_count; row++)
            ret_result->layer_component_bytes +=
                psopack_plan_row(&state->model, &state->plan, row).size;
        ret_result->layer_components = state->plan.row_count;
    }
    for (size_t i = 0; i < state->plan.block_count; i++)
        ret_result->kept_blocks += state->plan.blocks[i].old != NULL;
    memcpy(ret_result->archive_id, state->manifest.archive_id, sizeof ret_result->archive_id);
}

/* ---- nothing to do ----------------------------------------------------------------------------
 */

/* A build that takes over, leaves out or adds something has more to compare than its content. */
static bool may_stay(const psopack_build *build)
{
    const psopack_build_options *options = &build->options;
    return may_reuse(build) && !options->no_names;
}

/* Whether the output is what would be written. Components that share a hash are told apart by bytes
 * alone, so with one of those around only a build can tell. */
static bool is_current(const work *state)
{
    return state->output && may_stay(state->build) && state->store.collisions == 0 &&
           psopack_output_is_current(state->output, &state->model,
                                     state->build->options.hashes != 0);
}

static void count_stored(const psopack_old *output, psopack_build_result *result)
{
    for (uint32_t i = 0; i < output->view.blocks; i++) {
        result->data_bytes += output->blocks[i].stored_size;
        if ((output->blocks[i].flags & PSOPACK_BLOCK_BASE) != 0)
            result->base_bytes += output->blocks[i].stored_size;
    }
    result->manifest_bytes = result->file_bytes - result->data_bytes;
    result->blocks = output->view.blocks;
}

static psopack_status leave_output(work *state, const char *path, psopack_build_result *ret_result,
                                   psopack_diag *diag)
{
    const psopack_build_options *options = &state->build->options;
    if (options->check)
        PSOPACK_TRY(options->check(options->check_user, path, diag));
    memcpy(state->manifest.archive_id, state->output->view.ends.archive_id, 16);
    report(state, state->output->map.size, PSOPACK_PUBLISH_UNCHANGED, ret_result);
    count_stored(state->output, ret_result);
    return PSOPACK_OK;
}

/* ---- a load order -----------------------------------------------------------------------------
 */

static psopack_status check_order(const psopack_build *build, psopack_diag *diag)
{
    if (!build->order.given || build->olds.count == 0)
        return PSOPACK_OK;
    return psopack_fail(diag, PSOPACK_E_ARGUMENT,
                        "an order is for a fresh archive: not on a base, for a layer, or with "
                        "archives as inputs");
}

static psopack_status rank_components(work *state, psopack_diag *diag)
{
    psopack_diag text;
    uint64_t unknown;
    const psopack_build_events *events = &state->build->options.events;
    PSOPACK_TRY(
        psopack_order_rank(&state->build->order, &state->model, &state->rank, &unknown, diag));
    if (unknown == 0 || !events->message)
        return PSOPACK_OK;
    psopack_fail(&text, PSOPACK_OK, "of the order's names, %llu %s no PSO's",
                 (unsigned long long)unknown, unknown == 1 ? "is" : "are");
    events->message(events->user, PSOPACK_NOTE, text.text);
    return PSOPACK_OK;
}

/* Makes the archive without the list too, beside the output, and throws it away. */
static psopack_status measure_order(work *state, const char *path, uint64_t file_bytes,
                                    psopack_diag *diag)
{
    work plain = *state;
    plain.rank = NULL;
    plain.publish = NULL;
    plain.plan = (psopack_plan){0};
    plain.compressed = (psopack_compress_result){0};
    psopack_status status = psopack_publish_begin(path, &plain.publish, diag);
    if (status == PSOPACK_OK)
        status = make_plan(&plain, NULL, diag);
    if (status == PSOPACK_OK)
        status = write_new(&plain, diag);
    if (status == PSOPACK_OK) {
        state->order_cost = (int64_t)file_bytes - (int64_t)psopack_publish_offset(plain.publish);
        state->order_cost_known = true;
    }
    psopack_publish_abort(&plain.publish);
    psopack_plan_free(&plain.plan);
    free(plain.compressed.blocks);
    return status;
}

static psopack_status make_and_publish(work *state, const char *path,
                                       psopack_build_result *ret_result, psopack_diag *diag)
{
    const psopack_build_options *options = &state->build->options;
    psopack_publish_outcome outcome;
    const psopack_order *order = &state->build->order;
    PSOPACK_TRY(check_order(state->build, diag));
    PSOPACK_TRY(collect(state, diag));
    state->output = psopack_output_open(path, state->settings, order->given ? order->hash : NULL);
    if (is_current(state))
        return leave_output(state, path, ret_result, diag);
    if (order->given)
        PSOPACK_TRY(rank_components(state, diag));
    PSOPACK_TRY(psopack_publish_begin(path, &state->publish, diag));
    PSOPACK_TRY(write_archive(state, diag));
    uint64_t file_bytes = psopack_publish_offset(state->publish);
    if (order->given)
        PSOPACK_TRY(measure_order(state, path, file_bytes, diag));
    psopack_publish_options publish = {
        .no_sync = options->no_sync != 0,
        .keep_if_identical = options->force_write == 0,
    };
    PSOPACK_TRY(psopack_publish_commit(&state->publish, &publish, &outcome, diag));
    report(state, file_bytes, outcome, ret_result);
    return PSOPACK_OK;
}

static void warn_of_collisions(const work *state)
{
    psopack_diag text;
    const psopack_build_events *events = &state->build->options.events;
    if (state->store.collisions == 0 || !events->message)
        return;
    psopack_fail(&text, PSOPACK_OK,
                 "%llu components have a content hash that other bytes have too: all were kept",
                 (unsigned long long)state->store.collisions);
    events->message(events->user, PSOPACK_WARNING, text.text);
}

psopack_status psopack_build_write(psopack_build *build, const char *path,
                                   psopack_build_result *ret_result, psopack_diag *diag)
{
    work state = {.build = build, .settings = psopack_profile_get(build->options.profile)};
    psopack_build_result result = {0};
    psopack_status status = make_and_publish(&state, path, &result, diag);
    if (status == PSOPACK_OK) {
        warn_of_collisions(&state);
        if (ret_result)
            *ret_result = result;
    }
    psopack_publish_abort(&state.publish);
    free(state.rank);
    free(state.compressed.blocks);
    psopack_plan_free(&state.plan);
    psopack_model_free(&state.model);
    psopack_model_free(&state.whole);
    psopack_layer_free(&state.layer);
    psopack_store_free(&state.store);
    psopack_old_close(&state.output);
    psopack_build_olds_close(&build->olds);
    return status;
}
