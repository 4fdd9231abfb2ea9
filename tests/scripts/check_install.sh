#!/bin/sh
# SPDX-License-Identifier: MIT
# What a consumer does: install, ask pkg-config, compile the minimal loader, shared and static.
#
#     check_install.sh SOURCE_ROOT BUILD_FOLDER
set -eu

stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT

meson install -C "$2" --no-rebuild --quiet --destdir "$stage"
pc=$(find "$stage" -name libpsopack.pc)
export PKG_CONFIG_PATH="${pc%/*}"
export PKG_CONFIG_SYSROOT_DIR="$stage"

# build NAME PKG_CONFIG_OPTION...
build() {
    program=$stage/$1
    shift
    # shellcheck disable=SC2046 # a list of flags
    cc -std=c11 "$1/samples/load_minimal.c" -o "$program" $(shift && pkg-config "$@")
}

usage() {
    # It wants two arguments: exit 2 says that it runs.
    code=0
    "$@" 2>/dev/null || code=$?
    [ "$code" -eq 2 ]
}

build shared "$1" --cflags --libs libpsopack
usage env LD_LIBRARY_PATH="${pc%/pkgconfig/*}" "$stage/shared"

for name in libpsopack libpsopack-build; do
    pkg-config --exists "$name"
    pkg-config --print-requires-private "$name" | grep -q libzstd
    pkg-config --print-requires-private "$name" | grep -q libxxhash
done
if grep -q pthread "$pc"; then # what libzstd's own file says is not ours
    echo 'the loader asks for threads'
    exit 1
fi

rm "${pc%/pkgconfig/*}"/libpsopack.so*
build static "$1" --cflags --libs --static libpsopack
usage "$stage/static"
