#!/bin/sh
# SPDX-License-Identifier: MIT
# A corpus of real PSOs: pack, verify, extract, compare the trees; the same bytes whatever the number
# of threads; damage anywhere is found.
#
#     round_trip.sh PSOPACK NAME        NAME.tar.zst in $PSOPACK_CORPUS or ../shared/corpus
#
# Exits 77 (skipped) where the corpus is not there.
set -eu
psopack=$1
name=$2
root=$(cd "$(dirname "$0")/../.." && pwd)
archive=${PSOPACK_CORPUS:-$root/../shared/corpus}/$name.tar.zst
if [ ! -r "$archive" ]; then
    echo "skipped: no $name.tar.zst in PSOPACK_CORPUS or ../shared/corpus"
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
zstd -qdc --long=27 "$archive" | tar -xf - -C "$work"
cd "$work"

"$psopack" pack -j2 -o two.psopack "$name"
"$psopack" pack -q -j1 -o one.psopack "$name"
cmp one.psopack two.psopack
"$psopack" verify two.psopack
"$psopack" extract -q two.psopack -C back
diff -r "$name" back
echo "identical: archives of 1 and 2 threads, tree before and after"

# Flips spread over the file, each of them alone: verify must exit 3.
python3 - "$psopack" <<'PYTHON'
import random
import subprocess
import sys

good = bytearray(open('two.psopack', 'rb').read())
chooser = random.Random(1)
missed = []
for _ in range(100):
    at = chooser.randrange(len(good))
    bit = 1 << chooser.randrange(8)
    good[at] ^= bit
    with open('bad.psopack', 'wb') as file:
        file.write(good)
    good[at] ^= bit
    code = subprocess.run([sys.argv[1], 'verify', '-qq', 'bad.psopack'], check=False).returncode
    if code != 3:
        missed.append((at, code))
print('100 flips, not found:', missed)
sys.exit(bool(missed))
PYTHON
