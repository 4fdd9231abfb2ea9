#!/bin/sh
# SPDX-License-Identifier: MIT
# Every global symbol of the libraries starts with psopack_; what a shared library exports is
# declared with PSOPACK_API in a public header.
#
#     check_exports.sh INCLUDE_FOLDER LIBRARY...
set -eu

headers=$1
shift
declared=$(grep -ho 'psopack_[a-z0-9_]*(' "$headers"/*.h | tr -d '(' | sort -u)
failed=0
seen=0

for library in "$@"; do
    case $library in
        *.a) names=$(nm -g --defined-only "$library" | awk 'NF == 3 { print $3 }' | sort -u) ;;
        *) names=$(nm -D --defined-only "$library" | awk 'NF == 3 { print $3 }' | sort -u) ;;
    esac
    for name in $names; do
        seen=$((seen + 1))
        case $name in
            psopack_*) ;;
            *)
                echo "$library: $name does not start with psopack_"
                failed=1
                continue
                ;;
        esac
        case $library in
            *.a) continue ;;
        esac
        if ! printf '%s\n' "$declared" | grep -qx "$name"; then
            echo "$library: $name is exported, but no public header declares it"
            failed=1
        fi
    done
done

echo "check_exports: $seen symbols"
[ "$seen" -gt 0 ] && exit $failed
