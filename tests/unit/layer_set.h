/* SPDX-License-Identifier: MIT */
/* For tests of layers: archives and forged layers of computed PSO sets. */
#ifndef PSOPACK_TEST_LAYER_SET_H
#define PSOPACK_TEST_LAYER_SET_H

#include "layer_forge.h"
#include "test_packer_set.h"

/* An archive in memory; `bytes` exactly `size` of them. */
typedef struct packed {
    uint8_t *bytes;
    size_t size;
} packed;

packed pack_set(const set *all, psopack_profile profile);

/* Opens it on `base` (NULL: none); fails the test when that fails. */
psopack_archive *open_on(const packed *archive, const psopack_archive *base);

/* A layer that turns an archive of `old` into `whole`. PSOs that differ must use every slot of
 * `old`, so that the layer has them. */
packed pack_layer(const psopack_archive *base, const set *old, const set *whole);

/* A layer that replaces every PSO by itself and decodes against the base's base blocks. */
packed pack_external_layer(const psopack_archive *base, const packed *base_file);

/* The set with some PSOs removed, some changed and some added, one of them with a new slot. */
set changed_set(const set *old);

#endif
