/* SPDX-License-Identifier: MIT */
/* Which components of an older archive are among the build's: decoded, then compared by bytes. */
#include <stdlib.h>

#include "packer/events.h"
#include "packer/old_archive.h"
#include "platform/parallel.h"

typedef struct match_worker {
    psopack_context *context;
    psopack_read_buffer bytes; /* of the component */
    psopack_read_buffer other; /* of a file that it is compared with */
} match_worker;

typedef struct match_state {
    psopack_old *old;
    const psopack_store *store;
    const psopack_build_events *events;
    match_worker *workers;
} match_state;

static psopack_status match_component(match_state *state, match_worker *worker, uint32_t component,
                                      psopack_diag *diag)
{
    psopack_old *old = state->old;
    uint64_t size = old->components[component].size;
    PSOPACK_TRY(
        psopack_grow(&worker->bytes.bytes, &worker->bytes.capacity, (size_t)size + 1, 1, diag));
    PSOPACK_TRY(psopack_component_read(old->handle, worker->context, component, worker->bytes.bytes,
                                       (size_t)size, NULL, diag));
    old->hash[component] = XXH3_128bits(worker->bytes.bytes, (size_t)size);
    return psopack_store_find(state->store, worker->bytes.bytes, size, &worker->other,
                              &old->item[component], diag);
}

static psopack_status name_archive(const psopack_old *old, psopack_status status,
                                   psopack_diag *diag)
{
    if (!diag)
        return status;
    psopack_diag inner = *diag;
    return psopack_fail_at(diag, status, inner.object, inner.index, inner.offset, "%.150s: %.330s",
                           old->path, inner.text);
}

static psopack_status match_block(void *context, unsigned worker_index, uint64_t item,
                                  psopack_diag *diag)
{
    match_state *state = context;
    match_worker *worker = &state->workers[worker_index];
    const psopack_block_row *row = &state->old->blocks[item];
    PSOPACK_TRY(psopack_go_on(state->events, diag));
    if (!worker->context)
        PSOPACK_TRY(psopack_context_create(state->old->handle, NULL, &worker->context));
    for (uint32_t i = row->first; i < row->first + row->count; i++) {
        psopack_status status = match_component(state, worker, i, diag);
        if (status != PSOPACK_OK && (row->flags & PSOPACK_BLOCK_DEAD) == 0)
            return name_archive(state->old, status, diag);
    }
    return PSOPACK_OK;
}

/* Components that no block counts as its own: the empty one in front of all blocks. */
static psopack_status match_front(match_state *state, psopack_diag *diag)
{
    uint32_t first =
        state->old->view.blocks ? state->old->blocks[0].first : state->old->view.components;
    for (uint32_t i = 0; i < first; i++) {
        state->old->hash[i] = XXH3_128bits(NULL, 0);
        PSOPACK_TRY(psopack_store_find(state->store, NULL, 0, &state->workers[0].other,
                                       &state->old->item[i], diag));
    }
    return PSOPACK_OK;
}

psopack_status psopack_old_match(psopack_old *old, const psopack_store *store, unsigned threads,
                                 const psopack_build_events *events, psopack_diag *diag)
{
    match_state state = {.old = old, .store = store, .events = events};
    PSOPACK_TRY(psopack_new_array(&state.workers, threads, sizeof *state.workers, diag));
    psopack_status status = match_front(&state, diag);
    if (status == PSOPACK_OK)
        status = psopack_parallel_for(old->view.blocks, threads, match_block, &state, NULL, diag);
    for (unsigned i = 0; i < threads; i++) {
        psopack_context_destroy(&state.workers[i].context);
        free(state.workers[i].bytes.bytes);
        free(state.workers[i].other.bytes);
        free(state.workers[i].other.path);
    }
    free(state.workers);
    return status;
}
