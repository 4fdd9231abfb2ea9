/* SPDX-License-Identifier: MIT */
/* What a command is; the table of all of them is in main.c. */
#ifndef PSOPACK_TOOL_COMMAND_H
#define PSOPACK_TOOL_COMMAND_H

#include "options.h"
#include "output.h"

/* Does the work and returns the exit code. Messages are printed by then. */
typedef int psopack_command_fn(psopack_output *output, const psopack_options *options);

typedef struct psopack_command {
    const char *name;
    psopack_command_fn *run;
    unsigned bit; /* PSOPACK_FOR_* */
    unsigned operands_min;
    unsigned operands_max; /* UINT_MAX: any number */
    const char *operands;  /* as --help shows them */
    const char *summary;
} psopack_command;

/* In the order that help shows. */
extern const psopack_command psopack_commands[];
extern const size_t psopack_command_count;

/* NULL: no such command. */
const psopack_command *psopack_command_find(const char *name);

psopack_command_fn psopack_command_pack;
psopack_command_fn psopack_command_scan;
psopack_command_fn psopack_command_plan;
psopack_command_fn psopack_command_compress;
psopack_command_fn psopack_command_assemble;
psopack_command_fn psopack_command_info;
psopack_command_fn psopack_command_list;
psopack_command_fn psopack_command_verify;
psopack_command_fn psopack_command_extract;
psopack_command_fn psopack_command_cat;
psopack_command_fn psopack_command_diff;
psopack_command_fn psopack_command_merge;
psopack_command_fn psopack_command_strip;
psopack_command_fn psopack_command_salvage;
psopack_command_fn psopack_command_report;
psopack_command_fn psopack_command_lint;
psopack_command_fn psopack_command_limits;
psopack_command_fn psopack_command_session;
psopack_command_fn psopack_command_bench;
psopack_command_fn psopack_command_help;
psopack_command_fn psopack_command_version;

#endif
