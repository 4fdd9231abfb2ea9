/* SPDX-License-Identifier: MIT */
/* CRC32C by the processor's instruction, or eight bytes at a time through tables. */
#include "format/crc32c.h"

#include <stdbool.h>
#include <string.h>

#include "format/crc32c_table.h"

uint32_t psopack_crc32c_portable(uint32_t crc, const void *data, size_t size)
{
    const uint8_t *at = data;
    crc = ~crc;
    for (; size >= 8; size -= 8, at += 8) {
        uint32_t low =
            crc ^ (at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24);
        crc = crc32c_table[7][low & 255] ^ crc32c_table[6][low >> 8 & 255] ^
              crc32c_table[5][low >> 16 & 255] ^ crc32c_table[4][low >> 24] ^
              crc32c_table[3][at[4]] ^ crc32c_table[2][at[5]] ^ crc32c_table[1][at[6]] ^
              crc32c_table[0][at[7]];
    }
    for (; size > 0; size--, at++)
        crc = crc >> 8 ^ crc32c_table[0][(crc ^ *at) & 255];
    return ~crc;
}

#if defined(__x86_64__) && defined(__GNUC__)

#include <nmmintrin.h>

__attribute__((target("sse4.2"))) static uint32_t crc32c_hardware(uint32_t crc, const void *data,
                                                                  size_t size)
{
    const uint8_t *at = data;
    uint64_t state = ~crc;
    for (; size >= 8; size -= 8, at += 8) {
        uint64_t word;
        memcpy(&word, at, sizeof word);
        state = _mm_crc32_u64(state, word);
    }
    uint32_t rest = (uint32_t)state;
    for (; size > 0; size--, at++)
        rest = _mm_crc32_u8(rest, *at);
    return ~rest;
}

static bool have_hardware(void)
{
    return __builtin_cpu_supports("sse4.2");
}

#elif defined(__aarch64__) && defined(__ARM_FEATURE_CRC32)

#include <arm_acle.h>

static uint32_t crc32c_hardware(uint32_t crc, const void *data, size_t size)
{
    const uint8_t *at = data;
    crc = ~crc;
    for (; size >= 8; size -= 8, at += 8) {
        uint64_t word;
        memcpy(&word, at, sizeof word);
        crc = __crc32cd(crc, word);
    }
    for (; size > 0; size--, at++)
        crc = __crc32cb(crc, *at);
    return ~crc;
}

static bool have_hardware(void)
{
    return true;
}

#else

static uint32_t crc32c_hardware(uint32_t crc, const void *data, size_t size)
{
    return psopack_crc32c_portable(crc, data, size);
}

static bool have_hardware(void)
{
    return false;
}

#endif

uint32_t psopack_crc32c(uint32_t crc, const void *data, size_t size)
{
    return have_hardware() ? crc32c_hardware(crc, data, size)
                           : psopack_crc32c_portable(crc, data, size);
}
