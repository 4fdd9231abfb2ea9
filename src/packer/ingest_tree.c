/* SPDX-License-Identifier: MIT */
/* Folders as input: a PSO per directory that holds files, or a PSO per file (flat). */
#include <string.h>

#include "packer/inputs.h"
#include "platform/walk.h"

typedef struct ingest {
    psopack_inputs *inputs;
    const char *root;
    const char *flat_slot; /* NULL: directories are PSOs */
    const psopack_build_events *events;
    bool keep_going;
    uint32_t origin;
    uint32_t pso; /* of the directory that the last file was in */
    char directory[PSOPACK_WALK_PATH_MAX + 1];
    size_t directory_size;
    bool has_directory;
} ingest;

static psopack_status remember_directory(ingest *state, const psopack_walk_entry *entry,
                                         psopack_diag *diag)
{
    char path[2 * PSOPACK_WALK_PATH_MAX + 2];
    size_t root_size = strlen(state->root);
    if (entry->path_size == 0)
        return psopack_inputs_add_directory(state->inputs, state->root, diag);
    if (root_size + 1 + entry->path_size >= sizeof path)
        return psopack_fail(diag, PSOPACK_E_LIMIT, "%s: the path is too long", state->root);
    memcpy(path, state->root, root_size);
    path[root_size] = '/';
    memcpy(path + root_size + 1, entry->path, entry->path_size + 1);
    return psopack_inputs_add_directory(state->inputs, path, diag);
}

static psopack_status add_flat(ingest *state, const psopack_walk_entry *entry, psopack_diag *diag)
{
    uint32_t pso;
    PSOPACK_TRY(psopack_inputs_add_pso(state->inputs, state->origin, entry->path, entry->path_size,
                                       &pso, diag));
    return psopack_inputs_add_file(state->inputs, pso, state->flat_slot, strlen(state->flat_slot),
                                   (psopack_input_source){NULL}, 0, diag);
}

/* Files of one directory come together, so its PSO is looked up once. */
static psopack_status enter_directory(ingest *state, const psopack_walk_entry *entry,
                                      psopack_diag *diag)
{
    size_t size = entry->name_at - 1;
    if (state->has_directory && size == state->directory_size &&
        memcmp(entry->path, state->directory, size) == 0)
        return PSOPACK_OK;
    PSOPACK_TRY(
        psopack_inputs_add_pso(state->inputs, state->origin, entry->path, size, &state->pso, diag));
    memcpy(state->directory, entry->path, size);
    state->directory_size = size;
    state->has_directory = true;
    return PSOPACK_OK;
}

static psopack_status add_slot(ingest *state, const psopack_walk_entry *entry, psopack_diag *diag)
{
    if (entry->name_at == 0)
        return psopack_fail(diag, PSOPACK_E_LAYOUT,
                            "%s/%s: a file directly in INPUT; each PSO is a folder of files. For a "
                            "folder of loose blobs use --flat SLOT DIR",
                            state->root, entry->path);
    PSOPACK_TRY(enter_directory(state, entry, diag));
    return psopack_inputs_add_file(state->inputs, state->pso, entry->path + entry->name_at,
                                   entry->path_size - entry->name_at, (psopack_input_source){NULL},
                                   0, diag);
}

static psopack_status on_entry(void *context, const psopack_walk_entry *entry, psopack_diag *diag)
{
    ingest *state = context;
    switch (entry->type) {
    case PSOPACK_WALK_DIRECTORY:
        return remember_directory(state, entry, diag);
    case PSOPACK_WALK_FILE:
        return state->flat_slot ? add_flat(state, entry, diag) : add_slot(state, entry, diag);
    default:
        return PSOPACK_OK;
    }
}

/*
 * With keep_going the PSO of a file that cannot be taken goes whole: it is made, if it is not there
 * yet, and marked. A directory that cannot be read counts as the one PSO that it may be.
 */
static psopack_status on_error(void *context, const char *path, bool is_directory,
                               const psopack_diag *failure)
{
    ingest *state = context;
    const char *slash = strrchr(path, '/');
    if (!state->keep_going)
        return failure->code;
    uint32_t pso;
    size_t size =
        state->flat_slot || is_directory || !slash ? strlen(path) : (size_t)(slash - path);
    psopack_status status =
        psopack_inputs_add_pso(state->inputs, state->origin, path, size, &pso, NULL);
    if (status == PSOPACK_OK)
        state->inputs->psos[pso].dropped = true;
    if (state->events->message)
        state->events->message(state->events->user, PSOPACK_WARNING, failure->text);
    return status;
}

psopack_status psopack_ingest_tree(psopack_inputs *inputs, const char *path, const char *flat_slot,
                                   const psopack_build_events *events, bool keep_going,
                                   psopack_diag *diag)
{
    ingest *state;
    PSOPACK_TRY(psopack_arena_alloc(&inputs->arena, sizeof *state, sizeof(void *), &state, diag));
    memset(state, 0, sizeof *state);
    state->inputs = inputs;
    state->root = path;
    state->flat_slot = flat_slot;
    state->events = events;
    state->keep_going = keep_going;
    PSOPACK_TRY(psopack_inputs_add_origin(
        inputs, flat_slot ? PSOPACK_ORIGIN_FLAT : PSOPACK_ORIGIN_TREE, path, &state->origin, diag));
    psopack_walk walk = {.on_entry = on_entry, .on_error = on_error, .context = state};
    return psopack_walk_tree(path, &walk, diag);
}
