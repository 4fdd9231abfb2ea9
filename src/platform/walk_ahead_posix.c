/* SPDX-License-Identifier: MIT */
/*
 * Opening and listing is most of what a walk costs, and each directory can be listed alone. So they
 * are listed some at a time, in parallel, and handed out in order: the walk sees no difference.
 */
#include "platform/posix.h"

#include "format/error.h"
#include "platform/parallel.h"
#include "platform/path.h"
#include "platform/walk_ahead.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Enough that starting the threads (some 30 us) is small beside it, few enough to hold in memory.
 */
#define AHEAD_MAX 64

static void failed(psopack_walk_listing *listing, int error, const char *action)
{
    listing->error = error;
    listing->action = action;
}

void psopack_walk_listing_fill(psopack_walk_listing *listing, int root, const char *path)
{
    struct stat system;
    int fd = psopack_openat(root, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
    if (fd < 0) {
        failed(listing, errno, "open the directory");
        return;
    }
    if (fstat(fd, &system) != 0) {
        failed(listing, errno, "stat");
        (void)close(fd);
        return;
    }
    psopack_stat_from_system(&system, &listing->stat);
    failed(listing, psopack_walk_list_fill(&listing->list, fd), "list the directory");
}

typedef struct batch {
    const psopack_walk_ahead_source *source;
    psopack_walk_listing *listings;
    const psopack_walk_item *items[AHEAD_MAX];
    size_t count;
} batch;

static psopack_status list_one(void *context, unsigned worker, uint64_t index, psopack_diag *diag)
{
    const batch *work = context;
    const psopack_walk_item *item = work->items[index];
    size_t at = work->source->path_size;
    char path[PSOPACK_WALK_PATH_MAX + 1];
    (void)worker;
    (void)diag;
    memcpy(path, work->source->path, at);
    if (at > 0)
        path[at++] = '/';
    memcpy(path + at, item->name, item->name_size + 1);
    psopack_walk_listing_fill(&work->listings[index], work->source->root, path);
    return PSOPACK_OK;
}

/* Items that are too deep to be named are left to the walk, which says so. */
static void choose(batch *work)
{
    const psopack_walk_ahead_source *source = work->source;
    size_t most = source->threads > 1 ? AHEAD_MAX : 1;
    for (size_t i = source->first; i < source->list->n_items && work->count < most; i++) {
        const psopack_walk_item *item = &source->list->items[i];
        if (item->type == PSOPACK_WALK_ITEM_DIRECTORY &&
            psopack_walk_path_fits(source->path_size, item->name_size))
            work->items[work->count++] = item;
    }
}

psopack_walk_listing *psopack_walk_ahead_take(psopack_walk_ahead *ahead,
                                              const psopack_walk_ahead_source *source)
{
    if (ahead->next < ahead->count)
        return &ahead->listings[ahead->next++];
    if (!ahead->listings)
        ahead->listings = calloc(AHEAD_MAX, sizeof *ahead->listings);
    if (!ahead->listings)
        return NULL;
    batch work = {.source = source, .listings = ahead->listings};
    choose(&work);
    if (psopack_parallel_for(work.count, source->threads, list_one, &work, NULL, NULL) !=
        PSOPACK_OK)
        return NULL;
    ahead->count = work.count;
    ahead->next = 1;
    return &ahead->listings[0];
}

void psopack_walk_ahead_free(psopack_walk_ahead *ahead)
{
    for (size_t i = 0; ahead->listings && i < AHEAD_MAX; i++)
        psopack_walk_list_free(&ahead->listings[i].list);
    free(ahead->listings);
    *ahead = (psopack_walk_ahead){0};
}
