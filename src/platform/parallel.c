/* SPDX-License-Identifier: MIT */
/*
 * The unordered loop. Items are handed out in order, so when one fails all lower ones are running
 * or done: waiting for them finds the lowest failure, whatever the timing.
 */
#include "platform/parallel.h"

#include "format/error.h"
#include "platform/cpu.h"
#include "platform/team.h"
#include "platform/thread.h"

typedef struct loop {
    uint64_t n_items;
    psopack_item_fn run;
    void *context;
    const atomic_bool *cancel;

    atomic_uint_fast64_t next;
    atomic_bool stop;

    psopack_mutex mutex; /* guards what follows */
    uint64_t failed_item;
    psopack_status status;
    psopack_diag diag;
} loop;

static void note_failure(loop *self, uint64_t item, psopack_status status, const psopack_diag *diag)
{
    psopack_mutex_lock(&self->mutex);
    if (item < self->failed_item) {
        self->failed_item = item;
        self->status = status;
        self->diag = *diag;
    }
    psopack_mutex_unlock(&self->mutex);
    atomic_store(&self->stop, true);
}

static void run_items(void *argument, unsigned worker)
{
    loop *self = argument;
    psopack_diag diag = {0};
    while (!atomic_load_explicit(&self->stop, memory_order_relaxed)) {
        if (self->cancel && atomic_load(self->cancel)) {
            (void)psopack_fail(&diag, PSOPACK_E_CANCELLED, "stopped on request");
            note_failure(self, UINT64_MAX - 1, PSOPACK_E_CANCELLED, &diag);
            break;
        }
        uint64_t item = atomic_fetch_add_explicit(&self->next, 1, memory_order_relaxed);
        if (item >= self->n_items)
            break;
        psopack_status status = self->run(self->context, worker, item, &diag);
        if (status != PSOPACK_OK)
            note_failure(self, item, status, &diag);
    }
}

psopack_status psopack_parallel_for(uint64_t n_items, unsigned n_threads, psopack_item_fn run,
                                    void *context, const atomic_bool *cancel, psopack_diag *diag)
{
    loop self = {
        .n_items = n_items,
        .run = run,
        .context = context,
        .cancel = cancel,
        .failed_item = UINT64_MAX,
        .status = PSOPACK_OK,
    };
    PSOPACK_TRY(psopack_mutex_init(&self.mutex, diag));
    if (n_threads == 0)
        n_threads = psopack_cpu_count();
    if (n_threads > n_items)
        n_threads = n_items > 1 ? (unsigned)n_items : 1;
    psopack_team_run(n_threads, run_items, &self);
    psopack_mutex_finish(&self.mutex);
    if (self.status != PSOPACK_OK && diag)
        *diag = self.diag;
    return self.status;
}
