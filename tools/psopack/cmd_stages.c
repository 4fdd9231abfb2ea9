/* SPDX-License-Identifier: MIT */
/* psopack plan, compress, assemble: the stages of a spread build behind scan. */
#include "command.h"
#include "failure.h"
#include "signals.h"

#include <psopack/build_stages.h>

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>

static void on_progress(void *user, const char *phase, uint64_t done, uint64_t total)
{
    psopack_output *output = user;
    psopack_progress_update(&output->progress, phase, done, total);
}

static int on_cancelled(void *user)
{
    (void)user;
    return psopack_signals_stop();
}

static psopack_status load(psopack_output *output, const psopack_options *options,
                           psopack_stage_options *ret_stage, psopack_diag *diag)
{
    const psopack_stage_options defaults = PSOPACK_STAGE_OPTIONS_INIT;
    if (!options->output)
        return psopack_failure(diag, PSOPACK_E_ARGUMENT, "--output: which file to write?");
    if (options->jobs.value > INT_MAX)
        return psopack_failure(diag, PSOPACK_E_ARGUMENT, "--jobs: more than %d threads", INT_MAX);
    *ret_stage = defaults;
    ret_stage->threads = (unsigned)options->jobs.value;
    ret_stage->no_sync = options->no_fsync;
    ret_stage->events = (psopack_build_events){NULL, on_progress, on_cancelled, output};
    psopack_signals_defer();
    return PSOPACK_OK;
}

static int finish(psopack_output *output, const psopack_options *options, psopack_status status,
                  const psopack_diag *diag)
{
    if (status != PSOPACK_OK)
        return psopack_output_fail(output, NULL, diag);
    if (!output->json)
        return 0;
    json_t *object = psopack_json_begin(output->command);
    psopack_json_set_text(object, "output", options->output);
    return psopack_output_json(output, object, 0);
}

int psopack_command_plan(psopack_output *output, const psopack_options *options)
{
    psopack_stage_options stage;
    psopack_diag diag;
    psopack_status status = load(output, options, &stage, &diag);
    if (status == PSOPACK_OK)
        status = psopack_stage_plan(options->operands.items[0], options->output, &stage, &diag);
    return finish(output, options, status, &diag);
}

/* "K/N" */
static psopack_status parse_part(const char *text, uint32_t *ret_number, uint32_t *ret_count,
                                 psopack_diag *diag)
{
    char *end = NULL;
    unsigned long number = 0, count = 0;
    if (text && text[0] >= '0' && text[0] <= '9')
        number = strtoul(text, &end, 10);
    if (end && *end == '/' && end[1] >= '0' && end[1] <= '9')
        count = strtoul(end + 1, &end, 10);
    if (count == 0 || *end != '\0' || number < 1 || number > count || count > UINT32_MAX)
        return psopack_failure(diag, PSOPACK_E_ARGUMENT, "--part K/N: with K from 1 to N");
    *ret_number = (uint32_t)number;
    *ret_count = (uint32_t)count;
    return PSOPACK_OK;
}

int psopack_command_compress(psopack_output *output, const psopack_options *options)
{
    psopack_stage_options stage;
    psopack_diag diag;
    uint32_t number = 0, count = 0;
    psopack_status status = load(output, options, &stage, &diag);
    if (status == PSOPACK_OK)
        status = parse_part(options->part, &number, &count, &diag);
    if (status == PSOPACK_OK)
        status = psopack_stage_compress(options->operands.items[0], options->operands.items[1],
                                        number, count, options->output, &stage, &diag);
    return finish(output, options, status, &diag);
}

int psopack_command_assemble(psopack_output *output, const psopack_options *options)
{
    psopack_stage_options stage;
    psopack_build_result result;
    psopack_diag diag;
    char *const *paths = options->operands.items;
    psopack_status status = load(output, options, &stage, &diag);
    if (status == PSOPACK_OK)
        status = psopack_stage_assemble(paths[0], paths[1], (const char *const *)paths + 2,
                                        (uint32_t)(options->operands.count - 2), options->output,
                                        &stage, &result, &diag);
    if (status != PSOPACK_OK || !output->json)
        return finish(output, options, status, &diag);
    json_t *object = psopack_json_begin(output->command);
    psopack_json_set_text(object, "output", options->output);
    psopack_json_set_flag(object, "unchanged", result.unchanged != 0);
    psopack_json_set_number(object, "psos", result.psos);
    psopack_json_set_number(object, "components", result.components);
    psopack_json_set_number(object, "blocks", result.blocks);
    psopack_json_set_number(object, "file_bytes", result.file_bytes);
    psopack_json_set_hex(object, "content_id", result.content_id, sizeof result.content_id);
    psopack_json_set_hex(object, "archive_id", result.archive_id, sizeof result.archive_id);
    return psopack_output_json(output, object, 0);
}
