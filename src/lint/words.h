/* SPDX-License-Identifier: MIT */
/* Little-endian words in blobs of any alignment. */
#ifndef PSOPACK_LINT_WORDS_H
#define PSOPACK_LINT_WORDS_H

#include <stdint.h>

static inline uint32_t psopack_lint_load32(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
           (uint32_t)bytes[3] << 24;
}

static inline void psopack_lint_store32(uint8_t *ret_bytes, uint32_t value)
{
    for (unsigned i = 0; i < 4; i++)
        ret_bytes[i] = (uint8_t)(value >> 8 * i);
}

#endif
