/* SPDX-License-Identifier: MIT */
/* From command-line options and an archive to a lint report. */
#include "lint_archive.h"
#include "failure.h"
#include "file_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static psopack_status fetch(void *context, uint64_t component, void *ret_bytes, size_t size,
                            psopack_diag *diag)
{
    psopack_reader *reader = context;
    return psopack_component_read(reader->archive, reader->context, (uint32_t)component, ret_bytes,
                                  size, NULL, diag);
}

/* A stream remembers that it failed: the program looks once, at its end, and knows a closed pipe.
 */
static psopack_status write_report(void *context, const char *bytes, size_t size)
{
    (void)context;
    fwrite(bytes, 1, size, stdout);
    return PSOPACK_OK;
}

/* ---- options ----------------------------------------------------------------------------------
 */

static psopack_status parse_level(const char *text, psopack_feature_level *ret_level,
                                  psopack_diag *diag)
{
    static const struct {
        const char *text;
        psopack_feature_level level;
    } levels[] = {
        {"11.0", PSOPACK_FEATURE_LEVEL_11_0}, {"11.1", PSOPACK_FEATURE_LEVEL_11_1},
        {"12.0", PSOPACK_FEATURE_LEVEL_12_0}, {"12.1", PSOPACK_FEATURE_LEVEL_12_1},
        {"12.2", PSOPACK_FEATURE_LEVEL_12_2},
    };
    for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++) {
        if (strcmp(text, levels[i].text) == 0) {
            *ret_level = levels[i].level;
            return PSOPACK_OK;
        }
    }
    return psopack_failure(diag, PSOPACK_E_ARGUMENT,
                           "--feature-level: '%s' is none of 11.0, 11.1, 12.0, 12.1, 12.2", text);
}

/* "SLOT:OFFSET"; *ret_slot is the caller's to free. The last colon counts. */
static psopack_status parse_limits_at(const char *text, char **ret_slot, uint64_t *ret_offset,
                                      psopack_diag *diag)
{
    const char *colon = strrchr(text, ':');
    char *end = NULL;
    unsigned long long offset =
        colon && colon[1] >= '0' && colon[1] <= '9' ? strtoull(colon + 1, &end, 0) : 0;
    if (!colon || colon == text || !end || *end != '\0')
        return psopack_failure(diag, PSOPACK_E_ARGUMENT, "--limits-at: '%s' is not SLOT:OFFSET",
                               text);
    *ret_slot = strndup(text, (size_t)(colon - text));
    *ret_offset = offset;
    return *ret_slot ? PSOPACK_OK : psopack_failure_memory(diag, "options");
}

/* A bit mask, decimal or 0x hexadecimal. */
static psopack_status parse_units(const char *text, uint32_t *ret_units, psopack_diag *diag)
{
    char *end = NULL;
    unsigned long long value = text[0] >= '0' && text[0] <= '9' ? strtoull(text, &end, 0) : 0;
    if (!end || *end != '\0' || value == 0 || value > UINT32_MAX)
        return psopack_failure(diag, PSOPACK_E_ARGUMENT, "--units: '%s' is no mask of 1 to 32 bits",
                               text);
    *ret_units = (uint32_t)value;
    return PSOPACK_OK;
}

static psopack_status make_options(const psopack_options *options, psopack_lint_options *lint,
                                   char **ret_limits_slot, psopack_diag *diag)
{
    psopack_status status = PSOPACK_OK;
    if (options->limits_slot)
        lint->limits_slot = options->limits_slot;
    if (options->rootsig_slot)
        lint->rootsig_slot = options->rootsig_slot;
    if (options->tier.value > 3)
        return psopack_failure(diag, PSOPACK_E_ARGUMENT, "--tier: there are 1, 2 and 3");
    lint->tier = (int)options->tier.value;
    if (options->feature_level)
        status = parse_level(options->feature_level, &lint->feature_level, diag);
    if (status == PSOPACK_OK && options->units)
        status = parse_units(options->units, &lint->units, diag);
    if (status == PSOPACK_OK && options->limits_at)
        status =
            parse_limits_at(options->limits_at, ret_limits_slot, &lint->limits_at_offset, diag);
    lint->limits_at_slot = *ret_limits_slot;
    return status;
}

typedef psopack_status text_fn(psopack_lint *lint, const char *text, size_t size,
                               psopack_diag *diag);

static psopack_status add_file(psopack_lint *lint, const char *path, text_fn *add,
                               psopack_diag *diag)
{
    char *text = NULL;
    size_t size = 0;
    if (!path)
        return PSOPACK_OK;
    psopack_status status = psopack_file_text(path, &text, &size, diag);
    if (status == PSOPACK_OK)
        status = add(lint, text, size, diag);
    free(text);
    return status;
}

/* ---- PSOs -------------------------------------------------------------------------------------
 */

static psopack_status add_pso(psopack_lint *lint, psopack_reader *reader, const uint64_t *sizes,
                              uint32_t pso, psopack_lint_part *parts, psopack_diag *diag)
{
    size_t count = 0;
    psopack_status status = psopack_reader_name(reader, pso, diag);
    if (status == PSOPACK_OK)
        status = psopack_reader_parts(reader, pso, diag);
    if (status != PSOPACK_OK)
        return status;
    for (uint32_t slot = 0; slot < reader->info.slots; slot++) {
        uint32_t component = reader->parts[slot];
        if (component != PSOPACK_ABSENT)
            parts[count++] = (psopack_lint_part){psopack_slot_name(reader->archive, slot),
                                                 component, sizes[component]};
    }
    return psopack_lint_add_pso(lint, reader->name, parts, count, diag);
}

static psopack_status add_psos(psopack_lint *lint, psopack_reader *reader, psopack_diag *diag)
{
    uint32_t count = reader->info.components;
    uint64_t *sizes = calloc(count + 1u, sizeof *sizes);
    psopack_lint_part *parts = calloc(reader->info.slots + 1u, sizeof *parts);
    psopack_status status = sizes && parts ? PSOPACK_OK : psopack_failure_memory(diag, "the lint");
    for (uint32_t i = 0; i < count && status == PSOPACK_OK; i++) {
        psopack_component_info info;
        status = psopack_component_get(reader->archive, i, &info, diag);
        if (status == PSOPACK_OK)
            sizes[i] = info.size;
    }
    for (uint32_t pso = 0; pso < reader->info.psos && status == PSOPACK_OK; pso++)
        status = add_pso(lint, reader, sizes, pso, parts, diag);
    free(sizes);
    free(parts);
    return status;
}

/* ---- the whole --------------------------------------------------------------------------------
 */

static psopack_status print_report(const psopack_lint *lint, const char *artifact,
                                   psopack_lint_report report, psopack_diag *diag)
{
    psopack_lint_report_options options = PSOPACK_LINT_REPORT_OPTIONS_INIT;
    options.artifact = artifact;
    options.write = write_report;
    psopack_status status = report == PSOPACK_LINT_SARIF ? psopack_lint_report_sarif(lint, &options)
                            : report == PSOPACK_LINT_JSON
                                ? psopack_lint_report_json(lint, &options)
                                : psopack_lint_report_text(lint, &options);
    if (status != PSOPACK_OK)
        return psopack_failure(diag, status, "the report could not be written");
    return PSOPACK_OK;
}

psopack_status psopack_lint_archive(psopack_reader *reader, const psopack_options *options,
                                    const char *artifact, psopack_lint_report report,
                                    uint64_t *ret_errors, psopack_diag *diag)
{
    psopack_lint_options lint_options = PSOPACK_LINT_OPTIONS_INIT;
    psopack_lint *lint = NULL;
    psopack_lint_summary summary;
    char *limits_slot = NULL;
    lint_options.fetch = fetch;
    lint_options.fetch_context = reader;
    psopack_status status = make_options(options, &lint_options, &limits_slot, diag);
    if (status == PSOPACK_OK)
        status = psopack_lint_create(&lint, &lint_options, diag);
    if (status == PSOPACK_OK)
        status = add_file(lint, options->suppress, psopack_lint_add_suppressions, diag);
    if (status == PSOPACK_OK)
        status = add_file(lint, options->live_set, psopack_lint_add_live_set, diag);
    if (status == PSOPACK_OK)
        status = add_psos(lint, reader, diag);
    if (status == PSOPACK_OK)
        status = psopack_lint_finish(lint, diag);
    if (status == PSOPACK_OK)
        status = print_report(lint, artifact, report, diag);
    if (status == PSOPACK_OK) {
        psopack_lint_get_summary(lint, &summary);
        *ret_errors = summary.errors;
    }
    psopack_lint_destroy(&lint);
    free(limits_slot);
    return status;
}
