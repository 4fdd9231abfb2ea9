/* SPDX-License-Identifier: MIT */
/* For builds that cannot count heap allocations. */
#include "bench_heap.h"

bool psopack_bench_heap_start(void)
{
    return false;
}

uint64_t psopack_bench_heap_stop(void)
{
    return 0;
}
