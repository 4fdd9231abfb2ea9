/* SPDX-License-Identifier: MIT */
/* Down from layer to base, each looked at alone; then up again, each opened on the one below. */
#include "chain.h"

#include "failure.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- looking for a base ---------------------------------------------------------------------- */

#define ID_TEXT_SIZE 33

/* The archive that a layer wants, and the best of what is not it. */
typedef struct search {
    const psopack_archive_chain *chain; /* its first archive is the layer */
    psopack_layer_info wanted;
    psopack_archive *found; /* opened alone */
    char *found_path;
    char *other_path; /* NULL: none was named, none has the content */
    uint8_t other_id[16];
    bool other_is_repacked;
} search;

static const char *show_id(const uint8_t id[16], char text[ID_TEXT_SIZE])
{
    for (size_t i = 0; i < 16; i++)
        snprintf(text + 2 * i, 3, "%02x", id[i]);
    return text;
}

/* Remembers why a candidate is not the base. Files that nobody named are not worth a word, unless
 * they hold the content. */
static void note_other(search *s, const char *path, const psopack_info *info, bool is_named)
{
    bool is_repacked = memcmp(info->content_id, s->wanted.base_content_id, 16) == 0;
    if ((!is_named && !is_repacked) || (s->other_path && !(is_repacked && !s->other_is_repacked)))
        return;
    free(s->other_path);
    s->other_path = strdup(path);
    s->other_is_repacked = is_repacked;
    memcpy(s->other_id, info->archive_id, sizeof s->other_id);
}

static bool is_in_chain(const psopack_archive_chain *chain, const psopack_info *info)
{
    for (size_t i = 0; i < chain->count; i++) {
        psopack_info other;
        psopack_archive_info(chain->archives[i], &other);
        if (memcmp(other.archive_id, info->archive_id, 16) == 0)
            return true;
    }
    return false;
}

/* A candidate that can't be opened is none: what is wrong with it is not the question here. */
static bool try_candidate(search *s, const char *path, bool is_named)
{
    psopack_open_options open = PSOPACK_OPEN_OPTIONS_INIT;
    psopack_archive *archive = NULL;
    psopack_info info;
    psopack_diag diag;
    open.flags = PSOPACK_OPEN_ALONE;
    open.limits.base_memory = UINT64_MAX;
    if (psopack_archive_open(path, &open, &archive, &diag) != PSOPACK_OK)
        return false;
    psopack_archive_info(archive, &info);
    if (memcmp(info.archive_id, s->wanted.base_archive_id, 16) == 0) {
        s->found = archive;
        s->found_path = strdup(path);
        return true;
    }
    if (!is_in_chain(s->chain, &info))
        note_other(s, path, &info, is_named);
    psopack_archive_close(&archive);
    return false;
}

static bool try_words(search *s, const psopack_words *words)
{
    for (size_t i = 0; words && i < words->count; i++) {
        if (try_candidate(s, words->items[i], true))
            return true;
    }
    return false;
}

/* Regular files in the layer's folder, in the order of their names. */
static bool try_beside(search *s, const char *layer_path)
{
    const char *slash = strrchr(layer_path, '/');
    int folder_size = slash ? (int)(slash - layer_path + 1) : 0; /* with the slash */
    char path[4096];
    struct dirent **entries;
    bool found = false;
    snprintf(path, sizeof path, "%.*s.", folder_size, layer_path);
    int count = scandir(path, &entries, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        struct stat stat_now;
        int size =
            snprintf(path, sizeof path, "%.*s%s", folder_size, layer_path, entries[i]->d_name);
        if (!found && size < (int)sizeof path && stat(path, &stat_now) == 0 &&
            S_ISREG(stat_now.st_mode))
            found = try_candidate(s, path, false);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
    return found;
}

static psopack_status explain(const search *s, psopack_diag *diag)
{
    char wanted[ID_TEXT_SIZE], other[ID_TEXT_SIZE], who[256] = "this";
    show_id(s->wanted.base_archive_id, wanted);
    show_id(s->other_id, other);
    if (s->chain->count > 1)
        snprintf(who, sizeof who, "its base %.200s", s->chain->paths[0]);
    if (!s->other_path)
        return psopack_failure(diag, PSOPACK_E_BASE_MISSING,
                               "%s is a layer of archive %s, which is not among the files beside "
                               "it: name it with --base FILE",
                               who, wanted);
    if (s->other_is_repacked)
        return psopack_failure(diag, PSOPACK_E_BASE_REPACKED,
                               "%s is a layer of archive %s; %.150s has the same content, packed "
                               "differently (archive %s): name the very file it was made for with "
                               "--base FILE",
                               who, wanted, s->other_path, other);
    return psopack_failure(diag, PSOPACK_E_BASE_WRONG,
                           "%s is a layer of archive %s; %.150s is archive %s: name the right one "
                           "with --base FILE",
                           who, wanted, s->other_path, other);
}

/* ---- the chain ------------------------------------------------------------------------------- */

/* Puts an archive in front of those that are there. Takes both over. */
static psopack_status push(psopack_archive_chain *chain, psopack_archive *archive, char *path,
                           psopack_diag *diag)
{
    if (chain->count == PSOPACK_ARCHIVE_CHAIN_MAX || !path) {
        psopack_archive_close(&archive);
        free(path);
        return path ? psopack_failure(diag, PSOPACK_E_LIMIT, "more than %d layers",
                                      PSOPACK_ARCHIVE_CHAIN_MAX - 1)
                    : psopack_failure_memory(diag, "a path");
    }
    memmove(chain->archives + 1, chain->archives, chain->count * sizeof chain->archives[0]);
    memmove(chain->paths + 1, chain->paths, chain->count * sizeof chain->paths[0]);
    chain->archives[0] = archive;
    chain->paths[0] = path;
    chain->count++;
    return PSOPACK_OK;
}

/* Finds and adds what the undermost layer builds on. */
static psopack_status add_base(psopack_archive_chain *chain, const psopack_layer_info *layer,
                               const psopack_words *named, const psopack_words *others,
                               psopack_diag *diag)
{
    search s = {.chain = chain, .wanted = *layer};
    psopack_status status;
    if (try_words(&s, named) || try_words(&s, others) || try_beside(&s, chain->paths[0]))
        status = push(chain, s.found, s.found_path, diag);
    else
        status = explain(&s, diag);
    free(s.other_path);
    return status;
}

/* Opens each layer again, on the archive below it. */
static psopack_status join(psopack_archive_chain *chain, const psopack_open_options *options,
                           psopack_diag *diag)
{
    for (size_t i = 1; i < chain->count; i++) {
        psopack_open_options open = *options;
        open.base = chain->archives[i - 1];
        if (i + 1 < chain->count) {
            open.target = NULL;
            open.content_version = NULL;
        }
        psopack_archive_close(&chain->archives[i]);
        psopack_status status =
            psopack_archive_open(chain->paths[i], &open, &chain->archives[i], diag);
        if (status != PSOPACK_OK)
            return status;
    }
    return PSOPACK_OK;
}

psopack_status psopack_archive_chain_open(const char *path, const psopack_open_options *options,
                                          const psopack_words *named, const psopack_words *others,
                                          psopack_archive_chain *chain, psopack_diag *diag)
{
    psopack_open_options alone = *options;
    psopack_archive *archive = NULL;
    psopack_layer_info layer;
    alone.flags |= PSOPACK_OPEN_ALONE;
    *chain = (psopack_archive_chain){.count = 0};
    psopack_status status = psopack_archive_open(path, &alone, &archive, diag);
    if (status == PSOPACK_OK)
        status = push(chain, archive, strdup(path), diag);
    if ((options->flags & PSOPACK_OPEN_ALONE) != 0)
        return status;
    while (status == PSOPACK_OK && psopack_archive_layer(chain->archives[0], &layer) == PSOPACK_OK)
        status = add_base(chain, &layer, named, others, diag);
    return status == PSOPACK_OK ? join(chain, options, diag) : status;
}

void psopack_archive_chain_close(psopack_archive_chain *chain)
{
    while (chain->count != 0) {
        chain->count--;
        psopack_archive_close(&chain->archives[chain->count]);
        free(chain->paths[chain->count]);
    }
}
