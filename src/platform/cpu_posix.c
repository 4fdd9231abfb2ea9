/* SPDX-License-Identifier: MIT */
/* Counts usable processors: affinity mask, then the quota of control groups. */
#include "platform/posix.h"

#include "platform/cpu.h"

#include <sched.h>
#include <unistd.h>

static unsigned affinity_count(void)
{
#ifdef CPU_COUNT
    cpu_set_t mask;
    /* Fails on machines with more processors than cpu_set_t has bits: then count them all. */
    if (sched_getaffinity(0, sizeof mask, &mask) == 0 && CPU_COUNT(&mask) > 0)
        return (unsigned)CPU_COUNT(&mask);
#endif
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (unsigned)online : 1;
}

unsigned psopack_cpu_count(void)
{
    unsigned count = affinity_count();
    unsigned quota = psopack_cpu_quota("/proc/self/cgroup", "/sys/fs/cgroup");
    return quota > 0 && quota < count ? quota : count;
}
