/* SPDX-License-Identifier: MIT */
/* Executing a load plan: jobs taken by whoever has time. */
#include <string.h>

#include "format/crc32c.h"
#include "format/transform.h"
#include "loader/base.h"
#include "loader/block.h"
#include "loader/context.h"
#include "loader/load_plan.h"

/* One job while it runs. */
typedef struct job_run {
    const psopack_load_plan *plan;
    psopack_context *context;
    void *const *heaps;
    const plan_job *job;
    psopack_local at; /* the archive that holds it */
    psopack_block_row row;
} job_run;

static uint8_t *place_of(const job_run *run, const plan_item *item)
{
    return (uint8_t *)run->heaps[item->heap] + (size_t)item->offset;
}

/* The number of an item's component in the archive that holds it. */
static uint32_t index_of(const job_run *run, const plan_item *item)
{
    return item->component - run->at.first_component;
}

/* ---- one block straight to its place -------------------------------------------------------- */

/* True when the run is the whole block, in one heap, without a gap: then zstd may write it there.
 */
static bool fits_as_it_is(const job_run *run)
{
    const plan_item *items = &run->plan->items[run->job->first_item];
    uint64_t size = 0;
    if (run->row.transform != PSOPACK_TRANSFORM_NONE ||
        (run->row.flags & (PSOPACK_BLOCK_BASE | PSOPACK_BLOCK_RAW)) != 0)
        return false;
    for (uint32_t i = 0; i < run->job->item_count; i++) {
        psopack_component_row row;
        if (items[i].size == 0)
            continue;
        if (items[i].heap != items[0].heap || items[i].offset != items[0].offset + size ||
            (i != 0 && items[i].component == items[i - 1].component) ||
            psopack_view_component(&run->at.archive->view, index_of(run, &items[i]), &row, NULL) !=
                PSOPACK_OK ||
            row.strip != 0)
            return false;
        size += items[i].size;
    }
    return size == run->row.raw_size;
}

/* ---- one component -------------------------------------------------------------------------- */

/* Delivers an item whose bytes begin at `offset` of the block. */
static psopack_status deliver_item(const job_run *run, const plan_item *item, uint64_t offset,
                                   const psopack_component_row *row, psopack_diag *diag)
{
    size_t stored = (size_t)psopack_component_stored(row);
    uint8_t *to = place_of(run, item);
    if (offset > run->row.raw_size || stored > run->row.raw_size - offset)
        return psopack_fail_at(
            diag, PSOPACK_E_CORRUPT, PSOPACK_OBJECT_COMPONENT, index_of(run, item), run->row.offset,
            "component %u passes the end of block %u", index_of(run, item), run->job->block);
    PSOPACK_TRY(psopack_block_deliver(run->at.archive, run->context, run->job->block, &run->row,
                                      offset, stored, to, diag));
    psopack_strip_refill(to + stored, run->row.strip_word, row->strip);
    return PSOPACK_OK;
}

static psopack_status check_item(const job_run *run, plan_item *item,
                                 const psopack_component_row *row, psopack_diag *diag)
{
    const psopack_found found = {
        .index = index_of(run, item),
        .row = *row,
        .place = {run->job->block, 1, 0},
        .block = run->row,
    };
    item->crc = psopack_crc32c(0, place_of(run, item), item->size);
    PSOPACK_TRY(psopack_component_check(&found, item->crc, diag));
    item->state = PLAN_ITEM_LOADED;
    return PSOPACK_OK;
}

/* Keeps the first failure; the items behind it may still be good. */
static void note_failure(plan_item *item, psopack_status status, const psopack_diag *found,
                         psopack_status *first, psopack_diag *diag)
{
    if (status == PSOPACK_OK)
        return;
    item->state = PLAN_ITEM_FAILED;
    if (*first != PSOPACK_OK)
        return;
    *first = status;
    if (diag)
        *diag = *found;
}

/* All items of a run; `in_place`: the block has been decoded to their places already. */
static psopack_status run_items(const job_run *run, bool in_place, psopack_diag *diag)
{
    const psopack_view *view = &run->at.archive->view;
    plan_item *items = &run->plan->items[run->job->first_item];
    uint64_t offset = run->job->first_offset;
    uint32_t next = index_of(run, &items[0]);
    psopack_status first = PSOPACK_OK;
    for (uint32_t i = 0; i < run->job->item_count; i++) {
        psopack_component_row row = {0};
        psopack_diag found;
        psopack_status status = PSOPACK_OK;
        if (items[i].size == 0)
            continue;
        uint32_t index = index_of(run, &items[i]);
        for (; next < index && status == PSOPACK_OK; next++) {
            status = psopack_view_component(view, next, &row, &found);
            offset += psopack_component_stored(&row);
        }
        if (status == PSOPACK_OK)
            status = psopack_view_component(view, index, &row, &found);
        if (status == PSOPACK_OK && !in_place)
            status = deliver_item(run, &items[i], offset, &row, &found);
        if (status == PSOPACK_OK)
            status = check_item(run, &items[i], &row, &found);
        note_failure(&items[i], status, &found, &first, diag);
    }
    return first;
}

/* ---- one large component -------------------------------------------------------------------- */

/* The pieces straight to the first place; other heaps that want it get a copy. */
static psopack_status run_large(const job_run *run, psopack_diag *diag)
{
    plan_item *items = &run->plan->items[run->job->first_item];
    uint8_t *bytes = place_of(run, &items[0]);
    uint32_t crc;
    psopack_diag found;
    psopack_status first = PSOPACK_OK;
    psopack_status status =
        psopack_component_read(run->at.archive, run->context, index_of(run, &items[0]), bytes,
                               items[0].size, &crc, &found);
    for (uint32_t i = 0; i < run->job->item_count; i++) {
        if (items[i].size == 0)
            continue;
        if (status == PSOPACK_OK) {
            if (i != 0)
                memcpy(place_of(run, &items[i]), bytes, items[0].size);
            items[i].crc = crc;
            items[i].state = PLAN_ITEM_LOADED;
        }
        note_failure(&items[i], status, &found, &first, diag);
    }
    return first;
}

/* ---- jobs ----------------------------------------------------------------------------------- */

static psopack_status check_heaps(const job_run *run, psopack_diag *diag)
{
    for (uint32_t i = 0; i < PSOPACK_LOAD_PLAN_HEAPS_MAX; i++) {
        if (run->plan->info.heap_bytes[i] != 0 && !run->heaps[i])
            return psopack_fail(diag, PSOPACK_E_ARGUMENT, "the plan needs memory for heap %u", i);
    }
    return PSOPACK_OK;
}

static psopack_status run_block(job_run *run, psopack_diag *diag)
{
    const psopack_archive *archive = run->at.archive;
    const plan_item *first = &run->plan->items[run->job->first_item];
    PSOPACK_TRY(psopack_view_block(&archive->view, run->job->block, &run->row, diag));
    bool is_base = (run->row.flags & PSOPACK_BLOCK_BASE) != 0;
    if (first->size > archive->view.split_size && !is_base)
        return run_large(run, diag);
    bool in_place = fits_as_it_is(run);
    if (in_place && psopack_block_load(archive, run->context, run->job->block, &run->row,
                                       place_of(run, first), diag) != PSOPACK_OK)
        in_place = false; /* the way over the context finds and names the damage again */
    return run_items(run, in_place, diag);
}

static psopack_status run_job(job_run *run, psopack_diag *diag)
{
    psopack_status status;
    if (run->job->item_count == 0) {
        status = psopack_base_require(run->at.archive, run->context, run->at.index, diag);
    } else {
        PSOPACK_TRY(check_heaps(run, diag));
        status = run_block(run, diag);
    }
    return psopack_local_explain(run->plan->archive, run->at.archive, status, diag);
}

psopack_local psopack_load_plan_job_place(const psopack_load_plan *plan, const plan_job *job)
{
    psopack_local at = {plan->archive, 0, 0};
    psopack_base_place base;
    if (job->item_count != 0) {
        /* It was found when the plan was made. */
        psopack_local_component(plan->archive, plan->items[job->first_item].component, &at, NULL);
        return at;
    }
    base = plan_base_place(plan->archive, job->block);
    return (psopack_local){base.archive, base.index, 0};
}

psopack_status psopack_load_plan_execute_job(psopack_load_plan *plan, psopack_context *context,
                                             uint32_t job, void *const *heaps, psopack_diag *diag)
{
    if (!psopack_context_serves(context, plan->archive) || !heaps || job >= plan->info.jobs)
        return psopack_fail(diag, PSOPACK_E_ARGUMENT,
                            "a job needs heaps, a context of the plan's archive, and to exist");
    job_run run = {.plan = plan, .context = context, .heaps = heaps, .job = &plan->jobs[job]};
    run.at = psopack_load_plan_job_place(plan, run.job);
    psopack_status status = run_job(&run, diag);
    psopack_load_plan_end(plan, job);
    return status;
}

void psopack_load_plan_end(psopack_load_plan *plan, uint32_t job)
{
    atomic_fetch_add_explicit(&plan->bytes_done, plan->jobs[job].bytes, memory_order_relaxed);
    atomic_fetch_add_explicit(&plan->jobs_done, 1, memory_order_release);
}

uint32_t psopack_load_plan_jobs_left(const psopack_load_plan *plan)
{
    return plan->info.jobs - atomic_load_explicit(&plan->jobs_done, memory_order_acquire);
}

bool psopack_load_plan_take(psopack_load_plan *plan, uint32_t *ret_job)
{
    /* Looked at first, so that the counter never runs far past the end. */
    if (atomic_load_explicit(&plan->next_job, memory_order_relaxed) >= plan->info.jobs)
        return false;
    *ret_job = atomic_fetch_add_explicit(&plan->next_job, 1, memory_order_relaxed);
    return *ret_job < plan->info.jobs;
}

psopack_status psopack_load_plan_execute(psopack_load_plan *plan, psopack_context *context,
                                         void *const *heaps, const psopack_load_plan_run *run,
                                         psopack_diag *diag)
{
    const psopack_load_plan_run whole = {0, NULL, NULL};
    psopack_status first = PSOPACK_OK;
    psopack_diag found;
    uint64_t delivered = 0;
    uint32_t job;
    if (!run)
        run = &whole;
    while ((run->byte_budget == 0 || delivered < run->byte_budget) &&
           psopack_load_plan_take(plan, &job)) {
        psopack_status status = psopack_load_plan_execute_job(plan, context, job, heaps, &found);
        if (status != PSOPACK_OK && first == PSOPACK_OK) {
            first = status;
            if (diag)
                *diag = found;
        }
        delivered += plan->jobs[job].bytes;
        uint64_t done = atomic_load_explicit(&plan->bytes_done, memory_order_relaxed);
        if (run->progress && run->progress(run->user, done, plan->info.component_bytes) != 0)
            return first != PSOPACK_OK
                       ? first
                       : psopack_fail(diag, PSOPACK_E_CANCELLED, "stopped on request");
    }
    return first;
}
