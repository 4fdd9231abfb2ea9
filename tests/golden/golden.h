/* SPDX-License-Identifier: MIT */
/* What a golden archive holds, as text: what its listing file records and the test compares. */
#ifndef PSOPACK_TEST_GOLDEN_H
#define PSOPACK_TEST_GOLDEN_H

#include <psopack/psopack.h>
#include <stdio.h>

/*
 * Writes one line for the archive, one per kind, one per PSO (its key's answer and tuple CRC) and
 * one per present slot with size, alignment, CRC32C and XXH3-128 of the decoded bytes. Nothing that
 * a packer may change without changing content or features: no offsets, no stored sizes.
 */
psopack_status golden_list(const psopack_archive *archive, FILE *out);

#endif
