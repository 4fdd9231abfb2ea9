/* SPDX-License-Identifier: MIT */
/* Blocks made on all threads, written in order by whichever has the next one. */
#include "packer/compress.h"

#include <stdlib.h>
#include <string.h>

#include "format/transform.h"
#include "format/view.h"
#include "packer/codec.h"
#include "packer/events.h"
#include "packer/reuse.h"
#include "platform/parallel.h"

#define PROBE_MIN 4096u /* smaller blocks cost less than the question */
#define PROBE_SHARE 64u /* a fast try must save 1/64 */

/* One worker's scratch. */
typedef struct worker_state {
    psopack_codec *codec;
    psopack_read_buffer buffer;
    uint8_t *raw; /* a block put together */
    size_t raw_capacity;
    void *scratch; /* of transforms */
    psopack_reuse_worker reuse;
} worker_state;

/* A block between make and use. */
typedef struct block_place {
    uint8_t *bytes; /* stored form */
    size_t capacity;
    bool is_reused;
    psopack_written_block written;
} block_place;

typedef struct compress_state {
    const psopack_compress_job *job;
    worker_state *workers;
    unsigned worker_count;
    block_place *places;
    unsigned place_count;
    psopack_codec_base **bases;
    psopack_reuse *reuse; /* may be NULL */
    psopack_compress_result result;
} compress_state;

/* ---- putting a block together -----------------------------------------------------------------
 */

static psopack_status append_component(const compress_state *state, worker_state *worker,
                                       uint32_t component, size_t at, psopack_diag *diag)
{
    return psopack_plan_component_bytes(state->job->model, state->job->store, state->job->plan,
                                        component, &worker->buffer, worker->raw + at,
                                        worker->scratch, diag);
}

static psopack_status gather(const compress_state *state, worker_state *worker,
                             const psopack_plan_block *block, psopack_diag *diag)
{
    PSOPACK_TRY(psopack_grow(&worker->raw, &worker->raw_capacity, block->raw_size + 1, 1, diag));
    if (block->is_piece) {
        const uint8_t *bytes;
        uint32_t component = state->job->plan->order[block->first];
        PSOPACK_TRY(psopack_store_bytes(state->job->store,
                                        state->job->model->components[component].item,
                                        &worker->buffer, &bytes, diag));
        memcpy(worker->raw, bytes + block->piece_offset, block->raw_size);
        return PSOPACK_OK;
    }
    size_t at = 0;
    for (uint32_t i = 0; i < block->count; i++) {
        uint32_t component = state->job->plan->order[block->first + i];
        PSOPACK_TRY(append_component(state, worker, component, at, diag));
        at += (size_t)psopack_plan_stored_size(state->job->model, state->job->plan, component);
    }
    return PSOPACK_OK;
}

/* Whether a fast try finds nothing worth having: then a slow one is not made. Blocks under a base
 * are not asked, there the base may hold them. */
static psopack_status looks_incompressible(const compress_state *state, worker_state *worker,
                                           const psopack_plan_block *block, block_place *place,
                                           bool *ret_answer, psopack_diag *diag)
{
    const psopack_codec_params quick = {.level = 1};
    size_t size;
    *ret_answer = false;
    if (block->base != PSOPACK_NO_BASE || block->raw_size < PROBE_MIN)
        return PSOPACK_OK;
    PSOPACK_TRY(psopack_codec_compress(
        worker->codec, &quick, NULL, state->job->settings->plain_frames, worker->raw,
        block->raw_size, place->bytes, place->capacity, &size, diag));
    *ret_answer = size > block->raw_size - block->raw_size / PROBE_SHARE;
    return PSOPACK_OK;
}

static uint32_t block_flags(const compress_state *state, const psopack_plan_block *block, bool raw)
{
    uint32_t flags = raw ? PSOPACK_BLOCK_RAW : 0;
    if (!raw && state->job->settings->plain_frames)
        flags |= PSOPACK_BLOCK_FRAME;
    if (block->is_base)
        flags |= PSOPACK_BLOCK_BASE;
    if (block->is_piece && block->piece_offset != 0)
        flags |= PSOPACK_BLOCK_PIECE;
    return flags;
}

/* Stores worker->raw as it is where that is smaller, unless only frames are wanted. */
static psopack_status compress_raw(const compress_state *state, worker_state *worker,
                                   const psopack_plan_block *block, block_place *place,
                                   psopack_diag *diag)
{
    const psopack_profile_settings *settings = state->job->settings;
    const psopack_codec_params *params =
        block->is_base ? &settings->base : &state->job->plan->kinds[block->kind].params;
    const psopack_codec_base *base =
        block->base == PSOPACK_NO_BASE ? NULL : state->bases[block->base];
    size_t size = block->raw_size;
    bool raw = !settings->compress || block->raw_size == 0;
    PSOPACK_TRY(psopack_grow(&place->bytes, &place->capacity, psopack_codec_bound(block->raw_size),
                             1, diag));
    if (!raw)
        PSOPACK_TRY(looks_incompressible(state, worker, block, place, &raw, diag));
    if (!raw || settings->plain_frames) {
        const psopack_codec_params quick = {.level = 1};
        PSOPACK_TRY(psopack_codec_compress(worker->codec, raw ? &quick : params, base,
                                           settings->plain_frames, worker->raw, block->raw_size,
                                           place->bytes, place->capacity, &size, diag));
        raw = size >= block->raw_size && !settings->plain_frames;
    }
    if (raw) {
        memcpy(place->bytes, worker->raw, block->raw_size);
        size = block->raw_size;
    }
    place->written = (psopack_written_block){
        .stored_size = (uint32_t)size,
        .raw_size = block->raw_size,
        .flags = block_flags(state, block, raw),
    };
    return PSOPACK_OK;
}

static uint32_t block_transform(const compress_state *state, const psopack_plan_block *block)
{
    return block->is_piece ? PSOPACK_TRANSFORM_NONE
                           : state->job->plan->kinds[block->kind].transform;
}

/* A block of an older archive as it is, once its check has matched. Its row stays, but for its
 * place and whether it is dead. */
static psopack_status copy_block(const psopack_plan_block *block, block_place *place,
                                 psopack_diag *diag)
{
    const psopack_block_row *row = &block->old->blocks[block->old_block];
    uint32_t flags = row->flags & ~PSOPACK_BLOCK_DEAD;
    if (!block->is_dead)
        PSOPACK_TRY(psopack_old_block_check(block->old, block->old_block, diag));
    PSOPACK_TRY(psopack_grow(&place->bytes, &place->capacity, row->stored_size + 1, 1, diag));
    if (row->stored_size != 0)
        memcpy(place->bytes, block->old->map.data + row->offset, row->stored_size);
    place->written = (psopack_written_block){
        .offset = row->offset,
        .check = row->check,
        .stored_size = row->stored_size,
        .raw_size = row->raw_size,
        .flags = flags | (block->is_dead ? PSOPACK_BLOCK_DEAD : 0),
    };
    return PSOPACK_OK;
}

/* Takes the stored bytes of an equal block, if the output has one. */
static psopack_status reuse_raw(const compress_state *state, worker_state *worker,
                                const psopack_plan_block *block, block_place *place,
                                psopack_diag *diag)
{
    const psopack_reuse_wanted wanted = {
        .bytes = worker->raw,
        .size = block->raw_size,
        .transform = block_transform(state, block),
        .base = block->base == PSOPACK_NO_BASE ? NULL : state->job->plan->bases[block->base].hash,
        .is_base = block->is_base,
    };
    const psopack_block_row *row;
    PSOPACK_TRY(psopack_reuse_find(state->reuse, &worker->reuse, &wanted, &row, diag));
    place->is_reused = row != NULL;
    if (!row)
        return PSOPACK_OK;
    PSOPACK_TRY(psopack_grow(&place->bytes, &place->capacity, row->stored_size + 1, 1, diag));
    if (row->stored_size != 0)
        memcpy(place->bytes, psopack_reuse_stored(state->reuse, row), row->stored_size);
    place->written = (psopack_written_block){
        .stored_size = row->stored_size,
        .raw_size = row->raw_size,
        .flags = block_flags(state, block, (row->flags & PSOPACK_BLOCK_RAW) != 0),
    };
    return PSOPACK_OK;
}

static psopack_status fetch_block(const compress_state *state, uint64_t number, block_place *place,
                                  psopack_diag *diag)
{
    const psopack_compress_job *job = state->job;
    const uint8_t *bytes;
    PSOPACK_TRY(job->fetch(job->fetch_user, number, &bytes, &place->written, diag));
    PSOPACK_TRY(psopack_grow(&place->bytes, &place->capacity,
                             (size_t)place->written.stored_size + 1, 1, diag));
    if (place->written.stored_size != 0)
        memcpy(place->bytes, bytes, place->written.stored_size);
    return PSOPACK_OK;
}

static psopack_status make_block(void *context, unsigned worker_index, uint64_t item, unsigned slot,
                                 psopack_diag *diag)
{
    compress_state *state = context;
    worker_state *worker = &state->workers[worker_index];
    const psopack_plan_block *block = &state->job->plan->blocks[state->job->first + item];
    block_place *place = &state->places[slot];
    PSOPACK_TRY(psopack_go_on(state->job->events, diag));
    if (state->job->fetch)
        return fetch_block(state, state->job->first + item, place, diag);
    if (block->old)
        return copy_block(block, place, diag);
    PSOPACK_TRY(gather(state, worker, block, diag));
    place->is_reused = false;
    if (state->reuse)
        PSOPACK_TRY(reuse_raw(state, worker, block, place, diag));
    if (!place->is_reused)
        PSOPACK_TRY(compress_raw(state, worker, block, place, diag));
    place->written.check = psopack_block_check(
        place->bytes, place->written.stored_size, block->raw_size, block_transform(state, block),
        block->base == PSOPACK_NO_BASE ? NULL : state->job->plan->bases[block->base].hash);
    return PSOPACK_OK;
}

/* ---- writing ----------------------------------------------------------------------------------
 */

/* The offset alignment of a block: its first component's, where bytes lie as they are. */
static uint32_t block_alignment(const compress_state *state, const psopack_plan_block *block,
                                const psopack_written_block *written)
{
    uint32_t alignment = state->job->settings->block_align;
    if (state->job->is_part)
        return 1;
    if ((written->flags & PSOPACK_BLOCK_RAW) == 0 || state->job->settings->compress)
        return alignment;
    for (uint32_t i = 0; i < block->count; i++) {
        psopack_component_row row =
            psopack_plan_row(state->job->model, state->job->plan, block->first + i);
        uint32_t wanted = UINT32_C(1) << row.align_log2;
        alignment = wanted > alignment ? wanted : alignment;
    }
    return alignment;
}

static psopack_status write_padding(psopack_publish *publish, uint32_t alignment,
                                    psopack_diag *diag)
{
    static const uint8_t zeros[4096];
    uint64_t offset = psopack_publish_offset(publish);
    uint64_t left = (alignment - offset % alignment) % alignment;
    while (left != 0) {
        size_t size = left < sizeof zeros ? (size_t)left : sizeof zeros;
        PSOPACK_TRY(psopack_publish_write(publish, zeros, size, diag));
        left -= size;
    }
    return PSOPACK_OK;
}

static psopack_status use_block(void *context, uint64_t item, unsigned slot, psopack_diag *diag)
{
    compress_state *state = context;
    uint64_t number = state->job->first + item;
    const psopack_plan_block *block = &state->job->plan->blocks[number];
    psopack_written_block *written = &state->places[slot].written;
    if (!block->old || block->old != state->job->plan->prefix) {
        PSOPACK_TRY(
            write_padding(state->job->publish, block_alignment(state, block, written), diag));
        written->offset = psopack_publish_offset(state->job->publish);
        PSOPACK_TRY(psopack_publish_write(state->job->publish, state->places[slot].bytes,
                                          written->stored_size, diag));
    }
    state->result.blocks[number] = *written;
    state->result.reused_blocks += !block->old && state->places[slot].is_reused;
    state->result.data_bytes += written->stored_size;
    if (block->is_base)
        state->result.base_bytes += written->stored_size;
    state->job->plan->kinds[block->kind].stored_bytes += written->stored_size;
    if (state->job->events->progress)
        state->job->events->progress(state->job->events->user, "compress", item + 1,
                                     state->job->plan->block_count);
    return PSOPACK_OK;
}

/* ---- bases ------------------------------------------------------------------------------------
 */

/* What an old base block decodes to, or a new one's components. */
static psopack_status base_bytes(const compress_state *state, worker_state *worker,
                                 const psopack_plan_base *base, uint8_t *out, psopack_diag *diag)
{
    if (base->old) {
        psopack_base_row row = {0};
        psopack_view_base(&base->old->view, base->old_base, &row);
        if (row.tables_size != 0)
            memcpy(out, row.tables, row.tables_size);
        return psopack_old_block_bytes(base->old, row.block, out + row.tables_size, diag);
    }
    const psopack_plan_block *block = &state->job->plan->blocks[base->block];
    PSOPACK_TRY(gather(state, worker, block, diag));
    if (base->tables_size != 0)
        memcpy(out, base->tables, base->tables_size);
    memcpy(out + base->tables_size, worker->raw, block->raw_size);
    return PSOPACK_OK;
}

/* A base is made ready for the blocks that build on it, or for its own block's hash. */
static bool base_is_needed(const psopack_compress_job *job, uint32_t base)
{
    const psopack_plan *plan = job->plan;
    if (job->fetch)
        return false;
    for (uint64_t i = job->first; i < job->end; i++) {
        if (!plan->blocks[i].old && (plan->blocks[i].base == base || plan->bases[base].block == i))
            return true;
    }
    return false;
}

/* Tables, then decoded bytes; hashed, and made ready for the compressor. */
static psopack_status prepare_base(void *context, unsigned worker_index, uint64_t item,
                                   psopack_diag *diag)
{
    compress_state *state = context;
    worker_state *worker = &state->workers[worker_index];
    psopack_plan_base *base = &state->job->plan->bases[item];
    if (!base_is_needed(state->job, (uint32_t)item))
        return PSOPACK_OK;
    PSOPACK_TRY(psopack_go_on(state->job->events, diag));
    uint32_t raw_size = base->old ? base->raw_size : state->job->plan->blocks[base->block].raw_size;
    base->content_size = (size_t)base->tables_size + raw_size;
    PSOPACK_TRY(psopack_new_array(&base->content, base->content_size, 1, diag));
    PSOPACK_TRY(base_bytes(state, worker, base, base->content, diag));
    XXH128_canonical_t hash;
    XXH128_canonicalFromHash(&hash, XXH3_128bits(base->content, base->content_size));
    if (base->old && memcmp(base->hash, hash.digest, sizeof base->hash) != 0)
        return psopack_fail(diag, PSOPACK_E_INTERNAL,
                            "%s: base %u came out with other bytes: please report it",
                            base->old->path, base->old_base);
    memcpy(base->hash, hash.digest, sizeof base->hash);
    return psopack_codec_base_create(base->content, base->content_size, base->tables_size != 0,
                                     &base->params, &state->bases[item], diag);
}

/* ---- the whole --------------------------------------------------------------------------------
 */

static psopack_status set_up(compress_state *state, unsigned threads, psopack_diag *diag)
{
    state->worker_count = threads;
    state->place_count = 2 * threads + 2;
    PSOPACK_TRY(psopack_new_array(&state->workers, threads, sizeof *state->workers, diag));
    PSOPACK_TRY(psopack_new_array(&state->places, state->place_count, sizeof *state->places, diag));
    PSOPACK_TRY(
        psopack_new_array(&state->bases, state->job->plan->base_count, sizeof *state->bases, diag));
    PSOPACK_TRY(psopack_new_array(&state->result.blocks, state->job->plan->block_count,
                                  sizeof *state->result.blocks, diag));
    for (unsigned i = 0; i < threads; i++) {
        PSOPACK_TRY(psopack_codec_create(&state->workers[i].codec, diag));
        PSOPACK_TRY(
            psopack_new_array(&state->workers[i].scratch, PSOPACK_TRANSFORM_SCRATCH, 1, diag));
    }
    return PSOPACK_OK;
}

static void tear_down(compress_state *state)
{
    for (unsigned i = 0; state->workers && i < state->worker_count; i++) {
        psopack_codec_destroy(&state->workers[i].codec);
        free(state->workers[i].buffer.bytes);
        free(state->workers[i].buffer.path);
        free(state->workers[i].raw);
        free(state->workers[i].scratch);
        psopack_reuse_worker_free(&state->workers[i].reuse);
    }
    for (unsigned i = 0; state->places && i < state->place_count; i++)
        free(state->places[i].bytes);
    for (uint32_t i = 0; state->bases && i < state->job->plan->base_count; i++)
        psopack_codec_base_destroy(&state->bases[i]);
    psopack_reuse_close(&state->reuse);
    free(state->workers);
    free(state->places);
    free(state->bases);
}

static psopack_status run(compress_state *state, psopack_diag *diag)
{
    const psopack_compress_job *job = state->job;
    PSOPACK_TRY(set_up(state, job->threads, diag));
    if (job->output && job->settings->compress)
        PSOPACK_TRY(psopack_reuse_open(job->output, &state->reuse, diag));
    PSOPACK_TRY(
        psopack_parallel_for(job->plan->base_count, job->threads, prepare_base, state, NULL, diag));
    psopack_ordered work = {
        .make = make_block, .use = use_block, .context = state, .window = state->place_count};
    return psopack_ordered_for(job->end - job->first, job->threads, &work, NULL, diag);
}

psopack_status psopack_compress(const psopack_compress_job *job,
                                psopack_compress_result *ret_result, psopack_diag *diag)
{
    compress_state state = {.job = job};
    psopack_status status = run(&state, diag);
    tear_down(&state);
    if (status == PSOPACK_OK)
        *ret_result = state.result;
    else
        free(state.result.blocks);
    return status;
}
