/* SPDX-License-Identifier: MIT */
/* Reads one directory whole, then sorts it by bytes. */
#include "platform/posix.h"

#include "platform/walk_list.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static psopack_walk_item_type type_of_mode(mode_t mode)
{
    if (S_ISREG(mode))
        return PSOPACK_WALK_ITEM_FILE;
    if (S_ISDIR(mode))
        return PSOPACK_WALK_ITEM_DIRECTORY;
    return S_ISLNK(mode) ? PSOPACK_WALK_ITEM_LINK : PSOPACK_WALK_ITEM_OTHER;
}

/* Most file systems tell the type with the name; for the others it costs a call. */
static int find_type(int directory, const struct dirent *entry, psopack_walk_item_type *ret_type)
{
    struct stat system;
#ifdef DT_UNKNOWN
    if (entry->d_type != DT_UNKNOWN) {
        *ret_type = entry->d_type == DT_REG   ? PSOPACK_WALK_ITEM_FILE
                    : entry->d_type == DT_DIR ? PSOPACK_WALK_ITEM_DIRECTORY
                    : entry->d_type == DT_LNK ? PSOPACK_WALK_ITEM_LINK
                                              : PSOPACK_WALK_ITEM_OTHER;
        return 0;
    }
#endif
    if (fstatat(directory, entry->d_name, &system, AT_SYMLINK_NOFOLLOW) != 0)
        return errno;
    *ret_type = type_of_mode(system.st_mode);
    return 0;
}

/* Doubles *memory until `needed` elements of `size` bytes fit. */
static int reserve(void **memory, size_t *capacity, size_t needed, size_t size)
{
    if (needed <= *capacity)
        return 0;
    size_t grown = *capacity ? *capacity : 64;
    while (grown < needed)
        grown *= 2;
    void *moved = realloc(*memory, grown * size);
    if (!moved)
        return ENOMEM;
    *memory = moved;
    *capacity = grown;
    return 0;
}

static int add(psopack_walk_list *list, const char *name, psopack_walk_item_type type)
{
    size_t size = strlen(name);
    void *items = list->items;
    void *names = list->names;
    int error = reserve(&items, &list->item_capacity, list->n_items + 1, sizeof *list->items);
    list->items = items;
    if (error == 0)
        error = reserve(&names, &list->names_capacity, list->names_size + size + 1, 1);
    list->names = names;
    if (error != 0)
        return error;
    memcpy(list->names + list->names_size, name, size + 1);
    list->items[list->n_items++] = (psopack_walk_item){
        .name_at = list->names_size,
        .name_size = size,
        .type = type,
    };
    list->names_size += size + 1;
    return 0;
}

static bool is_self_or_parent(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

static int read_all(psopack_walk_list *list, DIR *entries)
{
    for (;;) {
        errno = 0;
        const struct dirent *entry = readdir(entries);
        if (!entry)
            return errno;
        if (is_self_or_parent(entry->d_name))
            continue;
        psopack_walk_item_type type = PSOPACK_WALK_ITEM_OTHER;
        int error = find_type(dirfd(entries), entry, &type);
        if (error == ENOENT) /* removed since */
            continue;
        if (error == 0)
            error = add(list, entry->d_name, type);
        if (error != 0)
            return error;
    }
}

/* The byte of the item's path at `at`, which is at most one past its name. */
static unsigned char path_byte(const psopack_walk_item *item, size_t at)
{
    if (at < item->name_size)
        return (unsigned char)item->name[at];
    return item->type == PSOPACK_WALK_ITEM_DIRECTORY ? '/' : '\0';
}

static int compare_items(const void *left, const void *right)
{
    const psopack_walk_item *a = left;
    const psopack_walk_item *b = right;
    size_t common = a->name_size < b->name_size ? a->name_size : b->name_size;
    int order = memcmp(a->name, b->name, common);
    return order != 0 ? order : path_byte(a, common) - path_byte(b, common);
}

static void sort_items(psopack_walk_list *list)
{
    for (size_t i = 0; i < list->n_items; i++)
        list->items[i].name = list->names + list->items[i].name_at;
    if (list->n_items > 1)
        qsort(list->items, list->n_items, sizeof *list->items, compare_items);
}

int psopack_walk_list_fill(psopack_walk_list *list, int directory)
{
    list->n_items = 0;
    list->names_size = 0;
    DIR *entries = fdopendir(directory);
    if (!entries) {
        int error = errno;
        (void)close(directory);
        return error;
    }
    int error = read_all(list, entries);
    (void)closedir(entries);
    if (error == 0)
        sort_items(list);
    return error;
}

void psopack_walk_list_free(psopack_walk_list *list)
{
    free(list->items);
    free(list->names);
    *list = (psopack_walk_list){0};
}
