# Inputs that cannot be packed: what is wrong, where, and no archive.
. "$cases/lib.sh"
make_tree in
tab=$(printf '\t')
echo "--- missing, or no folder"
try pack -o out.psopack none
try pack -o out.psopack in/metal/lit/vs
try pack -o out.psopack --list none
echo "--- files directly in the input"
printf x > in/loose
try pack -o out.psopack in
rm in/loose
echo "--- one PSO, two contents"
mkdir -p other/metal/lit
printf 'another' > other/metal/lit/vs
try pack -o out.psopack in other
echo "--- a pipe, a link to nowhere"
mkfifo in/metal/lit/pipe
try pack -o out.psopack in
rm in/metal/lit/pipe
ln -s nowhere in/metal/lit/link
try pack -o out.psopack in
rm in/metal/lit/link
echo "--- names"
for name in ../up /root a//b a/ . "$(printf 'bell\007')"; do
    printf '%s\n' "$name${tab}vs${tab}in/metal/lit/vs" | try pack -o out.psopack --list -
done
printf '%s\n' "a${tab}v/s${tab}in/metal/lit/vs" | try pack -o out.psopack --list -
echo "--- malformed lists"
printf 'a\tvs\n' | try pack -o out.psopack --list -
printf '{"pso": "a", "slot": "vs"}\n' | try pack -o out.psopack --list -
printf '{"pso": "a"\n' | try pack -o out.psopack --list -
echo "--- outputs"
try pack -o none/out.psopack other
try pack -o in other
try pack -o in/metal/out.psopack in
try pack -o out.psopack --flat spirv .
echo "--- more than 256 slots"
mkdir -p slots/p
i=0
while [ $i -lt 257 ]; do
    printf x > slots/p/s$i
    i=$((i + 1))
done
try pack -o out.psopack slots
ls
