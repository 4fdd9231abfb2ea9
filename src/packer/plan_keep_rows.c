/* SPDX-License-Identifier: MIT */
/* Kept blocks become the plan's first blocks, their components its first rows. */
#include <string.h>

#include "packer/plan_keep.h"

static void add_row(psopack_keeper *state, uint32_t archive, uint32_t old_component)
{
    psopack_plan *plan = state->planner->plan;
    bool live = state->maps[archive].claims[old_component];
    uint32_t component =
        live ? psopack_keeper_component(state, archive, old_component) : PSOPACK_NO_COMPONENT;
    psopack_component_row *row = &plan->kept[plan->kept_count];
    *row = state->keep->olds[archive]->components[old_component];
    row->dead = !live;
    if (live)
        row->align_log2 = state->planner->model->components[component].align_log2;
    plan->kept_hashes[plan->kept_count] = state->keep->olds[archive]->hash[old_component];
    plan->order[plan->kept_count++] = component;
}

static psopack_status add_kept(psopack_keeper *state, uint32_t archive, uint32_t block,
                               psopack_diag *diag)
{
    const psopack_old *old = state->keep->olds[archive];
    const psopack_block_row *row = &old->blocks[block];
    const psopack_old_map *map = &state->maps[archive];
    psopack_plan *plan = state->planner->plan;
    psopack_plan_block kept = {
        .first = plan->kept_count,
        .count = row->count,
        .raw_size = row->raw_size,
        .base = row->base == 0 ? PSOPACK_NO_BASE : map->base[row->base - 1],
        .kind = (uint16_t)map->kind[row->kind],
        .is_base = psopack_old_is_base(old, block),
        .is_dead = map->fate[block] == PSOPACK_KEEP_DEAD,
        .old = old,
        .old_block = block,
    };
    if (kept.is_base) {
        for (uint32_t base = 0; base < plan->base_count; base++) {
            psopack_base_row at = {0};
            psopack_view_base(&old->view, plan->bases[base].old_base, &at);
            if (plan->bases[base].old == old && at.block == block)
                plan->bases[base].block = (uint32_t)plan->block_count;
        }
    }
    for (uint32_t i = row->first; i < row->first + row->count; i++)
        add_row(state, archive, i);
    PSOPACK_TRY(psopack_grow(&plan->blocks, &plan->block_capacity, plan->block_count + 1,
                             sizeof *plan->blocks, diag));
    plan->blocks[plan->block_count++] = kept;
    return PSOPACK_OK;
}

psopack_status psopack_keep_in_place(psopack_keeper *state, psopack_diag *diag)
{
    const psopack_old *old = state->keep->olds[0];
    uint32_t front = old->view.blocks ? old->blocks[0].first : old->view.components;
    state->planner->plan->prefix = old;
    for (uint32_t i = 0; i < front; i++)
        add_row(state, 0, i);
    for (uint32_t block = 0; block < old->view.blocks; block++)
        PSOPACK_TRY(add_kept(state, 0, block, diag));
    return PSOPACK_OK;
}

static psopack_status add_moved(psopack_keeper *state, bool bases, psopack_diag *diag)
{
    for (uint32_t archive = 0; archive < state->keep->count; archive++) {
        const psopack_old *old = state->keep->olds[archive];
        for (uint32_t block = 0; block < old->view.blocks; block++) {
            if (state->maps[archive].fate[block] == PSOPACK_KEEP &&
                psopack_old_is_base(old, block) == bases)
                PSOPACK_TRY(add_kept(state, archive, block, diag));
        }
    }
    return PSOPACK_OK;
}

psopack_status psopack_keep_moved(psopack_keeper *state, psopack_diag *diag)
{
    PSOPACK_TRY(add_moved(state, true, diag));
    return add_moved(state, false, diag);
}

/* ---- looking at rows ---------------------------------------------------------------------------
 */

psopack_component_row psopack_plan_row(const psopack_model *model, const psopack_plan *plan,
                                       uint32_t row)
{
    if (row < plan->kept_count)
        return plan->kept[row];
    uint32_t number = plan->order[row];
    const psopack_model_component *component = &model->components[number];
    return (psopack_component_row){.size = component->size,
                                   .crc = component->crc,
                                   .align_log2 = component->align_log2,
                                   .strip = plan->strip[number]};
}

psopack_waste psopack_plan_waste(const psopack_plan *plan)
{
    psopack_waste waste = {0, 0};
    for (size_t i = 0; i < plan->block_count; i++) {
        const psopack_plan_block *block = &plan->blocks[i];
        uint64_t raw = 0, dead = 0;
        if (!block->old)
            continue;
        uint64_t stored = block->old->blocks[block->old_block].stored_size;
        for (uint32_t row = block->first; row < block->first + block->count; row++) {
            raw += psopack_component_stored(&plan->kept[row]);
            dead += plan->kept[row].dead ? psopack_component_stored(&plan->kept[row]) : 0;
        }
        waste.kept_bytes += stored;
        if (block->is_dead)
            waste.dead_bytes += stored;
        else if (raw != 0) /* of at most 2^28 stored bytes: no overflow */
            waste.dead_bytes += stored * (dead / 256) / (raw / 256 + 1);
    }
    return waste;
}
