/* SPDX-License-Identifier: MIT */
/* Archives that a command reads in order to write another: each with what it builds on. */
#ifndef PSOPACK_TOOL_ARCHIVE_INPUTS_H
#define PSOPACK_TOOL_ARCHIVE_INPUTS_H

#include "chain.h"
#include "options.h"

#include <psopack/build.h>

typedef struct psopack_archive_input {
    psopack_archive_chain chain;
    psopack_info info; /* of the top */
    bool is_inside;    /* a layer among the inputs builds on it */
} psopack_archive_input;

typedef struct psopack_archive_inputs {
    psopack_archive_input *items; /* as they were named */
    size_t count;
    size_t used; /* those not inside another one */
} psopack_archive_inputs;

/* Opens the operands. Close also after a failure, for which *ret_path names the operand. */
psopack_status psopack_archive_inputs_open(const psopack_options *options,
                                           psopack_archive_inputs *inputs, const char **ret_path,
                                           psopack_diag *diag);
void psopack_archive_inputs_close(psopack_archive_inputs *inputs);

/*
 * What the output takes over from the inputs where the command line does not say: the first one's
 * profile, and the target and content version that all of them have; ARGUMENT when they differ.
 */
psopack_status psopack_archive_inputs_agree(const psopack_archive_inputs *inputs,
                                            const psopack_options *options,
                                            psopack_build_options *build, psopack_diag *diag);

/* Adds all that are used to a build. `filter` may be NULL. */
psopack_status psopack_archive_inputs_add(const psopack_archive_inputs *inputs,
                                          const psopack_archive_filter *filter,
                                          psopack_build *build, psopack_diag *diag);

#endif
