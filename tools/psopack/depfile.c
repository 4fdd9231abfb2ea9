/* SPDX-License-Identifier: MIT */
/* A Make rule that says what an output was made from, as compilers write it. */
#include "depfile.h"

#include "failure.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static psopack_status check_name(const char *path, const char *name, psopack_diag *diag)
{
    if (!strpbrk(name, "\r\n"))
        return PSOPACK_OK;
    return psopack_failure(diag, PSOPACK_E_NAME,
                           "%s: no depfile can hold the name '%s': it has a line break", path,
                           name);
}

static void put_escaped(FILE *stream, const char *name)
{
    for (; *name; name++) {
        if (*name == '$')
            fputc('$', stream);
        else if (strchr(" \t#:[]\\", *name))
            fputc('\\', stream);
        fputc(*name, stream);
    }
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void put_rule(FILE *stream, const char *target, char *const *names, size_t count, bool phony)
{
    put_escaped(stream, target);
    fputc(':', stream);
    for (size_t i = 0; i < count; i++) {
        if (i && strcmp(names[i], names[i - 1]) == 0)
            continue;
        fputs(" \\\n ", stream);
        put_escaped(stream, names[i]);
    }
    fputc('\n', stream);
    for (size_t i = 0; i < count && phony; i++) {
        if (i && strcmp(names[i], names[i - 1]) == 0)
            continue;
        put_escaped(stream, names[i]);
        fputs(":\n", stream);
    }
}

static psopack_status publish(const char *path, const char *temporary, const char *target,
                              char *const *names, size_t count, bool phony, psopack_diag *diag)
{
    FILE *stream = fopen(temporary, "wb");
    if (!stream)
        return psopack_failure_errno(diag, errno, "write", path);
    put_rule(stream, target, names, count, phony);
    bool failed = ferror(stream) != 0;
    int error = errno;
    if (fclose(stream) != 0 && !failed) {
        failed = true;
        error = errno;
    }
    if (!failed && rename(temporary, path) == 0)
        return PSOPACK_OK;
    if (!failed)
        error = errno;
    unlink(temporary);
    return psopack_failure_errno(diag, error, "write", path);
}

psopack_status psopack_depfile_write(const char *path, const char *target,
                                     const psopack_words *inputs, bool phony, psopack_diag *diag)
{
    psopack_status status = check_name(path, target, diag);
    for (size_t i = 0; i < inputs->count && status == PSOPACK_OK; i++)
        status = check_name(path, inputs->items[i], diag);
    if (status != PSOPACK_OK)
        return status;
    size_t temporary_size = strlen(path) + 32;
    char *temporary = malloc(temporary_size);
    char **names = malloc((inputs->count + 1) * sizeof *names);
    if (temporary && names) {
        snprintf(temporary, temporary_size, "%s.tmp.%ld", path, (long)getpid());
        if (inputs->count)
            memcpy(names, inputs->items, inputs->count * sizeof *names);
        qsort(names, inputs->count, sizeof *names, compare_names);
        status = publish(path, temporary, target, names, inputs->count, phony, diag);
    } else {
        status = psopack_failure_memory(diag, "the depfile");
    }
    free(names);
    free(temporary);
    return status;
}
