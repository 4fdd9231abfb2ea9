/* SPDX-License-Identifier: MIT */
/*
 * Bases: what is in them and how large they are. For each group of kinds a curve is measured (size
 * of the base against bytes of base and sampled blocks), then the memory budget is given out to
 * whichever group gains most per byte, step by step. Groups that gain nothing get no base.
 */
#include <stdlib.h>
#include <string.h>

#include "packer/base_select.h"
#include "packer/codec.h"
#include "packer/dictionary.h"
#include "packer/events.h"
#include "packer/plan.h"
#include "platform/parallel.h"

#define TRIAL_LEVEL 9
#define TRIAL_BLOCK ((size_t)16 << 10)
#define TRIAL_BYTES ((uint64_t)384 << 10) /* of blocks that a trial compresses */
#define TABLE_SAMPLE_BYTES ((uint64_t)1 << 20)
#define STEPS_MAX 24u
#define GROUP_SHARE 3u /* a base is at most this part of its group */
#define BASE_OVERHEAD                                                                              \
    ((uint64_t)28 << 10) /* of a loader's memory per base: zstd's decoding tables */

/* One size on a group's curve. */
typedef struct curve_step {
    uint32_t chosen; /* items of `chosen` that fit */
    uint64_t base_bytes;
    uint64_t cost; /* compressed base plus sampled blocks, scaled to the whole group */
    uint64_t sample_raw, sample_packed; /* of the sampled blocks alone */
} curve_step;

typedef struct base_group {
    uint32_t leader; /* kind that gives the group its name and parameters */
    psopack_item *items;
    uint32_t *components;
    size_t count;
    uint64_t bytes;
    psopack_cut cut; /* of all items: where trial blocks come from */
    uint32_t *chosen;
    size_t chosen_count;
    curve_step steps[STEPS_MAX];
    uint32_t step_count;
    uint32_t settled; /* step taken; step 0 is no base */
    uint32_t number;  /* of its base, unless that is none */
} base_group;

typedef struct base_state {
    psopack_planner *planner;
    uint32_t *group_of; /* by kind: leader */
    base_group *groups;
    uint32_t group_count;
} base_state;

/* ---- items ------------------------------------------------------------------------------------
 */

static psopack_status collect_items(base_state *state, base_group *group, psopack_diag *diag)
{
    psopack_planner *planner = state->planner;
    size_t capacity = 0;
    for (uint32_t kind = 0; kind < planner->model->kind_count; kind++)
        capacity += state->group_of[kind] == group->leader ? planner->members[kind].count : 0;
    PSOPACK_TRY(psopack_new_array(&group->items, capacity, sizeof *group->items, diag));
    PSOPACK_TRY(psopack_new_array(&group->components, capacity, sizeof(uint32_t), diag));
    PSOPACK_TRY(psopack_new_array(&group->chosen, capacity, sizeof(uint32_t), diag));
    for (uint32_t kind = 0; kind < planner->model->kind_count; kind++) {
        const psopack_kind_members *members = &planner->members[kind];
        for (uint32_t i = 0; state->group_of[kind] == group->leader && i < members->count; i++) {
            uint32_t component = members->components[i];
            uint64_t size = psopack_plan_stored_size(planner->model, planner->plan, component);
            group->items[group->count] = (psopack_item){planner->bytes[component], (size_t)size};
            group->components[group->count++] = component;
            group->bytes += size;
        }
    }
    return PSOPACK_OK;
}

/* ---- the curve --------------------------------------------------------------------------------
 */

/* Scratch of one group's trials. */
typedef struct trial {
    psopack_codec *codec;
    uint8_t *content;
    uint8_t *block;
    uint8_t *out;
    size_t out_capacity;
    bool *in_base; /* by item */
} trial;

static void free_trial(trial *scratch)
{
    psopack_codec_destroy(&scratch->codec);
    free(scratch->content);
    free(scratch->block);
    free(scratch->out);
    free(scratch->in_base);
}

static psopack_status new_trial(const base_group *group, uint64_t content_max, size_t block_max,
                                trial *scratch, psopack_diag *diag)
{
    uint64_t largest = content_max > block_max ? content_max : block_max;
    scratch->out_capacity = psopack_codec_bound((size_t)largest);
    PSOPACK_TRY(psopack_codec_create(&scratch->codec, diag));
    PSOPACK_TRY(psopack_new_array(&scratch->content, (size_t)content_max, 1, diag));
    PSOPACK_TRY(psopack_new_array(&scratch->block, block_max, 1, diag));
    PSOPACK_TRY(psopack_new_array(&scratch->out, scratch->out_capacity, 1, diag));
    return psopack_new_array(&scratch->in_base, group->count, 1, diag);
}

static size_t fill_content(const base_group *group, const curve_step *step, trial *scratch)
{
    size_t size = 0;
    memset(scratch->in_base, 0, group->count);
    for (uint32_t i = 0; i < step->chosen; i++) {
        const psopack_item *item = &group->items[group->chosen[i]];
        memcpy(scratch->content + size, item->bytes, item->size);
        size += item->size;
        scratch->in_base[group->chosen[i]] = true;
    }
    return size;
}

/* A block's items that the base does not hold. */
static size_t fill_block(const base_group *group, size_t block, const trial *scratch)
{
    size_t size = 0;
    for (uint32_t i = group->cut.first[block]; i < group->cut.first[block + 1]; i++) {
        uint32_t at = group->cut.order[i];
        if (scratch->in_base[at])
            continue;
        memcpy(scratch->block + size, group->items[at].bytes, group->items[at].size);
        size += group->items[at].size;
    }
    return size;
}

static psopack_status measure_blocks(const base_group *group, const psopack_codec_params *params,
                                     const psopack_codec_base *base, trial *scratch,
                                     uint64_t *ret_raw, uint64_t *ret_packed, psopack_diag *diag)
{
    size_t stride = (size_t)(group->bytes / TRIAL_BYTES) + 1;
    *ret_raw = *ret_packed = 0;
    for (size_t block = stride / 2; block < group->cut.block_count; block += stride) {
        size_t size = fill_block(group, block, scratch), packed;
        if (size == 0)
            continue;
        PSOPACK_TRY(psopack_codec_compress(scratch->codec, params, base, false, scratch->block,
                                           size, scratch->out, scratch->out_capacity, &packed,
                                           diag));
        *ret_raw += size;
        *ret_packed += packed;
    }
    return PSOPACK_OK;
}

static psopack_status measure_step(const base_group *group, curve_step *step, trial *scratch,
                                   psopack_diag *diag)
{
    const psopack_codec_params params = {.level = TRIAL_LEVEL};
    psopack_codec_base *base = NULL;
    size_t size = fill_content(group, step, scratch), base_packed = 0;
    uint64_t raw, packed;
    if (size != 0) {
        PSOPACK_TRY(psopack_codec_compress(scratch->codec, &params, NULL, false, scratch->content,
                                           size, scratch->out, scratch->out_capacity, &base_packed,
                                           diag));
        PSOPACK_TRY(psopack_codec_base_create(scratch->content, size, false, &params, &base, diag));
    }
    psopack_status status = measure_blocks(group, &params, base, scratch, &raw, &packed, diag);
    psopack_codec_base_destroy(&base);
    step->base_bytes = size;
    step->sample_raw = raw;
    step->sample_packed = packed;
    /* Scaled in steps that do not overflow for groups below 2^44 bytes. */
    step->cost =
        base_packed + (raw == 0 ? 0 : packed * ((group->bytes - size) / 64 + 1) / (raw / 64 + 1));
    return status;
}

/* Steps of 1.41 from 8 KiB up to what was chosen; step 0 is no base at all. */
static void lay_steps(base_group *group)
{
    uint64_t size = 0, target = UINT64_C(8) << 10;
    uint32_t count = 1;
    bool half = false;
    group->steps[0] = (curve_step){0};
    for (uint32_t i = 0; i < group->chosen_count && count < STEPS_MAX; i++) {
        size += group->items[group->chosen[i]].size;
        if (size < target && i + 1 != group->chosen_count)
            continue;
        group->steps[count++].chosen = i + 1;
        while (target <= size) {
            target = half ? target * 4 / 3 : target * 3 / 2;
            half = !half;
        }
    }
    group->step_count = count;
}

static size_t largest_block(const base_group *group)
{
    size_t largest = TRIAL_BLOCK;
    for (size_t i = 0; i < group->count; i++)
        largest = group->items[i].size > largest ? group->items[i].size : largest;
    return largest;
}

static psopack_status cut_group(base_state *state, base_group *group, size_t *ret_block_max,
                                psopack_diag *diag)
{
    psopack_cut_limits limits = {TRIAL_BLOCK, state->planner->settings->members_max};
    PSOPACK_TRY(psopack_plan_cut(group->items, group->count, &limits, true, &group->cut, diag));
    *ret_block_max = largest_block(group);
    return PSOPACK_OK;
}

static psopack_status measure_group(void *context, unsigned worker, uint64_t index,
                                    psopack_diag *diag)
{
    base_state *state = context;
    base_group *group = &state->groups[index];
    uint64_t content_max = state->planner->settings->base_budget - BASE_OVERHEAD;
    trial scratch = {0};
    size_t block_max;
    (void)worker;
    PSOPACK_TRY(collect_items(state, group, diag));
    if (content_max > group->bytes / GROUP_SHARE)
        content_max = group->bytes / GROUP_SHARE;
    PSOPACK_TRY(cut_group(state, group, &block_max, diag));
    PSOPACK_TRY(psopack_base_select(group->chosen, &group->chosen_count, group->items, group->count,
                                    (size_t)content_max, diag));
    lay_steps(group);
    psopack_status status = new_trial(group, content_max, block_max, &scratch, diag);
    for (uint32_t i = 0; i < group->step_count && status == PSOPACK_OK; i++) {
        status = psopack_go_on(state->planner->events, diag);
        if (status == PSOPACK_OK)
            status = measure_step(group, &group->steps[i], &scratch, diag);
    }
    free_trial(&scratch);
    return status;
}

/* ---- the budget -------------------------------------------------------------------------------
 */

/* What a loader reserves for a base of this step. */
static uint64_t memory_of(const curve_step *step)
{
    return step->base_bytes == 0 ? 0 : step->base_bytes + BASE_OVERHEAD;
}

/* The next step of a group worth taking from where it stands: the best gain per byte of memory, in
 * 1/65536; 0 when none gains. */
static uint64_t best_advance(const base_group *group, uint64_t left, uint32_t *ret_step)
{
    const curve_step *now = &group->steps[group->settled];
    uint64_t best = 0;
    for (uint32_t i = group->settled + 1; i < group->step_count; i++) {
        const curve_step *step = &group->steps[i];
        uint64_t more = memory_of(step) - memory_of(now);
        if (step->cost >= now->cost || more > left)
            continue;
        uint64_t rate = (now->cost - step->cost) * 65536 / more;
        if (rate > best) {
            best = rate;
            *ret_step = i;
        }
    }
    return best;
}

static void share_budget(base_state *state)
{
    uint64_t left = state->planner->settings->base_budget;
    for (;;) {
        base_group *winner = NULL;
        uint64_t best = 0;
        uint32_t best_step = 0;
        for (uint32_t i = 0; i < state->group_count; i++) {
            uint32_t step = 0;
            uint64_t rate = best_advance(&state->groups[i], left, &step);
            if (rate > best) {
                best = rate;
                best_step = step;
                winner = &state->groups[i];
            }
        }
        if (!winner)
            return;
        left -= memory_of(&winner->steps[best_step]) - memory_of(&winner->steps[winner->settled]);
        winner->settled = best_step;
    }
}

/* ---- settling ---------------------------------------------------------------------------------
 */

/* Blocks for zstd's statistics: trial blocks, less what the base holds, put in `pool`. */
static psopack_status finalize_tables(const base_group *group, psopack_plan_base *base,
                                      psopack_diag *diag)
{
    const curve_step *step = &group->steps[group->settled];
    size_t block_max = largest_block(group);
    size_t stride = (size_t)(group->bytes / TABLE_SAMPLE_BYTES) + 1, count = 0, pool_size = 0;
    trial scratch = {0};
    psopack_item *samples = NULL;
    uint8_t *pool = NULL;
    psopack_dictionary_header header = {0};
    psopack_status status = new_trial(group, step->base_bytes, block_max, &scratch, diag);
    size_t blocks = group->cut.block_count / stride + 1;
    if (status == PSOPACK_OK)
        status = psopack_new_array(&samples, blocks, sizeof *samples, diag);
    if (status == PSOPACK_OK)
        status = psopack_new_array(&pool, blocks * block_max, 1, diag);
    if (status == PSOPACK_OK) {
        psopack_item content = {scratch.content, fill_content(group, step, &scratch)};
        for (size_t block = 0; block < group->cut.block_count; block += stride) {
            size_t size = fill_block(group, block, &scratch);
            if (size == 0)
                continue;
            memcpy(pool + pool_size, scratch.block, size);
            samples[count++] = (psopack_item){pool + pool_size, size};
            pool_size += size;
        }
        status = psopack_dictionary_finalize(&header, &content, samples, count, base->params.level,
                                             diag);
    }
    if (status == PSOPACK_OK && header.size != 0)
        status = psopack_new_array(&base->tables, header.size, 1, diag);
    if (status == PSOPACK_OK && header.size != 0) {
        memcpy(base->tables, header.bytes, header.size);
        base->tables_size = (uint32_t)header.size;
    }
    free_trial(&scratch);
    free(samples);
    free(pool);
    return status;
}

static psopack_status settle_group(base_state *state, base_group *group,
                                   psopack_kind_members *content, uint32_t number,
                                   psopack_diag *diag)
{
    psopack_planner *planner = state->planner;
    psopack_plan_base *base = &planner->plan->bases[number];
    const curve_step *step = &group->steps[group->settled];
    PSOPACK_TRY(psopack_new_array(&content->components, step->chosen, sizeof(uint32_t), diag));
    for (uint32_t i = 0; i < step->chosen; i++) {
        uint32_t component = group->components[group->chosen[i]];
        content->components[content->count++] = component;
        content->bytes += group->items[group->chosen[i]].size;
        planner->in_base[component] = true;
    }
    base->kind = group->leader;
    base->params = planner->settings->with_base;
    for (uint32_t kind = 0; kind < planner->model->kind_count; kind++) {
        psopack_plan_kind *plan = &planner->plan->kinds[kind];
        if (state->group_of[kind] != group->leader)
            continue;
        plan->base = number;
        if (plan->strips)
            base->kind = kind; /* its strip word is the group's */
    }
    group->number = number;
    return PSOPACK_OK;
}

static psopack_status finalize_group(void *context, unsigned worker, uint64_t index,
                                     psopack_diag *diag)
{
    base_state *state = context;
    const base_group *group = &state->groups[index];
    (void)worker;
    if (group->settled == 0)
        return PSOPACK_OK;
    PSOPACK_TRY(psopack_go_on(state->planner->events, diag));
    return finalize_tables(group, &state->planner->plan->bases[group->number], diag);
}

static void settle_target(base_state *state, const base_group *group)
{
    psopack_planner *planner = state->planner;
    const curve_step *step = &group->steps[group->settled];
    for (uint32_t kind = 0; kind < planner->model->kind_count; kind++) {
        if (state->group_of[kind] == group->leader)
            planner->plan->kinds[kind].block_target = (uint32_t)psopack_cut_target(
                &planner->settings->blocks, step->sample_raw, step->sample_packed,
                step->sample_raw * group->count / (group->bytes + 1));
    }
}

static psopack_status settle(base_state *state, psopack_kind_members **ret_contents,
                             psopack_diag *diag)
{
    psopack_plan *plan = state->planner->plan;
    psopack_kind_members *contents;
    PSOPACK_TRY(psopack_new_array(&plan->bases, state->group_count, sizeof *plan->bases, diag));
    PSOPACK_TRY(psopack_new_array(&contents, state->group_count, sizeof *contents, diag));
    *ret_contents = contents;
    for (uint32_t i = 0; i < state->group_count; i++) {
        settle_target(state, &state->groups[i]);
        if (state->groups[i].settled == 0)
            continue;
        uint32_t number = plan->base_count++;
        PSOPACK_TRY(settle_group(state, &state->groups[i], &contents[number], number, diag));
    }
    return psopack_parallel_for(state->group_count, state->planner->threads, finalize_group, state,
                                NULL, diag);
}

static psopack_status plan_bases(base_state *state, psopack_kind_members **ret_contents,
                                 psopack_diag *diag)
{
    psopack_planner *planner = state->planner;
    uint32_t kinds = planner->model->kind_count;
    PSOPACK_TRY(psopack_new_array(&state->group_of, kinds, sizeof(uint32_t), diag));
    PSOPACK_TRY(psopack_new_array(&state->groups, kinds, sizeof *state->groups, diag));
    PSOPACK_TRY(psopack_plan_groups(planner, state->group_of, diag));
    for (uint32_t kind = 0; kind < kinds; kind++) {
        if (state->group_of[kind] == kind)
            state->groups[state->group_count++].leader = kind;
    }
    PSOPACK_TRY(psopack_parallel_for(state->group_count, planner->threads, measure_group, state,
                                     NULL, diag));
    share_budget(state);
    return settle(state, ret_contents, diag);
}

psopack_status psopack_plan_bases(psopack_planner *planner, psopack_kind_members **ret_contents,
                                  psopack_diag *diag)
{
    base_state state = {.planner = planner};
    psopack_status status = plan_bases(&state, ret_contents, diag);
    for (uint32_t i = 0; state.groups && i < state.group_count; i++) {
        free(state.groups[i].items);
        free(state.groups[i].components);
        free(state.groups[i].chosen);
        psopack_cut_free(&state.groups[i].cut);
    }
    free(state.groups);
    free(state.group_of);
    return status;
}
