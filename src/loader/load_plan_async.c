/* SPDX-License-Identifier: MIT */
/* Load plans over an I/O layer that reads by itself: what a job reads, and reads kept in flight. */
#include "loader/context.h"
#include "loader/load_plan.h"

#define DEPTH_MAX 64u
#define BUFFER_ALIGNMENT 64u

/* ---- one job -------------------------------------------------------------------------------- */

/* From the first piece of a large component to the end of the last. */
static psopack_status read_of_pieces(const psopack_load_plan *plan, const plan_job *job,
                                     const psopack_archive *archive, const psopack_block_row *first,
                                     psopack_load_plan_read *ret_read, psopack_diag *diag)
{
    const psopack_view *view = &archive->view;
    uint64_t size = plan->items[job->first_item].size;
    uint32_t pieces = (uint32_t)((size + view->split_size - 1) / view->split_size);
    psopack_block_row last;
    PSOPACK_TRY(psopack_view_block(view, job->block + pieces - 1, &last, diag));
    uint64_t end = last.offset + last.stored_size;
    if (end < first->offset)
        return psopack_fail_at(diag, PSOPACK_E_CORRUPT, PSOPACK_OBJECT_BLOCK, job->block,
                               first->offset, "block %u: a component's pieces are out of order",
                               job->block);
    *ret_read = (psopack_load_plan_read){first->offset, end - first->offset, archive};
    return PSOPACK_OK;
}

psopack_status psopack_load_plan_get_read(const psopack_load_plan *plan, uint32_t job_number,
                                          psopack_load_plan_read *ret_read, psopack_diag *diag)
{
    if (job_number >= plan->info.jobs)
        return psopack_fail(diag, PSOPACK_E_NOT_FOUND, "job %u: there are %u", job_number,
                            plan->info.jobs);
    const plan_job *job = &plan->jobs[job_number];
    psopack_local at = psopack_load_plan_job_place(plan, job);
    const psopack_archive *archive = at.archive;
    bool decodes_base = job->item_count == 0;
    uint32_t block = decodes_base ? archive->bases[at.index].block : job->block;
    psopack_block_row row;
    PSOPACK_TRY(psopack_view_block(&archive->view, block, &row, diag));
    bool in_base = !decodes_base && (row.flags & PSOPACK_BLOCK_BASE) != 0;
    if (!decodes_base && !in_base && plan->items[job->first_item].size > archive->view.split_size)
        return read_of_pieces(plan, job, archive, &row, ret_read, diag);
    *ret_read = (psopack_load_plan_read){row.offset, in_base ? 0 : row.stored_size, archive};
    return PSOPACK_OK;
}

psopack_status psopack_load_plan_execute_read(psopack_load_plan *plan, psopack_context *context,
                                              uint32_t job, const void *bytes, void *const *heaps,
                                              psopack_diag *diag)
{
    psopack_load_plan_read read;
    PSOPACK_TRY(psopack_load_plan_get_read(plan, job, &read, diag));
    if (!context || (!bytes && read.size != 0))
        return psopack_fail(diag, PSOPACK_E_ARGUMENT, "a job needs a context and its bytes");
    context->supplied = bytes;
    context->supplied_archive = read.archive;
    context->supplied_offset = read.offset;
    context->supplied_size = read.size;
    psopack_status status = psopack_load_plan_execute_job(plan, context, job, heaps, diag);
    context->supplied = NULL;
    return status;
}

/* ---- all jobs ------------------------------------------------------------------------------- */

typedef struct pump {
    psopack_load_plan *plan;
    psopack_context *context;
    void *const *heaps;
    const psopack_async *async;
    uint64_t stride; /* bytes between buffers */
    uint32_t depth;
    uint32_t in_flight;
    uint64_t free_tickets;    /* one bit each */
    uint32_t jobs[DEPTH_MAX]; /* by ticket */
    psopack_status first;     /* failure, the answer in the end */
    psopack_diag *diag;
} pump;

static void note(pump *p, psopack_status status, const psopack_diag *found)
{
    if (status == PSOPACK_OK || p->first != PSOPACK_OK)
        return;
    p->first = status;
    if (p->diag)
        *p->diag = *found;
}

static uint8_t *buffer_of(const pump *p, uint32_t ticket)
{
    return (uint8_t *)p->async->buffer + (size_t)(ticket * p->stride);
}

static uint32_t lowest_bit(uint64_t bits)
{
    uint32_t bit = 0;
    while ((bits >> bit & 1) == 0)
        bit++;
    return bit;
}

/* Begins a job: submits its read, or runs it at once when it needs none. */
static void begin_job(pump *p, uint32_t job)
{
    psopack_diag found;
    psopack_load_plan_read read;
    psopack_status status = psopack_load_plan_get_read(p->plan, job, &read, &found);
    if (status == PSOPACK_OK && read.size == 0) {
        note(p, psopack_load_plan_execute_job(p->plan, p->context, job, p->heaps, &found), &found);
        return;
    }
    uint32_t ticket = lowest_bit(p->free_tickets);
    if (status == PSOPACK_OK) {
        status = p->async->submit(p->async->user, ticket, read.archive, read.offset,
                                  buffer_of(p, ticket), (size_t)read.size);
        if (status != PSOPACK_OK)
            psopack_fail_at(&found, status, PSOPACK_OBJECT_FILE, 0, read.offset,
                            "a read of %llu bytes was not begun: %s", (unsigned long long)read.size,
                            psopack_status_text(status));
    }
    if (status != PSOPACK_OK) {
        note(p, status, &found);
        psopack_load_plan_end(p->plan, job);
        return;
    }
    p->free_tickets &= ~(UINT64_C(1) << ticket);
    p->jobs[ticket] = job;
    p->in_flight++;
}

/* Waits for one read and runs its job. */
static psopack_status end_job(pump *p)
{
    psopack_diag found;
    uint32_t ticket;
    psopack_status read_status;
    psopack_status status = p->async->complete(p->async->user, &ticket, &read_status);
    if (status == PSOPACK_OK && (ticket >= p->depth || (p->free_tickets >> ticket & 1) != 0))
        status = PSOPACK_E_ARGUMENT;
    if (status != PSOPACK_OK)
        return psopack_fail(p->diag, status, "the I/O layer cannot say how reads ended");
    p->free_tickets |= UINT64_C(1) << ticket;
    p->in_flight--;
    uint32_t job = p->jobs[ticket];
    if (read_status != PSOPACK_OK) {
        psopack_fail(&found, read_status, "a read ended with: %s",
                     psopack_status_text(read_status));
        psopack_load_plan_end(p->plan, job);
    } else {
        read_status = psopack_load_plan_execute_read(p->plan, p->context, job, buffer_of(p, ticket),
                                                     p->heaps, &found);
    }
    note(p, read_status, &found);
    return PSOPACK_OK;
}

static psopack_status drain(pump *p)
{
    while (p->in_flight != 0)
        PSOPACK_TRY(end_job(p));
    return PSOPACK_OK;
}

static psopack_status prepare(pump *p)
{
    const psopack_async *async = p->async;
    p->stride = psopack_align_up(p->plan->info.largest_read, BUFFER_ALIGNMENT);
    if (p->stride == 0)
        p->stride = BUFFER_ALIGNMENT;
    uint64_t fit = async->buffer_size / p->stride;
    if (async->buffer_size >= p->plan->info.largest_read && fit == 0)
        fit = 1;
    p->depth = async->depth < DEPTH_MAX ? async->depth : DEPTH_MAX;
    if (fit < p->depth)
        p->depth = (uint32_t)fit;
    if (p->depth == 0)
        return psopack_fail(p->diag, PSOPACK_E_BUFFER,
                            "reading needs a depth of 1 and a buffer of %llu bytes",
                            (unsigned long long)p->plan->info.largest_read);
    p->free_tickets = p->depth == 64 ? UINT64_MAX : (UINT64_C(1) << p->depth) - 1;
    return PSOPACK_OK;
}

static bool is_stopped(const pump *p)
{
    uint64_t done = atomic_load_explicit(&p->plan->bytes_done, memory_order_relaxed);
    return p->async->progress &&
           p->async->progress(p->async->user, done, p->plan->info.component_bytes) != 0;
}

psopack_status psopack_load_plan_execute_async(psopack_load_plan *plan, psopack_context *context,
                                               void *const *heaps, const psopack_async *async,
                                               psopack_diag *diag)
{
    pump p = {.plan = plan, .context = context, .heaps = heaps, .async = async, .diag = diag};
    uint32_t job;
    bool bases_done = false, stopped = false;
    if (!async || !async->submit || !async->complete || !async->buffer)
        return psopack_fail(diag, PSOPACK_E_ARGUMENT, "submit, complete and a buffer are needed");
    PSOPACK_TRY(prepare(&p));
    while (!stopped && psopack_load_plan_take(plan, &job)) {
        if (!bases_done && job >= plan->info.base_jobs) {
            PSOPACK_TRY(drain(&p)); /* what follows needs the bases */
            bases_done = true;
        }
        begin_job(&p, job);
        if (p.in_flight == p.depth)
            PSOPACK_TRY(end_job(&p));
        stopped = is_stopped(&p);
    }
    PSOPACK_TRY(drain(&p)); /* buffers are the caller's again, also when it wants to stop */
    if (stopped && p.first == PSOPACK_OK)
        return psopack_fail(diag, PSOPACK_E_CANCELLED, "stopped on request");
    return p.first;
}
