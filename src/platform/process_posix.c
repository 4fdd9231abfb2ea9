/* SPDX-License-Identifier: MIT */
/* Facts about this process, by getrusage. */
#include "platform/posix.h"

#include "platform/process.h"

#include <sys/resource.h>

uint64_t psopack_process_peak_memory(void)
{
    struct rusage usage;
    if (getrusage(RUSAGE_SELF, &usage) != 0)
        return 0;
    return (uint64_t)usage.ru_maxrss * 1024; /* Linux counts in KiB */
}
