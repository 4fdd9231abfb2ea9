/* SPDX-License-Identifier: MIT */
/* A mount as its files see it. */
#ifndef PSOPACK_LOADER_MOUNT_H
#define PSOPACK_LOADER_MOUNT_H

#include <psopack/mount.h>

#include "loader/archive.h"

struct psopack_mount {
    psopack_allocator allocator;
    size_t size;
    uint32_t count;
    const psopack_archive *archives[PSOPACK_MOUNT_ARCHIVES_MAX];
    /* Components of all archives are numbered through; archive a's begin at first[a]. */
    uint32_t first[PSOPACK_MOUNT_ARCHIVES_MAX + 1];
    uint32_t *homes; /* [first[count]]: such a number, its own when it is at home */
};

#endif
