/* SPDX-License-Identifier: MIT */
/*
 * The tuple CRC of a PSO: CRC32C over its present slots in byte order of their names; for each the
 * name's size (u16), the name, the component's size (u64) and CRC32C (u32), all little-endian.
 * Start with 0. Absent slots add nothing; a PSO without slots has tuple CRC 0.
 */
#ifndef PSOPACK_FORMAT_TUPLE_H
#define PSOPACK_FORMAT_TUPLE_H

#include <stdint.h>

uint32_t psopack_tuple_add(uint32_t tuple, const char *slot_name, uint32_t name_size, uint64_t size,
                           uint32_t crc);

#endif
