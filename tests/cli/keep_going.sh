# --keep-going leaves out whole PSOs, names them, exits 5.
. "$cases/lib.sh"
make_tree in
ln -s nowhere in/metal/lit/zz
try pack --keep-going -o out.psopack in | mask_sizes
try list -q out.psopack
"$psopack" pack --keep-going --json -q -o out.psopack in > object
echo "exit $?"
json 'o["psos"]' 'o["skipped_psos"]' 'o["warnings"]' < object
