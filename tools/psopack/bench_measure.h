/* SPDX-License-Identifier: MIT */
/* The measurements of psopack bench, in nanoseconds of the monotonic clock. */
#ifndef PSOPACK_TOOL_BENCH_MEASURE_H
#define PSOPACK_TOOL_BENCH_MEASURE_H

#include "reader.h"

#define PSOPACK_BENCH_COMPONENTS 10000 /* distinct ones; all where an archive has fewer */
#define PSOPACK_BENCH_OPENS 200
#define PSOPACK_BENCH_LOADS 5

typedef struct psopack_bench_result {
    uint32_t n;       /* components read */
    uint64_t bytes;   /* of these components */
    uint64_t open_ns; /* median: map, checks and all; closing is not counted */
    double find_key_ns;
    bool has_keys; /* false: no names to make keys from, or the list gave its own keys */
    uint64_t cold_read_ns_p50;
    uint64_t cold_read_ns_p99;
    uint64_t warm_read_ns; /* median: the component's block is the one decoded last */
    double load_all_bytes_per_second;
    uint64_t load_all_bytes;
    bool heap_counted;
    uint64_t heap_allocations_after_open;
} psopack_bench_result;

psopack_status psopack_bench_measure(psopack_reader *reader, const psopack_options *options,
                                     psopack_bench_result *ret_result, psopack_diag *diag);

#endif
