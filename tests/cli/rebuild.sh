# pack --base: blocks stay where they are, what goes is waste until it is too much.
. "$cases/lib.sh"
variants()
{
    for pso in $(seq 100 "$2"); do
        mkdir -p "$1/set/pso$pso"
        for part in vs ps; do
            for word in $(seq 40); do
                echo "$part $((pso * word % 97)) of a shader that has some words in common $word"
            done > "$1/set/pso$pso/$part"
        done
    done
}
variants in 160
"$psopack" pack -q -o old.psopack in
# Nothing changed: the older archive is what comes out, and a second time nothing is written.
"$psopack" pack -q -o same.psopack --base old.psopack in
cmp old.psopack same.psopack
"$psopack" pack --json -o same.psopack --base old.psopack in |
    json 'o["unchanged"]' 'o["waste_bytes"]' 'o["repacked"]'

# One PSO changes, one goes, one comes with an empty component.
echo 'another shader' > in/set/pso120/vs
rm -r in/set/pso130
mkdir in/new
: > in/new/vs
"$psopack" pack --json -o new.psopack --base old.psopack in > result
json 'o["kept_blocks"] > 0' 'o["waste_bytes"] > 0' 'o["repacked"]' < result
"$psopack" verify -q new.psopack
"$psopack" extract -q new.psopack -C out
diff -r in out
"$psopack" pack -q -o fresh.psopack in
"$psopack" diff -q fresh.psopack new.psopack
# What is in front of the old manifest is there again, byte for byte.
python3 - << 'PYTHON'
old, new = open('old.psopack', 'rb').read(), open('new.psopack', 'rb').read()
table = int.from_bytes(old[-128 + 24:-128 + 32], 'little')
sections = int.from_bytes(old[-128 + 12:-128 + 16], 'little')
rows = [old[table + 32 * i:table + 32 * i + 32] for i in range(sections)]
manifest = min(int.from_bytes(row[8:16], 'little') for row in rows)
print('prefix kept:', old[:manifest] == new[:manifest], manifest > 64)
PYTHON
# A base that is the output, twice: dead blocks are carried along, and revived.
"$psopack" pack -q -o new.psopack --base new.psopack in
mkdir in/set/pso130
cp -r out/set/pso120/ps in/set/pso130/ps
"$psopack" pack -q -o new.psopack --base new.psopack in
"$psopack" verify -q new.psopack

# Too much waste: packed afresh, the same bytes as without --base.
rm -r in/set/pso11* in/set/pso12* in/set/pso13*
"$psopack" pack --json -o again.psopack --base new.psopack --max-waste 5 in |
    json 'o["repacked"]' 'o["kept_blocks"]'
"$psopack" pack -q -o fresh.psopack in
cmp fresh.psopack again.psopack
# Nothing of what went stays.
"$psopack" pack -q -o clean.psopack --base new.psopack --no-stale in
"$psopack" verify -q clean.psopack
"$psopack" diff -q clean.psopack fresh.psopack
"$psopack" list --components --json clean.psopack | json 'sum(c["dead"] for c in o["components"])'

# Refused.
"$psopack" pack -q --profile fast -o fast.psopack in
try pack -o x.psopack --base fast.psopack --profile small in
try pack -o x.psopack --base missing.psopack in
try pack -o x.psopack --no-stale in
try pack -o x.psopack --base old.psopack --max-waste 101 in
flip old.psopack 100
try pack -o x.psopack --base old.psopack in | sed -E 's/block [0-9]+|at byte [0-9]+/N/g'
ls x.psopack 2>&1
