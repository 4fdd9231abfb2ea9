/* SPDX-License-Identifier: MIT */
/* Signals, turned into flags. A handler has no argument of ours, so the flags are global. */
#include "signals.h"

#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static volatile sig_atomic_t stop_signal;
static volatile sig_atomic_t deferred;
static volatile sig_atomic_t progress_requested;

static void on_stop(int number)
{
    if (!deferred)
        _exit(128 + number);
    stop_signal = number;
}

static void on_progress(int number)
{
    (void)number;
    progress_requested = 1;
}

static void handle(int number, void (*handler)(int))
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(number, &action, NULL);
}

/* A parent that started us with the signal ignored (nohup, a shell's background job) means it. */
static void handle_unless_ignored(int number, void (*handler)(int))
{
    struct sigaction before;
    if (sigaction(number, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
        handle(number, handler);
}

void psopack_signals_install(void)
{
    handle(SIGPIPE, SIG_IGN);
    handle(SIGUSR1, on_progress);
    handle_unless_ignored(SIGINT, on_stop);
    handle_unless_ignored(SIGTERM, on_stop);
}

void psopack_signals_defer(void)
{
    deferred = 1;
}

bool psopack_signals_stop(void)
{
    return stop_signal != 0;
}

int psopack_signals_exit_code(void)
{
    return 128 + (stop_signal ? stop_signal : SIGINT);
}

bool psopack_signals_take_progress_request(void)
{
    bool requested = progress_requested != 0;
    if (requested)
        progress_requested = 0;
    return requested;
}
