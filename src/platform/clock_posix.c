/* SPDX-License-Identifier: MIT */
/* The monotonic clock and the yield. */
#include "platform/posix.h"

#include "platform/clock.h"

#include <sched.h>
#include <time.h>

uint64_t psopack_clock_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now); /* fails only for a clock the system lacks */
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void psopack_clock_yield(void)
{
    (void)sched_yield();
}
