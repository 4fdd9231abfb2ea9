/* SPDX-License-Identifier: MIT */
/*
 * An archive that is a file of the system: mapped, or read call by call. With wait.c the only part
 * of the loader that meets the platform; a game with a file system of its own leaves it out.
 */
#include <string.h>

#include "loader/open.h"
#include "platform/file.h"
#include "platform/map.h"

typedef struct file_state {
    psopack_file file; /* open only when not mapped */
    psopack_map map;
    uint64_t offset;   /* of the archive in the file */
    uint8_t front[64]; /* of a mapped archive: its header */
    char path[];       /* for messages */
} file_state;

static psopack_status read_file(const psopack_origin *origin, uint64_t offset, void *buffer,
                                size_t size, psopack_diag *diag)
{
    const file_state *state = origin->state;
    return psopack_file_read_at(&state->file, state->offset + offset, buffer, size, diag);
}

/* A page fault can cost as much as the checks of what it brings. */
static void expect_range(const psopack_origin *origin, uint64_t offset, uint64_t size)
{
    const file_state *state = origin->state;
    psopack_map_advise(&state->map, (size_t)offset, (size_t)size, PSOPACK_MAP_POPULATE);
}

static void close_file(psopack_origin *origin, const psopack_allocator *allocator)
{
    file_state *state = origin->state;
    psopack_map_unmap(&state->map);
    psopack_file_close(&state->file, NULL);
    allocator->release(allocator->user, state, origin->state_size);
}

/* How much of a file of `size` bytes is the archive. */
static psopack_status choose_range(const psopack_open_options *options, uint64_t size,
                                   uint64_t *ret_size, psopack_diag *diag)
{
    if (options->file_offset > size || options->file_size > size - options->file_offset)
        return psopack_fail_at(diag, PSOPACK_E_TRUNCATED, PSOPACK_OBJECT_FILE, 0, size,
                               "the archive is said to be %llu bytes at offset %llu of a file of "
                               "%llu",
                               (unsigned long long)options->file_size,
                               (unsigned long long)options->file_offset, (unsigned long long)size);
    *ret_size = options->file_size ? options->file_size : size - options->file_offset;
    return PSOPACK_OK;
}

/* Opens, measures and maps; what is open when it fails is in `state`. */
static psopack_status open_file(file_state *state, const psopack_open_options *options,
                                uint64_t *ret_size, psopack_diag *diag)
{
    psopack_file_stat stat;
    PSOPACK_TRY(psopack_file_open_read(state->path, &state->file, &stat, diag));
    PSOPACK_TRY(choose_range(options, stat.size, ret_size, diag));
    if ((options->flags & PSOPACK_OPEN_NO_MAP) != 0)
        return PSOPACK_OK;
    /* Touching the mapping at both ends costs page tables twice: a fifth of opening, measured. */
    if (*ret_size >= sizeof state->front)
        PSOPACK_TRY(psopack_file_read_at(&state->file, state->offset, state->front,
                                         sizeof state->front, diag));
    PSOPACK_TRY(psopack_map_range(&state->file, state->offset, *ret_size, &state->map, diag));
    return psopack_file_close(&state->file, diag);
}

psopack_status psopack_archive_open(const char *path, const psopack_open_options *options,
                                    psopack_archive **ret_archive, psopack_diag *diag)
{
    if (!path || !ret_archive)
        return psopack_fail(diag, PSOPACK_E_ARGUMENT, "path and ret_archive must not be NULL");
    psopack_open_options own;
    PSOPACK_TRY(psopack_options_load(options, &own, diag));

    size_t path_size = strlen(path) + 1;
    psopack_origin origin = {.read = read_file,
                             .expect = expect_range,
                             .close = close_file,
                             .state_size = sizeof(file_state) + path_size};
    file_state *state = psopack_allocate(&own.allocator, origin.state_size, diag);
    if (!state)
        return PSOPACK_E_NOMEM;
    state->file = PSOPACK_FILE_NONE;
    state->map = PSOPACK_MAP_NONE;
    state->offset = own.file_offset;
    memcpy(state->path, path, path_size);
    origin.state = state;

    psopack_status status = open_file(state, &own, &origin.size, diag);
    if (status != PSOPACK_OK) {
        close_file(&origin, &own.allocator);
        return status;
    }
    origin.memory = state->map.data;
    origin.is_mapped = state->map.data != NULL;
    if (origin.is_mapped && origin.size >= sizeof state->front) {
        origin.front = state->front;
        origin.front_size = sizeof state->front;
    }
    return psopack_archive_open_origin(&origin, &own, ret_archive, diag);
}

static psopack_status measure_file(const psopack_file *file, uint64_t file_size, size_t state_size,
                                   const psopack_open_options *options, psopack_memory *ret_memory,
                                   psopack_diag *diag)
{
    /* On the stack, without a path behind it: all that read_file() looks at. */
    file_state state = {.file = *file, .map = PSOPACK_MAP_NONE, .offset = options->file_offset};
    psopack_origin origin = {.read = read_file, .state = &state, .state_size = state_size};
    PSOPACK_TRY(choose_range(options, file_size, &origin.size, diag));
    bool is_mapped = (options->flags & PSOPACK_OPEN_NO_MAP) == 0;
    return psopack_origin_memory_needed(&origin, options, is_mapped, ret_memory, diag);
}

psopack_status psopack_archive_memory_needed(const char *path, const psopack_open_options *options,
                                             psopack_memory *ret_memory, psopack_diag *diag)
{
    psopack_open_options own;
    psopack_file file;
    psopack_file_stat stat;
    if (!path || !ret_memory)
        return psopack_fail(diag, PSOPACK_E_ARGUMENT, "path and ret_memory must not be NULL");
    PSOPACK_TRY(psopack_options_load(options, &own, diag));
    PSOPACK_TRY(psopack_file_open_read(path, &file, &stat, diag));
    psopack_status status = measure_file(&file, stat.size, sizeof(file_state) + strlen(path) + 1,
                                         &own, ret_memory, diag);
    psopack_file_close(&file, NULL);
    return status;
}

psopack_status psopack_archive_open_target(const char *const *paths, uint32_t count,
                                           const psopack_open_options *options,
                                           psopack_archive **ret_archive, uint32_t *ret_index,
                                           psopack_diag *diag)
{
    if (!paths || !options || !options->target)
        return psopack_fail(diag, PSOPACK_E_ARGUMENT, "paths and a target are needed");
    psopack_status answer = PSOPACK_E_NO_ENTRY;
    for (uint32_t i = 0; i < count; i++) {
        psopack_status status = psopack_archive_open(paths[i], options, ret_archive, diag);
        if (status == PSOPACK_OK && ret_index)
            *ret_index = i;
        if (status != PSOPACK_E_STALE_TARGET && status != PSOPACK_E_NO_ENTRY)
            return status;
        if (status == PSOPACK_E_STALE_TARGET)
            answer = status;
    }
    return psopack_fail(diag, answer, "none of %u archives is for target '%.200s'", count,
                        options->target);
}
