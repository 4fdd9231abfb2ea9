/* SPDX-License-Identifier: MIT */
/* psopack session: what cache sessions have met, as listing, check, folder or order. */
#include "command.h"
#include "failure.h"
#include "reader.h"
#include "session_actions.h"

#include <string.h>

typedef struct action {
    const char *name;
    psopack_session_action_fn *run;
    bool compares; /* takes --shipped */
    bool writes_list;
    bool writes_folder;
} action;

static const action actions[] = {
    {"list", psopack_session_list, true, false, false},
    {"verify", psopack_session_verify, false, false, false},
    {"export", psopack_session_export, true, false, true},
    {"order", psopack_session_order, false, true, false},
};

psopack_status psopack_session_begin(psopack_output *output, const psopack_options *options,
                                     char *const *paths, size_t count, psopack_met_set *set,
                                     psopack_reader *shipped, psopack_diag *diag)
{
    psopack_status status = PSOPACK_OK;
    if (options->shipped) {
        /* --content-version selects PSOs of the sessions; the archive may be an older one. */
        psopack_options any = *options;
        any.content_version = (psopack_number){0};
        status = psopack_reader_open(options->shipped, &any, NULL, shipped, diag);
    }
    return status == PSOPACK_OK ? psopack_met_read(output, paths, count, set, diag) : status;
}

json_t *psopack_session_json(const char *action_name)
{
    json_t *object = psopack_json_begin("session");
    psopack_json_set_text(object, "action", action_name);
    return object;
}

static const action *find_action(const char *name, psopack_diag *diag)
{
    for (size_t i = 0; i < sizeof actions / sizeof actions[0]; i++) {
        if (strcmp(actions[i].name, name) == 0)
            return &actions[i];
    }
    psopack_failure(diag, PSOPACK_E_ARGUMENT, "%s: unknown action: list, verify, export or order",
                    name);
    return NULL;
}

static psopack_status check_usage(const action *wanted, const psopack_options *options,
                                  psopack_diag *diag)
{
    if (options->shipped && !wanted->compares)
        return psopack_failure(diag, PSOPACK_E_ARGUMENT, "--shipped: not with %s", wanted->name);
    if (options->output && !wanted->writes_list)
        return psopack_failure(diag, PSOPACK_E_ARGUMENT, "--output: only with order");
    if ((options->directory || options->force) && !wanted->writes_folder)
        return psopack_failure(diag, PSOPACK_E_ARGUMENT, "-C and --force: only with export");
    return PSOPACK_OK;
}

int psopack_command_session(psopack_output *output, const psopack_options *options)
{
    psopack_diag diag;
    const action *wanted = find_action(options->operands.items[0], &diag);
    if (!wanted || check_usage(wanted, options, &diag) != PSOPACK_OK)
        return psopack_output_fail(output, NULL, &diag);
    return wanted->run(output, options, options->operands.items + 1, options->operands.count - 1);
}
