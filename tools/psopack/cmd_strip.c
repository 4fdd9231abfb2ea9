/* SPDX-License-Identifier: MIT */
/* psopack strip: an archive without its names, its hashes, some of its slots or PSOs. */
#include "archive_inputs.h"
#include "build_run.h"
#include "command.h"
#include "failure.h"
#include "glob.h"

#include <inttypes.h>

/* What goes. The packer asks once for each slot and PSO. */
typedef struct leave_out {
    psopack_glob slots;
    psopack_glob psos;
    uint64_t psos_out;
    uint64_t slots_out;
} leave_out;

static int take_slot(void *user, const char *name)
{
    leave_out *out = user;
    bool goes = out->slots.count != 0 && psopack_glob_match(&out->slots, name);
    out->slots_out += goes;
    return !goes;
}

static int take_pso(void *user, const char *name, size_t size)
{
    leave_out *out = user;
    (void)size;
    bool goes = out->psos.count != 0 && psopack_glob_match(&out->psos, name);
    out->psos_out += goes;
    return !goes;
}

static psopack_status check_usage(const psopack_options *options, psopack_diag *diag)
{
    if (!options->output)
        return psopack_failure(diag, PSOPACK_E_ARGUMENT, "--output: which archive to write?");
    if (!options->strip_names && !options->strip_hashes && options->strip_slots.count == 0 &&
        options->strip_psos.count == 0)
        return psopack_failure(diag, PSOPACK_E_ARGUMENT,
                               "nothing to strip: --names, --hashes, --slot or --pso");
    return PSOPACK_OK;
}

static psopack_status add(psopack_build_run *run, const psopack_archive_inputs *inputs,
                          leave_out *out, psopack_diag *diag)
{
    const psopack_archive_filter filter = {
        .pso = out->psos.count ? take_pso : NULL,
        .slot = out->slots.count ? take_slot : NULL,
        .user = out,
    };
    psopack_status status = psopack_archive_inputs_add(inputs, &filter, run->build, diag);
    if (status == PSOPACK_OK)
        status = psopack_glob_unmatched(&out->slots, diag);
    return status == PSOPACK_OK ? psopack_glob_unmatched(&out->psos, diag) : status;
}

static psopack_status strip(psopack_build_run *run, const psopack_archive_inputs *inputs,
                            leave_out *out, psopack_diag *diag)
{
    const psopack_options *options = run->options;
    psopack_build_options build = PSOPACK_BUILD_OPTIONS_INIT;
    psopack_status status = psopack_archive_inputs_agree(inputs, options, &build, diag);
    build.no_names = options->strip_names;
    build.hashes = inputs->items[0].info.has_hashes && !options->strip_hashes;
    if (status == PSOPACK_OK)
        status = psopack_build_run_create(run, &build, diag);
    if (status == PSOPACK_OK)
        status = add(run, inputs, out, diag);
    return status == PSOPACK_OK ? psopack_build_run_write(run, diag) : status;
}

static psopack_status run_all(psopack_build_run *run, psopack_archive_inputs *inputs,
                              leave_out *out, const char **ret_path, psopack_diag *diag)
{
    const psopack_options *options = run->options;
    psopack_status status = check_usage(options, diag);
    if (status == PSOPACK_OK)
        status = psopack_glob_begin(&out->slots, options->strip_slots.items,
                                    options->strip_slots.count, diag);
    if (status == PSOPACK_OK)
        status = psopack_glob_begin(&out->psos, options->strip_psos.items,
                                    options->strip_psos.count, diag);
    if (status == PSOPACK_OK)
        status = psopack_archive_inputs_open(options, inputs, ret_path, diag);
    if (status != PSOPACK_OK)
        return status;
    *ret_path = NULL;
    return strip(run, inputs, out, diag);
}

static int report_json(psopack_build_run *run, const leave_out *out)
{
    json_t *object = psopack_build_run_json(run);
    psopack_build_run_json_kept(run, object);
    psopack_json_set_number(object, "stripped_psos", out->psos_out);
    psopack_json_set_number(object, "stripped_slots", out->slots_out);
    return psopack_build_run_print(run, object, 0);
}

static void report_text(const psopack_build_run *run, const leave_out *out)
{
    char after[PSOPACK_BYTES_SIZE];
    psopack_output_bytes(after, run->result.file_bytes);
    psopack_output_summary(
        run->output, "%s: %" PRIu64 " PSO%s -> %s; without %" PRIu64 " PSO%s, %" PRIu64 " slot%s%s",
        run->options->output, run->result.psos, psopack_plural(run->result.psos), after,
        out->psos_out, psopack_plural(out->psos_out), out->slots_out,
        psopack_plural(out->slots_out), run->result.unchanged ? " (unchanged)" : "");
}

int psopack_command_strip(psopack_output *output, const psopack_options *options)
{
    psopack_archive_inputs inputs = {0};
    psopack_build_run run;
    leave_out out = {.psos_out = 0};
    psopack_diag diag;
    const char *path = NULL;
    int exit_code = 0;
    psopack_build_run_begin(&run, output, options);
    if (run_all(&run, &inputs, &out, &path, &diag) != PSOPACK_OK)
        exit_code = psopack_output_fail(output, path, &diag);
    else if (output->json)
        exit_code = report_json(&run, &out);
    else
        report_text(&run, &out);
    psopack_build_run_end(&run);
    psopack_archive_inputs_close(&inputs);
    psopack_glob_end(&out.slots);
    psopack_glob_end(&out.psos);
    return exit_code;
}
