/* SPDX-License-Identifier: MIT */
/*
 * Signals, turned into flags.
 *
 * Before psopack_signals_defer() SIGINT and SIGTERM end the program at once, with exit code 130 or
 * 143: nothing is half written yet. After it they only set a flag, so that a command that writes
 * can stop clean. SIGPIPE is ignored: writing to a closed pipe fails with EPIPE instead.
 */
#ifndef PSOPACK_TOOL_SIGNALS_H
#define PSOPACK_TOOL_SIGNALS_H

#include <stdbool.h>

void psopack_signals_install(void);
void psopack_signals_defer(void);

/* Whether a signal asked to stop. Safe on any thread. */
bool psopack_signals_stop(void);

/* 130 or 143 after the signal, 130 before. */
int psopack_signals_exit_code(void);

/* Whether SIGUSR1 asked to see the progress since the last call. */
bool psopack_signals_take_progress_request(void);

#endif
