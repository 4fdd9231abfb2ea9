/* SPDX-License-Identifier: MIT */
/* psopack session verify: every record of every file, each by itself, to the end. */
#include "failure.h"
#include "session_actions.h"
#include "session_paths.h"

#include <psopack/session_pso.h>

#include <inttypes.h>

typedef struct checking {
    psopack_output *output;
    const char *path;
    json_t *findings; /* NULL without --json */
    uint64_t count;   /* of findings */
    uint64_t entries;
    uint64_t psos;
    psopack_status first; /* the reason of the first finding */
} checking;

static void find(checking *c, const psopack_diag *diag)
{
    psopack_output_error(c->output, c->path, diag);
    if (c->count++ == 0)
        c->first = diag->code;
    if (!c->findings)
        return;
    json_t *finding = psopack_json_diag(diag);
    psopack_json_set_text(finding, "path", c->path);
    psopack_json_append(c->findings, finding);
}

static psopack_status on_damage(void *user, uint64_t offset, uint64_t size)
{
    psopack_diag diag;
    psopack_failure(&diag, PSOPACK_E_CHECKSUM, "no good record in %" PRIu64 " bytes", size);
    diag.offset = offset;
    find(user, &diag);
    return PSOPACK_OK;
}

static psopack_status on_entry(void *user, const psopack_session_file_entry *entry)
{
    checking *c = user;
    psopack_session_pso_name name;
    psopack_session_part parts[PSOPACK_SESSION_SLOTS_MAX];
    size_t count = PSOPACK_SESSION_SLOTS_MAX;
    c->entries++;
    if (psopack_session_pso_name_of(entry->key, entry->key_size, &name) != PSOPACK_OK)
        return PSOPACK_OK;
    c->psos++;
    psopack_status status =
        psopack_session_pso_parts(entry->value, entry->value_size, parts, &count);
    if (status == PSOPACK_OK)
        return PSOPACK_OK;
    psopack_diag diag;
    int shown = name.size < 256 ? (int)name.size : 256;
    /* NOT_FOUND: the value is something else, under the key of a PSO. */
    psopack_failure(&diag, status == PSOPACK_E_NOT_FOUND ? PSOPACK_E_CORRUPT : status,
                    "the value of PSO '%.*s' is none", shown, (const char *)name.name);
    diag.offset = entry->offset;
    find(c, &diag);
    return PSOPACK_OK;
}

/* A file that cannot be read at all is a finding too, and the next one is checked. */
static void check_file(checking *c, const char *path)
{
    psopack_session_file_info info;
    psopack_session_visitor visitor = {on_entry, on_damage, c};
    psopack_diag diag;
    c->path = path;
    if (psopack_session_file_visit(path, NULL, &visitor, &info, &diag) != PSOPACK_OK) {
        find(c, &diag);
    } else if (info.unfinished_bytes > 0) {
        psopack_failure(&diag, PSOPACK_E_TRUNCATED,
                        "the last record is unfinished: %" PRIu64 " bytes", info.unfinished_bytes);
        diag.offset = info.file_bytes - info.unfinished_bytes;
        find(c, &diag);
    }
}

static int report(checking *c, size_t files)
{
    int exit_code = c->count > 0 ? psopack_status_exit_code(c->first) : 0;
    psopack_output_summary(c->output,
                           "%zu file%s: %s: %" PRIu64 " good record%s, %" PRIu64
                           " of them PSOs, %" PRIu64 " finding%s",
                           files, psopack_plural(files), c->count > 0 ? "damaged" : "ok",
                           c->entries, psopack_plural(c->entries), c->psos, c->count,
                           psopack_plural(c->count));
    if (!c->output->json)
        return exit_code;
    json_t *object = psopack_session_json("verify");
    psopack_json_set_number(object, "files", files);
    psopack_json_set_number(object, "records", c->entries);
    psopack_json_set_number(object, "psos", c->psos);
    psopack_json_set_flag(object, "damaged", c->count > 0);
    psopack_json_set(object, "findings", json_incref(c->findings));
    return psopack_output_json(c->output, object, exit_code);
}

int psopack_session_verify(psopack_output *output, const psopack_options *options,
                           char *const *paths, size_t count)
{
    (void)options;
    psopack_words files = {0};
    psopack_words folders = {0};
    psopack_diag diag;
    psopack_status status = PSOPACK_OK;
    for (size_t i = 0; i < count && status == PSOPACK_OK; i++)
        status = psopack_session_paths(paths[i], &files, &folders, &diag);
    checking c = {.output = output, .findings = output->json ? json_array() : NULL};
    for (size_t i = 0; i < files.count && status == PSOPACK_OK; i++)
        check_file(&c, files.items[i]);
    int exit_code =
        status == PSOPACK_OK ? report(&c, files.count) : psopack_output_fail(output, NULL, &diag);
    json_decref(c.findings);
    psopack_words_free(&files);
    psopack_words_free(&folders);
    return exit_code;
}
