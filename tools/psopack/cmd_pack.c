/* SPDX-License-Identifier: MIT */
/* psopack pack: hands the inputs to the packer, then tells the build system and the user about it.
 */
#include "build_run.h"
#include "command.h"
#include "failure.h"
#include "file_text.h"
#include "pack_base.h"
#include "pack_products.h"
#include "pack_session.h"

#include <psopack/build.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static psopack_status create(psopack_build_run *run, psopack_diag *diag)
{
    const psopack_options *options = run->options;
    psopack_build_options build = PSOPACK_BUILD_OPTIONS_INIT;
    if (options->profile && psopack_profile_find(options->profile, &build.profile) != PSOPACK_OK)
        return psopack_failure(diag, PSOPACK_E_ARGUMENT, "--profile: '%s' is not known",
                               options->profile);
    psopack_status status = psopack_pack_base_profile(options, &build.profile, diag);
    if (status != PSOPACK_OK)
        return status;
    build.target = options->target;
    build.content_version = options->content_version.value;
    build.keep_going = options->keep_going;
    return psopack_build_run_create(run, &build, diag);
}

/* "SLOT=N": the last equals sign counts, a slot may be named with one. */
static psopack_status align(psopack_build_run *run, const char *text, psopack_diag *diag)
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
    psopack_status status = psopack_build_align(run->build, slot, (uint32_t)alignment, diag);
    free(slot);
    return status;
}

/* ---- inputs ---------------------------------------------------------------------------------- */

static psopack_status add_list(psopack_build_run *run, const char *path, psopack_diag *diag)
{
    char *text = NULL;
    size_t size = 0;
    psopack_status status = psopack_file_text(path, &text, &size, diag);
    if (status != PSOPACK_OK)
        return status;
    status =
        psopack_build_add_list(run->build, path, text, size, run->options->null_separated, diag);
    free(text);
    return status;
}

static psopack_status set_order(psopack_build_run *run, psopack_diag *diag)
{
    char *text = NULL;
    size_t size = 0;
    psopack_status status = psopack_file_text(run->options->order, &text, &size, diag);
    if (status != PSOPACK_OK)
        return status;
    status = psopack_build_order(run->build, text, size, diag);
    free(text);
    return status;
}

static psopack_status add_inputs(psopack_build_run *run, psopack_diag *diag)
{
    const psopack_options *options = run->options;
    psopack_status status = PSOPACK_OK;
    for (size_t i = 0; i < options->align.count && status == PSOPACK_OK; i++)
        status = align(run, options->align.items[i], diag);
    for (size_t i = 0; i < options->operands.count && status == PSOPACK_OK; i++)
        status = psopack_build_add_tree(run->build, options->operands.items[i], diag);
    for (size_t i = 0; i + 1 < options->flat.count && status == PSOPACK_OK; i += 2)
        status = psopack_build_add_flat(run->build, options->flat.items[i],
                                        options->flat.items[i + 1], diag);
    for (size_t i = 0; i < options->list.count && status == PSOPACK_OK; i++)
        status = add_list(run, options->list.items[i], diag);
    if (status == PSOPACK_OK)
        status = psopack_pack_session_add(run->output, options, run->build, &run->met, diag);
    if (status == PSOPACK_OK && options->cache)
        status = psopack_build_cache(run->build, options->cache, diag);
    if (status == PSOPACK_OK && options->order)
        status = set_order(run, diag);
    return status == PSOPACK_OK ? psopack_pack_base_apply(options, run->build, diag) : status;
}

static psopack_status check_usage(const psopack_options *options, psopack_diag *diag)
{
    if (!options->output)
        return psopack_failure(diag, PSOPACK_E_ARGUMENT, "--output: which archive to write?");
    if (options->operands.count + options->flat.count + options->list.count +
            options->from_session.count ==
        0)
        return psopack_failure(
            diag, PSOPACK_E_ARGUMENT,
            "nothing to pack: name a folder, or use --flat, --list or --from-session");
    if (options->null_separated && options->list.count == 0)
        return psopack_failure(diag, PSOPACK_E_ARGUMENT, "--null: only with --list");
    if (!options->depfile && (options->depfile_target || options->depfile_phony))
        return psopack_failure(diag, PSOPACK_E_ARGUMENT, "-MT and -MP: only with --depfile");
    return psopack_pack_base_check(options, diag);
}

static psopack_status pack(psopack_build_run *run, psopack_diag *diag)
{
    psopack_status status = check_usage(run->options, diag);
    if (status == PSOPACK_OK)
        status = psopack_products_check_place(run->options, diag);
    if (status == PSOPACK_OK)
        status = create(run, diag);
    if (status == PSOPACK_OK)
        status = add_inputs(run, diag);
    return status == PSOPACK_OK ? psopack_build_run_write(run, diag) : status;
}

/* ---- the report ------------------------------------------------------------------------------ */

static int report_json(psopack_build_run *run, int exit_code)
{
    const psopack_build_result *result = &run->result;
    json_t *object = psopack_build_run_json(run);
    if (run->options->base) {
        psopack_build_run_json_kept(run, object);
        psopack_json_set_flag(object, "repacked", result->repacked != 0);
    }
    if (run->options->layer.count != 0) {
        psopack_json_set_number(object, "layer_psos", result->layer_psos);
        psopack_json_set_number(object, "removed_psos", result->removed_psos);
        psopack_json_set_number(object, "layer_components", result->layer_components);
        psopack_json_set_number(object, "layer_component_bytes", result->layer_component_bytes);
    }
    if (run->options->cache)
        psopack_json_set_number(object, "cached_files", result->cached_files);
    if (run->options->order) {
        json_t *cost =
            result->order_cost_known ? json_integer(result->order_cost_bytes) : json_null();
        psopack_json_set(object, "order_cost_bytes", cost);
    }
    psopack_json_set_number(object, "reused_blocks", result->reused_blocks);
    return psopack_build_run_print(run, object, exit_code);
}

static void report_text(const psopack_build_run *run)
{
    const psopack_build_result *result = &run->result;
    psopack_build_run_hidden_notes(run);
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
    if (run->scans) {
        psopack_output_summary(
            run->output,
            "%s: %" PRIu64 " PSO%s, %" PRIu64 " file%s, %s -> %" PRIu64 " component%s, %s%s",
            run->options->output, result->psos, psopack_plural(result->psos), result->references,
            psopack_plural(result->references), before, result->components,
            psopack_plural(result->components), unique, left_out);
        return;
    }
    psopack_output_summary(run->output,
                           "%s: %" PRIu64 " PSO%s, %" PRIu64 " file%s, %s -> %" PRIu64
                           " component%s, %s -> %s%s%s",
                           run->options->output, result->psos, psopack_plural(result->psos),
                           result->references, psopack_plural(result->references), before,
                           result->components, psopack_plural(result->components), unique, after,
                           left_out, result->unchanged ? " (unchanged)" : "");
    if (result->order_cost_known)
        psopack_output_summary(run->output, "the order costs %" PRId64 " bytes",
                               result->order_cost_bytes);
}

static int pack_or_scan(psopack_output *output, const psopack_options *options, bool scans)
{
    enum { EXIT_SKIPPED = 5 };
    psopack_build_run run;
    psopack_diag diag;
    int exit_code = 0;
    psopack_build_run_begin(&run, output, options);
    run.scans = scans;
    if (pack(&run, &diag) != PSOPACK_OK) {
        exit_code = psopack_output_fail(output, NULL, &diag);
    } else {
        exit_code = run.result.skipped_psos ? EXIT_SKIPPED : 0;
        report_text(&run);
        if (output->json)
            exit_code = report_json(&run, exit_code);
    }
    psopack_build_run_end(&run);
    return exit_code;
}

int psopack_command_pack(psopack_output *output, const psopack_options *options)
{
    return pack_or_scan(output, options, false);
}

int psopack_command_scan(psopack_output *output, const psopack_options *options)
{
    return pack_or_scan(output, options, true);
}
