#!/bin/sh
# SPDX-License-Identifier: MIT
# The loader compiles for 32 bits without a warning.
#
#     check_32bit.sh SOURCE_ROOT BUILD_FOLDER
#
# Exits 77 (skipped) where the compiler has no 32-bit headers (Debian: gcc-multilib).
set -eu
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
printf '#include <stdio.h>\n' >"$out/probe.c"
if ! cc -m32 -c "$out/probe.c" -o "$out/probe.o" 2>/dev/null; then
    echo 'skipped: no 32-bit C library (gcc-multilib)'
    exit 77
fi
"$1/tools/amalgamate.py" "$2" "$out"
cd "$out"
cc -m32 -std=c11 -O2 -D_FILE_OFFSET_BITS=64 -Wall -Wextra -pedantic -Werror \
    -c psopack.c -o psopack.o
