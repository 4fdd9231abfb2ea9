/* SPDX-License-Identifier: MIT */
/* The value files of cache sessions that a user names: one by one, or as folders of them. */
#include "session_paths.h"

#include "failure.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool is_value_file(const char *name)
{
    size_t size = strlen(name);
    return size > 4 && strcmp(name + size - 4, ".val") == 0;
}

static int take_visible(const struct dirent *entry)
{
    return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

/* Not alphasort(), which asks the locale. */
static int by_bytes(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static psopack_status walk(const char *folder, psopack_words *files, psopack_words *folders,
                           psopack_diag *diag);

static psopack_status walk_entry(const char *folder, const char *name, psopack_words *files,
                                 psopack_words *folders, psopack_diag *diag)
{
    char path[PATH_MAX];
    struct stat stat;
    size_t size = strlen(folder);
    const char *slash = size > 0 && folder[size - 1] == '/' ? "" : "/";
    int written = snprintf(path, sizeof path, "%s%s%s", folder, slash, name);
    if (written < 0 || (size_t)written >= sizeof path)
        return psopack_failure(diag, PSOPACK_E_LIMIT, "%s: a path below it is too long", folder);
    if (lstat(path, &stat) != 0)
        return psopack_failure_errno(diag, errno, "look at", path);
    if (S_ISDIR(stat.st_mode))
        return walk(path, files, folders, diag);
    if (!is_value_file(name))
        return PSOPACK_OK;
    return psopack_words_add(files, path) ? PSOPACK_OK : psopack_failure_memory(diag, "paths");
}

/* Deep nesting ends with the longest path, so the recursion does too. */
static psopack_status walk(const char *folder, psopack_words *files, psopack_words *folders,
                           psopack_diag *diag)
{
    struct dirent **entries = NULL;
    if (!psopack_words_add(folders, folder))
        return psopack_failure_memory(diag, "paths");
    int count = scandir(folder, &entries, take_visible, by_bytes);
    if (count < 0)
        return psopack_failure_errno(diag, errno, "read the directory", folder);
    psopack_status status = PSOPACK_OK;
    for (int i = 0; i < count; i++) {
        if (status == PSOPACK_OK)
            status = walk_entry(folder, entries[i]->d_name, files, folders, diag);
        free(entries[i]);
    }
    free(entries);
    return status;
}

psopack_status psopack_session_paths(const char *path, psopack_words *files, psopack_words *folders,
                                     psopack_diag *diag)
{
    struct stat info;
    if (stat(path, &info) != 0)
        return psopack_failure_errno(diag, errno, "open", path);
    if (!S_ISDIR(info.st_mode))
        return psopack_words_add(files, path) ? PSOPACK_OK : psopack_failure_memory(diag, "paths");
    size_t before = files->count;
    psopack_status status = walk(path, files, folders, diag);
    if (status == PSOPACK_OK && files->count == before)
        status = psopack_failure(diag, PSOPACK_E_NOT_FOUND,
                                 "%s: no value files of a session (*.val) below it", path);
    return status;
}
