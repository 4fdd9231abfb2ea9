/* SPDX-License-Identifier: MIT */
/* Threads, mutexes and conditions; atomics are C11's own. Built only into what starts threads. */
#ifndef PSOPACK_PLATFORM_THREAD_H
#define PSOPACK_PLATFORM_THREAD_H

#include <psopack/status.h>

#include <pthread.h>

/* Stays where it is, and alive, from start to join. Members are private. */
typedef struct psopack_thread {
    pthread_t handle;
    void (*run)(void *argument);
    void *argument;
} psopack_thread;

typedef struct psopack_mutex {
    pthread_mutex_t handle;
} psopack_mutex;

typedef struct psopack_cond {
    pthread_cond_t handle;
} psopack_cond;

/*
 * Runs `run(argument)` on a new thread, which receives no signals (handlers run on the program's
 * own threads). PSOPACK_E_BUSY when the system has no thread to give.
 */
psopack_status psopack_thread_start(psopack_thread *thread, void (*run)(void *argument),
                                    void *argument, psopack_diag *diag);

/* Waits until `run` has returned. Once per started thread. */
void psopack_thread_join(psopack_thread *thread);

/* A mutex is not recursive. Finish only while nobody holds or waits. */
psopack_status psopack_mutex_init(psopack_mutex *mutex, psopack_diag *diag);
void psopack_mutex_finish(psopack_mutex *mutex);
void psopack_mutex_lock(psopack_mutex *mutex);
void psopack_mutex_unlock(psopack_mutex *mutex);

/* Wait needs the mutex held, gives it back held, and may return without a signal. */
psopack_status psopack_cond_init(psopack_cond *cond, psopack_diag *diag);
void psopack_cond_finish(psopack_cond *cond);
void psopack_cond_wait(psopack_cond *cond, psopack_mutex *mutex);
void psopack_cond_signal(psopack_cond *cond);
void psopack_cond_broadcast(psopack_cond *cond);

#endif
