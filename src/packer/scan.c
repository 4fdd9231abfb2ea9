/* SPDX-License-Identifier: MIT */
/* The one pass over all input: hash, CRC, dedup; or what a cache knows of them. */
#include <stdlib.h>

#include "format/crc32c.h"
#include "packer/events.h"
#include "packer/scan.h"
#include "platform/parallel.h"
#include "platform/path.h"

#define FILES_PER_ITEM 32u /* small files: less traffic on the work counter */

typedef struct scan_state {
    psopack_inputs *inputs;
    psopack_store *store;
    psopack_hash_cache *cache; /* may be NULL */
    const psopack_build_events *events;
    psopack_read_buffer *buffers; /* one per worker */
    psopack_mutex mutex;          /* serializes messages, and marks of dropped PSOs */
    bool keep_going;
    atomic_uint_fast64_t done;
    atomic_uint_fast64_t known;
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

/* Whether the cache knows the file as it is now; buffer->path and ->stat are the file's. A file
 * without a stat is left to the reading, which can say why. */
static psopack_status look_up(const scan_state *state, const psopack_input_file *file,
                              psopack_read_buffer *buffer, psopack_known_file *ret_known,
                              bool *ret_found, psopack_diag *diag)
{
    *ret_found = false;
    PSOPACK_TRY(
        psopack_inputs_path(state->inputs, file, &buffer->path, &buffer->path_capacity, diag));
    if (psopack_path_stat(buffer->path, &buffer->stat, NULL) == PSOPACK_OK &&
        buffer->stat.size <= state->inputs->file_size_limit)
        *ret_found = psopack_hash_cache_find(state->cache, buffer->path, &buffer->stat, ret_known);
    return PSOPACK_OK;
}

static psopack_status read_file(scan_state *state, uint32_t index, psopack_read_buffer *buffer,
                                psopack_diag *diag)
{
    psopack_input_file *file = &state->inputs->files[index];
    const uint8_t *bytes;
    uint64_t size;
    PSOPACK_TRY(psopack_inputs_read(state->inputs, file, buffer, &bytes, &size, diag));
    file->size = size;
    file->crc = psopack_crc32c(0, bytes, (size_t)size);
    /* Comparing may read another file: the bytes at hand must not lie in its buffer. */
    psopack_read_buffer *other = buffer + 1;
    return psopack_store_add(state->store, index, bytes, size, file->crc, other, &file->component,
                             diag);
}

static void remember(scan_state *state, uint32_t index, const psopack_read_buffer *buffer)
{
    const psopack_input_file *file = &state->inputs->files[index];
    psopack_known_file found = {.hash = psopack_store_hash(state->store, file->component),
                                .size = file->size,
                                .crc = file->crc,
                                .group = file->component};
    psopack_hash_cache_record(state->cache, index, buffer->path, &buffer->stat, &found);
}

static psopack_status scan_cached(scan_state *state, uint32_t index, psopack_read_buffer *buffer,
                                  psopack_diag *diag)
{
    psopack_input_file *file = &state->inputs->files[index];
    psopack_known_file known;
    bool found;
    uint32_t item = UINT32_MAX;
    PSOPACK_TRY(look_up(state, file, buffer, &known, &found, diag));
    if (found)
        PSOPACK_TRY(psopack_store_add_known(state->store, index, &known, &item, diag));
    if (item != UINT32_MAX) {
        file->size = known.size;
        file->crc = known.crc;
        file->component = item;
        atomic_fetch_add_explicit(&state->known, 1, memory_order_relaxed);
    } else {
        PSOPACK_TRY(read_file(state, index, buffer, diag));
        if (found)
            psopack_store_join(state->store, &known, file->component);
    }
    remember(state, index, buffer);
    return PSOPACK_OK;
}

static psopack_origin_type origin_of(const psopack_inputs *inputs, uint32_t file)
{
    return inputs->origins[inputs->psos[inputs->files[file].pso].origin].type;
}

static psopack_status scan_file(scan_state *state, uint32_t index, psopack_read_buffer *buffer,
                                psopack_diag *diag)
{
    switch (origin_of(state->inputs, index)) {
    case PSOPACK_ORIGIN_ARCHIVE:
        return PSOPACK_OK; /* psopack_scan_archives() did it */
    case PSOPACK_ORIGIN_MEMORY:
    case PSOPACK_ORIGIN_VIRTUAL:
        break;
    default:
        if (state->cache)
            return scan_cached(state, index, buffer, diag);
    }
    return read_file(state, index, buffer, diag);
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

static psopack_status scan_all(scan_state *state, unsigned threads, psopack_diag *diag)
{
    uint64_t items = (state->inputs->file_count + FILES_PER_ITEM - 1) / FILES_PER_ITEM;
    if (state->cache)
        PSOPACK_TRY(psopack_store_expect_groups(state->store,
                                                psopack_hash_cache_groups(state->cache), diag));
    PSOPACK_TRY(
        psopack_new_array(&state->buffers, 2 * (size_t)threads, sizeof *state->buffers, diag));
    psopack_status status = psopack_parallel_for(items, threads, scan_batch, state, NULL, diag);
    if (status == PSOPACK_E_CANCELLED)
        psopack_fail(diag, status, "stopped on request; the old output is untouched");
    if (status == PSOPACK_OK && state->cache)
        status = psopack_hash_cache_write(state->cache, state->store->count, diag);
    return status;
}

psopack_status psopack_scan(psopack_inputs *inputs, psopack_store *store,
                            const psopack_scan_options *options, uint64_t *ret_known,
                            psopack_diag *diag)
{
    scan_state state = {
        .inputs = inputs,
        .store = store,
        .cache = options->cache,
        .events = options->events,
        .keep_going = options->keep_going,
    };
    PSOPACK_TRY(psopack_mutex_init(&state.mutex, diag));
    psopack_status status = scan_all(&state, options->threads, diag);
    for (size_t i = 0; state.buffers && i < 2 * (size_t)options->threads; i++) {
        free(state.buffers[i].bytes);
        free(state.buffers[i].path);
    }
    free(state.buffers);
    psopack_mutex_finish(&state.mutex);
    if (status == PSOPACK_OK)
        *ret_known = atomic_load(&state.known);
    return status;
}
