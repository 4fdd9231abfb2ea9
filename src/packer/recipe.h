/* SPDX-License-Identifier: MIT */
/*
 * The recipe: a line in META that names everything but the input and libzstd's version that decides
 * an archive's bytes. Equal content packed by an equal recipe is an equal archive.
 */
#ifndef PSOPACK_PACKER_RECIPE_H
#define PSOPACK_PACKER_RECIPE_H

#include <stddef.h>

#include "packer/profile.h"

/*
 * Counts changes of the packer that change what it makes of the same input: another choice of
 * bases, another order of blocks, another way to write a column. Raise it with each.
 */
#define PSOPACK_PLAN_REVISION 2

#define PSOPACK_RECIPE_SIZE 576 /* bytes, more than all fields at their widest */

/* Writes the line; returns its length, as snprintf does. `order` is the hash of a load order (16
 * bytes), NULL without one. */
int psopack_recipe_describe(const psopack_profile_settings *settings, const uint8_t *order,
                            char *text, size_t size);

#endif
