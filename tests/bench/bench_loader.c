/* SPDX-License-Identifier: MIT */
/*
 * Every path of the loader on one archive: bench_loader [--quick] ARCHIVE. One JSON object.
 *
 * The archive is in the page cache. Heap allocations are counted inside zstd too; a build that
 * cannot count them, as with sanitizers, says so by "heap_counted": 0.
 */
#include "bench_loader.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench_common.h"
#include "bench_heap.h"

enum { OPENS = 100 };

/* ---- what the parts use --------------------------------------------------------------------- */

void bench_number(const char *name, double value)
{
    if (value >= 100 || value == (double)(int64_t)value)
        printf("\"%s\": %.0f, ", name, value);
    else
        printf("\"%s\": %.3g, ", name, value);
}

void bench_check(psopack_status status, const psopack_diag *diag)
{
    if (status == PSOPACK_OK)
        return;
    fprintf(stderr, "bench_loader: %s: %s\n", psopack_status_name(status), diag->text);
    exit(psopack_status_exit_code(status));
}

uint32_t bench_random(uint64_t *state, uint32_t limit)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((*state >> 32) * limit >> 32);
}

void bench_heap_begin(void)
{
    psopack_bench_heap_start();
}

void bench_heap_end(bench_loader *bench, const char *name)
{
    char text[64];
    uint64_t count = psopack_bench_heap_stop();
    snprintf(text, sizeof text, "allocations_%s", name);
    bench->allocations += count;
    bench_number(text, (double)count);
}

/* ---- opening -------------------------------------------------------------------------------- */

static double time_opens(const bench_loader *bench, uint32_t flags)
{
    uint64_t times[OPENS];
    size_t count = bench->quick ? 3 : OPENS;
    psopack_open_options options = PSOPACK_OPEN_OPTIONS_INIT;
    options.flags = flags;
    for (size_t i = 0; i < count; i++) {
        psopack_archive *archive;
        psopack_diag diag;
        uint64_t begin = bench_now();
        psopack_status status = psopack_archive_open(bench->path, &options, &archive, &diag);
        times[i] = bench_now() - begin;
        bench_check(status, &diag);
        psopack_archive_close(&archive);
    }
    return (double)bench_percentile(times, count, 50);
}

static void measure_open(bench_loader *bench)
{
    psopack_diag diag = {0};
    bench_number("open_ns", time_opens(bench, 0));
    bench_number("open_check_all_ns", time_opens(bench, PSOPACK_OPEN_CHECK_ALL));
    bench_check(psopack_archive_open(bench->path, NULL, &bench->archive, &diag), &diag);
    bench_check(psopack_context_create(bench->archive, NULL, &bench->context), &diag);
    psopack_archive_info(bench->archive, &bench->info);
    const psopack_info *info = &bench->info;
    bench_number("psos", info->psos);
    bench_number("components", info->components);
    bench_number("manifest_bytes", (double)info->manifest_bytes);
    bench_number("archive_memory", (double)info->archive_memory);
    bench_number("base_memory", (double)info->base_memory);
    bench_number("context_memory", (double)info->context_memory);
}

int main(int argc, char **argv)
{
    bench_loader bench = {.quick = argc == 3 && strcmp(argv[1], "--quick") == 0};
    if (argc != 2 && !bench.quick) {
        fputs("usage: bench_loader [--quick] ARCHIVE\n", stderr);
        return 2;
    }
    bench.path = argv[argc - 1];
    fputs("{\"schema\": \"psopack.loader/1\", ", stdout);
    bool counts = psopack_bench_heap_start();
    psopack_bench_heap_stop();
    measure_open(&bench);
    bench_loader_find(&bench);
    bench_loader_read(&bench);
    bench_loader_plan(&bench);
    bench_loader_residency(&bench);
    bench_number("heap_counted", counts);
    printf("\"heap_allocations_after_open\": %" PRIu64 "}\n", bench.allocations);
    psopack_context_destroy(&bench.context);
    psopack_archive_close(&bench.archive);
    return 0;
}
