/* SPDX-License-Identifier: MIT */
/* psopack extract: PSOs back to plain files; a PSO that is damaged is left out whole, by name. */
#include "command.h"
#include "extract_batch.h"
#include "failure.h"
#include "glob.h"
#include "signals.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Slot names are few, and one bad name spoils every PSO that has the slot. */
static psopack_status check_slots(const psopack_reader *reader, psopack_diag *diag)
{
    for (uint32_t i = 0; i < reader->info.slots; i++) {
        psopack_status status =
            psopack_tree_check_slot(psopack_slot_name(reader->archive, i), diag);
        if (status != PSOPACK_OK)
            return status;
    }
    return PSOPACK_OK;
}

/* Selects PSOs by name. One unsafe name and nothing is extracted: the archive is no honest one. */
static psopack_status select_psos(psopack_extraction *e, psopack_glob *glob, psopack_diag *diag)
{
    for (uint32_t pso = 0; pso < e->reader.info.psos; pso++) {
        psopack_status status = psopack_reader_name(&e->reader, pso, diag);
        if (status != PSOPACK_OK) {
            psopack_extraction_leave_out(e, pso, NULL, diag);
            continue;
        }
        if (!psopack_glob_match(glob, e->reader.name))
            continue;
        status = psopack_tree_check_pso(e->reader.name, e->reader.name_size, diag);
        if (status != PSOPACK_OK)
            return status;
        e->psos[e->pso_count++] = pso;
    }
    return psopack_glob_unmatched(glob, diag);
}

static psopack_status prepare(psopack_extraction *e, const psopack_options *options,
                              psopack_diag *diag)
{
    psopack_status status =
        psopack_reader_open(options->operands.items[0], options, NULL, &e->reader, diag);
    if (status != PSOPACK_OK)
        return status;
    if (!e->reader.info.has_names)
        return psopack_failure(diag, PSOPACK_E_NO_NAMES,
                               "names were stripped: files cannot be named");
    status = check_slots(&e->reader, diag);
    if (status == PSOPACK_OK)
        status = psopack_extraction_begin(e, diag);
    psopack_glob glob = {0};
    if (status == PSOPACK_OK)
        status = psopack_glob_begin(&glob, options->operands.items + 1, options->operands.count - 1,
                                    diag);
    if (status == PSOPACK_OK)
        status = select_psos(e, &glob, diag);
    psopack_glob_end(&glob);
    if (status == PSOPACK_OK)
        status = psopack_tree_begin(&e->tree, options->directory ? options->directory : ".",
                                    options->force != 0, diag);
    return status;
}

static int report(psopack_extraction *e, const psopack_options *options)
{
    int exit_code = e->left_out ? psopack_status_exit_code(e->worst) : 0;
    const char *directory = options->directory ? options->directory : ".";
    char bytes[PSOPACK_BYTES_SIZE];
    char left_out[64] = "";
    if (e->left_out)
        snprintf(left_out, sizeof left_out, "; %" PRIu64 " damaged PSO%s left out", e->left_out,
                 psopack_plural(e->left_out));
    psopack_output_summary(e->output, "%s: %" PRIu64 " PSO%s, %" PRIu64 " file%s, %s%s", directory,
                           e->extracted, psopack_plural(e->extracted), e->files,
                           psopack_plural(e->files), psopack_output_bytes(bytes, e->bytes),
                           left_out);
    if (!e->output->json)
        return exit_code;
    json_t *object = psopack_json_begin(e->output->command);
    psopack_json_set_text(object, "archive", e->reader.path);
    psopack_json_set_text(object, "directory", directory);
    psopack_json_set_number(object, "psos", e->extracted);
    psopack_json_set_number(object, "files", e->files);
    psopack_json_set_number(object, "bytes", e->bytes);
    psopack_json_set_number(object, "psos_left_out", e->left_out);
    psopack_json_set(object, "left_out", json_incref(e->left_out_list));
    return psopack_output_json(e->output, object, exit_code);
}

int psopack_command_extract(psopack_output *output, const psopack_options *options)
{
    psopack_extraction e = {.output = output, .left_out_list = json_array()};
    psopack_diag diag;
    psopack_status status = prepare(&e, options, &diag);
    psopack_signals_defer();
    while (status == PSOPACK_OK && e.next < e.pso_count)
        status = psopack_extraction_batch(&e, &diag);
    int exit_code = status == PSOPACK_OK ? report(&e, options)
                                         : psopack_output_fail(output, e.reader.path, &diag);
    json_decref(e.left_out_list);
    psopack_extraction_end(&e);
    return exit_code;
}
