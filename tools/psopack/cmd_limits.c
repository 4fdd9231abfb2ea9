/* SPDX-License-Identifier: MIT */
/*
 * psopack limits: a shader limits blob as text, or text as a blob. A file of exactly 60 bytes is a
 * blob: no text that names all 15 members is that short.
 */
#include "command.h"
#include "failure.h"
#include "file_text.h"

#include <psopack/lint.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static psopack_status convert(const char *bytes, size_t size, char *ret_text, size_t *ret_size,
                              psopack_diag *diag)
{
    psopack_limits limits;
    psopack_status status;
    if (size == PSOPACK_LIMITS_SIZE) {
        status = psopack_limits_decode(bytes, size, &limits, diag);
        if (status == PSOPACK_OK)
            *ret_size = psopack_limits_print(&limits, ret_text);
        return status;
    }
    status = psopack_limits_parse(bytes, size, &limits, diag);
    if (status == PSOPACK_OK) {
        psopack_limits_encode(&limits, (uint8_t *)ret_text);
        *ret_size = PSOPACK_LIMITS_SIZE;
    }
    return status;
}

static psopack_status write_out(const char *path, const char *bytes, size_t size,
                                psopack_diag *diag)
{
    FILE *file = path ? fopen(path, "wb") : stdout;
    if (!file)
        return psopack_failure_errno(diag, errno, "create", path);
    bool written = fwrite(bytes, 1, size, file) == size;
    if (path && fclose(file) != 0)
        written = false;
    return written ? PSOPACK_OK
                   : psopack_failure_errno(diag, errno, "write", path ? path : "standard output");
}

int psopack_command_limits(psopack_output *output, const psopack_options *options)
{
    const char *path = options->operands.items[0];
    char text[PSOPACK_LIMITS_TEXT_SIZE];
    char *bytes = NULL;
    size_t size = 0, text_size = 0;
    psopack_diag diag;
    psopack_status status = psopack_file_text(path, &bytes, &size, &diag);
    if (status == PSOPACK_OK)
        status = convert(bytes, size, text, &text_size, &diag);
    if (status == PSOPACK_OK)
        status = write_out(options->output, text, text_size, &diag);
    free(bytes);
    return status == PSOPACK_OK ? 0 : psopack_output_fail(output, path, &diag);
}
