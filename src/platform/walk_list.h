/* SPDX-License-Identifier: MIT */
/* Private to walk: the sorted names of one directory. */
#ifndef PSOPACK_PLATFORM_WALK_LIST_H
#define PSOPACK_PLATFORM_WALK_LIST_H

#include <stddef.h>

typedef enum psopack_walk_item_type {
    PSOPACK_WALK_ITEM_FILE,
    PSOPACK_WALK_ITEM_DIRECTORY,
    PSOPACK_WALK_ITEM_LINK,
    PSOPACK_WALK_ITEM_OTHER
} psopack_walk_item_type;

typedef struct psopack_walk_item {
    const char *name; /* in the list's `names` */
    size_t name_at;
    size_t name_size;
    psopack_walk_item_type type;
} psopack_walk_item;

/* All zero is an empty list; memory is kept from one fill to the next. */
typedef struct psopack_walk_list {
    psopack_walk_item *items;
    size_t n_items;
    size_t item_capacity;
    char *names; /* zero-terminated, one after the other */
    size_t names_size;
    size_t names_capacity;
} psopack_walk_list;

/*
 * Replaces the list by the names in a directory, without "." and "..", sorted as their paths sort:
 * a directory counts as if its name ended in '/'. Takes over and closes the descriptor, also on
 * failure. Returns 0 or an errno; the list is then not usable but may be filled again.
 */
int psopack_walk_list_fill(psopack_walk_list *list, int directory);

void psopack_walk_list_free(psopack_walk_list *list);

#endif
