/* SPDX-License-Identifier: MIT */
/*
 * The ordered loop. No thread is set aside for using items: whoever finds the next one made, and
 * nobody using, uses it. So every worker makes items most of the time, and one thread suffices.
 */
#include "format/error.h"
#include "platform/cpu.h"
#include "platform/parallel.h"
#include "platform/team.h"
#include "platform/thread.h"

#include <stdlib.h>

typedef struct pipeline {
    const psopack_ordered *work;
    const atomic_bool *cancel;

    psopack_mutex mutex; /* guards what follows */
    psopack_cond moved;  /* next_use or limit has changed */
    uint64_t limit;      /* items below are wanted: n_items, or the lowest one that failed */
    uint64_t next_make;
    uint64_t next_use;
    bool using;
    bool *made; /* by slot */
    psopack_status status;
    psopack_diag diag;
} pipeline;

static unsigned slot_of(const pipeline *self, uint64_t item)
{
    return (unsigned)(item % self->work->window);
}

/* An item that fails after a lower one has failed is not wanted any more, and neither its error. */
static void note_failure(pipeline *self, uint64_t item, psopack_status status,
                         const psopack_diag *diag)
{
    if (item >= self->limit)
        return;
    self->limit = item;
    self->status = status;
    self->diag = *diag;
    psopack_cond_broadcast(&self->moved);
}

static void make_next(pipeline *self, unsigned worker, psopack_diag *diag)
{
    const psopack_ordered *work = self->work;
    uint64_t item = self->next_make++;
    psopack_mutex_unlock(&self->mutex);
    psopack_status status = work->make(work->context, worker, item, slot_of(self, item), diag);
    psopack_mutex_lock(&self->mutex);
    if (status == PSOPACK_OK)
        self->made[slot_of(self, item)] = true;
    else
        note_failure(self, item, status, diag);
}

static void use_next(pipeline *self, psopack_diag *diag)
{
    const psopack_ordered *work = self->work;
    uint64_t item = self->next_use;
    self->using = true;
    psopack_mutex_unlock(&self->mutex);
    psopack_status status = work->use(work->context, item, slot_of(self, item), diag);
    psopack_mutex_lock(&self->mutex);
    self->using = false;
    if (status == PSOPACK_OK) {
        self->made[slot_of(self, item)] = false;
        self->next_use++;
        psopack_cond_broadcast(&self->moved);
    } else {
        note_failure(self, item, status, diag);
    }
}

static bool can_use(const pipeline *self)
{
    return !self->using && self->next_use < self->limit &&
           self->made[slot_of(self, self->next_use)];
}

static bool can_make(const pipeline *self)
{
    return self->next_make < self->limit && self->next_make - self->next_use < self->work->window;
}

/* Using comes first: it frees slots. A worker leaves when nothing is left to start: what others
 * have started, they finish, the using of it included. */
static void run_worker(void *argument, unsigned worker)
{
    pipeline *self = argument;
    psopack_diag diag = {0};
    psopack_mutex_lock(&self->mutex);
    while (self->next_use < self->limit) {
        if (self->cancel && atomic_load(self->cancel)) {
            (void)psopack_fail(&diag, PSOPACK_E_CANCELLED, "stopped on request");
            note_failure(self, self->next_use, PSOPACK_E_CANCELLED, &diag);
        } else if (can_use(self)) {
            use_next(self, &diag);
        } else if (can_make(self)) {
            make_next(self, worker, &diag);
        } else if (self->next_make >= self->limit) {
            break;
        } else {
            psopack_cond_wait(&self->moved, &self->mutex);
        }
    }
    psopack_mutex_unlock(&self->mutex);
}

static psopack_status run_pipeline(pipeline *self, unsigned n_threads, psopack_diag *diag)
{
    PSOPACK_TRY(psopack_mutex_init(&self->mutex, diag));
    psopack_status status = psopack_cond_init(&self->moved, diag);
    if (status == PSOPACK_OK) {
        psopack_team_run(n_threads, run_worker, self);
        psopack_cond_finish(&self->moved);
        status = self->status;
        if (status != PSOPACK_OK && diag)
            *diag = self->diag;
    }
    psopack_mutex_finish(&self->mutex);
    return status;
}

psopack_status psopack_ordered_for(uint64_t n_items, unsigned n_threads,
                                   const psopack_ordered *work, const atomic_bool *cancel,
                                   psopack_diag *diag)
{
    if (work->window == 0)
        return psopack_fail(diag, PSOPACK_E_ARGUMENT, "an ordered loop needs a window of 1 item");
    if (n_threads == 0)
        n_threads = psopack_cpu_count();
    if (n_threads > work->window) /* more could never have an item */
        n_threads = work->window;
    pipeline self = {.work = work, .cancel = cancel, .limit = n_items, .status = PSOPACK_OK};
    self.made = calloc(work->window, sizeof *self.made);
    if (!self.made)
        return psopack_fail(diag, PSOPACK_E_NOMEM, "no memory for %u items", work->window);
    psopack_status status = run_pipeline(&self, n_threads, diag);
    free(self.made);
    return status;
}
