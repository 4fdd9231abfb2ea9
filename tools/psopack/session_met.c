/* SPDX-License-Identifier: MIT */
/* The PSOs that any number of cache sessions have met, each once, most used first. */
#include "session_met.h"

#include "failure.h"
#include "session_paths.h"

#include <psopack/session_pso.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct reading {
    psopack_output *output;
    psopack_met_set *set;
    psopack_diag *diag;
} reading;

/* ---- files ----------------------------------------------------------------------------------- */

static void warn_of_damage(reading *r, const char *path, const psopack_session_file_info *info)
{
    char text[512];
    uint64_t damaged = info->damaged + (info->unfinished_bytes > 0);
    if (damaged == 0)
        return;
    r->set->damaged += damaged;
    snprintf(text, sizeof text,
             "%s: %" PRIu64 " damaged record%s, %" PRIu64 " bytes unfinished at the end: left out",
             path, info->damaged, psopack_plural(info->damaged), info->unfinished_bytes);
    psopack_output_warning(r->output, text);
}

static psopack_status add_files(reading *r, char *const *paths, size_t count)
{
    psopack_met_set *set = r->set;
    psopack_status status = psopack_session_collection_create(NULL, &set->collection);
    if (status != PSOPACK_OK)
        return psopack_failure_memory(r->diag, "the sessions");
    for (size_t i = 0; i < count && status == PSOPACK_OK; i++)
        status = psopack_session_paths(paths[i], &set->files, &set->folders, r->diag);
    for (size_t i = 0; i < set->files.count && status == PSOPACK_OK; i++) {
        psopack_session_file_info info;
        status =
            psopack_session_collection_add(set->collection, set->files.items[i], &info, r->diag);
        if (status == PSOPACK_OK)
            warn_of_damage(r, set->files.items[i], &info);
    }
    psopack_session_collection_sort(set->collection);
    return status;
}

/* ---- values ---------------------------------------------------------------------------------- */

static psopack_status copy_parts(psopack_met *met, const psopack_session_part *parts, size_t count,
                                 psopack_diag *diag)
{
    met->parts = calloc(count + 1, sizeof *met->parts);
    if (!met->parts)
        return psopack_failure_memory(diag, "a PSO");
    met->part_count = count;
    for (size_t i = 0; i < count; i++) {
        met->parts[i] = (psopack_met_part){parts[i].slot, parts[i].bytes, parts[i].size};
        met->bytes += parts[i].size;
    }
    return PSOPACK_OK;
}

/* The check of its record held, so it was stored like this. */
static void warn_of_value(reading *r, const psopack_met *met, psopack_status status)
{
    char text[512];
    int shown = met->name_size < 256 ? (int)met->name_size : 256;
    snprintf(text, sizeof text, "%s: the value of PSO '%.*s' is none: %s: left out", met->path,
             shown, met->name, psopack_status_text(status));
    r->set->damaged++;
    psopack_output_warning(r->output, text);
}

static void discard(psopack_met *met)
{
    free(met->parts);
    free(met->value);
    *met = (psopack_met){0};
}

/* Fills set->psos[set->count], and counts it when its value is a PSO. */
static psopack_status read_value(reading *r, uint64_t index, size_t size)
{
    psopack_met *met = &r->set->psos[r->set->count];
    psopack_session_part parts[PSOPACK_SESSION_SLOTS_MAX];
    size_t count = PSOPACK_SESSION_SLOTS_MAX;
    met->value = malloc(size + 1);
    psopack_status status = PSOPACK_OK;
    if (!met->value)
        status = psopack_failure_memory(r->diag, "a PSO");
    if (status == PSOPACK_OK)
        status = psopack_session_collection_read(r->set->collection, index, met->value, r->diag);
    if (status != PSOPACK_OK) {
        discard(met);
        return status;
    }
    psopack_status value_status = psopack_session_pso_parts(met->value, size, parts, &count);
    if (value_status == PSOPACK_OK) {
        r->set->count++; /* so that it is freed whatever follows */
        return copy_parts(met, parts, count, r->diag);
    }
    warn_of_value(r, met, value_status);
    discard(met);
    return PSOPACK_OK;
}

static psopack_status read_entry(reading *r, uint64_t index)
{
    psopack_session_collected entry;
    psopack_session_pso_name name;
    psopack_session_collection_get(r->set->collection, index, &entry);
    if (psopack_session_pso_name_of(entry.key, entry.key_size, &name) != PSOPACK_OK) {
        r->set->others++;
        return PSOPACK_OK;
    }
    r->set->psos[r->set->count] = (psopack_met){
        .name = name.name,
        .name_size = name.size,
        .content_version = name.content_version,
        .uses = entry.uses,
        .files = entry.files,
        .path = entry.path,
        .conflict_path = entry.conflict_path,
    };
    return read_value(r, index, entry.value_size);
}

psopack_status psopack_met_read(psopack_output *output, char *const *paths, size_t count,
                                psopack_met_set *set, psopack_diag *diag)
{
    reading r = {output, set, diag};
    psopack_status status = add_files(&r, paths, count);
    if (status != PSOPACK_OK)
        return status;
    uint64_t entries = psopack_session_collection_count(set->collection);
    set->psos = calloc(entries + 1, sizeof *set->psos);
    if (!set->psos)
        return psopack_failure_memory(diag, "the sessions");
    for (uint64_t i = 0; i < entries && status == PSOPACK_OK; i++)
        status = read_entry(&r, i);
    return status;
}

void psopack_met_free(psopack_met_set *set)
{
    for (size_t i = 0; i < set->count; i++)
        discard(&set->psos[i]);
    free(set->psos);
    psopack_session_collection_destroy(&set->collection);
    psopack_words_free(&set->files);
    psopack_words_free(&set->folders);
    *set = (psopack_met_set){0};
}

/* ---- one PSO for each name ------------------------------------------------------------------- */

static psopack_status only_version(const psopack_met_set *set, uint64_t *ret_version,
                                   psopack_diag *diag)
{
    *ret_version = set->count > 0 ? set->psos[0].content_version : 0;
    for (size_t i = 1; i < set->count; i++) {
        uint64_t other = set->psos[i].content_version;
        if (other != *ret_version)
            return psopack_failure(diag, PSOPACK_E_ARGUMENT,
                                   "PSOs of content versions %" PRIu64 " and %" PRIu64
                                   " were met: choose with --content-version",
                                   *ret_version, other);
    }
    return PSOPACK_OK;
}

static psopack_status check_conflict(const psopack_met *met, psopack_diag *diag)
{
    int shown = met->name_size < 256 ? (int)met->name_size : 256;
    if (!met->conflict_path)
        return PSOPACK_OK;
    return psopack_failure(diag, PSOPACK_E_DUPLICATE,
                           "PSO '%.*s' has one content in %s and another in %s", shown, met->name,
                           met->path, met->conflict_path);
}

psopack_status psopack_met_select(psopack_met_set *set, const psopack_number *version,
                                  uint64_t *ret_left_out, psopack_diag *diag)
{
    uint64_t wanted = version->value;
    psopack_status status = PSOPACK_OK;
    if (!version->given)
        status = only_version(set, &wanted, diag);
    if (status != PSOPACK_OK)
        return status;
    size_t count = set->count;
    set->count = 0;
    for (size_t i = 0; i < count; i++) {
        psopack_met met = set->psos[i];
        set->psos[i] = (psopack_met){0};
        if (met.content_version != wanted) {
            discard(&met);
            continue;
        }
        if (status == PSOPACK_OK)
            status = check_conflict(&met, diag);
        set->psos[set->count++] = met;
    }
    if (ret_left_out)
        *ret_left_out = count - set->count;
    return status;
}
