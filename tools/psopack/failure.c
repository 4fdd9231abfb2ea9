/* SPDX-License-Identifier: MIT */
/* Fills a psopack_diag for failures that the program finds itself, in the shape the libraries use.
 */
#include "failure.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

psopack_status psopack_failure(psopack_diag *diag, psopack_status code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int wanted = vsnprintf(diag->text, sizeof diag->text, format, arguments);
    va_end(arguments);
    if (wanted < 0)
        diag->text[0] = '\0';
    else if ((size_t)wanted >= sizeof diag->text)
        memcpy(diag->text + sizeof diag->text - 4, "...", 4);
    diag->code = code;
    diag->object = PSOPACK_OBJECT_NONE;
    diag->index = 0;
    diag->offset = UINT64_MAX;
    return code;
}

static psopack_status status_of_errno(int error)
{
    switch (error) {
    case ENOMEM:
        return PSOPACK_E_NOMEM;
    case ENOSPC:
    case EDQUOT:
        return PSOPACK_E_NO_SPACE;
    case ENOENT:
        return PSOPACK_E_NO_ENTRY;
    case EACCES:
    case EPERM:
    case EROFS:
        return PSOPACK_E_ACCESS;
    case EEXIST:
        return PSOPACK_E_EXISTS;
    case EISDIR:
    case ENOTDIR:
    case ELOOP:
        return PSOPACK_E_FILE_TYPE;
    case EFBIG:
    case ENAMETOOLONG:
        return PSOPACK_E_LIMIT;
    default:
        return PSOPACK_E_IO;
    }
}

psopack_status psopack_failure_errno(psopack_diag *diag, int error, const char *action,
                                     const char *path)
{
    /* The program never calls setlocale(), so the text is English for every user. */
    return psopack_failure(diag, status_of_errno(error), "%s: cannot %s: %s", path, action,
                           strerror(error));
}

psopack_status psopack_failure_memory(psopack_diag *diag, const char *what)
{
    return psopack_failure(diag, PSOPACK_E_NOMEM, "no memory for %s", what);
}
