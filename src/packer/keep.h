/* SPDX-License-Identifier: MIT */
/*
 * What a build takes over from older archives. The choice depends on the build's content and on
 * those archives alone, so the result is as reproducible as any other build.
 */
#ifndef PSOPACK_PACKER_KEEP_H
#define PSOPACK_PACKER_KEEP_H

#include "packer/old_archive.h"

typedef enum psopack_keep_how {
    PSOPACK_KEEP_IN_PLACE, /* one archive: every block stays where it is, dead ones too */
    PSOPACK_KEEP_MOVED,    /* blocks that still hold enough are copied to new places */
    PSOPACK_KEEP_OUTSIDE   /* a layer: nothing is copied, components and bases are referred to */
} psopack_keep_how;

typedef struct psopack_keep {
    psopack_old *const *olds; /* matched; a layer's chain: the lowest first */
    uint32_t count;
    psopack_keep_how how;
    bool no_stale; /* moved: keep no block that holds anything unused */
} psopack_keep;

/* What is dead of the blocks kept. */
typedef struct psopack_waste {
    uint64_t dead_bytes; /* stored bytes of dead blocks, and of live ones the share that is dead */
    uint64_t kept_bytes; /* stored, in all */
} psopack_waste;

#endif
