/* SPDX-License-Identifier: MIT */
/* Components of archives that are inputs: each decoded once and filed, then given to all its uses.
 */
#include <stdlib.h>

#include "format/crc32c.h"
#include "packer/events.h"
#include "packer/old_archive.h"
#include "packer/salvage.h"
#include "platform/parallel.h"

typedef struct scan_worker {
    psopack_context *context;
    psopack_salvage_reader *salvage; /* of a damaged archive */
    psopack_read_buffer bytes;       /* of the component */
    psopack_read_buffer other;       /* of what it is compared with */
} scan_worker;

typedef struct archive_scan {
    psopack_old *old;
    psopack_store *store;
    const psopack_build_events *events;
    uint32_t *first_file; /* by component: an input file that it is, UINT32_MAX: none */
    scan_worker *workers;
} archive_scan;

static bool is_archive_file(const psopack_inputs *inputs, const psopack_input_file *file)
{
    return inputs->origins[inputs->psos[file->pso].origin].type == PSOPACK_ORIGIN_ARCHIVE;
}

/* What the loader can't read marks its block, so that nothing is copied from it or built on it. */
static psopack_status read_component(psopack_old *old, scan_worker *worker, uint32_t component,
                                     uint64_t size, uint32_t *ret_crc, psopack_diag *diag)
{
    uint8_t *bytes = worker->bytes.bytes;
    psopack_status status = psopack_component_read(old->handle, worker->context, component, bytes,
                                                   (size_t)size, ret_crc, diag);
    if (status == PSOPACK_OK)
        return status;
    if (old->block_of[component] != UINT32_MAX)
        old->lost[old->block_of[component]] = true;
    if (!old->salvage)
        return status;
    if (!worker->salvage)
        PSOPACK_TRY(psopack_salvage_reader_create(&worker->salvage, diag));
    *ret_crc = old->components[component].crc;
    return psopack_salvage_read(old->salvage, worker->salvage, component, bytes, diag);
}

static psopack_status file_component(archive_scan *state, scan_worker *worker, uint32_t component,
                                     psopack_diag *diag)
{
    psopack_old *old = state->old;
    uint64_t size = old->components[component].size;
    uint32_t crc;
    PSOPACK_TRY(
        psopack_grow(&worker->bytes.bytes, &worker->bytes.capacity, (size_t)size + 1, 1, diag));
    PSOPACK_TRY(read_component(old, worker, component, size, &crc, diag));
    old->hash[component] = XXH3_128bits(worker->bytes.bytes, (size_t)size);
    if (state->first_file[component] == UINT32_MAX)
        return PSOPACK_OK;
    return psopack_store_add(state->store, state->first_file[component], worker->bytes.bytes, size,
                             crc, &worker->other, &old->item[component], diag);
}

/* What can't be decoded is left without an item: settle() says whether anything needs it. */
static psopack_status scan_range(archive_scan *state, unsigned worker_index, uint32_t first,
                                 uint32_t end, psopack_diag *diag)
{
    scan_worker *worker = &state->workers[worker_index];
    PSOPACK_TRY(psopack_go_on(state->events, diag));
    if (!worker->context)
        PSOPACK_TRY(psopack_context_create(state->old->handle, NULL, &worker->context));
    for (uint32_t i = first; i < end; i++) {
        state->old->item[i] = PSOPACK_NO_ITEM;
        psopack_status status = file_component(state, worker, i, diag);
        if (status == PSOPACK_E_NOMEM || status == PSOPACK_E_LIMIT)
            return status;
    }
    return PSOPACK_OK;
}

static psopack_status scan_block(void *context, unsigned worker, uint64_t item, psopack_diag *diag)
{
    archive_scan *state = context;
    const psopack_block_row *row = &state->old->blocks[item];
    return scan_range(state, worker, row->first, row->first + row->count, diag);
}

static psopack_status scan_one(archive_scan *state, const psopack_inputs *inputs, uint32_t archive,
                               unsigned threads, psopack_diag *diag)
{
    const psopack_view *view = &state->old->view;
    PSOPACK_TRY(psopack_new_array(&state->workers, threads, sizeof *state->workers, diag));
    PSOPACK_TRY(psopack_new_array(&state->first_file, view->components, sizeof(uint32_t), diag));
    for (uint32_t i = 0; i < view->components; i++)
        state->first_file[i] = UINT32_MAX;
    for (size_t i = inputs->file_count; i-- > 0;) {
        const psopack_input_file *file = &inputs->files[i];
        if (is_archive_file(inputs, file) && file->source.part.archive == archive)
            state->first_file[file->source.part.component] = (uint32_t)i;
    }
    uint32_t front = view->blocks ? state->old->blocks[0].first : view->components;
    PSOPACK_TRY(scan_range(state, 0, 0, front, diag));
    return psopack_parallel_for(view->blocks, threads, scan_block, state, NULL, diag);
}

static void free_scan(archive_scan *state, unsigned threads)
{
    for (unsigned i = 0; state->workers && i < threads; i++) {
        psopack_context_destroy(&state->workers[i].context);
        psopack_salvage_reader_destroy(&state->workers[i].salvage);
        free(state->workers[i].bytes.bytes);
        free(state->workers[i].other.bytes);
        free(state->workers[i].other.path);
    }
    free(state->workers);
    free(state->first_file);
}

/* ---- uses -------------------------------------------------------------------------------------
 */

/* Why a component has no item: reading it again says it best. */
static psopack_status explain(const psopack_inputs *inputs, const psopack_input_file *file,
                              psopack_diag *diag)
{
    const psopack_old *old = inputs->olds[file->source.part.archive];
    psopack_read_buffer buffer = {0};
    psopack_diag inner = {0};
    uint64_t size;
    /* Salvage has tried all it can, and that takes long. */
    psopack_status status =
        old->salvage ? psopack_fail_at(&inner, PSOPACK_E_CHECKSUM, PSOPACK_OBJECT_COMPONENT,
                                       file->source.part.component, PSOPACK_NO_OFFSET,
                                       "component %u is damaged", file->source.part.component)
                     : psopack_old_read(old, file->source.part.component, &buffer, &size, &inner);
    free(buffer.bytes);
    if (status == PSOPACK_OK)
        return psopack_fail(diag, PSOPACK_E_CHANGED, "%s: it changed while it was read", old->path);
    const psopack_input_pso *pso = &inputs->psos[file->pso];
    return psopack_fail_at(diag, status, inner.object, inner.index, inner.offset,
                           "PSO '%.100s' is lost: slot '%.60s': %.60s: %.250s",
                           inputs->names.items[pso->name].bytes,
                           inputs->slots.items[file->slot].bytes, old->path, inner.text);
}

static psopack_status settle(psopack_inputs *inputs, const psopack_store *store,
                             const psopack_build_events *events, psopack_input_file *file,
                             psopack_diag *diag)
{
    psopack_input_pso *pso = &inputs->psos[file->pso];
    uint32_t item = inputs->olds[file->source.part.archive]->item[file->source.part.component];
    if (item != PSOPACK_NO_ITEM) {
        file->component = item;
        file->crc = store->items[item].crc;
        return PSOPACK_OK;
    }
    psopack_diag failure;
    psopack_status status = explain(inputs, file, &failure);
    if (!inputs->origins[pso->origin].salvage) {
        if (diag)
            *diag = failure;
        return status;
    }
    if (!pso->dropped && events->message)
        events->message(events->user, PSOPACK_WARNING, failure.text);
    pso->dropped = true;
    return PSOPACK_OK;
}

psopack_status psopack_scan_archives(psopack_inputs *inputs, uint32_t archives,
                                     psopack_store *store, unsigned threads,
                                     const psopack_build_events *events, psopack_diag *diag)
{
    for (uint32_t i = 0; i < archives; i++) {
        archive_scan state = {.old = inputs->olds[i], .store = store, .events = events};
        psopack_status status = scan_one(&state, inputs, i, threads, diag);
        free_scan(&state, threads);
        PSOPACK_TRY(status);
    }
    if (archives > 1)
        PSOPACK_TRY(psopack_scan_repair(inputs, store, events, diag));
    for (size_t i = 0; archives != 0 && i < inputs->file_count; i++) {
        if (is_archive_file(inputs, &inputs->files[i]))
            PSOPACK_TRY(settle(inputs, store, events, &inputs->files[i], diag));
    }
    return PSOPACK_OK;
}
