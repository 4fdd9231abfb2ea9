/* SPDX-License-Identifier: MIT */
/*
 * CRC32C (Castagnoli, polynomial 0x1EDC6F41, reflected), as in iSCSI and ext4: the check of
 * components, sections and tuples. Uses the processor's instruction where there is one (about 9
 * GB/s), else tables (about 2 GB/s); both give the same value.
 */
#ifndef PSOPACK_FORMAT_CRC32C_H
#define PSOPACK_FORMAT_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* Continues `crc` (0 to begin) over `size` bytes: crc32c(crc32c(0, a), b) == crc32c(0, ab). */
uint32_t psopack_crc32c(uint32_t crc, const void *data, size_t size);

/* The table version, on any processor: what the tests compare the other with. */
uint32_t psopack_crc32c_portable(uint32_t crc, const void *data, size_t size);

#endif
