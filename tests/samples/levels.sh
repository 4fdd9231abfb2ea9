#!/bin/sh
# SPDX-License-Identifier: MIT
# The sample loaders on the sample set: every pipeline is created by a deserializer that checks each
# part for itself; levels share what they have in common; what is freed is what was foretold.
#
#     levels.sh PSOPACK LOAD_LEVEL STREAM_LEVELS      the set in $PSOPACK_SAMPLES or build/samples
#
# Exits 77 (skipped) where the set was not made.
set -eu
psopack=$1
load_level=$2
stream_levels=$3
root=$(cd "$(dirname "$0")/../.." && pwd)
samples=${PSOPACK_SAMPLES:-$root/build/samples}
if [ ! -d "$samples" ]; then
    echo 'skipped: no build/samples: samples/make_samples.py makes it'
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

fail() {
    echo "levels.sh: $*" >&2
    exit 1
}

"$psopack" pack -q -o set.psopack "$samples"
(cd "$samples" && find . -type f | sed 's|^\./||; s|/[^/]*$||' | LC_ALL=C sort -u) >all
awk 'NR % 3 != 0' all >first
awk 'NR % 3 != 1' all >second
number() { # KEY: of the archive
    "$psopack" info --json set.psopack |
        python3 -c 'import json, sys; print(json.load(sys.stdin)[sys.argv[1]])' "$1"
}

# All of it: nothing is missing, nothing is there twice.
"$load_level" set.psopack all | tee loaded
for line in "$(wc -l <all | tr -d ' ') pipelines created" "$(number references): .*bytes" \
    "$(number components): .* $(number component_bytes) bytes"; do
    grep -q "$line" loaded || fail "load_level does not say: $line"
done

# Two levels together bring each component once.
"$load_level" set.psopack first second | tee loaded
distinct=$(awk '/^read, distinct/ { sum += $3 } END { print sum }' loaded)
[ "$distinct" -eq "$(number components)" ] || fail "two levels read $distinct components"

"$stream_levels" set.psopack first second first all | tee streamed
awk '/^left/ { n++; if ($4 != $7) exit 1 } END { exit n != 4 }' streamed ||
    fail 'freed is not what was expected'

# Damage in the middle of the data ends a level with exit 3, and never reaches the platform.
middle=$(($(wc -c <set.psopack) / 2))
printf '\377\377\377\377' | dd of=set.psopack bs=1 seek="$middle" conv=notrunc 2>/dev/null
for program in "$load_level" "$stream_levels"; do
    code=0
    "$program" set.psopack all 2>errors || code=$?
    [ "$code" -eq 3 ] || fail "$program: exit $code on damage"
done
