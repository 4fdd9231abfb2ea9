/* SPDX-License-Identifier: MIT */
/* psopack lint: what hangs a GPU or fails on a tier, found at build time. */
#include "command.h"
#include "lint_archive.h"

int psopack_command_lint(psopack_output *output, const psopack_options *options)
{
    const char *path = options->operands.items[0];
    psopack_lint_report report = options->sarif ? PSOPACK_LINT_SARIF
                                 : output->json ? PSOPACK_LINT_JSON
                                                : PSOPACK_LINT_TEXT;
    psopack_reader reader = {0};
    psopack_diag diag;
    uint64_t errors = 0;
    psopack_status status = psopack_reader_open(path, options, NULL, &reader, &diag);
    if (status == PSOPACK_OK)
        status = psopack_lint_archive(&reader, options, path, report, &errors, &diag);
    int exit_code = status == PSOPACK_OK ? errors != 0 : psopack_output_fail(output, path, &diag);
    psopack_reader_close(&reader);
    return exit_code;
}
