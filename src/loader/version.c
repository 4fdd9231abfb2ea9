/* SPDX-License-Identifier: MIT */
/* The version string: constant, put together by the compiler. */
#include <psopack/psopack.h>
#include <zstd.h>

const char *psopack_version(void)
{
    return "psopack " PSOPACK_VERSION " (format 1, zstd " ZSTD_VERSION_STRING ")";
}
