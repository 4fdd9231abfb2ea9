/* SPDX-License-Identifier: MIT */
/* psopack session list and order: the PSOs met, most used first. */
#include "failure.h"
#include "session_actions.h"
#include "session_shipped.h"
#include "table.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef struct listing {
    psopack_output *output;
    const psopack_met_set *set;
    psopack_reader *shipped; /* NULL: nothing to compare with */
    psopack_table table;
    json_t *rows;
    uint64_t states[3]; /* by psopack_shipped_state */
} listing;

/* ---- list ------------------------------------------------------------------------------------ */

static void add_json(listing *l, const psopack_met *met, const char *state)
{
    json_t *row = json_object();
    psopack_json_set_bytes_text(row, "name", met->name, met->name_size);
    psopack_json_set_number(row, "content_version", met->content_version);
    psopack_json_set_number(row, "slots", met->part_count);
    psopack_json_set_number(row, "bytes", met->bytes);
    psopack_json_set_number(row, "uses", met->uses);
    psopack_json_set_number(row, "files", met->files);
    psopack_json_set_flag(row, "conflict", met->conflict_path != NULL);
    if (l->shipped)
        psopack_json_set_text(row, "shipped", state);
    psopack_json_append(l->rows, row);
}

static void add_cells(listing *l, const psopack_met *met, const char *state)
{
    psopack_table_cell(&l->table, "%" PRIu64, met->uses);
    psopack_table_cell(&l->table, "%" PRIu32, met->files);
    psopack_table_cell(&l->table, "%zu", met->part_count);
    psopack_table_cell(&l->table, "%" PRIu64, met->bytes);
    psopack_table_cell(&l->table, "%" PRIu64, met->content_version);
    psopack_table_cell(&l->table, "%s", met->conflict_path ? "conflict" : state);
    psopack_table_name(&l->table, met->name, met->name_size);
}

static psopack_status add_row(listing *l, const psopack_met *met, psopack_diag *diag)
{
    psopack_shipped_state state = PSOPACK_SHIPPED_NEW;
    if (l->shipped) {
        psopack_status status = psopack_shipped_compare(l->shipped, met, &state, diag);
        if (status != PSOPACK_OK)
            return status;
    }
    l->states[state]++;
    const char *shown = l->shipped ? psopack_shipped_name(state) : "-";
    if (l->output->json)
        add_json(l, met, shown);
    else
        add_cells(l, met, shown);
    return PSOPACK_OK;
}

static psopack_status collect(listing *l, const psopack_number *version, psopack_diag *diag)
{
    psopack_status status = PSOPACK_OK;
    l->table.columns = "rrrrrll";
    for (const char *const *head = (const char *const[]){"uses", "files", "slots", "bytes",
                                                         "version", "shipped", "PSO", NULL};
         *head; head++)
        psopack_table_cell(&l->table, "%s", *head);
    for (size_t i = 0; i < l->set->count && status == PSOPACK_OK; i++) {
        if (!version->given || l->set->psos[i].content_version == version->value)
            status = add_row(l, &l->set->psos[i], diag);
    }
    return status;
}

static int print_list(listing *l)
{
    const psopack_met_set *set = l->set;
    psopack_diag diag;
    if (l->output->json) {
        json_t *object = psopack_session_json("list");
        psopack_json_set_number(object, "files", set->files.count);
        psopack_json_set_number(object, "others", set->others);
        psopack_json_set_number(object, "damaged", set->damaged);
        psopack_json_set(object, "psos", json_incref(l->rows));
        return psopack_output_json(l->output, object, 0);
    }
    if (!psopack_table_print(&l->table)) {
        psopack_failure_memory(&diag, "the table");
        return psopack_output_fail(l->output, NULL, &diag);
    }
    char states[96] = "";
    if (l->shipped)
        snprintf(states, sizeof states, ": %" PRIu64 " new, %" PRIu64 " same, %" PRIu64 " changed",
                 l->states[PSOPACK_SHIPPED_NEW], l->states[PSOPACK_SHIPPED_SAME],
                 l->states[PSOPACK_SHIPPED_CHANGED]);
    psopack_output_summary(l->output, "%zu file%s, %zu PSO%s%s; %" PRIu64 " other entr%s",
                           set->files.count, psopack_plural(set->files.count), set->count,
                           psopack_plural(set->count), states, set->others,
                           set->others == 1 ? "y" : "ies");
    return 0;
}

int psopack_session_list(psopack_output *output, const psopack_options *options, char *const *paths,
                         size_t count)
{
    psopack_met_set set = {0};
    psopack_reader shipped = {0};
    psopack_diag diag;
    listing l = {output, &set, options->shipped ? &shipped : NULL, {0}, json_array(), {0}};
    psopack_status status =
        psopack_session_begin(output, options, paths, count, &set, &shipped, &diag);
    if (status == PSOPACK_OK)
        status = collect(&l, &options->content_version, &diag);
    int exit_code =
        status == PSOPACK_OK ? print_list(&l) : psopack_output_fail(output, NULL, &diag);
    psopack_words_free(&l.table.cells);
    json_decref(l.rows);
    psopack_met_free(&set);
    psopack_reader_close(&shipped);
    return exit_code;
}

/* ---- order ----------------------------------------------------------------------------------- */

static psopack_status write_names(const psopack_met_set *set, FILE *file, const char *path,
                                  psopack_diag *diag)
{
    for (size_t i = 0; i < set->count; i++) {
        const psopack_met *met = &set->psos[i];
        fwrite(met->name, 1, met->name_size, file);
        putc('\n', file);
    }
    return ferror(file) ? psopack_failure_errno(diag, errno, "write", path) : PSOPACK_OK;
}

/* A list is a line for each name. */
static psopack_status check_names(const psopack_met_set *set, psopack_diag *diag)
{
    for (size_t i = 0; i < set->count; i++) {
        const psopack_met *met = &set->psos[i];
        if (memchr(met->name, '\n', met->name_size))
            return psopack_failure(diag, PSOPACK_E_NAME,
                                   "a PSO's name has a newline: a list cannot hold it");
    }
    return PSOPACK_OK;
}

static psopack_status write_order(const psopack_met_set *set, const char *path, psopack_diag *diag)
{
    psopack_status status = check_names(set, diag);
    if (status != PSOPACK_OK || !path)
        return status == PSOPACK_OK ? write_names(set, stdout, "standard output", diag) : status;
    FILE *file = fopen(path, "wb");
    if (!file)
        return psopack_failure_errno(diag, errno, "create", path);
    status = write_names(set, file, path, diag);
    if (fclose(file) != 0 && status == PSOPACK_OK)
        status = psopack_failure_errno(diag, errno, "write", path);
    return status;
}

static int print_order(psopack_output *output, const psopack_met_set *set)
{
    json_t *names = json_array();
    json_t *object = psopack_session_json("order");
    for (size_t i = 0; i < set->count; i++) {
        json_t *row = json_object();
        psopack_json_set_bytes_text(row, "name", set->psos[i].name, set->psos[i].name_size);
        psopack_json_set_number(row, "uses", set->psos[i].uses);
        psopack_json_append(names, row);
    }
    psopack_json_set(object, "psos", names);
    return psopack_output_json(output, object, 0);
}

int psopack_session_order(psopack_output *output, const psopack_options *options,
                          char *const *paths, size_t count)
{
    psopack_met_set set = {0};
    psopack_diag diag;
    psopack_status status = psopack_session_begin(output, options, paths, count, &set, NULL, &diag);
    if (status == PSOPACK_OK)
        status = psopack_met_select(&set, &options->content_version, NULL, &diag);
    if (status == PSOPACK_OK && (options->output || !output->json))
        status = write_order(&set, options->output, &diag);
    int exit_code = 0;
    if (status != PSOPACK_OK)
        exit_code = psopack_output_fail(output, NULL, &diag);
    else if (output->json)
        exit_code = print_order(output, &set);
    psopack_met_free(&set);
    return exit_code;
}
