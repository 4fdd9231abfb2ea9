/* SPDX-License-Identifier: MIT */
/*
 * Layers made by hand, for the loader's tests: an ordinary archive of the PSOs that a layer adds or
 * replaces becomes that layer. The packer has no part in it, so that what the loader is told can be
 * anything.
 */
#ifndef PSOPACK_TEST_LAYER_FORGE_H
#define PSOPACK_TEST_LAYER_FORGE_H

#include <psopack/psopack.h>
#include <stdbool.h>
#include <stddef.h>

#include "format/layout.h"

typedef struct forge_input {
    const uint8_t *own; /* an archive of up to 64 KiB a section, without tuple deltas */
    size_t own_size;
    const psopack_archive *base;
    const uint64_t *gone; /* PSOs of the base, ascending */
    size_t gone_count;
    const uint64_t *place;  /* of each own PSO in the whole, ascending */
    const uint32_t *shared; /* by own component: the base's component + 1 that stands for it, 0:
                               none. NULL: none at all */
    bool external;          /* blocks decode against the base's base blocks, found by hash */
    psopack_info whole;     /* counts, sums and content id of the whole */
} forge_input;

/* To be freed; *ret_size bytes. */
uint8_t *forge_layer(const forge_input *input, size_t *ret_size);

/* A section of an archive, to be changed in place; forge_seal() makes all checks right again. */
uint8_t *forge_section(uint8_t *bytes, size_t size, uint32_t id, size_t *ret_size);
void forge_seal(uint8_t *bytes, size_t size);

#endif
