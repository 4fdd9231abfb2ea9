/* SPDX-License-Identifier: MIT */
/* Time that only goes forward, and giving the processor away. Needs no thread library. */
#ifndef PSOPACK_PLATFORM_CLOCK_H
#define PSOPACK_PLATFORM_CLOCK_H

#include <stdint.h>

/* Nanoseconds since some moment that is the same for all threads of the process. */
uint64_t psopack_clock_ns(void);

/* Lets another thread run: for short waits on an atomic. */
void psopack_clock_yield(void);

#endif
