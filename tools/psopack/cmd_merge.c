/* SPDX-License-Identifier: MIT */
/* psopack merge: several archives, or an archive and its layers, become one. */
#include "archive_inputs.h"
#include "build_run.h"
#include "command.h"
#include "failure.h"

#include <inttypes.h>

static psopack_status check_usage(const psopack_options *options, psopack_diag *diag)
{
    if (!options->output)
        return psopack_failure(diag, PSOPACK_E_ARGUMENT, "--output: which archive to write?");
    if (!options->depfile && (options->depfile_target || options->depfile_phony))
        return psopack_failure(diag, PSOPACK_E_ARGUMENT, "-MT and -MP: only with --depfile");
    return PSOPACK_OK;
}

static psopack_status merge(psopack_build_run *run, const psopack_archive_inputs *inputs,
                            psopack_diag *diag)
{
    psopack_build_options build = PSOPACK_BUILD_OPTIONS_INIT;
    psopack_status status = psopack_archive_inputs_agree(inputs, run->options, &build, diag);
    build.prefer = (psopack_prefer)run->options->prefer;
    if (status == PSOPACK_OK)
        status = psopack_build_run_create(run, &build, diag);
    if (status == PSOPACK_OK)
        status = psopack_archive_inputs_add(inputs, NULL, run->build, diag);
    return status == PSOPACK_OK ? psopack_build_run_write(run, diag) : status;
}

static int report_json(psopack_build_run *run, const psopack_archive_inputs *inputs)
{
    json_t *object = psopack_build_run_json(run);
    psopack_build_run_json_kept(run, object);
    psopack_json_set_number(object, "archives", inputs->used);
    return psopack_build_run_print(run, object, 0);
}

static void report_text(const psopack_build_run *run, const psopack_archive_inputs *inputs)
{
    const psopack_build_result *result = &run->result;
    char copied[PSOPACK_BYTES_SIZE], after[PSOPACK_BYTES_SIZE];
    psopack_build_run_hidden_notes(run);
    psopack_output_bytes(copied, result->kept_bytes);
    psopack_output_bytes(after, result->file_bytes);
    psopack_output_summary(
        run->output,
        "%s: %" PRIu64 " PSO%s, %" PRIu64 " component%s of %zu archive%s -> %s, of it %s copied%s",
        run->options->output, result->psos, psopack_plural(result->psos), result->components,
        psopack_plural(result->components), inputs->used, psopack_plural(inputs->used), after,
        copied, result->unchanged ? " (unchanged)" : "");
}

int psopack_command_merge(psopack_output *output, const psopack_options *options)
{
    psopack_archive_inputs inputs = {0};
    psopack_build_run run;
    psopack_diag diag;
    const char *path = NULL;
    int exit_code = 0;
    psopack_build_run_begin(&run, output, options);
    psopack_status status = check_usage(options, &diag);
    if (status == PSOPACK_OK)
        status = psopack_archive_inputs_open(options, &inputs, &path, &diag);
    if (status == PSOPACK_OK) {
        path = NULL;
        status = merge(&run, &inputs, &diag);
    }
    if (status != PSOPACK_OK)
        exit_code = psopack_output_fail(output, path, &diag);
    else if (output->json)
        exit_code = report_json(&run, &inputs);
    else
        report_text(&run, &inputs);
    psopack_build_run_end(&run);
    psopack_archive_inputs_close(&inputs);
    return exit_code;
}
