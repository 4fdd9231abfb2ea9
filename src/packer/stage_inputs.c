/* SPDX-License-Identifier: MIT */
#include "packer/stage_inputs.h"

#include <stdlib.h>
#include <string.h>

#include "format/view.h"

/* ---- paths ------------------------------------------------------------------------------------
 */

psopack_status psopack_stage_list_paths(const psopack_inputs *inputs, const psopack_store *store,
                                        const psopack_model *model, char ***ret_paths,
                                        psopack_diag *diag)
{
    PSOPACK_TRY(psopack_new_array(ret_paths, model->component_count, sizeof **ret_paths, diag));
    for (uint32_t i = 0; i < model->component_count; i++) {
        size_t capacity = 0;
        const psopack_stored *item = &store->items[model->components[i].item];
        PSOPACK_TRY(psopack_inputs_path(inputs, &inputs->files[item->file], &(*ret_paths)[i],
                                        &capacity, diag));
    }
    return PSOPACK_OK;
}

void psopack_stage_free_paths(char **paths, uint32_t count)
{
    for (uint32_t i = 0; paths && i < count; i++)
        free(paths[i]);
    free(paths);
}

/* ---- components -------------------------------------------------------------------------------
 */

/* As a list would name them, all in one PSO: nothing but their paths is asked for. */
static psopack_status name_files(psopack_inputs *inputs, const psopack_scan_record *scan,
                                 psopack_diag *diag)
{
    uint32_t origin, pso;
    PSOPACK_TRY(psopack_inputs_add_origin(inputs, PSOPACK_ORIGIN_LIST, "scan", &origin, diag));
    PSOPACK_TRY(psopack_inputs_add_pso(inputs, origin, "scan", 4, &pso, diag));
    for (uint32_t i = 0; i < scan->model.component_count; i++) {
        psopack_input_source source = {.path = scan->paths[i]};
        PSOPACK_TRY(psopack_inputs_add_file(inputs, pso, "component", 9, source,
                                            scan->model.components[i].size, diag));
    }
    return PSOPACK_OK;
}

psopack_status psopack_stage_inputs_open(psopack_stage_inputs *state,
                                         const psopack_scan_record *scan, psopack_diag *diag)
{
    const psopack_model *model = &scan->model;
    psopack_store *store = &state->store;
    state->inputs.pso_limit = 1;
    state->inputs.file_size_limit = UINT32_MAX;
    PSOPACK_TRY(name_files(&state->inputs, scan, diag));
    PSOPACK_TRY(psopack_store_init(store, &state->inputs, NULL, 0, diag));
    PSOPACK_TRY(
        psopack_new_array(&store->items, model->component_count, sizeof *store->items, diag));
    store->count = store->capacity = model->component_count;
    for (uint32_t i = 0; i < model->component_count; i++)
        store->items[i] = (psopack_stored){.hash = model->components[i].hash,
                                           .size = model->components[i].size,
                                           .crc = model->components[i].crc,
                                           .file = i};
    return PSOPACK_OK;
}

void psopack_stage_inputs_close(psopack_stage_inputs *state)
{
    psopack_store_free(&state->store);
    psopack_inputs_free(&state->inputs);
}

/* ---- parts ------------------------------------------------------------------------------------
 */

static psopack_status wrong_part(const char *path, const char *why, psopack_diag *diag)
{
    return psopack_fail(diag, PSOPACK_E_ARGUMENT, "%s: %s", path, why);
}

/* Opens one file and puts it where its number says. */
static psopack_status open_part(psopack_stage_parts *state, const char *path,
                                const uint8_t scan_id[16], const uint8_t plan_id[16],
                                psopack_diag *diag)
{
    psopack_stage file;
    psopack_part_record part = {0};
    uint64_t first = 0, end = 0;
    PSOPACK_TRY(psopack_stage_open(&file, path, PSOPACK_STAGE_PART, diag));
    psopack_status status = psopack_part_record_pass(&file, &part);
    if (status == PSOPACK_OK &&
        (memcmp(part.scan_id, scan_id, 16) != 0 || memcmp(part.plan_id, plan_id, 16) != 0))
        status = wrong_part(path, "it was made from another scan or plan", diag);
    if (status == PSOPACK_OK &&
        (part.count != state->count || part.number < 1 || part.number > part.count))
        status = wrong_part(path, "it is one of another number of parts", diag);
    if (status == PSOPACK_OK)
        psopack_part_range(state->plan, part.number, part.count, &first, &end);
    if (status == PSOPACK_OK &&
        (part.first != first || part.end != end || part.base_count != state->plan->base_count))
        status = wrong_part(path, "its blocks are not those of the plan", diag);
    if (status == PSOPACK_OK && state->files[part.number - 1].reads)
        status = wrong_part(path, "the same part was given already", diag);
    if (status != PSOPACK_OK) {
        free(part.blocks);
        free(part.base_hashes);
        psopack_stage_close(&file);
        return status;
    }
    state->files[part.number - 1] = file;
    state->parts[part.number - 1] = part;
    return PSOPACK_OK;
}

static psopack_status take_hashes(const psopack_stage_parts *state, psopack_plan *plan,
                                  psopack_diag *diag)
{
    for (uint32_t base = 0; base < plan->base_count; base++) {
        uint32_t part = 0;
        while (part < state->count && plan->bases[base].block >= state->parts[part].end)
            part++;
        if (part == state->count)
            return psopack_fail(diag, PSOPACK_E_CORRUPT, "no part holds base %u", base);
        memcpy(plan->bases[base].hash, state->parts[part].base_hashes[base], 16);
    }
    return PSOPACK_OK;
}

psopack_status psopack_stage_parts_open(psopack_stage_parts *state, const char *const *paths,
                                        uint32_t count, const uint8_t scan_id[16],
                                        const uint8_t plan_id[16], psopack_plan *plan,
                                        psopack_diag *diag)
{
    state->plan = plan;
    PSOPACK_TRY(psopack_new_array(&state->files, count, sizeof *state->files, diag));
    PSOPACK_TRY(psopack_new_array(&state->parts, count, sizeof *state->parts, diag));
    state->count = count;
    for (uint32_t i = 0; i < count; i++)
        PSOPACK_TRY(open_part(state, paths[i], scan_id, plan_id, diag));
    return take_hashes(state, plan, diag);
}

void psopack_stage_parts_close(psopack_stage_parts *state)
{
    for (uint32_t i = 0; i < state->count; i++) {
        if (!state->files[i].reads)
            continue;
        psopack_stage_close(&state->files[i]);
        free(state->parts[i].blocks);
        free(state->parts[i].base_hashes);
    }
    free(state->files);
    free(state->parts);
    *state = (psopack_stage_parts){0};
}

psopack_status psopack_stage_parts_fetch(void *user, uint64_t block, const uint8_t **ret_bytes,
                                         psopack_written_block *ret_written, psopack_diag *diag)
{
    const psopack_stage_parts *state = user;
    const psopack_plan_block *planned = &state->plan->blocks[block];
    uint32_t part = 0;
    while (block >= state->parts[part].end)
        part++;
    psopack_written_block written = state->parts[part].blocks[block - state->parts[part].first];
    const uint8_t *bytes = state->files[part].map.data + written.offset;
    uint32_t transform =
        planned->is_piece ? PSOPACK_TRANSFORM_NONE : state->plan->kinds[planned->kind].transform;
    const uint8_t *base =
        planned->base == PSOPACK_NO_BASE ? NULL : state->plan->bases[planned->base].hash;
    if (written.raw_size != planned->raw_size ||
        psopack_block_check(bytes, written.stored_size, written.raw_size, transform, base) !=
            written.check)
        return psopack_fail(diag, PSOPACK_E_CHECKSUM, "%s: block %llu is damaged; make it again",
                            state->files[part].path, (unsigned long long)block);
    *ret_bytes = bytes;
    *ret_written = written;
    return PSOPACK_OK;
}
