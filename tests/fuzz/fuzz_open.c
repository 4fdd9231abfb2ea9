/* SPDX-License-Identifier: MIT */
/* Fuzz target: any bytes as an archive. */
#include "fuzz_archive.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    fuzz_read_archive(bytes, size);
    return 0;
}
