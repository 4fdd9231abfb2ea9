/* SPDX-License-Identifier: MIT */
/* The default of psopack_open_options.wait: let another thread run. */
#include "loader/archive.h"
#include "platform/clock.h"

void psopack_wait_default(void *user)
{
    (void)user;
    psopack_clock_yield();
}
