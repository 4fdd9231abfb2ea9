/* SPDX-License-Identifier: MIT */
/*
 * stream_levels ARCHIVE LIST LIST... walks through levels, each a list of PSOs, as an open world
 * would: the next level is acquired before the last one is let go, so that what both use stays
 * where it is; what would become free is asked before it is freed.
 */
#include <psopack/residency.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "level.h"

enum { MAX_SLOTS = 256 };

typedef struct game {
    psopack_archive *archive;
    psopack_context *context;
    psopack_residency *residency;
    level_list now; /* the PSOs that are held */
} game;

static psopack_status open_game(game *self, const char *path, psopack_diag *diag)
{
    psopack_status status = psopack_archive_open(path, NULL, &self->archive, diag);
    if (status == PSOPACK_OK)
        status = psopack_context_create(self->archive, NULL, &self->context);
    if (status == PSOPACK_OK)
        status = psopack_residency_create(self->archive, NULL, &self->residency, diag);
    return status;
}

static void close_game(game *self)
{
    free(self->now.psos);
    psopack_residency_destroy(&self->residency);
    psopack_context_destroy(&self->context);
    psopack_archive_close(&self->archive);
}

/* Parts stay where they are while their PSO is held, so the platform may keep pointers. */
static psopack_status create_pipelines(game *self, const level_list *level, level_total *total,
                                       psopack_diag *diag)
{
    psopack_part parts[MAX_SLOTS];
    for (uint32_t i = 0; i < level->count; i++) {
        psopack_status status =
            psopack_residency_parts(self->residency, level->psos[i], parts, diag);
        if (status == PSOPACK_OK)
            status = level_create_pipeline(self->archive, level->psos[i], parts, total, diag);
        if (status != PSOPACK_OK)
            return status;
    }
    return PSOPACK_OK;
}

/* Lets a level go: asks what that frees, gives the references back, frees it. */
static psopack_status leave(game *self, level_list *level, psopack_diag *diag)
{
    psopack_residency_gain gain;
    psopack_status status =
        psopack_residency_would_free(self->residency, level->psos, level->count, &gain, diag);
    if (status != PSOPACK_OK)
        return status;
    for (uint32_t i = 0; i < level->count; i++)
        psopack_residency_release(self->residency, level->psos[i]);
    uint64_t freed = psopack_residency_trim(self->residency, 0);
    printf("left   %6u PSOs: %9" PRIu64 " bytes freed, %" PRIu64 " expected\n", level->count, freed,
           gain.bytes);
    free(level->psos);
    *level = (level_list){NULL, 0};
    return PSOPACK_OK;
}

static psopack_status enter(game *self, const char *list, psopack_diag *diag)
{
    psopack_residency_stats before, after;
    level_total total = {0};
    level_list next = {NULL, 0};
    psopack_status status = level_list_read(self->archive, self->context, list, &next, diag);
    if (status != PSOPACK_OK)
        return status;
    psopack_residency_get_stats(self->residency, &before);
    status =
        psopack_residency_acquire_many(self->residency, self->context, next.psos, next.count, diag);
    if (status == PSOPACK_OK)
        status = create_pipelines(self, &next, &total, diag);
    if (status == PSOPACK_OK && self->now.psos)
        status = leave(self, &self->now, diag);
    if (status != PSOPACK_OK) {
        free(next.psos);
        return status;
    }
    psopack_residency_get_stats(self->residency, &after);
    printf("inside %6" PRIu64 " PSOs: %9" PRIu64 " bytes in memory for %" PRIu64
           " bytes of parts, %" PRIu64 " components loaded\n",
           total.pipelines, after.bytes, total.part_bytes,
           after.component_loads - before.component_loads);
    self->now = next;
    return PSOPACK_OK;
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fputs("usage: stream_levels ARCHIVE LIST...\n", stderr);
        return 2;
    }
    game self = {0};
    psopack_diag diag = {0};
    psopack_status status = open_game(&self, argv[1], &diag);
    for (int i = 2; i < argc && status == PSOPACK_OK; i++)
        status = enter(&self, argv[i], &diag);
    if (status == PSOPACK_OK && self.now.psos)
        status = leave(&self, &self.now, &diag);
    if (status != PSOPACK_OK)
        fprintf(stderr, "%s: %s\n", psopack_status_name(status), diag.text);
    close_game(&self);
    return psopack_status_exit_code(status);
}
