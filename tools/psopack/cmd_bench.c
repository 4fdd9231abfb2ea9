/* SPDX-License-Identifier: MIT */
/* psopack bench: what opening, finding and reading cost on this machine. */
#include "bench_measure.h"
#include "command.h"

#include <inttypes.h>
#include <stdio.h>

static const char *const checks[] = {"page CRC32C", "block XXH3-64", "component CRC32C",
                                     "tuple CRC32C in load_all"};

static int print_json(psopack_output *output, const psopack_reader *reader,
                      const psopack_bench_result *r)
{
    json_t *object = psopack_json_begin(output->command);
    json_t *list = json_array();
    for (size_t i = 0; i < sizeof checks / sizeof checks[0]; i++)
        psopack_json_append(list, json_string(checks[i]));
    psopack_json_set_text(object, "archive", reader->path);
    psopack_json_set_text(object, "profile", reader->info.profile);
    psopack_json_set(object, "checks", list);
    psopack_json_set_number(object, "n", r->n);
    psopack_json_set_number(object, "bytes", r->bytes);
    psopack_json_set_number(object, "open_ns", r->open_ns);
    if (r->has_keys)
        psopack_json_set_real(object, "find_key_ns", r->find_key_ns);
    else
        psopack_json_set(object, "find_key_ns", json_null());
    psopack_json_set_number(object, "cold_read_ns_p50", r->cold_read_ns_p50);
    psopack_json_set_number(object, "cold_read_ns_p99", r->cold_read_ns_p99);
    psopack_json_set_number(object, "warm_read_ns", r->warm_read_ns);
    psopack_json_set_real(object, "load_all_bytes_per_second", r->load_all_bytes_per_second);
    psopack_json_set_number(object, "load_all_bytes", r->load_all_bytes);
    if (r->heap_counted)
        psopack_json_set_number(object, "heap_allocations_after_open",
                                r->heap_allocations_after_open);
    else
        psopack_json_set(object, "heap_allocations_after_open", json_null());
    psopack_json_set_number(object, "archive_memory", reader->info.archive_memory);
    psopack_json_set_number(object, "context_memory", reader->info.context_memory);
    return psopack_output_json(output, object, 0);
}

static void print_text(const psopack_reader *reader, const psopack_bench_result *r)
{
    printf("%" PRIu32 " of %" PRIu32 " components (%" PRIu64 " bytes), one thread, all checks\n",
           r->n, reader->info.live_components, r->bytes);
    printf("open              %10.1f us\n", (double)r->open_ns / 1000);
    if (r->has_keys)
        printf("find by key       %10.1f ns\n", r->find_key_ns);
    else
        printf("find by key       not measured: keys are not made from names here\n");
    printf("cold read, p50    %10.1f us\n", (double)r->cold_read_ns_p50 / 1000);
    printf("cold read, p99    %10.1f us\n", (double)r->cold_read_ns_p99 / 1000);
    printf("warm read         %10.1f us\n", (double)r->warm_read_ns / 1000);
    printf("load everything   %10.1f MB/s\n", r->load_all_bytes_per_second / 1e6);
    if (r->heap_counted)
        printf("heap allocations  %10" PRIu64 " after open\n", r->heap_allocations_after_open);
    else
        printf("heap allocations  not counted in this build\n");
}

int psopack_command_bench(psopack_output *output, const psopack_options *options)
{
    const char *path = options->operands.items[0];
    psopack_reader reader;
    psopack_bench_result result;
    psopack_diag diag;
    int exit_code = 0;
    psopack_status status = psopack_reader_open(path, options, NULL, &reader, &diag);
    if (status == PSOPACK_OK)
        status = psopack_bench_measure(&reader, options, &result, &diag);
    if (status != PSOPACK_OK)
        exit_code = psopack_output_fail(output, path, &diag);
    else if (output->json)
        exit_code = print_json(output, &reader, &result);
    else
        print_text(&reader, &result);
    psopack_reader_close(&reader);
    return exit_code;
}
