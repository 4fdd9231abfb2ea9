/* SPDX-License-Identifier: MIT */
/*
 * How 64-bit keys are filed: mixed by a bijection, so that also keys 1, 2, 3 spread evenly; the top
 * bits choose a bucket of about eight, the rest of the mixed key lies in the bucket in ascending
 * order beside the PSO's index.
 *
 * `small` archives keep no key. A table of cells (a Bloomier filter, built as an xor filter is)
 * gives the page of names that a PSO with this key would be in: the xor of one cell in each third
 * of the table. For a key that no PSO has it gives any page; the names there decide.
 */
#ifndef PSOPACK_FORMAT_KEYS_H
#define PSOPACK_FORMAT_KEYS_H

#include <stddef.h>
#include <stdint.h>

#define PSOPACK_KEY_BUCKET_ROWS 8u

/* The key of a PSO name: XXH3-64 with the archive's seed. */
uint64_t psopack_name_key(const void *name, size_t size, uint64_t seed);

/* MurmurHash3's 64-bit finalizer: invertible, so different keys stay different. */
static inline uint64_t psopack_key_mix(uint64_t key)
{
    key ^= key >> 33;
    key *= UINT64_C(0xff51afd7ed558ccd);
    key ^= key >> 33;
    key *= UINT64_C(0xc4ceb9fe1a85ec53);
    key ^= key >> 33;
    return key;
}

/* Bits of the bucket number for an archive of `psos` PSOs: buckets = 1 << bits. */
static inline unsigned psopack_key_bucket_bits(uint64_t psos)
{
    unsigned bits = 0;
    while (bits < 32 && (UINT64_C(1) << bits) * PSOPACK_KEY_BUCKET_ROWS < psos)
        bits++;
    return bits;
}

static inline uint64_t psopack_key_bucket(uint64_t mixed, unsigned bucket_bits)
{
    return bucket_bits == 0 ? 0 : mixed >> (64 - bucket_bits);
}

/* The `rest_width` bits below the bucket's. */
static inline uint64_t psopack_key_rest(uint64_t mixed, unsigned bucket_bits, unsigned rest_width)
{
    return rest_width == 0 ? 0 : (mixed << bucket_bits) >> (64 - rest_width);
}

#define PSOPACK_KEY_CELLS 3u /* that a key is the xor of */

/* Cell `which` (below PSOPACK_KEY_CELLS) of a key in a table of `cells`, at most 3 * 2^32 - 3. */
static inline uint64_t psopack_key_cell(uint64_t mixed, unsigned which, uint64_t cells)
{
    unsigned turn = 21 * which;
    uint64_t third = cells / 3;
    uint32_t part = (uint32_t)(turn == 0 ? mixed : mixed << turn | mixed >> (64 - turn));
    return which * third + (part * third >> 32);
}

#endif
