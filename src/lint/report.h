/* SPDX-License-Identifier: MIT */
/* What the three reports share. */
#ifndef PSOPACK_LINT_REPORT_H
#define PSOPACK_LINT_REPORT_H

#include "format/error.h"

#include <psopack/lint.h>

#include <jansson.h>

/* How many of `count` names a report lists. */
static inline size_t psopack_report_shown(const psopack_lint_report_options *options, size_t count)
{
    return options->names_max && options->names_max < count ? options->names_max : count;
}

/* "error", "warning" or "note": the words of all reports, and SARIF's levels. */
const char *psopack_report_severity(psopack_lint_severity severity);

/*
 * A malloc'ed copy of `text` with control characters, and also bytes from 0x80 on when `ascii`, as
 * \xHH. NULL when memory is out.
 */
char *psopack_report_escape(const char *text, bool ascii);

/* A JSON string; text that is no UTF-8 is escaped. NULL when memory is out. */
json_t *psopack_report_string(const char *text);

/* Adds a member and takes `value`, which may be NULL: then and when memory is out `*ok` turns
 * false.
 */
void psopack_report_set(json_t *object, const char *key, json_t *value, bool *ok);
void psopack_report_append(json_t *array, json_t *value, bool *ok);

/* Writes the JSON text and frees `root`. NOMEM when it is NULL or not `ok`. */
psopack_status psopack_report_dump(json_t *root, bool ok,
                                   const psopack_lint_report_options *options);

#endif
