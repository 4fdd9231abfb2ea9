/* SPDX-License-Identifier: MIT */
/* One build of an archive, from options to the report. */
#include "build_run.h"

#include "chain.h"
#include "failure.h"
#include "lint_archive.h"
#include "pack_products.h"
#include "signals.h"

#include <psopack/build_stages.h>
#include <psopack/psopack.h>

#include <inttypes.h>
#include <limits.h>

enum { NOTES_SHOWN = 10 }; /* without -v: the same folder given twice makes one per PSO */

void psopack_build_run_begin(psopack_build_run *run, psopack_output *output,
                             const psopack_options *options)
{
    *run = (psopack_build_run){
        .output = output,
        .options = options,
        .warnings = json_array(),
        .notes = json_array(),
    };
}

void psopack_build_run_end(psopack_build_run *run)
{
    json_decref(run->warnings);
    json_decref(run->notes);
    psopack_build_destroy(&run->build);
    psopack_met_free(&run->met);
}

/* ---- what the packer tells while it works ---------------------------------------------------- */

static void on_message(void *user, psopack_severity severity, const char *text)
{
    psopack_build_run *run = user;
    switch (severity) {
    case PSOPACK_WARNING:
        psopack_output_warning(run->output, text);
        psopack_json_append_message(run->warnings, text);
        break;
    case PSOPACK_NOTE:
        psopack_json_append_message(run->notes, text);
        if (json_array_size(run->notes) <= NOTES_SHOWN || run->output->verbose)
            psopack_output_note(run->output, text);
        break;
    case PSOPACK_DETAIL:
        psopack_output_detail(run->output, text);
        break;
    }
}

static void on_progress(void *user, const char *phase, uint64_t done, uint64_t total)
{
    psopack_build_run *run = user;
    psopack_progress_update(&run->output->progress, phase, done, total);
}

static int on_cancelled(void *user)
{
    (void)user;
    return psopack_signals_stop();
}

/* ---- checks before the archive is published -------------------------------------------------- */

/* --verify: reads the finished file back, not the pages just written, before it is published. */
static psopack_status verify_output(const psopack_build_run *run, const char *path,
                                    psopack_diag *diag)
{
    psopack_archive_chain chain;
    psopack_verify_result result;
    psopack_open_options open = PSOPACK_OPEN_OPTIONS_INIT;
    open.flags = PSOPACK_OPEN_NO_MAP;
    psopack_status status =
        psopack_archive_chain_open(path, &open, &run->options->layer, NULL, &chain, diag);
    if (status == PSOPACK_OK)
        status =
            psopack_archive_verify(psopack_archive_chain_top(&chain), 0, NULL, NULL, &result, diag);
    psopack_archive_chain_close(&chain);
    return status;
}

/* --lint: errors end the build. The report is data, so it goes to standard output. */
static psopack_status lint_output(const psopack_build_run *run, const char *path,
                                  psopack_diag *diag)
{
    psopack_reader reader = {0};
    uint64_t errors = 0;
    psopack_status status =
        psopack_reader_open(path, run->options, &run->options->layer, &reader, diag);
    if (status == PSOPACK_OK)
        status = psopack_lint_archive(&reader, run->options, run->options->output,
                                      PSOPACK_LINT_TEXT, &errors, diag);
    psopack_reader_close(&reader);
    if (status == PSOPACK_OK && errors != 0)
        status = psopack_failure(diag, PSOPACK_E_LINT,
                                 "lint found %" PRIu64 " error%s: the old archive is untouched",
                                 errors, psopack_plural(errors));
    return status;
}

static psopack_status check_output(void *user, const char *path, psopack_diag *diag)
{
    const psopack_build_run *run = user;
    psopack_status status = PSOPACK_OK;
    if (run->options->verify)
        status = verify_output(run, path, diag);
    if (status == PSOPACK_OK && run->options->lint)
        status = lint_output(run, path, diag);
    return status;
}

/* ---- the build ------------------------------------------------------------------------------- */

psopack_status psopack_build_run_create(psopack_build_run *run, psopack_build_options *build,
                                        psopack_diag *diag)
{
    const psopack_options *options = run->options;
    if (options->jobs.value > INT_MAX)
        return psopack_failure(diag, PSOPACK_E_ARGUMENT, "--jobs: more than %d threads", INT_MAX);
    if (options->memory.given && options->memory.value == 0)
        return psopack_failure(diag, PSOPACK_E_ARGUMENT, "--memory: at least 1 byte");
    run->profile = psopack_profile_name(build->profile);
    build->threads = (unsigned)options->jobs.value;
    build->memory = options->memory.value;
    build->hashes |= options->hashes;
    build->no_sync = options->no_fsync;
    build->force_write = options->force_write;
    if (options->verify || options->lint)
        build->check = check_output;
    build->check_user = run;
    build->events = (psopack_build_events){on_message, on_progress, on_cancelled, run};
    return psopack_build_create(build, &run->build, diag);
}

psopack_status psopack_build_run_write(psopack_build_run *run, psopack_diag *diag)
{
    psopack_signals_defer();
    psopack_status (*write)(psopack_build *, const char *, psopack_build_result *, psopack_diag *) =
        run->scans ? psopack_build_scan : psopack_build_write;
    psopack_status status = write(run->build, run->options->output, &run->result, diag);
    return status == PSOPACK_OK ? psopack_products_write(run->options, &run->met, run->build, diag)
                                : status;
}

/* ---- the report ------------------------------------------------------------------------------ */

json_t *psopack_build_run_json(const psopack_build_run *run)
{
    const psopack_build_result *result = &run->result;
    json_t *object = psopack_json_begin(run->output->command);
    psopack_json_set_text(object, "output", run->options->output);
    psopack_json_set_flag(object, "unchanged", result->unchanged != 0);
    psopack_json_set_text(object, "profile", run->profile);
    psopack_json_set_number(object, "psos", result->psos);
    psopack_json_set_number(object, "references", result->references);
    psopack_json_set_number(object, "reference_bytes", result->reference_bytes);
    psopack_json_set_number(object, "components", result->components);
    psopack_json_set_number(object, "component_bytes", result->component_bytes);
    psopack_json_set_number(object, "blocks", result->blocks);
    psopack_json_set_number(object, "data_bytes", result->data_bytes);
    psopack_json_set_number(object, "base_bytes", result->base_bytes);
    psopack_json_set_number(object, "manifest_bytes", result->manifest_bytes);
    psopack_json_set_number(object, "file_bytes", result->file_bytes);
    psopack_json_set_number(object, "skipped_psos", result->skipped_psos);
    psopack_json_set_number(object, "collisions", result->collisions);
    return object;
}

void psopack_build_run_json_kept(const psopack_build_run *run, json_t *object)
{
    psopack_json_set_number(object, "kept_blocks", run->result.kept_blocks);
    psopack_json_set_number(object, "kept_bytes", run->result.kept_bytes);
    psopack_json_set_number(object, "waste_bytes", run->result.waste_bytes);
}

int psopack_build_run_print(psopack_build_run *run, json_t *object, int exit_code)
{
    const psopack_build_result *result = &run->result;
    psopack_json_set_number(object, "peak_memory", result->peak_memory);
    psopack_json_set_hex(object, "content_id", result->content_id, sizeof result->content_id);
    psopack_json_set_hex(object, "archive_id", result->archive_id, sizeof result->archive_id);
    psopack_json_set(object, "warnings", json_incref(run->warnings));
    psopack_json_set(object, "notes", json_incref(run->notes));
    return psopack_output_json(run->output, object, exit_code);
}

void psopack_build_run_hidden_notes(const psopack_build_run *run)
{
    size_t notes = json_array_size(run->notes);
    if (notes > NOTES_SHOWN && !run->output->verbose)
        psopack_output_summary(run->output, "%zu more note%s: -v shows all", notes - NOTES_SHOWN,
                               psopack_plural(notes - NOTES_SHOWN));
}
