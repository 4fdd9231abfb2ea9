/* SPDX-License-Identifier: MIT */
/* The one pass that reads all input: hash, CRC, dedup. */
#include <stdlib.h>

#include "format/crc32c.h"
#include "packer/events.h"
#include "packer/store.h"
#include "platform/parallel.h"

#define FILES_PER_ITEM 32u /* small files: less traffic on the work counter */

typedef struct scan_state {
    psopack_inputs *inputs;
    psopack_store *store;
    const psopack_build_events *events;
    psopack_read_buffer *buffers; /* one per worker */
    psopack_mutex mutex;          /* serializes messages, and marks of dropped PSOs */
    bool keep_going;
    atomic_uint_fast64_t done;
} scan_state;

/* An error of one input, not of the build: what keep_going may leave out. */
static bool is_input_error(psopack_status status)
{
    switch (status) {
    case PSOPACK_E_IO:
    case PSOPACK_E_NO_ENTRY:
    case PSOPACK_E_ACCESS:
    case PSOPACK_E_FILE_TYPE:
    case PSOPACK_E_LIMIT:
    case PSOPACK_E_CHANGED:
        return true;
    default:
        return false;
    }
}

static psopack_status scan_file(scan_state *state, uint32_t index, psopack_read_buffer *buffer,
                                psopack_diag *diag)
{
    psopack_input_file *file = &state->inputs->files[index];
    const uint8_t *bytes;
    uint64_t size;
    const psopack_origin *origin = &state->inputs->origins[state->inputs->psos[file->pso].origin];
    if (origin->type == PSOPACK_ORIGIN_ARCHIVE)
        return PSOPACK_OK; /* psopack_scan_archives() did it */
    PSOPACK_TRY(psopack_inputs_read(state->inputs, file, buffer, &bytes, &size, diag));
    file->size = size;
    file->crc = psopack_crc32c(0, bytes, (size_t)size);
    /* Comparing may read another file: the bytes at hand must not lie in its buffer. */
    psopack_read_buffer *other = buffer + 1;
    return psopack_store_add(state->store, index, bytes, size, file->crc, other, &file->component,
                             diag);
}

static void drop_pso(scan_state *state, uint32_t pso, const psopack_diag *failure)
{
    psopack_mutex_lock(&state->mutex);
    state->inputs->psos[pso].dropped = true;
    if (state->events->message)
        state->events->message(state->events->user, PSOPACK_WARNING, failure->text);
    psopack_mutex_unlock(&state->mutex);
}

static psopack_status scan_batch(void *context, unsigned worker, uint64_t item, psopack_diag *diag)
{
    scan_state *state = context;
    uint64_t first = item * FILES_PER_ITEM, end = first + FILES_PER_ITEM;
    if (end > state->inputs->file_count)
        end = state->inputs->file_count;
    for (uint64_t i = first; i < end; i++) {
        psopack_diag failure = {0};
        psopack_status status =
            scan_file(state, (uint32_t)i, &state->buffers[2 * worker], &failure);
        if (status != PSOPACK_OK && state->keep_going && is_input_error(status)) {
            drop_pso(state, state->inputs->files[i].pso, &failure);
            continue;
        }
        if (status != PSOPACK_OK) {
            if (diag)
                *diag = failure;
            return status;
        }
    }
    uint64_t done = atomic_fetch_add(&state->done, end - first) + (end - first);
    if (worker == 0 && state->events->progress)
        state->events->progress(state->events->user, "read", done, state->inputs->file_count);
    return psopack_go_on(state->events, diag);
}

psopack_status psopack_scan(psopack_inputs *inputs, psopack_store *store, unsigned threads,
                            const psopack_build_events *events, bool keep_going, psopack_diag *diag)
{
    scan_state state = {
        .inputs = inputs, .store = store, .events = events, .keep_going = keep_going};
    PSOPACK_TRY(psopack_mutex_init(&state.mutex, diag));
    psopack_status status =
        psopack_new_array(&state.buffers, 2 * (size_t)threads, sizeof *state.buffers, diag);
    uint64_t items = (inputs->file_count + FILES_PER_ITEM - 1) / FILES_PER_ITEM;
    if (status == PSOPACK_OK)
        status = psopack_parallel_for(items, threads, scan_batch, &state, NULL, diag);
    if (status == PSOPACK_E_CANCELLED)
        psopack_fail(diag, status, "stopped on request; the old output is untouched");
    for (size_t i = 0; state.buffers && i < 2 * (size_t)threads; i++) {
        free(state.buffers[i].bytes);
        free(state.buffers[i].path);
    }
    free(state.buffers);
    psopack_mutex_finish(&state.mutex);
    return status;
}
