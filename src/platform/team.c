/* SPDX-License-Identifier: MIT */
/* Starts helpers, works along, joins them. */
#include "platform/team.h"

#include "platform/thread.h"

#include <stdlib.h>

typedef struct helper {
    psopack_thread thread;
    void (*run)(void *context, unsigned worker);
    void *context;
    unsigned worker;
} helper;

static void run_helper(void *argument)
{
    const helper *self = argument;
    self->run(self->context, self->worker);
}

void psopack_team_run(unsigned n_threads, void (*run)(void *context, unsigned worker),
                      void *context)
{
    unsigned wanted = n_threads > 1 ? n_threads - 1 : 0;
    helper *helpers = wanted > 0 ? calloc(wanted, sizeof *helpers) : NULL;
    unsigned started = 0;
    for (; helpers && started < wanted; started++) {
        helper *self = &helpers[started];
        *self = (helper){.run = run, .context = context, .worker = started + 1};
        if (psopack_thread_start(&self->thread, run_helper, self, NULL) != PSOPACK_OK)
            break;
    }
    run(context, 0);
    for (unsigned i = 0; i < started; i++)
        psopack_thread_join(&helpers[i].thread);
    free(helpers);
}
