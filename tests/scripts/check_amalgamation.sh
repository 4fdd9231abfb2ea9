#!/bin/sh
# SPDX-License-Identifier: MIT
# The loader as one .c and one .h compiles without a warning as C11 and C17, its header as C++17.
#
#     check_amalgamation.sh SOURCE_ROOT BUILD_FOLDER
set -eu

out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

"$1/tools/amalgamate.py" "$2" "$out"
cd "$out"
for standard in c11 c17; do
    cc -std=$standard -O2 -Wall -Wextra -pedantic -Werror -c psopack.c -o "$standard.o"
done
nm -g --defined-only c11.o | awk 'NF == 3 && $3 !~ /^psopack_/ { print $3; bad = 1 }
    END { exit bad }'
if command -v c++ >/dev/null; then
    echo '#include "psopack.h"' | c++ -std=c++17 -Wall -Wextra -pedantic -Werror -x c++ \
        -fsyntax-only -I. -
fi
