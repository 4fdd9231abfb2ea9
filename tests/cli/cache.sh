# --cache: inputs that did not change are not read, and nothing that is written depends on it.
. "$cases/lib.sh"
make_tree in
sleep 0.2
"$psopack" pack -q -o plain.psopack in
packed()
{
    "$psopack" pack --json -o out.psopack --cache hashes "$@" > result
    json 'o["unchanged"]' 'o["cached_files"]' 'o["notes"]' < result
}
packed in
cmp plain.psopack out.psopack
packed in
# From another directory, by the absolute path.
tree="$PWD/in"
mkdir elsewhere
(cd elsewhere && "$psopack" pack --json -o ../out.psopack --cache ../hashes "$tree") |
    json 'o["cached_files"]'

# A change is seen.
echo 'other code' > in/metal/lit/ps
sleep 0.2
packed in
"$psopack" cat out.psopack metal/lit ps
# Damage and other people's files.
flip hashes 100
packed in
echo 'a file of mine' > mine
try pack -q -o out.psopack --cache mine in
try pack -o out.psopack --cache mine in | mask_sizes
cat mine
ls
