/* SPDX-License-Identifier: MIT */
/*
 * Work that is done at most once, by whichever thread needs it first.
 *
 * One byte of state: the thread whose compare-and-swap takes it from NEW to BUSY does the work and
 * leaves a result; the others wait for that result. No lock, and a thread never waits while it
 * holds one itself, so there is nothing to deadlock.
 */
#ifndef PSOPACK_LOADER_ONCE_H
#define PSOPACK_LOADER_ONCE_H

#include <stdatomic.h>
#include <stdint.h>

typedef enum psopack_once_state {
    PSOPACK_ONCE_NEW = 0,
    PSOPACK_ONCE_BUSY = 1,
    PSOPACK_ONCE_GOOD = 2,
    PSOPACK_ONCE_BAD = 3 /* remembered: damage does not heal */
} psopack_once_state;

typedef _Atomic(uint8_t) psopack_once;

/* How a thread passes the time while another one works. */
typedef struct psopack_wait {
    void (*call)(void *user);
    void *user;
} psopack_wait;

/* GOOD or BAD: done before. NEW: the caller must do the work, then call psopack_once_leave(). */
static inline psopack_once_state psopack_once_enter(psopack_once *once, const psopack_wait *wait)
{
    for (;;) {
        uint8_t state = atomic_load_explicit(once, memory_order_acquire);
        if (state >= PSOPACK_ONCE_GOOD)
            return (psopack_once_state)state;
        if (state == PSOPACK_ONCE_BUSY)
            wait->call(wait->user);
        else if (atomic_compare_exchange_weak_explicit(once, &state, PSOPACK_ONCE_BUSY,
                                                       memory_order_acquire, memory_order_relaxed))
            return PSOPACK_ONCE_NEW;
    }
}

/* `state` NEW gives the work back, for failures that may pass: the next thread tries again. */
static inline void psopack_once_leave(psopack_once *once, psopack_once_state state)
{
    atomic_store_explicit(once, (uint8_t)state, memory_order_release);
}

static inline int psopack_once_is_good(const psopack_once *once)
{
    return atomic_load_explicit(once, memory_order_acquire) == PSOPACK_ONCE_GOOD;
}

#endif
