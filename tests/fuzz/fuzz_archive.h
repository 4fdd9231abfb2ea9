/* SPDX-License-Identifier: MIT */
/* Shared by the targets that feed archives to the loader: reading everything, and sealing. */
#ifndef PSOPACK_FUZZ_ARCHIVE_H
#define PSOPACK_FUZZ_ARCHIVE_H

#include <psopack/psopack.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Opens `size` bytes as an archive and asks for all that is in it: info, slots, kinds, blocks,
 * names, keys, components, tuple checks, verify. Aborts when a promise is broken: bytes handed out
 * that do not have the CRC that was announced, or an archive that verify calls good and that cannot
 * be read.
 */
void fuzz_read_archive(const uint8_t *bytes, size_t size);

/* The same in two steps. A layer is opened on `base`, or alone when it is NULL. NULL: refused. */
psopack_archive *fuzz_open_archive(const uint8_t *bytes, size_t size, const psopack_archive *base);
void fuzz_read_open(const psopack_archive *archive);

/*
 * Makes every check over the manifest and the blocks right again, whatever the values are, so that
 * mutated bytes get past the checks: header, footer, extents of sections, page CRCs, block checks,
 * archive id. Does nothing to what is too small for an archive.
 */
void fuzz_seal_archive(uint8_t *bytes, size_t size);

#endif
