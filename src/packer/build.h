/* SPDX-License-Identifier: MIT */
/* Inside of a psopack_build, for tests: hooks that break hashing or dedup on purpose. */
#ifndef PSOPACK_PACKER_BUILD_H
#define PSOPACK_PACKER_BUILD_H

#include "packer/store.h"

/* Applies to psopack_build_write calls that follow. Not part of the public interface. */
void psopack_build_set_hooks(psopack_build *build, const psopack_hooks *hooks);

/* How many bytes of unique components a build keeps in memory; beyond it inputs are read again. */
void psopack_build_set_store_budget(psopack_build *build, uint64_t bytes);

#endif
