#!/bin/sh
# SPDX-License-Identifier: MIT
# The loader needs zstd's decoder, xxHash and a short list of libc, nothing else: no encoder, no
# threads, no streams, no environment, no exit. The shared library, from which the linker dropped
# what no public call reaches, does not even write; the static library's file objects can.
#
#     check_loader_imports.sh LIBRARY...
set -eu

allowed='
    ZSTD_.*DCtx.* ZSTD_.*DDict.* ZSTD_.*decompress.* ZSTD_.*DStream.*
    ZSTD_getFrame.* ZSTD_findFrameCompressedSize ZSTD_versionNumber
    ZSTD_isError ZSTD_getErrorCode ZSTD_getErrorName ZSTD_getErrorString
    XXH3_.* XXH64.* XXH128_.*
    malloc aligned_alloc free
    memcpy memmove memset memcmp memchr strcmp strlen snprintf vsnprintf
    openat close pread fstat mmap munmap madvise posix_fadvise sysconf
    sched_yield __errno_location newlocale freelocale strerror_l
    __stack_chk_fail __memcpy_chk __memmove_chk __memset_chk __snprintf_chk __vsnprintf_chk
    _GLOBAL_OFFSET_TABLE_ __tls_get_addr __cpu_model getauxval'
allowed_in_static='clock_gettime write pwrite ftruncate fsync fdatasync'

# What the library takes from others. glibc's names for 64-bit offsets end in 64.
imports() {
    case $1 in
        *.a)
            own=$(nm -g --defined-only "$1" | awk 'NF == 3 { print $3 }')
            nm -u "$1" | awk '$1 == "U" { print $2 }' | sort -u | grep -vxF "$own"
            ;;
        *) nm -D -u "$1" | awk '$1 == "U" { sub(/@.*/, "", $2); print $2 }' | sort -u ;;
    esac | sed 's/^\([a-z_]*\)64$/\1/'
}

failed=0
for library in "$@"; do
    list=$allowed
    case $library in *.a) list="$allowed $allowed_in_static" ;; esac
    pattern=$(echo "$list" | tr -s '[:space:]' '\n' | sed '/^$/d')
    names=$(imports "$library")
    [ -n "$names" ] || failed=1
    echo "check_loader_imports: $(echo "$names" | wc -w) imports in $library"
    if echo "$names" | grep -vx "$pattern"; then
        echo "$library: the loader must not need these"
        failed=1
    fi
done
exit $failed
