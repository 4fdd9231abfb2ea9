# Lists, loose files, several folders.
. "$cases/lib.sh"
make_tree in
tab=$(printf '\t')
echo "--- a list of lines"
printf '%s\n' "b${tab}vs${tab}in/metal/lit/vs" "a${tab}ps${tab}in/metal/lit/ps" > list
try pack -o a.psopack --list list | mask_sizes
try list -q a.psopack
echo "--- the same from standard input, records ended by zero bytes"
tr '\n' '\0' < list | try pack -o a.psopack --list - -0 | mask_sizes
echo "--- JSON Lines"
printf '%s\n' '{"pso": "b", "slot": "vs", "path": "in/metal/lit/vs"}' \
    '{"pso": "a", "slot": "ps", "path": "in/metal/lit/ps"}' > list.json
try pack -o a.psopack --list list.json | mask_sizes
echo "--- loose files"
mkdir loose
printf one > loose/1.spv
printf two > loose/2.spv
try pack -o b.psopack --flat spirv loose | mask_sizes
try list -q b.psopack
echo "--- all at once"
try pack -o c.psopack in --flat spirv loose --list list | mask_sizes
try list -q c.psopack
echo "--- the same PSO twice, with the same content"
try pack -o c.psopack in in | mask_sizes
