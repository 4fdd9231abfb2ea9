/* SPDX-License-Identifier: MIT */
/*
 * Which bit was flipped, by CRC. The CRC of a message and of the same with one bit flipped differ
 * by a value that depends on the bit's distance from the end alone, and no two distances below 2^31
 * bits give the same: so one pass over the distances finds the bit.
 */
#include "format/crc32c.h"
#include "packer/salvage.h"

#define POLYNOMIAL 0x82f63b78u /* CRC32C, reflected */

static uint32_t shift_byte(uint32_t state)
{
    for (int i = 0; i < 8; i++)
        state = (state >> 1) ^ ((state & 1) != 0 ? POLYNOMIAL : 0);
    return state;
}

static bool is_power_of_two(uint32_t value)
{
    return value != 0 && (value & (value - 1)) == 0;
}

bool psopack_mend_bit(uint8_t *bytes, size_t size, uint32_t stored, uint32_t *ret_crc)
{
    uint32_t difference = psopack_crc32c(0, bytes, size) ^ stored, effect[8];
    *ret_crc = stored ^ difference;
    if (difference == 0 || is_power_of_two(difference))
        return true; /* nothing is wrong, or a bit of the check itself */
    for (int bit = 0; bit < 8; bit++)
        effect[bit] = shift_byte(UINT32_C(1) << bit);
    for (size_t at = size; at-- > 0;) {
        for (int bit = 0; bit < 8; bit++) {
            if (effect[bit] == difference) {
                bytes[at] ^= (uint8_t)(1u << bit);
                *ret_crc = stored;
                return true;
            }
            effect[bit] = shift_byte(effect[bit]);
        }
    }
    return false;
}

bool psopack_mend_block(uint8_t *stored, const psopack_block_row *row, const uint8_t *base_hash,
                        size_t first, size_t end)
{
    for (size_t at = first; at < end; at++) {
        for (int bit = 0; bit < 8; bit++) {
            stored[at] ^= (uint8_t)(1u << bit);
            if (psopack_block_check(stored, row->stored_size, row->raw_size, row->transform,
                                    base_hash) == row->check)
                return true;
            stored[at] ^= (uint8_t)(1u << bit);
        }
    }
    return false;
}
