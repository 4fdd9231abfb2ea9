/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: an archive whose values were changed and whose checks are right all the same, as a
 * forger would make it. Input: an archive, its checks of no matter. The mutator changes bytes in
 * place, mostly in the manifest, since moved bytes make nonsense of all tables at once.
 */
#include "fuzz_archive.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t size_max, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *bytes, size_t size, size_t size_max);

#define MANIFEST_GUESS 4096u /* of a small archive, most of it is in its last bytes */

#ifdef PSOPACK_FUZZ
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t size_max, unsigned seed)
{
    if (size < 256 || seed % 16 == 0)
        return LLVMFuzzerMutate(bytes, size, size_max);
    size_t from = seed % 4 != 1 && size > MANIFEST_GUESS ? size - MANIFEST_GUESS : 0;
    size_t at = from + (seed >> 4) % (size - from), room = size - at;
    size_t length = 1 + (seed >> 2) % 8;
    if (length > room)
        length = room;
    LLVMFuzzerMutate(bytes + at, length, length);
    return size;
}
#endif

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    uint8_t *copy = malloc(size ? size : 1);
    if (!copy)
        abort();
    if (size != 0)
        memcpy(copy, bytes, size);
    fuzz_seal_archive(copy, size);
    fuzz_read_archive(copy, size);
    free(copy);
    return 0;
}
