/* SPDX-License-Identifier: MIT */
/*
 * load_level ARCHIVE LIST... loads the PSOs that are named in a list, as a level of a game would:
 * the plan says how much memory, each block is read once, each shared component lies in that memory
 * once, and every PSO's parts go to the platform. A further list is a level on top: its plan leaves
 * out what the levels before it brought.
 */
#include <psopack/load_plan.h>

#include <stdio.h>
#include <stdlib.h>

#include "level.h"

enum { MAX_LEVELS = 8, MAX_SLOTS = 256 };

typedef struct game_level {
    level_list list;
    psopack_load_plan *plan;
    psopack_load_plan_info info;
    void *memory; /* heap 0 of the plan */
    level_total total;
} game_level;

typedef struct game {
    psopack_archive *archive;
    psopack_context *context;
    game_level levels[MAX_LEVELS];
    uint32_t count;
} game;

/* ---- where components are ------------------------------------------------------------------- */

/* psopack_part_fn: the level that has the component. */
static psopack_status find_part(void *user, uint32_t slot, uint32_t component,
                                const void **ret_bytes, uint32_t *ret_crc)
{
    const game *self = user;
    psopack_load_plan_item item;
    (void)slot;
    for (uint32_t i = 0; i < self->count; i++) {
        const game_level *level = &self->levels[i];
        if (psopack_load_plan_find(level->plan, component, 0, &item) == PSOPACK_OK &&
            item.is_loaded) {
            *ret_bytes = (const char *)level->memory + item.offset;
            *ret_crc = item.crc;
            return PSOPACK_OK;
        }
    }
    return PSOPACK_E_NOT_FOUND;
}

static int is_resident(void *user, uint32_t component)
{
    const void *bytes;
    uint32_t crc;
    return find_part(user, 0, component, &bytes, &crc) == PSOPACK_OK;
}

/* ---- one level ------------------------------------------------------------------------------ */

static psopack_status make_plan(game *self, game_level *level, psopack_diag *diag)
{
    psopack_load_plan_options options = PSOPACK_LOAD_PLAN_OPTIONS_INIT;
    options.psos = level->list.psos;
    options.pso_count = level->list.count;
    options.is_resident = is_resident;
    options.resident_user = self;
    options.alignment = 16;
    psopack_status status = psopack_load_plan_create(self->archive, &options, &level->plan, diag);
    if (status != PSOPACK_OK)
        return status;
    psopack_load_plan_get_info(level->plan, &level->info);

    /* C11 wants a multiple of the alignment; one more, so that it is never 0. */
    size_t alignment = level->info.heap_alignment[0] < 16 ? 16 : level->info.heap_alignment[0];
    size_t size = ((size_t)level->info.heap_bytes[0] / alignment + 1) * alignment;
    level->memory = aligned_alloc(alignment, size);
    if (level->memory)
        return PSOPACK_OK;
    snprintf(diag->text, sizeof diag->text, "no memory: the level needs %zu bytes", size);
    return PSOPACK_E_NOMEM;
}

/* Loads on this thread; a game would call the same from its workers, a context for each. */
static psopack_status load(game *self, game_level *level, psopack_diag *diag)
{
    void *heaps[PSOPACK_LOAD_PLAN_HEAPS_MAX] = {level->memory};
    return psopack_load_plan_execute(level->plan, self->context, heaps, NULL, diag);
}

/* The parts of a PSO may lie in several levels: gather them from all of them. */
static psopack_status create_pipelines(game *self, game_level *level, psopack_diag *diag)
{
    psopack_part parts[MAX_SLOTS];
    for (uint32_t i = 0; i < level->list.count; i++) {
        uint32_t pso = level->list.psos[i];
        psopack_status status = psopack_pso_parts(self->archive, pso, find_part, self, parts, diag);
        if (status == PSOPACK_OK)
            status = level_create_pipeline(self->archive, pso, parts, &level->total, diag);
        if (status != PSOPACK_OK)
            return status;
    }
    return PSOPACK_OK;
}

static psopack_status load_level(game *self, const char *list, psopack_diag *diag)
{
    game_level *level = &self->levels[self->count];
    psopack_status status = level_list_read(self->archive, self->context, list, &level->list, diag);
    if (status == PSOPACK_OK)
        status = make_plan(self, level, diag);
    if (status != PSOPACK_OK)
        return status;
    self->count++;
    status = load(self, level, diag);
    if (status == PSOPACK_OK)
        status = create_pipelines(self, level, diag);
    return status;
}

static void report(const game_level *level)
{
    printf("%llu pipelines created, every part and tuple CRC right\n",
           (unsigned long long)level->total.pipelines);
    printf("their parts    %8llu: %12llu bytes\n", (unsigned long long)level->total.parts,
           (unsigned long long)level->total.part_bytes);
    printf("read, distinct %8u: %12llu bytes from %llu in the file, in one allocation of %llu\n",
           level->info.items, (unsigned long long)level->info.component_bytes,
           (unsigned long long)level->info.read_bytes,
           (unsigned long long)level->info.heap_bytes[0]);
    if (level->info.left_out != 0)
        printf("there already  %8u\n", level->info.left_out);
}

/* ---- the program ---------------------------------------------------------------------------- */

static void close_game(game *self)
{
    for (uint32_t i = 0; i < MAX_LEVELS; i++) {
        psopack_load_plan_destroy(&self->levels[i].plan);
        free(self->levels[i].memory);
        free(self->levels[i].list.psos);
    }
    psopack_context_destroy(&self->context);
    psopack_archive_close(&self->archive);
}

int main(int argc, char **argv)
{
    if (argc < 3 || argc > 2 + MAX_LEVELS) {
        fputs("usage: load_level ARCHIVE LIST...\n", stderr);
        return 2;
    }
    game self = {0};
    psopack_diag diag = {0};
    psopack_status status = psopack_archive_open(argv[1], NULL, &self.archive, &diag);
    if (status == PSOPACK_OK)
        status = psopack_context_create(self.archive, NULL, &self.context);
    for (int i = 2; i < argc && status == PSOPACK_OK; i++) {
        status = load_level(&self, argv[i], &diag);
        if (status == PSOPACK_OK)
            report(&self.levels[i - 2]);
    }
    if (status != PSOPACK_OK)
        fprintf(stderr, "%s: %s\n", psopack_status_name(status), diag.text);
    close_game(&self);
    return psopack_status_exit_code(status);
}
