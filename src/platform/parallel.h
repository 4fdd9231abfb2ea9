/* SPDX-License-Identifier: MIT */
/*
 * Work on numbered items with a bounded number of threads, errors independent of their timing.
 *
 * The caller's thread is worker 0, so `n_threads` counts it: 1 runs everything on the caller and
 * makes no thread, 0 means psopack_cpu_count(). When the system refuses a thread the work goes on
 * with those there are; results do not depend on it. Items start in order of their number.
 *
 * Errors: once an item fails no later item starts, and the status and diag of the failed item with
 * the lowest number are returned: the same ones that a single thread would meet. `cancel` may be
 * NULL; once it is true nothing more starts and PSOPACK_E_CANCELLED is returned, unless the failure
 * of an item is to be returned already (in the ordered loop: an item whose turn has come).
 */
#ifndef PSOPACK_PLATFORM_PARALLEL_H
#define PSOPACK_PLATFORM_PARALLEL_H

#include <psopack/status.h>
#include <stdatomic.h>
#include <stdbool.h>

/* `worker` < the number of threads asked for, and no two calls with one worker run at a time. */
typedef psopack_status (*psopack_item_fn)(void *context, unsigned worker, uint64_t item,
                                          psopack_diag *diag);

psopack_status psopack_parallel_for(uint64_t n_items, unsigned n_threads, psopack_item_fn run,
                                    void *context, const atomic_bool *cancel, psopack_diag *diag);

/*
 * Items made in parallel, used in order. `make` runs on any worker and fills place `slot`, `slot` <
 * `window`; `use` runs on any worker, but one call at a time, for items 0, 1, 2..., and sees
 * everything the item's `make` wrote. An item's slot is not given away before its `use` has
 * returned, so at most `window` items are in flight. When item n is the failing one, `use` has run
 * for exactly the items before it.
 */
typedef struct psopack_ordered {
    psopack_status (*make)(void *context, unsigned worker, uint64_t item, unsigned slot,
                           psopack_diag *diag);
    psopack_status (*use)(void *context, uint64_t item, unsigned slot, psopack_diag *diag);
    void *context;
    unsigned window; /* at least 1; twice the threads keeps all of them busy */
} psopack_ordered;

psopack_status psopack_ordered_for(uint64_t n_items, unsigned n_threads,
                                   const psopack_ordered *work, const atomic_bool *cancel,
                                   psopack_diag *diag);

#endif
