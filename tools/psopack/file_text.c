/* SPDX-License-Identifier: MIT */
/* A whole file, or standard input, in memory: for lists and response files. */
#include "file_text.h"

#include "failure.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static psopack_status read_stream(FILE *stream, const char *path, char **ret_text, size_t *ret_size,
                                  psopack_diag *diag)
{
    char *text = NULL;
    size_t size = 0;
    size_t capacity = 0;
    do {
        if (capacity - size < 2) {
            capacity = capacity ? capacity * 2 : 64 * 1024;
            char *larger = realloc(text, capacity);
            if (!larger) {
                free(text);
                return psopack_failure_memory(diag, path);
            }
            text = larger;
        }
        size += fread(text + size, 1, capacity - size - 1, stream);
    } while (!feof(stream) && !ferror(stream));
    if (ferror(stream)) {
        free(text);
        return psopack_failure_errno(diag, errno, "read", path);
    }
    text[size] = '\0';
    *ret_text = text;
    *ret_size = size;
    return PSOPACK_OK;
}

psopack_status psopack_file_text(const char *path, char **ret_text, size_t *ret_size,
                                 psopack_diag *diag)
{
    if (strcmp(path, "-") == 0)
        return read_stream(stdin, "standard input", ret_text, ret_size, diag);
    FILE *stream = fopen(path, "rb");
    if (!stream)
        return psopack_failure_errno(diag, errno, "open", path);
    psopack_status status = read_stream(stream, path, ret_text, ret_size, diag);
    fclose(stream);
    return status;
}
