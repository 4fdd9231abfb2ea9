#!/bin/sh
# SPDX-License-Identifier: MIT
# What the loader asks of the processor: at most 8 KiB of stack, no recursion, no frame without a
# bound, no floating point. Looked up in the amalgamated loader as gcc compiles it.
#
#     check_stack.sh SOURCE_ROOT BUILD_FOLDER
#
# Exits 77 (skipped) without gcc 10 or on another processor than x86-64.
set -eu
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
root=$(cd "$1" && pwd)

echo 'double half(double a) { return a / 2; }' >"$out/float.c"
if ! gcc -O2 -fcallgraph-info=su -c "$out/float.c" -o "$out/float.o" 2>/dev/null ||
    [ "$(uname -m)" != x86_64 ]; then
    echo 'skipped: needs gcc 10 on x86-64'
    exit 77
fi

# Instructions that compute with floats; moves and integer vectors use the same registers.
floats() {
    arithmetic='v?(add|sub|mul|div|sqrt|u?comi)[sp][sd]'
    x87='f(i?ld|i?st|i?add|i?mul|i?sub|i?div)[a-z0-9]*'
    objdump -d --no-show-raw-insn "$1" |
        grep -E "[[:space:]]($arithmetic|v?cvt[a-z0-9]+|$x87)[[:space:]]"
}

"$root/tools/amalgamate.py" "$2" "$out"
cd "$out"
gcc -std=c11 -O2 -fcallgraph-info=su -c psopack.c -o psopack.o
python3 "$root/tests/scripts/stack_depth.py" psopack.ci 8192

floats float.o >/dev/null || {
    echo 'check_stack: floats are not recognized'
    exit 1
}
if floats psopack.o; then
    echo 'check_stack: the loader computes with floats'
    exit 1
fi
