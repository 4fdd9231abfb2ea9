/* SPDX-License-Identifier: MIT */
/* What the commands that write an archive share: how a build reports, is checked, stopped, told. */
#ifndef PSOPACK_TOOL_BUILD_RUN_H
#define PSOPACK_TOOL_BUILD_RUN_H

#include "output.h"
#include "session_met.h"

#include <psopack/build.h>

/* Begin with psopack_build_run_begin(), end with psopack_build_run_end(). */
typedef struct psopack_build_run {
    psopack_output *output;
    const psopack_options *options;
    psopack_build *build;
    bool scans; /* the output is a scan file, no archive */
    psopack_build_result result;
    psopack_met_set met; /* of --from-session: bytes that the build uses */
    const char *profile; /* by name */
    json_t *warnings;
    json_t *notes; /* all of them, however many were shown */
} psopack_build_run;

void psopack_build_run_begin(psopack_build_run *run, psopack_output *output,
                             const psopack_options *options);
void psopack_build_run_end(psopack_build_run *run);

/*
 * Makes run->build. `build` has what the command decides itself, its profile for one; threads,
 * hashes, --verify, --lint, messages and the like are filled in from the command line.
 */
psopack_status psopack_build_run_create(psopack_build_run *run, psopack_build_options *build,
                                        psopack_diag *diag);

/* Writes the archive or scan file, then depfile and stamp. From here on a signal leaves nothing
 * half written. */
psopack_status psopack_build_run_write(psopack_build_run *run, psopack_diag *diag);

/* The members that all such commands have, down to "collisions". */
json_t *psopack_build_run_json(const psopack_build_run *run);

/* The rest of them; prints the object and returns the exit code. */
int psopack_build_run_print(psopack_build_run *run, json_t *object, int exit_code);

/* Blocks that came from older archives. */
void psopack_build_run_json_kept(const psopack_build_run *run, json_t *object);

/* How many notes were not shown. */
void psopack_build_run_hidden_notes(const psopack_build_run *run);

#endif
