/* SPDX-License-Identifier: MIT */
/* psopack pack: hands the inputs to the packer, then tells the build system and the user about it.
 */
#include "chain.h"
#include "command.h"
#include "failure.h"
#include "file_text.h"
#include "lint_archive.h"
#include "pack_base.h"
#include "pack_products.h"
#include "signals.h"

#include <psopack/build.h>
#include <psopack/psopack.h>

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct packing {
    psopack_output *output;
    const psopack_options *options;
    psopack_build *build;
    psopack_build_result result;
    json_t *warnings;
    json_t *notes; /* all of them, however many were shown */
} packing;

enum { NOTES_SHOWN = 10 }; /* without -v: the same folder given twice makes one per PSO */

/* ---- what the packer tells while it works ---------------------------------------------------- */

static void on_message(void *user, psopack_severity severity, const char *text)
{
    packing *p = user;
    switch (severity) {
    case PSOPACK_WARNING:
        psopack_output_warning(p->output, text);
        psopack_json_append_message(p->warnings, text);
        break;
    case PSOPACK_NOTE:
        psopack_json_append_message(p->notes, text);
        if (json_array_size(p->notes) <= NOTES_SHOWN || p->output->verbose)
            psopack_output_note(p->output, text);
        break;
    case PSOPACK_DETAIL:
        psopack_output_detail(p->output, text);
        break;
    }
}

static void on_progress(void *user, const char *phase, uint64_t done, uint64_t total)
{
    packing *p = user;
    psopack_progress_update(&p->output->progress, phase, done, total);
}

static int on_cancelled(void *user)
{
    (void)user;
    return psopack_signals_stop();
}

/* ---- options --------------------------------------------------------------------------------- */

/* --verify: reads the finished file back, not the pages just written, before it is published. */
static psopack_status verify_output(const packing *p, const char *path, psopack_diag *diag)
{
    psopack_chain chain;
    psopack_verify_result result;
    psopack_open_options open = PSOPACK_OPEN_OPTIONS_INIT;
    open.flags = PSOPACK_OPEN_NO_MAP;
    psopack_status status = psopack_chain_open(path, &open, &p->options->layer, NULL, &chain, diag);
    if (status == PSOPACK_OK)
        status = psopack_archive_verify(psopack_chain_top(&chain), 0, NULL, NULL, &result, diag);
    psopack_chain_close(&chain);
    return status;
}

/* --lint: errors end the build. The report is data, so it goes to standard output. */
static psopack_status lint_output(const packing *p, const char *path, psopack_diag *diag)
{
    psopack_reader reader = {0};
    uint64_t errors = 0;
    psopack_status status =
        psopack_reader_open(path, p->options, &p->options->layer, &reader, diag);
    if (status == PSOPACK_OK)
        status = psopack_lint_archive(&reader, p->options, p->options->output, PSOPACK_LINT_TEXT,
                                      &errors, diag);
    psopack_reader_close(&reader);
    if (status == PSOPACK_OK && errors != 0)
        status = psopack_failure(diag, PSOPACK_E_LINT,
                                 "lint found %" PRIu64 " error%s: the old archive is untouched",
                                 errors, psopack_plural(errors));
    return status;
}

static psopack_status check_output(void *user, const char *path, psopack_diag *diag)
{
    const packing *p = user;
    psopack_status status = PSOPACK_OK;
    if (p->options->verify)
        status = verify_output(p, path, diag);
    if (status == PSOPACK_OK && p->options->lint)
        status = lint_output(p, path, diag);
    return status;
}

static psopack_status create(packing *p, psopack_diag *diag)
{
    const psopack_options *options = p->options;
    psopack_build_options build = PSOPACK_BUILD_OPTIONS_INIT;
    if (options->jobs.value > INT_MAX)
        return psopack_failure(diag, PSOPACK_E_ARGUMENT, "--jobs: more than %d threads", INT_MAX);
    if (options->profile && psopack_profile_find(options->profile, &build.profile) != PSOPACK_OK)
        return psopack_failure(diag, PSOPACK_E_ARGUMENT, "--profile: '%s' is not known",
                               options->profile);
    psopack_status status = psopack_pack_base_profile(options, &build.profile, diag);
    if (status != PSOPACK_OK)
        return status;
    build.threads = (unsigned)options->jobs.value;
    build.target = options->target;
    build.content_version = options->content_version.value;
    build.hashes = options->hashes;
    build.keep_going = options->keep_going;
    build.no_sync = options->no_fsync;
    build.force_write = options->force_write;
    if (options->verify || options->lint)
        build.check = check_output;
    build.check_user = p;
    build.events = (psopack_build_events){on_message, on_progress, on_cancelled, p};
    return psopack_build_create(&build, &p->build, diag);
}

/* "SLOT=N": the last equals sign counts, a slot may be named with one. */
static psopack_status align(packing *p, const char *text, psopack_diag *diag)
{
    const char *equals = strrchr(text, '=');
    char *end = NULL;
    unsigned long alignment = equals ? strtoul(equals + 1, &end, 10) : 0;
    if (!equals || equals == text || equals[1] < '0' || equals[1] > '9' || *end != '\0' ||
        alignment > UINT32_MAX)
        return psopack_failure(diag, PSOPACK_E_ARGUMENT, "--align: '%s' is not SLOT=N", text);
    char *slot = strndup(text, (size_t)(equals - text));
    if (!slot)
        return psopack_failure_memory(diag, "options");
    psopack_status status = psopack_build_align(p->build, slot, (uint32_t)alignment, diag);
    free(slot);
    return status;
}

/* ---- inputs ---------------------------------------------------------------------------------- */

static psopack_status add_list(packing *p, const char *path, psopack_diag *diag)
{
    char *text = NULL;
    size_t size = 0;
    psopack_status status = psopack_file_text(path, &text, &size, diag);
    if (status != PSOPACK_OK)
        return status;
    status = psopack_build_add_list(p->build, path, text, size, p->options->null_separated, diag);
    free(text);
    return status;
}

static psopack_status add_inputs(packing *p, psopack_diag *diag)
{
    const psopack_options *options = p->options;
    psopack_status status = PSOPACK_OK;
    for (size_t i = 0; i < options->align.count && status == PSOPACK_OK; i++)
        status = align(p, options->align.items[i], diag);
    for (size_t i = 0; i < options->operands.count && status == PSOPACK_OK; i++)
        status = psopack_build_add_tree(p->build, options->operands.items[i], diag);
    for (size_t i = 0; i + 1 < options->flat.count && status == PSOPACK_OK; i += 2)
        status = psopack_build_add_flat(p->build, options->flat.items[i],
                                        options->flat.items[i + 1], diag);
    for (size_t i = 0; i < options->list.count && status == PSOPACK_OK; i++)
        status = add_list(p, options->list.items[i], diag);
    return status == PSOPACK_OK ? psopack_pack_base_apply(options, p->build, diag) : status;
}

static psopack_status check_usage(const psopack_options *options, psopack_diag *diag)
{
    if (!options->output)
        return psopack_failure(diag, PSOPACK_E_ARGUMENT, "--output: which archive to write?");
    if (options->operands.count + options->flat.count + options->list.count == 0)
        return psopack_failure(diag, PSOPACK_E_ARGUMENT,
                               "nothing to pack: name a folder, or use --flat or --list");
    if (options->null_separated && options->list.count == 0)
        return psopack_failure(diag, PSOPACK_E_ARGUMENT, "--null: only with --list");
    if (!options->depfile && (options->depfile_target || options->depfile_phony))
        return psopack_failure(diag, PSOPACK_E_ARGUMENT, "-MT and -MP: only with --depfile");
    return psopack_pack_base_check(options, diag);
}

static psopack_status pack(packing *p, psopack_diag *diag)
{
    psopack_status status = check_usage(p->options, diag);
    if (status == PSOPACK_OK)
        status = psopack_products_check_place(p->options, diag);
    if (status == PSOPACK_OK)
        status = create(p, diag);
    if (status == PSOPACK_OK)
        status = add_inputs(p, diag);
    /* From here on a signal must not leave a temporary file behind. */
    psopack_signals_defer();
    if (status == PSOPACK_OK)
        status = psopack_build_write(p->build, p->options->output, &p->result, diag);
    if (status == PSOPACK_OK)
        status = psopack_products_write(p->options, p->build, diag);
    return status;
}

/* ---- the report ------------------------------------------------------------------------------ */

static int report_json(packing *p, int exit_code)
{
    const psopack_build_result *result = &p->result;
    json_t *object = psopack_json_begin(p->output->command);
    psopack_json_set_text(object, "output", p->options->output);
    psopack_json_set_flag(object, "unchanged", result->unchanged != 0);
    psopack_json_set_text(object, "profile",
                          p->options->profile ? p->options->profile
                                              : psopack_profile_name(PSOPACK_PROFILE_BALANCED));
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
    if (p->options->base) {
        psopack_json_set_number(object, "kept_blocks", result->kept_blocks);
        psopack_json_set_number(object, "kept_bytes", result->kept_bytes);
        psopack_json_set_number(object, "waste_bytes", result->waste_bytes);
        psopack_json_set_flag(object, "repacked", result->repacked != 0);
    }
    if (p->options->layer.count != 0) {
        psopack_json_set_number(object, "layer_psos", result->layer_psos);
        psopack_json_set_number(object, "removed_psos", result->removed_psos);
        psopack_json_set_number(object, "layer_components", result->layer_components);
        psopack_json_set_number(object, "layer_component_bytes", result->layer_component_bytes);
    }
    psopack_json_set_number(object, "peak_memory", result->peak_memory);
    psopack_json_set_hex(object, "content_id", result->content_id, sizeof result->content_id);
    psopack_json_set_hex(object, "archive_id", result->archive_id, sizeof result->archive_id);
    psopack_json_set(object, "warnings", json_incref(p->warnings));
    psopack_json_set(object, "notes", json_incref(p->notes));
    return psopack_output_json(p->output, object, exit_code);
}

static void report_text(const packing *p)
{
    const psopack_build_result *result = &p->result;
    size_t notes = json_array_size(p->notes);
    if (notes > NOTES_SHOWN && !p->output->verbose)
        psopack_output_summary(p->output, "%zu more note%s: -v shows all", notes - NOTES_SHOWN,
                               psopack_plural(notes - NOTES_SHOWN));
    char left_out[64] = "";
    if (result->skipped_psos)
        snprintf(left_out, sizeof left_out, ", %" PRIu64 " PSO%s left out", result->skipped_psos,
                 psopack_plural(result->skipped_psos));
    char before[PSOPACK_BYTES_SIZE];
    char unique[PSOPACK_BYTES_SIZE];
    char after[PSOPACK_BYTES_SIZE];
    psopack_output_bytes(before, result->reference_bytes);
    psopack_output_bytes(unique, result->component_bytes);
    psopack_output_bytes(after, result->file_bytes);
    psopack_output_summary(p->output,
                           "%s: %" PRIu64 " PSO%s, %" PRIu64 " file%s, %s -> %" PRIu64
                           " component%s, %s -> %s%s%s",
                           p->options->output, result->psos, psopack_plural(result->psos),
                           result->references, psopack_plural(result->references), before,
                           result->components, psopack_plural(result->components), unique, after,
                           left_out, result->unchanged ? " (unchanged)" : "");
}

int psopack_command_pack(psopack_output *output, const psopack_options *options)
{
    enum { EXIT_SKIPPED = 5 };
    packing p = {
        .output = output,
        .options = options,
        .warnings = json_array(),
        .notes = json_array(),
    };
    psopack_diag diag;
    int exit_code = 0;
    if (pack(&p, &diag) != PSOPACK_OK) {
        exit_code = psopack_output_fail(output, NULL, &diag);
    } else {
        exit_code = p.result.skipped_psos ? EXIT_SKIPPED : 0;
        report_text(&p);
        if (output->json)
            exit_code = report_json(&p, exit_code);
    }
    json_decref(p.warnings);
    json_decref(p.notes);
    psopack_build_destroy(&p.build);
    return exit_code;
}
