/* SPDX-License-Identifier: MIT */
/* Words, escapes and JSON plumbing of the reports. */
#include "lint/report.h"

#include <stdlib.h>
#include <string.h>

const char *psopack_report_severity(psopack_lint_severity severity)
{
    if (severity == PSOPACK_LINT_ERROR)
        return "error";
    return severity == PSOPACK_LINT_WARNING ? "warning" : "note";
}

char *psopack_report_escape(const char *text, bool ascii)
{
    static const char digits[] = "0123456789abcdef";
    char *escaped = malloc(4 * strlen(text) + 1);
    if (!escaped)
        return NULL;
    char *out = escaped;
    for (; *text; text++) {
        unsigned char byte = (unsigned char)*text;
        if (byte >= 0x20 && byte != 0x7f && (byte < 0x80 || !ascii)) {
            *out++ = *text;
            continue;
        }
        *out++ = '\\';
        *out++ = 'x';
        *out++ = digits[byte >> 4];
        *out++ = digits[byte & 15];
    }
    *out = '\0';
    return escaped;
}

json_t *psopack_report_string(const char *text)
{
    json_t *string = json_string(text);
    if (string)
        return string;
    char *escaped = psopack_report_escape(text, true);
    string = escaped ? json_string(escaped) : NULL;
    free(escaped);
    return string;
}

void psopack_report_set(json_t *object, const char *key, json_t *value, bool *ok)
{
    if (json_object_set_new(object, key, value) != 0)
        *ok = false;
}

void psopack_report_append(json_t *array, json_t *value, bool *ok)
{
    if (json_array_append_new(array, value) != 0)
        *ok = false;
}

typedef struct dump_state {
    const psopack_lint_report_options *options;
    psopack_status status;
} dump_state;

static int dump_some(const char *bytes, size_t size, void *context)
{
    dump_state *state = context;
    state->status = state->options->write(state->options->write_context, bytes, size);
    return state->status == PSOPACK_OK ? 0 : -1;
}

psopack_status psopack_report_dump(json_t *root, bool ok,
                                   const psopack_lint_report_options *options)
{
    dump_state state = {options, PSOPACK_OK};
    if (!root || !ok) {
        json_decref(root);
        return PSOPACK_E_NOMEM;
    }
    int failed = json_dump_callback(root, dump_some, &state, JSON_INDENT(2));
    json_decref(root);
    if (failed)
        return state.status != PSOPACK_OK ? state.status : PSOPACK_E_NOMEM;
    return options->write(options->write_context, "\n", 1);
}
