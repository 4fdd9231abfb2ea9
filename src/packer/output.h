/* SPDX-License-Identifier: MIT */
/*
 * The archive that is at the output's place before a build: when it already is what the build would
 * write nothing is planned or compressed.
 */
#ifndef PSOPACK_PACKER_OUTPUT_H
#define PSOPACK_PACKER_OUTPUT_H

#include "packer/model.h"
#include "packer/old_archive.h"
#include "packer/profile.h"

/* Opens what is at `path`; NULL when there is no archive of this packer, recipe and libzstd, for
 * whatever reason: it will be replaced. The caller closes it. `order`: see recipe.h. */
psopack_old *psopack_output_open(const char *path, const psopack_profile_settings *settings,
                                 const uint8_t *order);

/*
 * Whether it is, byte for byte, what a build of `model` would write: it has the model's content,
 * and is whole. Reads every stored byte, decodes none.
 */
bool psopack_output_is_current(const psopack_old *output, const psopack_model *model, bool hashes);

#endif
