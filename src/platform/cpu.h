/* SPDX-License-Identifier: MIT */
/* How many processors this process may use: the default of every "number of threads". */
#ifndef PSOPACK_PLATFORM_CPU_H
#define PSOPACK_PLATFORM_CPU_H

/*
 * The processors of the affinity mask, less when a control group's quota gives fewer (rounded up).
 * At least 1. Reads a few small files: ask once.
 */
unsigned psopack_cpu_count(void);

/*
 * The quota part, rounded up to whole processors; 0 when there is none. `membership` is
 * /proc/self/cgroup, `mount` is /sys/fs/cgroup: parameters so that tests can forge both.
 */
unsigned psopack_cpu_quota(const char *membership, const char *mount);

#endif
