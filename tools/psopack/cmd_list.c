/* SPDX-License-Identifier: MIT */
/* psopack list: PSOs, or the components, slots or blocks of an archive, one per line. */
#include "command.h"
#include "failure.h"
#include "list_parts.h"

#include <inttypes.h>
#include <stdio.h>

static psopack_status check_usage(const psopack_options *options, psopack_diag *diag)
{
    int modes = (options->components != 0) + (options->slots != 0) + (options->blocks != 0);
    if (modes > 1)
        return psopack_failure(diag, PSOPACK_E_ARGUMENT,
                               "--components, --slots and --blocks: one at a time");
    if (modes > 0 && options->operands.count > 1)
        return psopack_failure(diag, PSOPACK_E_ARGUMENT,
                               "patterns select PSOs: not with --components, --slots or --blocks");
    return PSOPACK_OK;
}

static psopack_status collect(psopack_listing *listing, const psopack_options *options,
                              psopack_diag *diag)
{
    if (options->blocks)
        return psopack_list_blocks(listing, diag);
    psopack_status status = psopack_sharing_count(&listing->reader, &listing->sharing, diag);
    if (status != PSOPACK_OK)
        return status;
    if (options->components)
        return psopack_list_components(listing, diag);
    if (options->slots)
        return psopack_list_slots(listing, diag);
    return psopack_list_psos(listing, options->operands.items + 1, options->operands.count - 1,
                             diag);
}

static int print(psopack_listing *listing)
{
    psopack_output *output = listing->output;
    if (output->json) {
        json_t *object = psopack_json_begin(output->command);
        psopack_json_set_text(object, "archive", listing->reader.path);
        psopack_json_set(object, listing->json_key, json_incref(listing->rows));
        return psopack_output_json(output, object, 0);
    }
    psopack_diag diag;
    if (!psopack_table_print(&listing->table)) {
        psopack_failure_memory(&diag, "the table");
        return psopack_output_fail(output, listing->reader.path, &diag);
    }
    const psopack_info *info = &listing->reader.info;
    psopack_output_summary(output,
                           "%s: %" PRIu32 " PSO%s, %" PRIu64 " component%s (%" PRIu64
                           " bytes), %" PRIu32 " distinct (%" PRIu64 " bytes)",
                           listing->reader.path, info->psos, psopack_plural(info->psos),
                           info->references, psopack_plural(info->references),
                           info->reference_bytes, info->live_components, info->component_bytes);
    return 0;
}

int psopack_command_list(psopack_output *output, const psopack_options *options)
{
    const char *path = options->operands.items[0];
    psopack_listing listing = {.output = output, .rows = json_array()};
    psopack_diag diag;
    psopack_status status = check_usage(options, &diag);
    if (status != PSOPACK_OK)
        path = NULL; /* it is not the archive's fault */
    else
        status = psopack_reader_open(path, options, NULL, &listing.reader, &diag);
    if (status == PSOPACK_OK)
        status = collect(&listing, options, &diag);
    int exit_code =
        status == PSOPACK_OK ? print(&listing) : psopack_output_fail(output, path, &diag);
    psopack_words_free(&listing.table.cells);
    json_decref(listing.rows);
    psopack_sharing_free(&listing.sharing);
    psopack_reader_close(&listing.reader);
    return exit_code;
}
