/* SPDX-License-Identifier: MIT */
/*
 * Cutting a plan into jobs, in an order that keeps threads from waiting for each other: the bases
 * that its blocks need, the largest first; the blocks that don't need the largest one, in file
 * order; those that do, in file order; last what lies in the bases themselves, in runs that several
 * threads can share, for it needs no reading.
 */
#include <string.h>

#include "loader/load_plan.h"

#define RUN_BYTES (256u << 10) /* delivered by one job out of a base */

/* Groups of jobs behind those of bases, in this order. */
typedef enum job_group {
    GROUP_EARLY = 0, /* blocks that don't need the largest base */
    GROUP_LATE,      /* blocks that do */
    GROUP_IN_BASE,   /* what lies in bases */
    GROUPS
} job_group;

typedef struct cutter {
    psopack_load_plan *plan;
    plan_job *jobs;                       /* NULL: count only */
    uint32_t at[GROUPS];                  /* where the next job of each group goes */
    uint32_t largest_base;                /* its plan_base() + 1; 0 when there is none */
    uint32_t by_base[PLAN_BASES_MAX + 1]; /* the first time: runs by the base of their block */
    uint8_t states[PLAN_BASES_MAX];       /* by plan_base(): BASE_* below */
    const psopack_archive *archive;       /* that holds the open run */
    uint32_t first_component;             /* the plan's number of its component 0 */
    uint32_t block;                       /* of the open run; UINT32_MAX: none yet */
    psopack_block_row row;
    uint32_t base; /* plan_base() + 1 of what the block decodes against; 0: nothing */
    bool is_large;
    uint32_t next_component; /* of the archive: whose bytes begin at `offset` of the block */
    uint64_t offset;
    plan_job open;
} cutter;

/* ---- bases ---------------------------------------------------------------------------------- */

enum { BASE_NOT_NEEDED = 0, BASE_NEEDED, BASE_PLACED };

/* plan_base() + 1 of what a block of `archive` decodes against; 0: nothing, or it is missing. */
static uint32_t base_of_row(const psopack_archive *archive, const psopack_block_row *row)
{
    const psopack_base *base = row->base != 0 ? &archive->bases[row->base - 1] : NULL;
    return base && base->owner ? plan_base(base->owner, base->owner_index) + 1 : 0;
}

/* The base's block, and what it builds on in turn (plan_base() + 1). */
static psopack_status look_at_base(const psopack_archive *archive, uint32_t base,
                                   psopack_block_row *ret_row, uint32_t *ret_below,
                                   psopack_diag *diag)
{
    psopack_base_place at = plan_base_place(archive, base);
    PSOPACK_TRY(
        psopack_view_block(&at.archive->view, at.archive->bases[at.index].block, ret_row, diag));
    *ret_below = base_of_row(at.archive, ret_row);
    return PSOPACK_OK;
}

static void mark_base(const psopack_archive *archive, uint8_t states[PLAN_BASES_MAX], uint32_t base)
{
    /* Bases that build on each other in a circle end here, and psopack_base_require() says so. */
    while (states[base] == BASE_NOT_NEEDED) {
        psopack_block_row row;
        uint32_t below;
        states[base] = BASE_NEEDED;
        if (look_at_base(archive, base, &row, &below, NULL) != PSOPACK_OK || below == 0)
            return;
        base = below - 1;
    }
}

static void count_block(psopack_load_plan *plan, const psopack_block_row *row)
{
    plan->info.blocks++;
    plan->info.read_bytes += row->stored_size;
    if (row->stored_size > plan->info.largest_read)
        plan->info.largest_read = row->stored_size;
}

/* ---- runs of items -------------------------------------------------------------------------- */

static void close_run(cutter *cut)
{
    if (cut->open.item_count == 0)
        return;
    job_group group = GROUP_EARLY;
    if ((cut->row.flags & PSOPACK_BLOCK_BASE) != 0)
        group = GROUP_IN_BASE;
    else if (cut->base != 0 && cut->base == cut->largest_base)
        group = GROUP_LATE;
    if (cut->jobs)
        cut->jobs[cut->at[group]] = cut->open;
    else if (group != GROUP_IN_BASE)
        cut->by_base[cut->base]++;
    cut->at[group]++;
    cut->open.item_count = 0;
}

static void open_run(cutter *cut, uint32_t item)
{
    cut->open =
        (plan_job){.block = cut->block, .first_item = item, .first_offset = (uint32_t)cut->offset};
}

/* Goes to the block of an item that does not lie in the current one. */
static psopack_status enter_block(cutter *cut, uint32_t component, psopack_diag *diag)
{
    psopack_load_plan *plan = cut->plan;
    psopack_found found;
    PSOPACK_TRY(psopack_component_find(plan->archive, component, &found, diag));
    cut->archive = found.archive;
    cut->first_component = component - found.index;
    cut->block = found.place.block;
    cut->row = found.block;
    cut->base = base_of_row(found.archive, &found.block);
    cut->is_large = found.place.blocks > 1;
    cut->next_component = found.index;
    cut->offset = found.place.offset;
    if ((found.block.flags & PSOPACK_BLOCK_BASE) == 0)
        count_block(plan, &found.block);
    for (uint32_t i = 1; i < found.place.blocks; i++) {
        psopack_block_row row;
        PSOPACK_TRY(psopack_view_block(&found.archive->view, found.place.block + i, &row, diag));
        count_block(plan, &row);
        uint64_t end = row.offset + row.stored_size;
        if (end > found.block.offset && end - found.block.offset > plan->info.largest_read)
            plan->info.largest_read = end - found.block.offset;
    }
    return PSOPACK_OK;
}

/* Moves the offset over the components in front of `index`; all lie in the current block. */
static psopack_status skip_to(cutter *cut, uint32_t index, psopack_diag *diag)
{
    for (; cut->next_component < index; cut->next_component++) {
        psopack_component_row row;
        PSOPACK_TRY(psopack_view_component(&cut->archive->view, cut->next_component, &row, diag));
        cut->offset += psopack_component_stored(&row);
    }
    if (cut->offset > cut->row.raw_size)
        return psopack_fail_at(diag, PSOPACK_E_CORRUPT, PSOPACK_OBJECT_BLOCK, cut->block,
                               cut->row.offset, "block %u: a component passes its end", cut->block);
    return PSOPACK_OK;
}

/* True, and its number in the archive, when the component lies in the current block. */
static bool lies_in_block(const cutter *cut, uint32_t component, uint32_t *ret_index)
{
    uint32_t index = component - cut->first_component; /* components ascend: never in front */
    if (cut->block == UINT32_MAX || index >= cut->archive->view.components)
        return false;
    *ret_index = index;
    if (cut->is_large)
        return index == cut->next_component;
    return index >= cut->row.first && index - cut->row.first < cut->row.count;
}

static void mark_bases(cutter *cut)
{
    const psopack_archive *archive = cut->plan->archive;
    uint32_t base;
    if ((cut->row.flags & PSOPACK_BLOCK_BASE) != 0 &&
        psopack_base_of_block(cut->archive, cut->block, &base))
        mark_base(archive, cut->states, plan_base(cut->archive, base));
    if (cut->base != 0)
        mark_base(archive, cut->states, cut->base - 1);
}

static psopack_status cut_item(cutter *cut, uint32_t index, psopack_diag *diag)
{
    uint32_t component;
    const plan_item *item = &cut->plan->items[index];
    if (item->size == 0) {
        if (cut->open.item_count != 0) /* a run has no gaps */
            cut->open.item_count++;
        return PSOPACK_OK;
    }
    if (!lies_in_block(cut, item->component, &component)) {
        close_run(cut);
        PSOPACK_TRY(enter_block(cut, item->component, diag));
        mark_bases(cut);
    } else {
        PSOPACK_TRY(skip_to(cut, component, diag));
        if ((cut->row.flags & PSOPACK_BLOCK_BASE) != 0 && cut->open.bytes >= RUN_BYTES)
            close_run(cut);
    }
    if (cut->open.item_count == 0)
        open_run(cut, index);
    cut->open.item_count++;
    cut->open.bytes += item->size;
    return PSOPACK_OK;
}

/* ---- the whole plan ------------------------------------------------------------------------- */

/* The largest base that is needed, not placed, and builds on nothing that is not placed. */
static psopack_status next_base(const psopack_archive *archive, const uint8_t *states,
                                uint32_t *ret_base, psopack_block_row *ret_row, psopack_diag *diag)
{
    *ret_base = UINT32_MAX;
    for (uint32_t base = 0; base < PLAN_BASES_MAX; base++) {
        psopack_block_row row;
        uint32_t below;
        if (states[base] != BASE_NEEDED)
            continue;
        PSOPACK_TRY(look_at_base(archive, base, &row, &below, diag));
        /* What a base builds on has a smaller number, or psopack_base_require() refuses it. */
        bool waits = below != 0 && below - 1 < base && states[below - 1] == BASE_NEEDED;
        if (waits || (*ret_base != UINT32_MAX && row.raw_size <= ret_row->raw_size))
            continue;
        *ret_base = base;
        *ret_row = row;
    }
    return PSOPACK_OK;
}

static psopack_status cut_bases(cutter *cut, psopack_diag *diag)
{
    uint32_t at = 0;
    for (;;) {
        uint32_t base;
        psopack_block_row row = {0};
        PSOPACK_TRY(next_base(cut->plan->archive, cut->states, &base, &row, diag));
        if (base == UINT32_MAX)
            break;
        cut->states[base] = BASE_PLACED;
        count_block(cut->plan, &row);
        if (at == 0)
            cut->largest_base = base + 1;
        if (cut->jobs)
            cut->jobs[at] = (plan_job){.block = base};
        at++;
    }
    cut->plan->info.base_jobs = at;
    return PSOPACK_OK;
}

/* After the first time: where each group of jobs begins. */
static void place_groups(psopack_load_plan *plan, const cutter *cut)
{
    uint32_t late = cut->largest_base ? cut->by_base[cut->largest_base] : 0;
    uint32_t early = cut->at[GROUP_EARLY] - late;
    plan->largest_base = cut->largest_base;
    plan->late_at = plan->info.base_jobs + early;
    plan->in_base_at = plan->late_at + late;
    plan->info.jobs = plan->in_base_at + cut->at[GROUP_IN_BASE];
}

static psopack_status cut_all(cutter *cut, psopack_diag *diag)
{
    psopack_load_plan *plan = cut->plan;
    plan->info.blocks = 0;
    plan->info.read_bytes = 0;
    plan->info.largest_read = 0;
    for (uint32_t i = 0; i < plan->info.items; i++)
        PSOPACK_TRY(cut_item(cut, i, diag));
    close_run(cut);
    PSOPACK_TRY(cut_bases(cut, diag));
    if (!cut->jobs)
        place_groups(plan, cut);
    return PSOPACK_OK;
}

psopack_status psopack_load_plan_cut(psopack_load_plan *plan, plan_job *jobs, psopack_diag *diag)
{
    /* More than the stack is promised to hold, with the bases of a chain of layers. */
    cutter *cut = psopack_allocate(&plan->allocator, sizeof *cut, diag);
    if (!cut)
        return PSOPACK_E_NOMEM;
    memset(cut, 0, sizeof *cut);
    cut->plan = plan;
    cut->jobs = jobs;
    cut->block = UINT32_MAX;
    if (jobs) {
        cut->largest_base = plan->largest_base;
        cut->at[GROUP_EARLY] = plan->info.base_jobs;
        cut->at[GROUP_LATE] = plan->late_at;
        cut->at[GROUP_IN_BASE] = plan->in_base_at;
    }
    psopack_status status = cut_all(cut, diag);
    plan->allocator.release(plan->allocator.user, cut, sizeof *cut);
    return status;
}
