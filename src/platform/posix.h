/* SPDX-License-Identifier: MIT */
/*
 * Private to the *_posix.c files, included first: switches on 64-bit offsets and the calls beyond
 * ISO C, before any system header.
 */
#ifndef PSOPACK_PLATFORM_POSIX_H
#define PSOPACK_PLATFORM_POSIX_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif
#ifndef _FILE_OFFSET_BITS
#define _FILE_OFFSET_BITS 64
#endif
#ifdef __APPLE__
#define _DARWIN_C_SOURCE 1
#endif

#include "platform/file.h"

#include <errno.h>
#include <sys/stat.h>
#include <sys/types.h>

_Static_assert(sizeof(off_t) == 8, "files larger than 2 GiB need 64-bit offsets");

static inline int psopack_fd(const psopack_file *file)
{
    return (int)file->handle;
}

/* openat() with close-on-exec and a retry when a signal interrupts it. */
int psopack_openat(int directory, const char *name, int flags, unsigned mode);

/* 0, or -1 with errno. */
int psopack_sync_directory_fd(int directory);

void psopack_stat_from_system(const struct stat *system, psopack_file_stat *ret_stat);

#endif
