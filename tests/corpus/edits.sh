#!/bin/sh
# SPDX-License-Identifier: MIT
# The life of a real archive: rebuilt, layered, merged, built in stages, damaged and salvaged. What
# comes out must be what went in; sizes and times are the bench's business.
#
#     edits.sh PSOPACK TEST_SALVAGE
#
# needs main.tar.zst and edits.tar.zst in $PSOPACK_CORPUS or ../shared/corpus.
#
# Exits 77 (skipped) where the corpora are not there.
set -eu
psopack=$1
test_salvage=$2
root=$(cd "$(dirname "$0")/../.." && pwd)
corpus=${PSOPACK_CORPUS:-$root/../shared/corpus}
for name in main edits; do
    if [ ! -r "$corpus/$name.tar.zst" ]; then
        echo "skipped: no $name.tar.zst in PSOPACK_CORPUS or ../shared/corpus"
        exit 77
    fi
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
for name in main edits; do
    zstd -qdc --long=27 "$corpus/$name.tar.zst" | tar -xf -
done

# An edit of 1 % of the materials, then 1 % of the PSOs removed.
"$psopack" pack -q -o main.psopack main
cp -al main edited
cp -r --remove-destination edits/one_percent/. edited/
while read -r pso; do rm -r "edited/$pso"; done < edits/removed.txt
find edited -type d -empty -delete
"$psopack" pack -q -o fresh.psopack edited

echo 'rebuilt on the old archive:'
"$psopack" pack -q -o based.psopack --base main.psopack edited
"$psopack" verify based.psopack
"$psopack" diff -q fresh.psopack based.psopack

echo 'a layer on it, and one on that:'
cp -al main first
cp -r --remove-destination edits/one_percent/. first/
"$psopack" pack -q -o one.psopack --layer main.psopack first
"$psopack" pack -q -o two.psopack --layer main.psopack --layer one.psopack edited
"$psopack" verify --base main.psopack --base one.psopack two.psopack
"$psopack" diff -q --base main.psopack --base one.psopack fresh.psopack two.psopack

echo 'merged into one:'
"$psopack" merge -q -o merged.psopack main.psopack one.psopack two.psopack
"$psopack" verify merged.psopack
"$psopack" diff -q fresh.psopack merged.psopack

echo 'in stages:'
"$psopack" scan -q -o scan edited
"$psopack" plan -q -o plan scan
for part in 1 2 3 4; do
    "$psopack" compress -q --part $part/4 -o part$part scan plan
done
"$psopack" assemble -q -o stages.psopack scan plan part4 part2 part1 part3
cmp fresh.psopack stages.psopack

echo 'a flip in the largest base:'
python3 - "$psopack" << 'PYTHON'
import json
import subprocess
import sys

listed = subprocess.run([sys.argv[1], 'list', '--blocks', '--json', 'main.psopack'],
                        check=True, capture_output=True)
bases = [b for b in json.loads(listed.stdout)['blocks'] if b['is_base']]
base = max(bases, key=lambda b: b['stored_bytes'])
data = bytearray(open('main.psopack', 'rb').read())
data[base['offset'] + base['stored_bytes'] // 2] ^= 16
with open('flipped.psopack', 'wb') as file:
    file.write(data)
saved = subprocess.run([sys.argv[1], 'salvage', '-q', '--json', '-o', 'saved.psopack',
                        'flipped.psopack'], check=False, capture_output=True)
psos = json.loads(saved.stdout)['psos']
print(psos, 'PSOs saved, exit', saved.returncode)
sys.exit(saved.returncode not in (0, 5) or psos < 10000)
PYTHON
"$psopack" verify saved.psopack

echo 'a hundred flips:'
"$test_salvage" "$PWD/main.psopack"
