/* SPDX-License-Identifier: MIT */
/*
 * What the program says: data on standard output, everything else on standard error.
 *
 * A message reads `psopack: error: PATH: REASON (at byte N) [PSOPACK_E_...]`; N is an offset in the
 * file, where there is one. With --json a failure is an object on standard output as well. Names
 * come from archives and inputs, so control bytes are shown as \xNN: nothing that is printed can
 * steer a terminal.
 */
#ifndef PSOPACK_TOOL_OUTPUT_H
#define PSOPACK_TOOL_OUTPUT_H

#include "json_out.h"
#include "options.h"
#include "progress.h"

#include <psopack/status.h>

typedef struct psopack_output {
    const char *command; /* "pack" */
    int quiet;
    int verbose;
    bool color;
    bool json;
    int write_error; /* errno of the first flush of standard output that failed */
    psopack_progress progress;
} psopack_output;

/* `options` may be NULL: before they are known. */
void psopack_output_init(psopack_output *output, const char *command,
                         const psopack_options *options);

/*
 * Prints an error. `path` is put before the text unless the text begins with it; it may be NULL.
 * A usage error gets a second line that says where help is. Returns the exit code of the status
 * (for PSOPACK_E_CANCELLED that of the signal).
 */
int psopack_output_error(psopack_output *output, const char *path, const psopack_diag *diag);

/* The same, and with --json the object {"schema": ..., "error": ...} too: for failures after which
 * the command has nothing else to print. */
int psopack_output_fail(psopack_output *output, const char *path, const psopack_diag *diag);

/* "psopack: warning: TEXT", not with -q. */
void psopack_output_warning(psopack_output *output, const char *text);

/* "psopack: note: TEXT", not with -q. */
void psopack_output_note(psopack_output *output, const char *text);

/* "psopack: TEXT", only with -v. */
void psopack_output_detail(psopack_output *output, const char *text);

/* The one line that says what was done: "psopack: TEXT", not with -q and not with --json. */
void psopack_output_summary(psopack_output *output, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Prints a command's JSON object and frees it. Returns `exit_code`, or 1 when memory ran out. */
int psopack_output_json(psopack_output *output, json_t *object, int exit_code);

/* Prints a name to standard output, control bytes as \xNN. */
void psopack_output_name(const char *name, size_t size);

/* Flushes standard output. Returns `exit_code`, or 1 when the data did not get out; silently so
 * when the reader of a pipe has gone. */
int psopack_output_finish(psopack_output *output, int exit_code);

/* What makes a noun agree with its count: "s", or nothing for 1. */
const char *psopack_plural(uint64_t count);

/* "1.5 MiB", for people. */
#define PSOPACK_BYTES_SIZE 32
const char *psopack_output_bytes(char text[PSOPACK_BYTES_SIZE], uint64_t bytes);

#endif
