/* SPDX-License-Identifier: MIT */
/* psopack session export: PSOs as the folders and files that psopack pack takes. */
#include "extract_tree.h"
#include "failure.h"
#include "session_actions.h"
#include "session_shipped.h"

#include <inttypes.h>
#include <stdio.h>

typedef struct exporting {
    psopack_output *output;
    psopack_met_set *set;
    psopack_reader *shipped; /* NULL: nothing to compare with */
    psopack_tree tree;
    uint64_t states[3]; /* by psopack_shipped_state */
    uint64_t without_slots;
    uint64_t files;
    uint64_t bytes;
} exporting;

/* One unsafe name and nothing is written, as extract has it. */
static psopack_status check_names(const psopack_met_set *set, psopack_diag *diag)
{
    psopack_status status = PSOPACK_OK;
    for (size_t i = 0; i < set->count && status == PSOPACK_OK; i++) {
        const psopack_met *met = &set->psos[i];
        status = psopack_tree_check_pso(met->name, met->name_size, diag);
        for (size_t k = 0; k < met->part_count && status == PSOPACK_OK; k++)
            status = psopack_tree_check_slot(met->parts[k].slot, diag);
    }
    return status;
}

static psopack_status write_parts(exporting *e, const psopack_met *met, psopack_diag *diag)
{
    psopack_status status = psopack_tree_enter(&e->tree, met->name, met->name_size, diag);
    for (size_t i = 0; i < met->part_count && status == PSOPACK_OK; i++) {
        const psopack_met_part *part = &met->parts[i];
        status = psopack_tree_write(&e->tree, part->slot, part->bytes, part->size, diag);
        e->files++;
        e->bytes += part->size;
    }
    return status;
}

static psopack_status export_pso(exporting *e, const psopack_met *met, psopack_diag *diag)
{
    psopack_shipped_state state = PSOPACK_SHIPPED_NEW;
    psopack_status status = PSOPACK_OK;
    if (e->shipped)
        status = psopack_shipped_compare(e->shipped, met, &state, diag);
    if (status != PSOPACK_OK)
        return status;
    e->states[state]++;
    if (state == PSOPACK_SHIPPED_SAME)
        return PSOPACK_OK;
    char text[512];
    int shown = met->name_size < 256 ? (int)met->name_size : 256;
    if (state == PSOPACK_SHIPPED_CHANGED) {
        snprintf(text, sizeof text, "PSO '%.*s' was shipped with other content", shown, met->name);
        psopack_output_note(e->output, text);
    }
    if (met->part_count > 0)
        return write_parts(e, met, diag);
    e->without_slots++;
    snprintf(text, sizeof text, "PSO '%.*s' has no slots: a folder cannot hold it", shown,
             met->name);
    psopack_output_warning(e->output, text);
    return PSOPACK_OK;
}

static psopack_status export_all(exporting *e, const psopack_options *options, psopack_diag *diag)
{
    psopack_status status = psopack_met_select(e->set, &options->content_version, NULL, diag);
    if (status == PSOPACK_OK)
        status = check_names(e->set, diag);
    if (status == PSOPACK_OK)
        status = psopack_tree_begin(&e->tree, options->directory ? options->directory : ".",
                                    options->force != 0, diag);
    for (size_t i = 0; i < e->set->count && status == PSOPACK_OK; i++)
        status = export_pso(e, &e->set->psos[i], diag);
    psopack_tree_end(&e->tree);
    return status;
}

static int report(const exporting *e, const char *directory)
{
    char bytes[PSOPACK_BYTES_SIZE];
    psopack_output_summary(
        e->output,
        "%s: %" PRIu64 " new PSO%s, %" PRIu64 " changed, %" PRIu64 " shipped already; %" PRIu64
        " file%s, %s",
        directory, e->states[PSOPACK_SHIPPED_NEW], psopack_plural(e->states[PSOPACK_SHIPPED_NEW]),
        e->states[PSOPACK_SHIPPED_CHANGED], e->states[PSOPACK_SHIPPED_SAME], e->files,
        psopack_plural(e->files), psopack_output_bytes(bytes, e->bytes));
    if (!e->output->json)
        return 0;
    json_t *object = psopack_session_json("export");
    psopack_json_set_text(object, "directory", directory);
    psopack_json_set_number(object, "new", e->states[PSOPACK_SHIPPED_NEW]);
    psopack_json_set_number(object, "changed", e->states[PSOPACK_SHIPPED_CHANGED]);
    psopack_json_set_number(object, "same", e->states[PSOPACK_SHIPPED_SAME]);
    psopack_json_set_number(object, "without_slots", e->without_slots);
    psopack_json_set_number(object, "files", e->files);
    psopack_json_set_number(object, "bytes", e->bytes);
    psopack_json_set_number(object, "others", e->set->others);
    psopack_json_set_number(object, "damaged", e->set->damaged);
    return psopack_output_json(e->output, object, 0);
}

int psopack_session_export(psopack_output *output, const psopack_options *options,
                           char *const *paths, size_t count)
{
    psopack_met_set set = {0};
    psopack_reader shipped = {0};
    psopack_diag diag;
    exporting e = {.output = output, .set = &set, .shipped = options->shipped ? &shipped : NULL};
    psopack_status status =
        psopack_session_begin(output, options, paths, count, &set, &shipped, &diag);
    if (status == PSOPACK_OK)
        status = export_all(&e, options, &diag);
    int exit_code = status == PSOPACK_OK ? report(&e, options->directory ? options->directory : ".")
                                         : psopack_output_fail(output, NULL, &diag);
    psopack_met_free(&set);
    psopack_reader_close(&shipped);
    return exit_code;
}
