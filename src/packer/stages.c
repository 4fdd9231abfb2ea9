/* SPDX-License-Identifier: MIT */
/* The stages of a spread build, each from files to one file. */
#include "packer/stages.h"

#include <stdlib.h>
#include <string.h>

#include <psopack/build_stages.h>

#include "packer/build_state.h"
#include "packer/manifest.h"
#include "packer/stage_inputs.h"
#include "platform/cpu.h"

static psopack_status load_options(const psopack_stage_options *options,
                                   psopack_stage_options *ret_options, psopack_diag *diag)
{
    const psopack_stage_options defaults = PSOPACK_STAGE_OPTIONS_INIT;
    if (options && options->struct_size != sizeof *options)
        return psopack_fail(diag, PSOPACK_E_ARGUMENT,
                            "psopack_stage_options: set struct_size by its INIT macro");
    *ret_options = options ? *options : defaults;
    if (ret_options->threads == 0)
        ret_options->threads = psopack_cpu_count();
    return PSOPACK_OK;
}

/* Writes a stage's record as a file of its own, behind what `publish` holds. */
static psopack_status finish(psopack_stage *stage, psopack_stage_kind kind,
                             psopack_publish **publish, int no_sync, int force_write,
                             psopack_diag *diag)
{
    psopack_publish_options options = {.no_sync = no_sync != 0,
                                       .keep_if_identical = force_write == 0};
    PSOPACK_TRY(psopack_stage_end(stage, *publish, kind, diag));
    return psopack_publish_commit(publish, &options, NULL, diag);
}

/* ---- scan -------------------------------------------------------------------------------------
 */

static psopack_status check_scan(const psopack_build *build, psopack_diag *diag)
{
    bool files = build->olds.count == 0 && !build->options.no_names && !build->order.given;
    for (size_t i = 0; i < build->inputs.origin_count; i++) {
        psopack_origin_type type = build->inputs.origins[i].type;
        files &= type == PSOPACK_ORIGIN_TREE || type == PSOPACK_ORIGIN_FLAT ||
                 type == PSOPACK_ORIGIN_LIST;
    }
    if (files)
        return PSOPACK_OK;
    return psopack_fail(diag, PSOPACK_E_ARGUMENT,
                        "a scan takes files only: no memory, archives, base, layer or order");
}

static psopack_status write_scan(const psopack_build *build, const psopack_model *model,
                                 const char *const *paths, const char *path, psopack_diag *diag)
{
    psopack_scan_record scan = {
        .profile = (uint32_t)build->options.profile,
        .target = build->target,
        .content_version = build->options.content_version,
        .hashes = build->options.hashes != 0,
        .model = *model,
        .paths = (const char **)(uintptr_t)paths,
    };
    psopack_stage stage;
    psopack_publish *publish = NULL;
    psopack_stage_begin(&stage, diag);
    psopack_status status = psopack_scan_record_pass(&stage, &scan);
    if (status == PSOPACK_OK)
        status = psopack_publish_begin(path, &publish, diag);
    if (status == PSOPACK_OK)
        status = psopack_stage_magic(publish, diag);
    if (status == PSOPACK_OK)
        status = finish(&stage, PSOPACK_STAGE_SCAN, &publish, build->options.no_sync,
                        build->options.force_write, diag);
    psopack_publish_abort(&publish);
    psopack_stage_close(&stage);
    return status;
}

psopack_status psopack_build_scan(psopack_build *build, const char *path,
                                  psopack_build_result *ret_result, psopack_diag *diag)
{
    psopack_store store = {0};
    psopack_model model = {0};
    char **paths = NULL;
    PSOPACK_TRY(check_scan(build, diag));
    psopack_status status = psopack_build_collect(build, &store, &model, diag);
    if (status == PSOPACK_OK)
        status = psopack_stage_list_paths(&build->inputs, &store, &model, &paths, diag);
    if (status == PSOPACK_OK)
        status = write_scan(build, &model, (const char *const *)paths, path, diag);
    if (status == PSOPACK_OK && ret_result) {
        const psopack_plan plan = {0};
        const psopack_compress_result none = {0};
        psopack_build_count(&model, &plan, &none, 0, PSOPACK_PUBLISH_WRITTEN, ret_result);
        ret_result->collisions = store.collisions;
    }
    psopack_stage_free_paths(paths, model.component_count);
    psopack_model_free(&model);
    psopack_store_free(&store);
    return status;
}

/* ---- what later stages read -------------------------------------------------------------------
 */

/* Everything up to the plan, opened again. */
typedef struct opened {
    psopack_stage scan_file, plan_file;
    psopack_scan_record scan;
    psopack_stage_inputs inputs;
    const psopack_profile_settings *settings;
    psopack_plan plan;
} opened;

static psopack_status open_scan(opened *state, const char *path, psopack_diag *diag)
{
    PSOPACK_TRY(psopack_stage_open(&state->scan_file, path, PSOPACK_STAGE_SCAN, diag));
    PSOPACK_TRY(psopack_scan_record_pass(&state->scan_file, &state->scan));
    state->settings = psopack_profile_get((psopack_profile)state->scan.profile);
    if (!state->settings)
        return psopack_fail(diag, PSOPACK_E_CORRUPT, "%s: unknown profile", path);
    return psopack_stage_inputs_open(&state->inputs, &state->scan, diag);
}

/* The plan's record begins with the id of the scan it was made from. */
static psopack_status open_plan(opened *state, const char *scan, const char *path,
                                psopack_diag *diag)
{
    uint8_t scan_id[16];
    PSOPACK_TRY(open_scan(state, scan, diag));
    PSOPACK_TRY(psopack_stage_open(&state->plan_file, path, PSOPACK_STAGE_PLAN, diag));
    psopack_stage_fixed(&state->plan_file, scan_id, sizeof scan_id);
    PSOPACK_TRY(psopack_plan_record_pass(&state->plan_file, &state->scan.model, &state->plan));
    if (memcmp(scan_id, state->scan_file.id, sizeof scan_id) != 0)
        return psopack_fail(diag, PSOPACK_E_ARGUMENT, "%s was not made from %s", path, scan);
    return PSOPACK_OK;
}

static void close_opened(opened *state)
{
    psopack_plan_free(&state->plan);
    psopack_stage_inputs_close(&state->inputs);
    psopack_model_free(&state->scan.model);
    free(state->scan.paths);
    psopack_stage_close(&state->scan_file);
    psopack_stage_close(&state->plan_file);
}

#define OPENED_NONE                                                                                \
    {                                                                                              \
        .scan_file.map = PSOPACK_MAP_NONE, .plan_file.map = PSOPACK_MAP_NONE                       \
    }

/* ---- plan -------------------------------------------------------------------------------------
 */

static psopack_status write_plan(opened *state, const char *path,
                                 const psopack_stage_options *options, psopack_diag *diag)
{
    psopack_stage stage;
    psopack_publish *publish = NULL;
    psopack_stage_begin(&stage, diag);
    psopack_stage_fixed(&stage, state->scan_file.id, sizeof state->scan_file.id);
    psopack_status status = psopack_plan_record_pass(&stage, &state->scan.model, &state->plan);
    if (status == PSOPACK_OK)
        status = psopack_publish_begin(path, &publish, diag);
    if (status == PSOPACK_OK)
        status = psopack_stage_magic(publish, diag);
    if (status == PSOPACK_OK)
        status = finish(&stage, PSOPACK_STAGE_PLAN, &publish, options->no_sync,
                        options->force_write, diag);
    psopack_publish_abort(&publish);
    psopack_stage_close(&stage);
    return status;
}

psopack_status psopack_stage_plan(const char *scan, const char *path,
                                  const psopack_stage_options *options, psopack_diag *diag)
{
    psopack_stage_options own;
    opened state = OPENED_NONE;
    PSOPACK_TRY(load_options(options, &own, diag));
    psopack_status status = open_scan(&state, scan, diag);
    if (status == PSOPACK_OK)
        status = psopack_plan_make(&state.scan.model, &state.inputs.store, state.settings, NULL,
                                   NULL, own.threads, &own.events, &state.plan, diag);
    if (status == PSOPACK_OK)
        status = write_plan(&state, path, &own, diag);
    close_opened(&state);
    return status;
}

/* ---- compress ---------------------------------------------------------------------------------
 */

static psopack_compress_job job_of(opened *state, const psopack_stage_options *options,
                                   psopack_publish *publish)
{
    return (psopack_compress_job){
        .model = &state->scan.model,
        .store = &state->inputs.store,
        .plan = &state->plan,
        .settings = state->settings,
        .events = &options->events,
        .threads = options->threads,
        .end = state->plan.block_count,
        .publish = publish,
    };
}

static psopack_status write_part(opened *state, psopack_part_record *part, const char *path,
                                 const psopack_stage_options *options, psopack_publish **publish,
                                 psopack_diag *diag)
{
    psopack_compress_result made = {0};
    psopack_stage stage;
    PSOPACK_TRY(psopack_publish_begin(path, publish, diag));
    PSOPACK_TRY(psopack_stage_magic(*publish, diag));
    psopack_compress_job job = job_of(state, options, *publish);
    job.first = part->first;
    job.end = part->end;
    job.is_part = true;
    PSOPACK_TRY(psopack_compress(&job, &made, diag));
    part->base_count = state->plan.base_count;
    psopack_stage_begin(&stage, diag);
    psopack_status status =
        psopack_new_array(&part->base_hashes, part->base_count, sizeof *part->base_hashes, diag);
    for (uint32_t i = 0; status == PSOPACK_OK && i < part->base_count; i++)
        memcpy(part->base_hashes[i], state->plan.bases[i].hash, sizeof part->base_hashes[i]);
    part->blocks = made.blocks + part->first;
    if (status == PSOPACK_OK)
        status = psopack_part_record_pass(&stage, part);
    if (status == PSOPACK_OK)
        status = finish(&stage, PSOPACK_STAGE_PART, publish, options->no_sync, options->force_write,
                        diag);
    psopack_stage_close(&stage);
    free(part->base_hashes);
    free(made.blocks);
    return status;
}

psopack_status psopack_stage_compress(const char *scan, const char *plan, uint32_t number,
                                      uint32_t count, const char *path,
                                      const psopack_stage_options *options, psopack_diag *diag)
{
    psopack_stage_options own;
    opened state = OPENED_NONE;
    psopack_publish *publish = NULL;
    PSOPACK_TRY(load_options(options, &own, diag));
    if (number < 1 || number > count || count > PSOPACK_PARTS_MAX)
        return psopack_fail(diag, PSOPACK_E_ARGUMENT,
                            "part %u of %u: parts are numbered from 1, up to %u of them", number,
                            count, PSOPACK_PARTS_MAX);
    psopack_status status = open_plan(&state, scan, plan, diag);
    if (status == PSOPACK_OK) {
        psopack_part_record part = {.number = number, .count = count};
        memcpy(part.scan_id, state.scan_file.id, sizeof part.scan_id);
        memcpy(part.plan_id, state.plan_file.id, sizeof part.plan_id);
        psopack_part_range(&state.plan, number, count, &part.first, &part.end);
        status = write_part(&state, &part, path, &own, &publish, diag);
    }
    psopack_publish_abort(&publish);
    close_opened(&state);
    return status;
}

/* ---- assemble ---------------------------------------------------------------------------------
 */

static psopack_status write_archive(opened *state, psopack_stage_parts *parts,
                                    const psopack_stage_options *options, psopack_publish *publish,
                                    psopack_compress_result *made, uint8_t ret_archive_id[16],
                                    psopack_diag *diag)
{
    psopack_manifest_result written;
    psopack_compress_job job = job_of(state, options, publish);
    job.fetch = psopack_stage_parts_fetch;
    job.fetch_user = parts;
    PSOPACK_TRY(psopack_header_write(publish, diag));
    PSOPACK_TRY(psopack_compress(&job, made, diag));
    psopack_manifest_input input = {
        .model = &state->scan.model,
        .plan = &state->plan,
        .blocks = made->blocks,
        .settings = state->settings,
        .target = state->scan.target,
        .content_version = state->scan.content_version,
        .hashes = state->scan.hashes,
    };
    PSOPACK_TRY(psopack_manifest_write(&input, publish, &written, diag));
    memcpy(ret_archive_id, written.archive_id, sizeof written.archive_id);
    return PSOPACK_OK;
}

static psopack_status assemble(opened *state, psopack_stage_parts *parts, const char *path,
                               const psopack_stage_options *options,
                               psopack_build_result *ret_result, psopack_diag *diag)
{
    psopack_publish *publish = NULL;
    psopack_publish_outcome outcome;
    psopack_compress_result made = {0};
    psopack_publish_options how = {.no_sync = options->no_sync != 0,
                                   .keep_if_identical = options->force_write == 0};
    uint8_t archive_id[16];
    uint64_t size = 0;
    psopack_status status = psopack_publish_begin(path, &publish, diag);
    if (status == PSOPACK_OK)
        status = write_archive(state, parts, options, publish, &made, archive_id, diag);
    if (status == PSOPACK_OK) {
        size = psopack_publish_offset(publish);
        status = psopack_publish_commit(&publish, &how, &outcome, diag);
    }
    if (status == PSOPACK_OK && ret_result) {
        psopack_build_count(&state->scan.model, &state->plan, &made, size, outcome, ret_result);
        memcpy(ret_result->archive_id, archive_id, sizeof archive_id);
    }
    psopack_publish_abort(&publish);
    free(made.blocks);
    return status;
}

psopack_status psopack_stage_assemble(const char *scan, const char *plan, const char *const *paths,
                                      uint32_t count, const char *path,
                                      const psopack_stage_options *options,
                                      psopack_build_result *ret_result, psopack_diag *diag)
{
    psopack_stage_options own;
    opened state = OPENED_NONE;
    psopack_stage_parts parts = {0};
    PSOPACK_TRY(load_options(options, &own, diag));
    psopack_status status = open_plan(&state, scan, plan, diag);
    if (status == PSOPACK_OK)
        status = psopack_stage_parts_open(&parts, paths, count, state.scan_file.id,
                                          state.plan_file.id, &state.plan, diag);
    if (status == PSOPACK_OK)
        status = assemble(&state, &parts, path, &own, ret_result, diag);
    psopack_stage_parts_close(&parts);
    close_opened(&state);
    return status;
}
