/* SPDX-License-Identifier: MIT */
/* POSIX threads behind the shapes of thread.h. */
#include "platform/posix.h"

#include "format/error.h"
#include "platform/os_error.h"
#include "platform/thread.h"

#include <signal.h>

static void *enter(void *argument)
{
    psopack_thread *thread = argument;
    thread->run(thread->argument);
    return NULL;
}

/* A new thread inherits the signal mask, so it is born with every signal blocked. */
psopack_status psopack_thread_start(psopack_thread *thread, void (*run)(void *argument),
                                    void *argument, psopack_diag *diag)
{
    thread->run = run;
    thread->argument = argument;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = pthread_create(&thread->handle, NULL, enter, thread);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (error != 0)
        return psopack_fail_errno(diag, error, "start", "a thread");
    return PSOPACK_OK;
}

void psopack_thread_join(psopack_thread *thread)
{
    (void)pthread_join(thread->handle, NULL);
}

psopack_status psopack_mutex_init(psopack_mutex *mutex, psopack_diag *diag)
{
    int error = pthread_mutex_init(&mutex->handle, NULL);
    return error == 0 ? PSOPACK_OK : psopack_fail_errno(diag, error, "make", "a mutex");
}

void psopack_mutex_finish(psopack_mutex *mutex)
{
    (void)pthread_mutex_destroy(&mutex->handle);
}

void psopack_mutex_lock(psopack_mutex *mutex)
{
    (void)pthread_mutex_lock(&mutex->handle);
}

void psopack_mutex_unlock(psopack_mutex *mutex)
{
    (void)pthread_mutex_unlock(&mutex->handle);
}

psopack_status psopack_cond_init(psopack_cond *cond, psopack_diag *diag)
{
    int error = pthread_cond_init(&cond->handle, NULL);
    return error == 0 ? PSOPACK_OK : psopack_fail_errno(diag, error, "make", "a condition");
}

void psopack_cond_finish(psopack_cond *cond)
{
    (void)pthread_cond_destroy(&cond->handle);
}

void psopack_cond_wait(psopack_cond *cond, psopack_mutex *mutex)
{
    (void)pthread_cond_wait(&cond->handle, &mutex->handle);
}

void psopack_cond_signal(psopack_cond *cond)
{
    (void)pthread_cond_signal(&cond->handle);
}

void psopack_cond_broadcast(psopack_cond *cond)
{
    (void)pthread_cond_broadcast(&cond->handle);
}
