/* SPDX-License-Identifier: MIT */
/* psopack salvage: what is whole of a damaged archive becomes an archive. */
#include "build_run.h"
#include "command.h"
#include "failure.h"

#include <inttypes.h>

static psopack_status salvage(psopack_build_run *run, psopack_diag *diag)
{
    const psopack_options *options = run->options;
    psopack_build_options build = PSOPACK_BUILD_OPTIONS_INIT;
    if (!options->output)
        return psopack_failure(diag, PSOPACK_E_ARGUMENT, "--output: which archive to write?");
    psopack_status status = psopack_build_run_create(run, &build, diag);
    if (status == PSOPACK_OK)
        status = psopack_build_salvage(run->build, options->operands.items[0], diag);
    return status == PSOPACK_OK ? psopack_build_run_write(run, diag) : status;
}

static int report_json(psopack_build_run *run, int exit_code)
{
    json_t *object = psopack_build_run_json(run);
    psopack_build_run_json_kept(run, object);
    psopack_json_set(object, "lost", json_incref(run->warnings));
    return psopack_build_run_print(run, object, exit_code);
}

static void report_text(const psopack_build_run *run)
{
    const psopack_build_result *result = &run->result;
    char after[PSOPACK_BYTES_SIZE];
    psopack_build_run_hidden_notes(run);
    psopack_output_bytes(after, result->file_bytes);
    psopack_output_summary(run->output, "%s: %" PRIu64 " PSO%s saved, %" PRIu64 " lost -> %s%s",
                           run->options->output, result->psos, psopack_plural(result->psos),
                           result->skipped_psos, after, result->unchanged ? " (unchanged)" : "");
}

int psopack_command_salvage(psopack_output *output, const psopack_options *options)
{
    enum { EXIT_LOST = 5 };
    psopack_build_run run;
    psopack_diag diag;
    int exit_code = 0;
    psopack_build_run_begin(&run, output, options);
    if (salvage(&run, &diag) != PSOPACK_OK) {
        exit_code = psopack_output_fail(output, options->operands.items[0], &diag);
    } else {
        exit_code = run.result.skipped_psos != 0 ? EXIT_LOST : 0;
        if (output->json)
            exit_code = report_json(&run, exit_code);
        else
            report_text(&run);
    }
    psopack_build_run_end(&run);
    return exit_code;
}
