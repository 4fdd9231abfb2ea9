#!/bin/sh
# SPDX-License-Identifier: MIT
# Every global symbol of the libraries starts with psopack_; what a shared library exports stands in
# a public header.
#
#     check_exports.sh INCLUDE_FOLDER LIBRARY...
set -eu

headers=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export LC_ALL=C

grep -ho 'psopack_[a-z0-9_]*(' "$headers"/*.h | tr -d '(' | sort -u >"$work/declared"
failed=0
for library in "$@"; do
    dynamic=-D
    case $library in *.a) dynamic='' ;; esac
    # shellcheck disable=SC2086 # one option or none
    nm $dynamic -g --defined-only "$library" | awk 'NF == 3 { print $3 }' | sort -u >"$work/names"

    sed -n "/^psopack_/!s|^|$library: not ours by name: |p" "$work/names" >"$work/wrong"
    if [ -n "$dynamic" ]; then
        comm -23 "$work/names" "$work/declared" |
            sed "s|^|$library: exported, but in no public header: |" >>"$work/wrong"
    fi
    cat "$work/wrong"
    echo "check_exports: $(wc -l <"$work/names") symbols in $library"
    if [ -s "$work/wrong" ] || [ ! -s "$work/names" ]; then
        failed=1
    fi
done
exit $failed
