# salvage: what is whole of a damaged archive stays, what is lost is named.
. "$cases/lib.sh"
for pso in $(seq 100 160); do
    mkdir -p "in/set/pso$pso"
    for part in vs ps; do
        for word in $(seq 40); do
            echo "$part $((pso * word % 97)) of a shader that has some words in common $word"
        done > "in/set/pso$pso/$part"
    done
done
"$psopack" pack -q --target t --content-version 7 -o whole.psopack in
size=$(wc -c < whole.psopack)
content()
{
    "$psopack" info --json "$1" | json 'o["content_id"]'
}
wanted=$(content whole.psopack)
# Nothing is lost: a whole archive, and ends that are damaged in one place each.
saves_all()
{
    "$psopack" salvage -q -o saved.psopack hurt.psopack || echo "$1: exit $?"
    "$psopack" verify -q saved.psopack
    [ "$(content saved.psopack)" = "$wanted" ] && echo "$1: same content"
}
cp whole.psopack hurt.psopack
saves_all nothing
flip hurt.psopack 3
saves_all header
cp whole.psopack hurt.psopack
flip hurt.psopack $((size - 100))
saves_all footer
cp whole.psopack hurt.psopack
flip hurt.psopack $((size - 140))
saves_all 'section table'
cp whole.psopack hurt.psopack
echo more >> hurt.psopack
saves_all 'bytes behind'
# A bit anywhere in the manifest.
python3 - << 'PYTHON'
good = open('whole.psopack', 'rb').read()
sections = int.from_bytes(good[-128 + 12:-128 + 16], 'little')
table = int.from_bytes(good[-128 + 24:-128 + 32], 'little')
for i in range(sections):
    at = int.from_bytes(good[table + 32 * i + 8:table + 32 * i + 16], 'little')
    bad = bytearray(good)
    bad[at + 9] ^= 4
    open(f'hurt{i}', 'wb').write(bad)
PYTHON
for hurt in hurt[0-9]*; do
    cp "$hurt" hurt.psopack
    saves_all "$hurt"
done
# A byte of a block: its PSOs are lost, no other.
"$psopack" pack -q --profile stored -o stored.psopack in
cp stored.psopack hurt.psopack
flip hurt.psopack 100
try salvage -o saved.psopack hurt.psopack | mask_sizes | mask_numbers
"$psopack" verify -q saved.psopack
"$psopack" diff stored.psopack saved.psopack 2>&1 | head -1 | sed 's/; new bytes.*//'
# Nothing to be had.
head -c 1000 whole.psopack > hurt.psopack
try salvage -o none.psopack hurt.psopack
ls none.psopack 2>&1
