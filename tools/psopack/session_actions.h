/* SPDX-License-Identifier: MIT */
/* The actions of psopack session. Each gets the paths after its name and returns the exit code. */
#ifndef PSOPACK_TOOL_SESSION_ACTIONS_H
#define PSOPACK_TOOL_SESSION_ACTIONS_H

#include "output.h"
#include "session_met.h"

struct psopack_reader;

typedef int psopack_session_action_fn(psopack_output *output, const psopack_options *options,
                                      char *const *paths, size_t count);

psopack_session_action_fn psopack_session_list;
psopack_session_action_fn psopack_session_verify;
psopack_session_action_fn psopack_session_export;
psopack_session_action_fn psopack_session_order;

/* What list, export and order begin with. Free both also after a failure. */
psopack_status psopack_session_begin(psopack_output *output, const psopack_options *options,
                                     char *const *paths, size_t count, psopack_met_set *set,
                                     struct psopack_reader *shipped, psopack_diag *diag);

/* {"schema": ..., "action": ...} */
json_t *psopack_session_json(const char *action);

#endif
