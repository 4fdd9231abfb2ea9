/* SPDX-License-Identifier: MIT */
/* One slot's record of a tuple CRC. */
#include "format/tuple.h"

#include "format/crc32c.h"
#include "format/layout.h"

uint32_t psopack_tuple_add(uint32_t tuple, const char *slot_name, uint32_t name_size, uint64_t size,
                           uint32_t crc)
{
    psopack_u16le name_size_le = psopack_store16((uint16_t)name_size);
    psopack_u64le size_le = psopack_store64(size);
    psopack_u32le crc_le = psopack_store32(crc);
    tuple = psopack_crc32c(tuple, &name_size_le, sizeof name_size_le);
    tuple = psopack_crc32c(tuple, slot_name, name_size);
    tuple = psopack_crc32c(tuple, &size_le, sizeof size_le);
    return psopack_crc32c(tuple, &crc_le, sizeof crc_le);
}
