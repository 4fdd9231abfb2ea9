/* SPDX-License-Identifier: MIT */
/* Status names, texts and exit codes from one table; the two ways to fill a psopack_diag. */
#include "format/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef struct status_row {
    psopack_status code;
    int exit_code;
    const char *name;
    const char *text;
} status_row;

#define ROW(code, exit_code, text)                                                                 \
    {                                                                                              \
        code, exit_code, #code, text                                                               \
    }

static const status_row status_rows[] = {
    ROW(PSOPACK_OK, 0, "success"),
    ROW(PSOPACK_E_NOMEM, 1, "out of memory"),
    ROW(PSOPACK_E_IO, 1, "input or output failed"),
    ROW(PSOPACK_E_NO_SPACE, 1, "no space left"),
    ROW(PSOPACK_E_CANCELLED, 130, "stopped on request"),
    ROW(PSOPACK_E_BUSY, 1, "in use elsewhere"),
    ROW(PSOPACK_E_NO_ENTRY, 1, "no such file or directory"),
    ROW(PSOPACK_E_ACCESS, 1, "access denied"),
    ROW(PSOPACK_E_NOT_ARCHIVE, 3, "not a psopack archive"),
    ROW(PSOPACK_E_TRUNCATED, 3, "bytes are missing at the end"),
    ROW(PSOPACK_E_EXTENDED, 3, "bytes follow the end"),
    ROW(PSOPACK_E_CHECKSUM, 3, "a stored check does not match"),
    ROW(PSOPACK_E_CORRUPT, 3, "a stored value is impossible"),
    ROW(PSOPACK_E_TUPLE, 3, "the parts of a PSO are not the parts that were packed"),
    ROW(PSOPACK_E_VERSION, 4, "unknown format version"),
    ROW(PSOPACK_E_FEATURE, 4, "needs a feature this library does not have"),
    ROW(PSOPACK_E_STALE_TARGET, 4, "built for another target"),
    ROW(PSOPACK_E_STALE_CONTENT, 4, "built from another content version"),
    ROW(PSOPACK_E_BASE_MISSING, 4, "a layer needs its base"),
    ROW(PSOPACK_E_BASE_WRONG, 4, "the base has other content"),
    ROW(PSOPACK_E_BASE_REPACKED, 4, "the base has the same content, packed differently"),
    ROW(PSOPACK_E_LIMIT, 6, "a limit is exceeded"),
    ROW(PSOPACK_E_NOT_FOUND, 1, "not found"),
    ROW(PSOPACK_E_ABSENT, 1, "the slot is absent"),
    ROW(PSOPACK_E_NO_NAMES, 1, "names not present"),
    ROW(PSOPACK_E_BUFFER, 1, "the buffer is too small"),
    ROW(PSOPACK_E_NOT_MAPPED, 1, "no direct pointer: read a copy"),
    ROW(PSOPACK_E_EXISTS, 1, "exists already"),
    ROW(PSOPACK_E_COLLISION, 1, "same hash, other key"),
    ROW(PSOPACK_E_FULL, 1, "the store is full"),
    ROW(PSOPACK_E_UNAVAILABLE, 1, "not available now"),
    ROW(PSOPACK_E_NO_HASHES, 1, "content hashes not present"),
    ROW(PSOPACK_E_ARGUMENT, 2, "an argument is not valid"),
    ROW(PSOPACK_E_NAME, 1, "a name is not valid"),
    ROW(PSOPACK_E_DUPLICATE, 1, "one name, two contents"),
    ROW(PSOPACK_E_LAYOUT, 1, "the input is not laid out as documented"),
    ROW(PSOPACK_E_LOOP, 1, "directories form a loop"),
    ROW(PSOPACK_E_CHANGED, 1, "an input changed while it was read"),
    ROW(PSOPACK_E_SYNTAX, 1, "malformed text"),
    ROW(PSOPACK_E_FILE_TYPE, 1, "neither a file nor a directory"),
    ROW(PSOPACK_E_LINT, 1, "the lint found errors"),
    ROW(PSOPACK_E_INTERNAL, 1, "psopack failed a check on itself"),
};

static const status_row *find_row(psopack_status status)
{
    for (size_t i = 0; i < sizeof status_rows / sizeof status_rows[0]; i++) {
        if (status_rows[i].code == status)
            return &status_rows[i];
    }
    return NULL;
}

const char *psopack_status_name(psopack_status status)
{
    const status_row *row = find_row(status);
    return row ? row->name : "PSOPACK_E_UNKNOWN";
}

const char *psopack_status_text(psopack_status status)
{
    const status_row *row = find_row(status);
    return row ? row->text : "unknown status";
}

int psopack_status_exit_code(psopack_status status)
{
    const status_row *row = find_row(status);
    return row ? row->exit_code : 1;
}

void psopack_diag_fill(psopack_diag *diag, psopack_status code, psopack_object object,
                       uint64_t index, uint64_t offset, const char *format, ...)
{
    if (!diag)
        return;
    diag->code = code;
    diag->object = object;
    diag->index = index;
    diag->offset = offset;
    va_list arguments;
    va_start(arguments, format);
    int wanted = vsnprintf(diag->text, sizeof diag->text, format, arguments);
    va_end(arguments);
    if (wanted < 0)
        diag->text[0] = '\0';
    else if ((size_t)wanted >= sizeof diag->text)
        memcpy(diag->text + sizeof diag->text - 4, "...", 4);
}
