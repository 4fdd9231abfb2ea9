# diff: exit 0, 1, 2; each kind of change. report: the parts add up.
. "$cases/lib.sh"
make_tree in
"$psopack" pack -q -o old.psopack in
printf 'other pixel code' > in/metal/lit/ps
rm -r "in/two words"
mkdir in/new
printf 'state' > in/new/state
rm in/metal/unlit/ps
"$psopack" pack -q -o new.psopack in
"$psopack" pack -q --profile stored -o stored.psopack in
"$psopack" diff old.psopack new.psopack 2> /dev/null
echo "exit $?"
"$psopack" diff -q new.psopack stored.psopack
echo "exit $?"
try diff new.psopack none.psopack
"$psopack" diff --json old.psopack new.psopack | json 'o["schema"]' 'o["same_content"]' \
    '[o["added"], o["removed"], o["changed"]]' 'o["psos"]'
"$psopack" report new.psopack | grep -E '^(By|The|Where|Manifest|Unref|Blocks)' |
    sed -E 's/[0-9.]+/N/g'
"$psopack" report --json new.psopack | json 'o["schema"]' \
    'o["data_bytes"] + o["manifest_bytes"] == o["file_bytes"]' 'o["unreferenced_components"]' \
    'sorted(s["name"] for s in o["slots"])'
# Quick blocks without a base would be no larger alone, searched harder.
for i in $(seq 40); do
    mkdir -p "many/pso$i"
    seq "$i" $((i + 300)) > "many/pso$i/vs"
done
"$psopack" pack -q --profile fast -o many.psopack many
"$psopack" report --json many.psopack | json '[k["plain_blocks_tried"] > 0 for k in o["kinds"]]' \
    'all(0 < k["plain_block_bytes"] <= k["block_bytes"] for k in o["kinds"])'
