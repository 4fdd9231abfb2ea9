/* SPDX-License-Identifier: MIT */
/* Feeding an archive to the lint library: for `psopack lint` and `psopack pack --lint`. */
#ifndef PSOPACK_TOOL_LINT_ARCHIVE_H
#define PSOPACK_TOOL_LINT_ARCHIVE_H

#include "reader.h"

#include <psopack/lint.h>

/* The reports that can be asked for. */
typedef enum psopack_lint_report {
    PSOPACK_LINT_TEXT,
    PSOPACK_LINT_JSON,
    PSOPACK_LINT_SARIF
} psopack_lint_report;

/*
 * Lints every PSO of an open archive as the options say and writes the report to standard output.
 * *ret_errors counts findings of severity error that are not suppressed. `artifact` is the
 * archive's path as the report shows it.
 */
psopack_status psopack_lint_archive(psopack_reader *reader, const psopack_options *options,
                                    const char *artifact, psopack_lint_report report,
                                    uint64_t *ret_errors, psopack_diag *diag);

#endif
