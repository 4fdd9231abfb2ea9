/* SPDX-License-Identifier: MIT */
/* Facts about this process. */
#ifndef PSOPACK_PLATFORM_PROCESS_H
#define PSOPACK_PLATFORM_PROCESS_H

#include <stdint.h>

/* The most memory the process has had resident so far, in bytes; 0 where the system does not say.
 */
uint64_t psopack_process_peak_memory(void);

#endif
