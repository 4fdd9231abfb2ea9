# --keep-going leaves out whole PSOs, names them, exits 5.
. "$cases/lib.sh"
make_tree in
ln -s nowhere in/metal/lit/zz
try pack --keep-going -o out.psopack in | mask_sizes
try list -q out.psopack
"$psopack" pack --keep-going --json -q -o out.psopack in > object
echo "exit $?"
json 'o["psos"]' 'o["skipped_psos"]' 'o["warnings"]' < object

# A directory that cannot be entered is left out; its parent is not.
mkdir -p deep
python3 - << 'PYTHON'
import os
os.chdir('deep')
for level in range(256):
    os.mkdir('d')
    os.chdir('d')
    if level in (254, 255):
        open('vs', 'w').write('code')
PYTHON
"$psopack" pack --keep-going --json -q -o out.psopack deep > object
echo "exit $?"
json 'o["psos"]' 'o["skipped_psos"]' 'len(o["warnings"])' < object
