/* SPDX-License-Identifier: MIT */
/* psopack verify: checks every byte, names everything damaged, goes on to the end. */
#include "command.h"
#include "reader.h"

#include <inttypes.h>

typedef struct findings {
    psopack_output *output;
    const char *path;
    json_t *list; /* NULL without --json */
} findings;

static int on_finding(void *user, const psopack_diag *diag)
{
    findings *f = user;
    psopack_output_error(f->output, f->path, diag);
    if (f->list)
        psopack_json_append(f->list, psopack_json_diag(diag));
    return 0;
}

static int print_json(const findings *f, const psopack_verify_result *result, bool quick,
                      int exit_code)
{
    json_t *object = psopack_json_begin("verify");
    psopack_json_set_text(object, "archive", f->path);
    psopack_json_set_flag(object, "damaged", exit_code != 0);
    psopack_json_set_flag(object, "quick", quick);
    psopack_json_set_number(object, "blocks_checked", result->blocks_checked);
    psopack_json_set_number(object, "blocks_damaged", result->blocks_damaged);
    psopack_json_set_number(object, "components_checked", result->components_checked);
    psopack_json_set_number(object, "components_damaged", result->components_damaged);
    psopack_json_set_number(object, "psos_checked", result->psos_checked);
    psopack_json_set_number(object, "psos_damaged", result->psos_damaged);
    psopack_json_set_number(object, "harmless", result->harmless);
    psopack_json_set(object, "findings", json_incref(f->list));
    return psopack_output_json(f->output, object, exit_code);
}

static void summarize(psopack_output *output, const char *path, const psopack_verify_result *r,
                      bool quick)
{
    if (r->findings > 0)
        psopack_output_summary(output,
                               "%s: damaged: %" PRIu64 " finding%s, %" PRIu64
                               " of them harmless; %" PRIu64 " of %" PRIu64 " blocks, %" PRIu64
                               " of %" PRIu64 " components, %" PRIu64 " of %" PRIu64 " PSOs",
                               path, r->findings, psopack_plural(r->findings), r->harmless,
                               r->blocks_damaged, r->blocks_checked, r->components_damaged,
                               r->components_checked, r->psos_damaged, r->psos_checked);
    else if (quick)
        psopack_output_summary(output, "%s: ok: the manifest (no block was decoded)", path);
    else
        psopack_output_summary(
            output, "%s: ok: %" PRIu64 " block%s, %" PRIu64 " component%s, %" PRIu64 " PSO%s", path,
            r->blocks_checked, psopack_plural(r->blocks_checked), r->components_checked,
            psopack_plural(r->components_checked), r->psos_checked,
            psopack_plural(r->psos_checked));
}

static int verify(psopack_output *output, const psopack_reader *reader, bool quick)
{
    findings f = {output, reader->path, output->json ? json_array() : NULL};
    psopack_verify_result result = {0};
    psopack_diag diag;
    psopack_status status = psopack_archive_verify(
        reader->archive, quick ? PSOPACK_VERIFY_QUICK : 0, on_finding, &f, &result, &diag);
    int exit_code = psopack_status_exit_code(status);
    if (status != PSOPACK_OK && result.findings == 0) {
        /* It could not run to the end: memory, or the disk. */
        exit_code = psopack_output_fail(output, reader->path, &diag);
    } else {
        summarize(output, reader->path, &result, quick);
        if (output->json)
            exit_code = print_json(&f, &result, quick, exit_code);
    }
    json_decref(f.list);
    return exit_code;
}

int psopack_command_verify(psopack_output *output, const psopack_options *options)
{
    const char *path = options->operands.items[0];
    psopack_reader reader;
    psopack_diag diag;
    int exit_code = 0;
    if (psopack_reader_open(path, options, NULL, &reader, &diag) == PSOPACK_OK)
        exit_code = verify(output, &reader, options->quick != 0);
    else
        exit_code = psopack_output_fail(output, path, &diag);
    psopack_reader_close(&reader);
    return exit_code;
}
