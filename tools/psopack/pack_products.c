/* SPDX-License-Identifier: MIT */
/* What pack writes for the build system beside the archive: depfile and stamp. */
#include "pack_products.h"

#include "depfile.h"
#include "failure.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- where the output lies ------------------------------------------------------------------- */

/* The resolved directory that a file is in or will be in: the caller's, NULL when there is none. */
static char *directory_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *directory =
        slash ? strndup(path, slash == path ? 1 : (size_t)(slash - path)) : strdup(".");
    char *resolved = directory ? realpath(directory, NULL) : NULL;
    free(directory);
    return resolved;
}

static bool is_inside(const char *directory, const char *folder)
{
    size_t size = strlen(folder);
    if (strcmp(folder, "/") == 0)
        return true;
    return strncmp(directory, folder, size) == 0 &&
           (directory[size] == '\0' || directory[size] == '/');
}

/* A folder that does not resolve is for the packer to complain about. */
static psopack_status check_folder(const char *output, const char *directory, const char *folder,
                                   psopack_diag *diag)
{
    char *resolved = realpath(folder, NULL);
    bool inside = resolved && is_inside(directory, resolved);
    free(resolved);
    if (!inside)
        return PSOPACK_OK;
    return psopack_failure(diag, PSOPACK_E_ARGUMENT,
                           "%s: lies inside the input %s: the next build would pack it", output,
                           folder);
}

psopack_status psopack_products_check_place(const psopack_options *options, psopack_diag *diag)
{
    char *directory = directory_of(options->output);
    psopack_status status = PSOPACK_OK;
    for (size_t i = 0; directory && i < options->operands.count && status == PSOPACK_OK; i++)
        status = check_folder(options->output, directory, options->operands.items[i], diag);
    for (size_t i = 1; directory && i < options->flat.count && status == PSOPACK_OK; i += 2)
        status = check_folder(options->output, directory, options->flat.items[i], diag);
    free(directory);
    return status;
}

/* ---- depfile and stamp ----------------------------------------------------------------------- */

static bool add_words(psopack_words *inputs, const psopack_words *words)
{
    for (size_t i = 0; i < words->count; i++) {
        if (strcmp(words->items[i], "-") != 0 && !psopack_words_add(inputs, words->items[i]))
            return false;
    }
    return true;
}

static bool add_order(psopack_words *inputs, const char *path)
{
    return !path || strcmp(path, "-") == 0 || psopack_words_add(inputs, path);
}

static bool add_build_inputs(psopack_words *inputs, psopack_build *build)
{
    const char *path = NULL;
    for (size_t i = 0; psopack_build_input(build, i, &path) == PSOPACK_OK; i++) {
        if (!psopack_words_add(inputs, path))
            return false;
    }
    return true;
}

static psopack_status write_depfile(const psopack_options *options, const psopack_met_set *met,
                                    psopack_build *build, psopack_diag *diag)
{
    const char *target = options->depfile_target ? options->depfile_target : options->output;
    psopack_words inputs = {0};
    psopack_status status = PSOPACK_OK;
    if (add_words(&inputs, &options->response_files) && add_words(&inputs, &options->list) &&
        add_order(&inputs, options->order) && add_words(&inputs, &met->files) &&
        add_words(&inputs, &met->folders) && add_build_inputs(&inputs, build))
        status = psopack_depfile_write(options->depfile, target, &inputs,
                                       options->depfile_phony != 0, diag);
    else
        status = psopack_failure_memory(diag, "the depfile");
    psopack_words_free(&inputs);
    return status;
}

static psopack_status touch(const char *path, psopack_diag *diag)
{
    int file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0)
        return psopack_failure_errno(diag, errno, "touch", path);
    int error = futimens(file, NULL) == 0 ? 0 : errno;
    close(file);
    return error == 0 ? PSOPACK_OK : psopack_failure_errno(diag, error, "touch", path);
}

psopack_status psopack_products_write(const psopack_options *options, const psopack_met_set *met,
                                      psopack_build *build, psopack_diag *diag)
{
    psopack_status status = PSOPACK_OK;
    if (options->depfile)
        status = write_depfile(options, met, build, diag);
    if (status == PSOPACK_OK && options->stamp)
        status = touch(options->stamp, diag);
    return status;
}
