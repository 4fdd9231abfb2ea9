/* SPDX-License-Identifier: MIT */
/* Private to walk: directories that are about to be entered, opened and listed by several threads.
 */
#ifndef PSOPACK_PLATFORM_WALK_AHEAD_H
#define PSOPACK_PLATFORM_WALK_AHEAD_H

#include "platform/walk.h"
#include "platform/walk_list.h"

/* A name in a directory whose path has `path_size` bytes: is its path short enough? */
static inline bool psopack_walk_path_fits(size_t path_size, size_t name_size)
{
    size_t at = path_size > 0 ? path_size + 1 : 0;
    return at <= PSOPACK_WALK_PATH_MAX && name_size <= PSOPACK_WALK_PATH_MAX - at;
}

/* A directory's names, or why they could not be had: `error` is an errno, `action` what failed. */
typedef struct psopack_walk_listing {
    psopack_walk_list list;
    psopack_file_stat stat;
    int error;
    const char *action;
} psopack_walk_listing;

/* Lists the directory at `path` below `root`; a link is not followed. */
void psopack_walk_listing_fill(psopack_walk_listing *listing, int root, const char *path);

/* The next of one directory's directories, in order. All zero is empty; memory is kept. */
typedef struct psopack_walk_ahead {
    psopack_walk_listing *listings;
    size_t count, next;
} psopack_walk_ahead;

/* What is listed: items of `list` from `first` on, whose directory's path is `path`. */
typedef struct psopack_walk_ahead_source {
    int root;
    const char *path;
    size_t path_size;
    const psopack_walk_list *list;
    size_t first;
    unsigned threads;
} psopack_walk_ahead_source;

/*
 * The listing of the item at `source->first`, a directory, valid until the next call. Lists the
 * directories behind it too where several threads may. NULL when memory is out.
 */
psopack_walk_listing *psopack_walk_ahead_take(psopack_walk_ahead *ahead,
                                              const psopack_walk_ahead_source *source);

void psopack_walk_ahead_free(psopack_walk_ahead *ahead);

#endif
