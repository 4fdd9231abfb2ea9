/* SPDX-License-Identifier: MIT */
/*
 * What is taken over from older archives: which blocks are kept, whose components then need no new
 * place; and for new components the transform, strip word and base of the old ones of their kind.
 */
#include <stdlib.h>
#include <string.h>

#include "packer/plan_keep.h"

/* A block that moves must hold this share that is used: below it, its components are packed anew.
 */
#define LIVE_SHARE 2u

static void free_keeper(psopack_keeper *state)
{
    for (uint32_t i = 0; state->maps && i < state->keep->count; i++) {
        psopack_old_map *map = &state->maps[i];
        free(map->kind);
        free(map->base);
        free(map->strip_differs);
        free(map->strips);
        free(map->fate);
        free(map->claims);
    }
    free(state->maps);
    free(state->of_item);
    free(state->taken);
}

static psopack_status allocate(psopack_keeper *state, psopack_diag *diag)
{
    const psopack_model *model = state->planner->model;
    size_t items = state->planner->store->count;
    PSOPACK_TRY(psopack_new_array(&state->of_item, items, sizeof(uint32_t), diag));
    PSOPACK_TRY(psopack_new_array(&state->taken, model->component_count, 1, diag));
    PSOPACK_TRY(psopack_new_array(&state->maps, state->keep->count, sizeof *state->maps, diag));
    memset(state->of_item, 0xff, items * sizeof(uint32_t));
    for (uint32_t i = 0; i < model->component_count; i++)
        state->of_item[model->components[i].item] = i;
    for (uint32_t i = 0; i < state->keep->count; i++) {
        const psopack_view *view = &state->keep->olds[i]->view;
        psopack_old_map *map = &state->maps[i];
        PSOPACK_TRY(psopack_new_array(&map->kind, view->kinds, sizeof(uint32_t), diag));
        PSOPACK_TRY(psopack_new_array(&map->base, view->bases, sizeof(uint32_t), diag));
        PSOPACK_TRY(psopack_new_array(&map->strip_differs, view->kinds, 1, diag));
        PSOPACK_TRY(psopack_new_array(&map->strips, view->kinds, 1, diag));
        PSOPACK_TRY(psopack_new_array(&map->fate, view->blocks, 1, diag));
        PSOPACK_TRY(psopack_new_array(&map->claims, view->components, 1, diag));
        memset(map->base, 0xff, view->bases * sizeof(uint32_t));
    }
    return PSOPACK_OK;
}

/* ---- bases ------------------------------------------------------------------------------------
 */

/* Where a layer's base archive is a layer too, a base block may lie further down. */
static bool find_home(const psopack_keeper *state, uint32_t archive, uint32_t base,
                      uint32_t *ret_archive, uint32_t *ret_base)
{
    psopack_base_row row = {0}, other = {0};
    psopack_view_base(&state->keep->olds[archive]->view, base, &row);
    *ret_archive = archive;
    *ret_base = base;
    if (row.block != PSOPACK_BASE_EXTERNAL)
        return true;
    for (uint32_t i = archive; i-- > 0;) {
        const psopack_view *view = &state->keep->olds[i]->view;
        for (uint32_t at = 0; psopack_view_base(view, at, &other); at++) {
            if (other.block == PSOPACK_BASE_EXTERNAL || memcmp(other.hash, row.hash, 16) != 0)
                continue;
            *ret_archive = i;
            *ret_base = at;
            return true;
        }
    }
    return false;
}

/* The plan's number of an old base, made at first use, those it builds on first; PSOPACK_NO_BASE
 * when there is no room. Equal hashes are one base. */
static uint32_t take_base(psopack_keeper *state, uint32_t archive, uint32_t base)
{
    psopack_plan *plan = state->planner->plan;
    uint32_t *number = &state->maps[archive].base[base], home, home_base;
    if (*number != PSOPACK_NO_BASE || !find_home(state, archive, base, &home, &home_base))
        return *number;
    const psopack_old *old = state->keep->olds[home];
    psopack_base_row row = {0};
    psopack_view_base(&old->view, home_base, &row);
    for (uint32_t i = 0; i < plan->base_count; i++) {
        if (memcmp(plan->bases[i].hash, row.hash, sizeof row.hash) == 0)
            return *number = i;
    }
    if (old->lost[row.block])
        return PSOPACK_NO_BASE;
    uint32_t below = old->blocks[row.block].base;
    if (below != 0 && take_base(state, home, below - 1) == PSOPACK_NO_BASE)
        return PSOPACK_NO_BASE;
    if (plan->base_count == PSOPACK_BASES_MAX)
        return PSOPACK_NO_BASE;
    *number = plan->base_count++;
    psopack_plan_base *made = &plan->bases[*number];
    *made = (psopack_plan_base){
        .block = PSOPACK_BASE_EXTERNAL,
        .old = old,
        .old_base = home_base,
        .raw_size = row.raw_size,
        .tables_size = row.tables_size,
        .params = state->planner->settings->with_base,
    };
    memcpy(made->hash, row.hash, sizeof made->hash);
    return *number;
}

/* ---- kinds ------------------------------------------------------------------------------------
 */

static bool find_kind(const psopack_model *model, const psopack_kind_row *row, uint32_t *ret_kind)
{
    for (uint32_t i = 0; i < model->kind_count; i++) {
        const psopack_string *name = &model->kinds[i].name;
        if (name->size == row->name_size && memcmp(name->bytes, row->name, row->name_size) == 0) {
            *ret_kind = i;
            return true;
        }
    }
    return false;
}

static void find_strips(const psopack_old *old, psopack_old_map *map)
{
    for (uint32_t i = 0; i < old->view.components; i++) {
        if (old->components[i].strip != 0 && old->block_of[i] != UINT32_MAX)
            map->strips[old->blocks[old->block_of[i]].kind] = true;
    }
}

/* What new components of the kind inherit: from the first archive that has it. */
static void inherit(psopack_keeper *state, uint32_t archive, const psopack_kind_row *row,
                    uint32_t kind)
{
    psopack_planner *planner = state->planner;
    psopack_plan_kind *plan = &planner->plan->kinds[kind];
    planner->inherited[kind] = true;
    plan->transform = row->transform;
    plan->strip_word = row->strip_word;
    if (row->base != 0)
        plan->base = take_base(state, archive, row->base - 1);
    if (row->components != 0)
        plan->block_target = (uint32_t)psopack_cut_target(
            &planner->settings->blocks, row->component_bytes, row->stored_bytes, row->components);
}

static void map_kinds(psopack_keeper *state, uint32_t archive)
{
    psopack_planner *planner = state->planner;
    const psopack_view *view = &state->keep->olds[archive]->view;
    psopack_old_map *map = &state->maps[archive];
    psopack_kind_row row = {0};
    find_strips(state->keep->olds[archive], map);
    for (uint32_t i = 0; psopack_view_kind(view, i, &row); i++) {
        if (!find_kind(planner->model, &row, &map->kind[i])) {
            map->kind[i] = UINT32_MAX; /* a layer has no use for it */
            continue;
        }
        psopack_plan_kind *plan = &planner->plan->kinds[map->kind[i]];
        if (!planner->inherited[map->kind[i]])
            inherit(state, archive, &row, map->kind[i]);
        map->strip_differs[i] = plan->strip_word != row.strip_word;
        plan->strips |= map->strips[i] && !map->strip_differs[i];
    }
}

/* ---- the fate of blocks -----------------------------------------------------------------------
 */

/* Whether a component's place in a kept block would do: only uncompressed archives mind how it is
 * aligned there. */
static bool place_fits(const psopack_keeper *state, const psopack_old *old, uint32_t old_component,
                       uint32_t component)
{
    return state->planner->settings->compress ||
           old->components[old_component].align_log2 >=
               state->planner->model->components[component].align_log2;
}

static bool is_live(const psopack_keeper *state, uint32_t archive, uint32_t old_component)
{
    uint32_t component = psopack_keeper_component(state, archive, old_component);
    return component != PSOPACK_NO_COMPONENT && !state->taken[component] &&
           place_fits(state, state->keep->olds[archive], old_component, component);
}

/* Stored bytes of the components that would live there, and how many do. */
static uint64_t live_bytes(const psopack_keeper *state, uint32_t archive, uint32_t block,
                           uint32_t *ret_count)
{
    const psopack_old *old = state->keep->olds[archive];
    const psopack_block_row *row = &old->blocks[block];
    uint64_t bytes = 0;
    *ret_count = 0;
    for (uint32_t i = row->first; i < row->first + row->count; i++) {
        if (!is_live(state, archive, i))
            continue;
        bytes += psopack_component_stored(&old->components[i]);
        (*ret_count)++;
    }
    return bytes;
}

static void claim(psopack_keeper *state, uint32_t archive, uint32_t block)
{
    const psopack_block_row *row = &state->keep->olds[archive]->blocks[block];
    for (uint32_t i = row->first; i < row->first + row->count; i++) {
        if (!is_live(state, archive, i))
            continue;
        state->maps[archive].claims[i] = true;
        state->taken[psopack_keeper_component(state, archive, i)] = true;
    }
}

/* Whether this build could have written the block at all. */
static bool block_suits(const psopack_keeper *state, uint32_t archive, uint32_t block)
{
    const psopack_profile_settings *settings = state->planner->settings;
    const psopack_old *old = state->keep->olds[archive];
    const psopack_block_row *row = &old->blocks[block];
    bool frame = (row->flags & PSOPACK_BLOCK_FRAME) != 0;
    bool raw = (row->flags & PSOPACK_BLOCK_RAW) != 0;
    if (old->view.split_size != settings->split_size || frame != settings->plain_frames ||
        (row->flags & PSOPACK_BLOCK_DEAD) != 0 || (!settings->compress && !raw) ||
        (row->count != 0 && old->block_of[row->first] != UINT32_MAX &&
         old->lost[old->block_of[row->first]]))
        return false;
    const psopack_old_map *map = &state->maps[archive];
    return !map->strip_differs[row->kind] || !map->strips[row->kind];
}

/* The run of pieces that ends with `block`, or the block alone, shares one fate. */
static void decide(psopack_keeper *state, uint32_t archive, uint32_t block, psopack_fate what)
{
    const psopack_old *old = state->keep->olds[archive];
    uint8_t *fates = state->maps[archive].fate;
    fates[block] = (uint8_t)what;
    if ((old->blocks[block].flags & PSOPACK_BLOCK_PIECE) == 0)
        return;
    for (uint32_t at = block; at-- > 0 && old->blocks[at].first == old->blocks[block].first;)
        fates[at] = (uint8_t)what;
}

static void decide_moved(psopack_keeper *state, uint32_t archive, uint32_t block)
{
    const psopack_block_row *row = &state->keep->olds[archive]->blocks[block];
    uint32_t count;
    uint64_t live = live_bytes(state, archive, block, &count);
    uint64_t raw = (row->flags & PSOPACK_BLOCK_PIECE) != 0 ? live : row->raw_size;
    bool whole = count == row->count;
    if (!block_suits(state, archive, block) || count == 0 || live * LIVE_SHARE < raw ||
        (state->keep->no_stale && !whole))
        return;
    if (row->base != 0 && take_base(state, archive, row->base - 1) == PSOPACK_NO_BASE)
        return;
    decide(state, archive, block, PSOPACK_KEEP);
    claim(state, archive, block);
}

/* A base block stays when something that stays, or may still be made, builds on it. */
static void settle_bases(psopack_keeper *state, uint32_t archive)
{
    const psopack_old *old = state->keep->olds[archive];
    psopack_plan *plan = state->planner->plan;
    psopack_base_row row = {0};
    for (uint32_t base = old->view.bases; base-- > 0;) {
        psopack_view_base(&old->view, base, &row);
        uint32_t number = state->maps[archive].base[base];
        bool first = number != PSOPACK_NO_BASE && plan->bases[number].old == old;
        if (!first || plan->bases[number].old_base != base)
            continue;
        decide(state, archive, row.block, PSOPACK_KEEP);
        claim(state, archive, row.block);
    }
}

static bool bases_are_whole(const psopack_keeper *state, uint32_t archive)
{
    const psopack_old *old = state->keep->olds[archive];
    psopack_base_row row = {0};
    for (uint32_t base = 0; psopack_view_base(&old->view, base, &row); base++) {
        uint32_t count;
        live_bytes(state, archive, row.block, &count);
        if (count != old->blocks[row.block].count)
            return false;
    }
    return true;
}

static void decide_all_moved(psopack_keeper *state, uint32_t archive)
{
    const psopack_old *old = state->keep->olds[archive];
    if (state->keep->no_stale && !bases_are_whole(state, archive))
        return;
    for (uint32_t block = 0; block < old->view.blocks; block++) {
        if (!psopack_old_is_base(old, block) && old->blocks[block].count != 0)
            decide_moved(state, archive, block);
    }
}

/* Components in front of all blocks: the empty one. */
static void claim_front(psopack_keeper *state)
{
    const psopack_old *old = state->keep->olds[0];
    uint32_t end = old->view.blocks ? old->blocks[0].first : old->view.components;
    for (uint32_t i = 0; i < end; i++) {
        if (!is_live(state, 0, i))
            continue;
        state->maps[0].claims[i] = true;
        state->taken[psopack_keeper_component(state, 0, i)] = true;
    }
}

/* Bases live as long as a live block names them, and then what they build on. */
static void revive_bases(psopack_keeper *state, uint32_t block)
{
    const psopack_old *old = state->keep->olds[0];
    psopack_base_row row = {0};
    for (uint32_t base = old->blocks[block].base; base != 0; base = old->blocks[row.block].base) {
        psopack_view_base(&old->view, base - 1, &row);
        state->maps[0].fate[row.block] = PSOPACK_KEEP;
    }
}

/* In place every block keeps its row and every base its number, dead or not. */
static void decide_in_place(psopack_keeper *state)
{
    const psopack_old *old = state->keep->olds[0];
    for (uint32_t base = 0; base < old->view.bases; base++)
        take_base(state, 0, base);
    claim_front(state);
    for (uint32_t block = 0; block < old->view.blocks; block++) {
        uint32_t count;
        live_bytes(state, 0, block, &count);
        if (old->blocks[block].count == 0)
            continue;
        decide(state, 0, block, count != 0 ? PSOPACK_KEEP : PSOPACK_KEEP_DEAD);
        claim(state, 0, block);
    }
    for (uint32_t block = 0; block < old->view.blocks; block++) {
        if (state->maps[0].fate[block] == PSOPACK_KEEP)
            revive_bases(state, block);
    }
}

/* A layer's components are counted with its own in front, then those of the archives from the top
 * of the chain down. */
static psopack_status claim_outside(psopack_keeper *state, psopack_diag *diag)
{
    psopack_plan *plan = state->planner->plan;
    size_t size = state->planner->model->component_count * sizeof(uint32_t);
    uint32_t first = 0;
    PSOPACK_TRY(psopack_new_array(&plan->outside, state->planner->model->component_count,
                                  sizeof(uint32_t), diag));
    if (size != 0)
        memset(plan->outside, 0xff, size);
    for (uint32_t archive = state->keep->count; archive-- > 0;) {
        const psopack_old *old = state->keep->olds[archive];
        for (uint32_t i = 0; i < old->view.components; i++) {
            uint32_t component = psopack_keeper_component(state, archive, i);
            if (component == PSOPACK_NO_COMPONENT || state->taken[component])
                continue;
            state->taken[component] = true;
            plan->outside[component] = first + i;
        }
        first += old->view.components;
    }
    return PSOPACK_OK;
}

static psopack_status make_rows(psopack_keeper *state, psopack_diag *diag)
{
    psopack_plan *plan = state->planner->plan;
    size_t rows = 0;
    for (uint32_t i = 0; i < state->keep->count; i++)
        rows += state->keep->olds[i]->view.components;
    if (rows + state->planner->model->component_count > UINT32_MAX - 2)
        return psopack_fail(diag, PSOPACK_E_LIMIT, "more than 4 G components");
    free(plan->order);
    PSOPACK_TRY(psopack_new_array(&plan->order, rows + state->planner->model->component_count,
                                  sizeof *plan->order, diag));
    PSOPACK_TRY(psopack_new_array(&plan->kept_hashes, rows, sizeof *plan->kept_hashes, diag));
    return psopack_new_array(&plan->kept, rows, sizeof *plan->kept, diag);
}

/* ---- the whole --------------------------------------------------------------------------------
 */

static psopack_status take_over(psopack_keeper *state, psopack_diag *diag)
{
    psopack_planner *planner = state->planner;
    uint32_t bases = 0;
    PSOPACK_TRY(allocate(state, diag));
    for (uint32_t i = 0; i < state->keep->count; i++)
        bases += state->keep->olds[i]->view.bases;
    PSOPACK_TRY(
        psopack_new_array(&planner->plan->bases, bases, sizeof *planner->plan->bases, diag));
    PSOPACK_TRY(make_rows(state, diag));
    if (state->keep->how == PSOPACK_KEEP_IN_PLACE)
        decide_in_place(state);
    for (uint32_t i = 0; i < state->keep->count; i++)
        map_kinds(state, i);
    if (state->keep->how == PSOPACK_KEEP_OUTSIDE)
        return claim_outside(state, diag);
    if (state->keep->how == PSOPACK_KEEP_IN_PLACE)
        return psopack_keep_in_place(state, diag);
    for (uint32_t i = 0; i < state->keep->count; i++)
        decide_all_moved(state, i);
    for (uint32_t i = 0; i < state->keep->count; i++)
        settle_bases(state, i);
    return psopack_keep_moved(state, diag);
}

psopack_status psopack_plan_keep(psopack_planner *planner, const psopack_keep *keep,
                                 psopack_diag *diag)
{
    psopack_keeper state = {.planner = planner, .keep = keep};
    psopack_status status = take_over(&state, diag);
    if (status == PSOPACK_OK) {
        planner->placed = state.taken;
        state.taken = NULL;
    }
    free_keeper(&state);
    return status;
}
