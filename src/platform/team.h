/* SPDX-License-Identifier: MIT */
/* Several threads in one function, the caller's among them: what both parallel loops stand on. */
#ifndef PSOPACK_PLATFORM_TEAM_H
#define PSOPACK_PLATFORM_TEAM_H

#include <psopack/status.h>

/*
 * Runs `run(context, worker)` for worker 0 on the caller and for workers 1... on threads of their
 * own; returns when all have returned. `n_threads` at least 1. Threads that cannot be made are left
 * out, so `run` must do all the work also when called for worker 0 alone.
 */
void psopack_team_run(unsigned n_threads, void (*run)(void *context, unsigned worker),
                      void *context);

#endif
