# Nothing is written outside the folder, whatever lies there already.
. "$cases/lib.sh"
make_tree in
"$psopack" pack -q -o out.psopack in
mkdir outside
echo "--- a link where a folder goes"
mkdir a
ln -s ../outside a/metal
try extract out.psopack -C a
try extract --force out.psopack -C a
echo "--- a link where the PSO's folder goes"
mkdir -p b/metal
ln -s ../../outside b/metal/lit
try extract out.psopack -C b
echo "--- a link where a file goes"
mkdir -p c/metal/lit
ln -s ../../../outside/victim c/metal/lit/ps
try extract out.psopack -C c
try extract --force out.psopack -C c
cat c/metal/lit/ps
echo
echo "--- a file where a folder goes"
mkdir d
: > d/metal
try extract --force out.psopack -C d
echo "--- a folder where a file goes"
mkdir -p e/metal/lit/ps
try extract --force out.psopack -C e
echo "--- files that exist"
try extract out.psopack -C c 'two*'
try extract --force out.psopack -C c
diff -r in c
echo "--- what is outside"
ls outside
echo "--- some only, into a new folder"
try extract out.psopack -C f 'two words'
find f | sort
try extract out.psopack -C g none
try extract out.psopack -C no/such/folder
ls
