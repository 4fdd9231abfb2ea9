/* SPDX-License-Identifier: MIT */
/*
 * load_level ARCHIVE LIST loads every PSO whose name is a line of LIST, as a level of a game would:
 * each shared component once, all of them in one allocation, every PSO checked.
 */
#include <psopack/psopack.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SLOTS = 256, MAX_NAME = 4096 };

/* One component of the archive, as far as this level goes. */
typedef struct level_part {
    bool wanted;
    uint32_t crc;
    uint64_t size;
    size_t offset; /* in the level's memory */
} level_part;

typedef struct game_level {
    psopack_archive *archive;
    psopack_context *context;
    psopack_info info;
    uint32_t *psos;
    size_t pso_count;
    level_part *parts; /* one per component of the archive */
    unsigned char *memory;
    size_t memory_size;
    uint64_t references;
    uint64_t reference_bytes;
    uint64_t loaded;
    uint64_t loaded_bytes;
} game_level;

static psopack_status out_of_memory(psopack_diag *diag)
{
    snprintf(diag->text, sizeof diag->text, "out of memory");
    return PSOPACK_E_NOMEM;
}

static psopack_status open_level(game_level *level, const char *path, psopack_diag *diag)
{
    psopack_status status = psopack_archive_open(path, NULL, &level->archive, diag);
    if (status)
        return status;
    psopack_archive_info(level->archive, &level->info);
    level->psos = calloc((size_t)level->info.psos + 1, sizeof *level->psos);
    level->parts = calloc((size_t)level->info.components + 1, sizeof *level->parts);
    if (!level->psos || !level->parts ||
        psopack_context_create(level->archive, NULL, &level->context))
        return out_of_memory(diag);
    return PSOPACK_OK;
}

/* Finds the PSOs of the list; a name that the archive lacks ends it. */
static psopack_status find_psos(game_level *level, FILE *list, psopack_diag *diag)
{
    char name[MAX_NAME + 2];
    while (fgets(name, sizeof name, list)) {
        size_t size = strcspn(name, "\n");
        uint32_t pso;
        psopack_status status =
            psopack_pso_find(level->archive, level->context, name, size, &pso, diag);
        if (status)
            return status;
        if (level->pso_count == level->info.psos) {
            snprintf(diag->text, sizeof diag->text, "the list names more PSOs than there are");
            return PSOPACK_E_LIMIT;
        }
        level->psos[level->pso_count++] = pso;
    }
    return PSOPACK_OK;
}

/* Marks what the PSOs need. A component that several of them use is marked once. */
static psopack_status mark_parts(game_level *level, psopack_diag *diag)
{
    uint32_t components[MAX_SLOTS];
    for (size_t i = 0; i < level->pso_count; i++) {
        psopack_status status =
            psopack_pso_components(level->archive, level->psos[i], components, diag);
        if (status)
            return status;
        for (uint32_t slot = 0; slot < level->info.slots; slot++) {
            if (components[slot] != PSOPACK_ABSENT)
                level->parts[components[slot]].wanted = true;
        }
    }
    return PSOPACK_OK;
}

/* Gives every part its place: sizes and alignments are known before anything is read. */
static psopack_status place_parts(game_level *level, psopack_diag *diag)
{
    for (uint32_t i = 0; i < level->info.components; i++) {
        level_part *part = &level->parts[i];
        if (!part->wanted)
            continue;
        psopack_component_info info;
        psopack_status status = psopack_component_get(level->archive, i, &info, diag);
        if (status)
            return status;
        size_t mask = (size_t)info.alignment - 1;
        part->size = info.size;
        part->offset = (level->memory_size + mask) & ~mask;
        level->memory_size = part->offset + (size_t)part->size;
        level->loaded++;
        level->loaded_bytes += part->size;
    }
    level->memory = malloc(level->memory_size + 1);
    return level->memory ? PSOPACK_OK : out_of_memory(diag);
}

/* Reads in order of index: neighbours lie in one block, which is then decoded once. */
static psopack_status read_parts(game_level *level, psopack_diag *diag)
{
    for (uint32_t i = 0; i < level->info.components; i++) {
        level_part *part = &level->parts[i];
        if (!part->wanted)
            continue;
        psopack_status status =
            psopack_component_read(level->archive, level->context, i, level->memory + part->offset,
                                   (size_t)part->size, &part->crc, diag);
        if (status)
            return status;
    }
    return PSOPACK_OK;
}

/* Every PSO must consist of exactly the parts that were packed. */
static psopack_status check_psos(game_level *level, psopack_diag *diag)
{
    uint32_t components[MAX_SLOTS];
    uint32_t crcs[MAX_SLOTS];
    uint64_t sizes[MAX_SLOTS];
    for (size_t i = 0; i < level->pso_count; i++) {
        uint32_t pso = level->psos[i];
        psopack_status status = psopack_pso_components(level->archive, pso, components, diag);
        if (status)
            return status;
        for (uint32_t slot = 0; slot < level->info.slots; slot++) {
            if (components[slot] == PSOPACK_ABSENT)
                continue;
            const level_part *part = &level->parts[components[slot]];
            sizes[slot] = part->size;
            crcs[slot] = part->crc;
            level->references++;
            level->reference_bytes += part->size;
        }
        status = psopack_pso_check(level->archive, pso, components, sizes, crcs, diag);
        if (status)
            return status;
    }
    return PSOPACK_OK;
}

static psopack_status load(game_level *level, const char *path, FILE *list, psopack_diag *diag)
{
    psopack_status status = open_level(level, path, diag);
    if (!status)
        status = find_psos(level, list, diag);
    if (!status)
        status = mark_parts(level, diag);
    if (!status)
        status = place_parts(level, diag);
    if (!status)
        status = read_parts(level, diag);
    if (!status)
        status = check_psos(level, diag);
    return status;
}

static void report(const game_level *level)
{
    printf("loaded %zu PSOs, every tuple CRC right\n", level->pso_count);
    printf("their parts    %8llu: %12llu bytes\n", (unsigned long long)level->references,
           (unsigned long long)level->reference_bytes);
    printf("read, distinct %8llu: %12llu bytes in one allocation of %zu\n",
           (unsigned long long)level->loaded, (unsigned long long)level->loaded_bytes,
           level->memory_size);
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fputs("usage: load_level ARCHIVE LIST\n", stderr);
        return 2;
    }
    FILE *list = fopen(argv[2], "r");
    if (!list) {
        perror(argv[2]);
        return 1;
    }
    game_level level = {0};
    psopack_diag diag = {0};
    psopack_status status = load(&level, argv[1], list, &diag);
    if (status)
        fprintf(stderr, "%s: %s\n", psopack_status_name(status), diag.text);
    else
        report(&level);
    free(level.memory);
    free(level.parts);
    free(level.psos);
    psopack_context_destroy(&level.context);
    psopack_archive_close(&level.archive);
    fclose(list);
    return psopack_status_exit_code(status);
}
