/* SPDX-License-Identifier: MIT */
/*
 * What happens to a kind's bytes before compression, decided by trial: the trailing word that is
 * stripped, and the transform. No names, no sniffing: what makes a sample smaller is right.
 */
#include <stdlib.h>
#include <string.h>

#include "format/layout.h"
#include "format/transform.h"
#include "packer/codec.h"
#include "packer/events.h"
#include "packer/plan.h"
#include "platform/parallel.h"

#define SAMPLE_BYTES ((size_t)768 << 10)
#define TRIAL_LEVEL 3
#define MIN_SAVING 32     /* a choice must save 1/32 of the sample's compressed size */
#define STRIP_WORDS_MIN 4 /* shorter runs are left to the compressor */

/* ---- strip ------------------------------------------------------------------------------------
 */

static uint32_t word_at(const uint8_t *bytes)
{
    psopack_u32le word;
    memcpy(&word, bytes, sizeof word);
    return psopack_load32(word);
}

/* How many of the last whole words equal the very last one, as far as a row can say. */
static uint32_t trailing_run(const uint8_t *bytes, uint64_t size)
{
    if (size < 4 || size % 4 != 0)
        return 0;
    uint32_t word = word_at(bytes + size - 4), run = 1;
    while (run < PSOPACK_STRIP_WORDS_MAX && (run + 1) * UINT64_C(4) <= size &&
           word_at(bytes + size - (run + 1) * 4) == word)
        run++;
    return run;
}

/* A word and the words that runs of it take: one row per distinct word, few in practice. */
#define WORDS_MAX 64
typedef struct run_words {
    uint32_t word[WORDS_MAX];
    uint64_t total[WORDS_MAX];
    uint32_t count;
} run_words;

static void count_run(run_words *words, uint32_t word, uint32_t run)
{
    uint32_t at = 0;
    while (at < words->count && words->word[at] != word)
        at++;
    if (at == WORDS_MAX)
        return;
    if (at == words->count) {
        words->word[at] = word;
        words->total[at] = 0;
        words->count++;
    }
    words->total[at] += run;
}

typedef psopack_status member_fn(psopack_planner *planner, uint32_t component, const uint8_t *bytes,
                                 uint64_t size, void *user);

static psopack_status each_member(psopack_planner *planner, uint32_t kind, member_fn *each,
                                  void *user, psopack_diag *diag)
{
    const psopack_kind_members *members = &planner->members[kind];
    psopack_read_buffer buffer = {0};
    psopack_status status = PSOPACK_OK;
    for (uint32_t i = 0; i < members->count && status == PSOPACK_OK; i++) {
        const psopack_model_component *row = &planner->model->components[members->components[i]];
        const uint8_t *bytes;
        status = psopack_store_bytes(planner->store, row->item, &buffer, &bytes, diag);
        if (status == PSOPACK_OK)
            status = each(planner, members->components[i], bytes, row->size, user);
    }
    free(buffer.bytes);
    free(buffer.path);
    return status;
}

static psopack_status count_member(psopack_planner *planner, uint32_t component,
                                   const uint8_t *bytes, uint64_t size, void *user)
{
    (void)planner;
    (void)component;
    uint32_t run = trailing_run(bytes, size);
    if (run >= STRIP_WORDS_MIN)
        count_run(user, word_at(bytes + size - 4), run);
    return PSOPACK_OK;
}

static psopack_status strip_member(psopack_planner *planner, uint32_t component,
                                   const uint8_t *bytes, uint64_t size, void *user)
{
    const uint32_t *word = user;
    uint32_t run = trailing_run(bytes, size);
    if (run >= STRIP_WORDS_MIN && word_at(bytes + size - 4) == *word)
        planner->plan->strip[component] = run;
    return PSOPACK_OK;
}

/* Only a run that makes up a real part of the kind earns its column. */
static psopack_status plan_strip(psopack_planner *planner, uint32_t kind, psopack_diag *diag)
{
    run_words words = {.count = 0};
    uint32_t best = 0;
    psopack_plan_kind *plan = &planner->plan->kinds[kind];
    PSOPACK_TRY(each_member(planner, kind, count_member, &words, diag));
    for (uint32_t i = 1; i < words.count; i++) {
        if (words.total[i] > words.total[best])
            best = i;
    }
    if (words.count == 0 || words.total[best] * 4 < planner->members[kind].bytes / 64)
        return PSOPACK_OK;
    plan->strip_word = words.word[best];
    plan->strips = true;
    planner->members[kind].bytes -= words.total[best] * 4;
    return each_member(planner, kind, strip_member, &plan->strip_word, diag);
}

/* A kind of an older archive leaves out what it left out there. */
static psopack_status strip_as_before(psopack_planner *planner, uint32_t kind, psopack_diag *diag)
{
    psopack_plan_kind *plan = &planner->plan->kinds[kind];
    if (!plan->strips)
        return PSOPACK_OK;
    return each_member(planner, kind, strip_member, &plan->strip_word, diag);
}

/* ---- transform --------------------------------------------------------------------------------
 */

/* Evenly spread members, whole, stripped, end to end. */
typedef struct sample {
    uint8_t *bytes;
    size_t *sizes;
    size_t count, size;
} sample;

static psopack_status take_sample(psopack_planner *planner, uint32_t kind, sample *ret_sample,
                                  psopack_diag *diag)
{
    const psopack_kind_members *members = &planner->members[kind];
    uint64_t stride = members->bytes / SAMPLE_BYTES + 1;
    sample taken = {0};
    size_t capacity = 0;
    psopack_read_buffer buffer = {0};
    psopack_status status =
        psopack_new_array(&taken.sizes, members->count, sizeof *taken.sizes, diag);
    for (uint64_t i = 0; i < members->count && status == PSOPACK_OK; i += stride) {
        uint32_t component = members->components[i];
        size_t size = (size_t)psopack_plan_stored_size(planner->model, planner->plan, component);
        const uint8_t *bytes;
        status = psopack_grow(&taken.bytes, &capacity, taken.size + size + 1, 1, diag);
        if (status == PSOPACK_OK)
            status = psopack_store_bytes(planner->store, planner->model->components[component].item,
                                         &buffer, &bytes, diag);
        if (status != PSOPACK_OK)
            break;
        memcpy(taken.bytes + taken.size, bytes, size);
        taken.sizes[taken.count++] = size;
        taken.size += size;
    }
    free(buffer.bytes);
    free(buffer.path);
    *ret_sample = taken;
    return status;
}

/* The sample's compressed size under a transform (NULL: as it is). `work` and `out` are scratch. */
static psopack_status try_transform(const psopack_transform *transform, const sample *taken,
                                    psopack_codec *codec, uint8_t *work, uint8_t *out,
                                    size_t capacity, size_t *ret_size, psopack_diag *diag)
{
    uint8_t scratch[PSOPACK_TRANSFORM_SCRATCH];
    const psopack_codec_params params = {.level = TRIAL_LEVEL, .window_log = 22, .hash_log = 20};
    const uint8_t *bytes = taken->bytes;
    if (transform) {
        for (size_t i = 0, at = 0; i < taken->count; at += taken->sizes[i++])
            transform->forward(work + at, taken->bytes + at, taken->sizes[i], scratch);
        bytes = work;
    }
    return psopack_codec_compress(codec, &params, NULL, false, bytes, taken->size, out, capacity,
                                  ret_size, diag);
}

static psopack_status try_all(const sample *taken, psopack_codec *codec, uint8_t *work,
                              uint8_t *out, size_t capacity, uint32_t *ret_transform,
                              psopack_diag *diag)
{
    size_t count, plain, best;
    const psopack_transform *all = psopack_transform_all(&count);
    PSOPACK_TRY(try_transform(NULL, taken, codec, work, out, capacity, &plain, diag));
    *ret_transform = PSOPACK_TRANSFORM_NONE;
    best = plain - plain / MIN_SAVING;
    for (size_t i = 0; i < count; i++) {
        size_t size;
        PSOPACK_TRY(try_transform(&all[i], taken, codec, work, out, capacity, &size, diag));
        if (size < best) {
            best = size;
            *ret_transform = all[i].id;
        }
    }
    return PSOPACK_OK;
}

static psopack_status plan_transform(psopack_planner *planner, uint32_t kind, psopack_diag *diag)
{
    sample taken = {0};
    psopack_codec *codec = NULL;
    uint8_t *work = NULL, *out = NULL;
    psopack_status status = take_sample(planner, kind, &taken, diag);
    size_t capacity = psopack_codec_bound(taken.size);
    if (status == PSOPACK_OK)
        status = psopack_codec_create(&codec, diag);
    if (status == PSOPACK_OK)
        status = psopack_new_array(&work, taken.size, 1, diag);
    if (status == PSOPACK_OK)
        status = psopack_new_array(&out, capacity, 1, diag);
    if (status == PSOPACK_OK)
        status = try_all(&taken, codec, work, out, capacity, &planner->plan->kinds[kind].transform,
                         diag);
    psopack_codec_destroy(&codec);
    free(work);
    free(out);
    free(taken.bytes);
    free(taken.sizes);
    return status;
}

static psopack_status plan_kind(void *context, unsigned worker, uint64_t item, psopack_diag *diag)
{
    psopack_planner *planner = context;
    (void)worker;
    PSOPACK_TRY(psopack_go_on(planner->events, diag));
    if (planner->inherited[item])
        return strip_as_before(planner, (uint32_t)item, diag);
    PSOPACK_TRY(plan_strip(planner, (uint32_t)item, diag));
    return plan_transform(planner, (uint32_t)item, diag);
}

psopack_status psopack_plan_transforms(psopack_planner *planner, psopack_diag *diag)
{
    return psopack_parallel_for(planner->model->kind_count, planner->threads, plan_kind, planner,
                                NULL, diag);
}
