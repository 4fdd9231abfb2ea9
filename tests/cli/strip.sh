# strip: what is left out is gone, byte for byte; what stays is what it was.
. "$cases/lib.sh"
make_tree in
for pso in $(seq 20); do
    mkdir -p "in/more/$pso"
    for word in $(seq 30); do echo "code $((pso * word % 17)) in common $word"; done \
        > "in/more/$pso/ps"
    echo "secret of $pso" > "in/more/$pso/debug"
done
"$psopack" pack -q --hashes --align ps=16 -o whole.psopack in
try strip -o thin.psopack --slot debug --slot 'st*' --pso 'more/1?' whole.psopack | mask_sizes
"$psopack" verify -q thin.psopack
"$psopack" info --json thin.psopack |
    json 'o["is_stripped"]' 'o["has_names"]' 'o["has_hashes"]' 'o["psos"]' 'o["slots"]'
rm -r in/more/1?
rm in/more/*/debug 'in/two words/state'
"$psopack" extract -q thin.psopack -C out
(cd in && find . -type f | sort) > expected
(cd out && find . -type f | sort) | cmp - expected && diff -r out in
# The content is that of a pack without them, but for a PSO that has nothing left.
rmdir 'in/two words'
"$psopack" pack -q -o fresh.psopack in
try diff fresh.psopack thin.psopack | head -2
"$psopack" strip -q --pso 'two words' -o thinner.psopack thin.psopack
try diff fresh.psopack thinner.psopack | head -1
"$psopack" info --json thinner.psopack | json 'o["is_stripped"]'
"$psopack" strip -q --pso more/2 --profile stored -o stored.psopack whole.psopack
grep -c 'secret of 2$' stored.psopack

# Names: keys still find PSOs, in the profile with short keys too.
for profile in balanced small; do
    "$psopack" strip -q --names --hashes --profile $profile -o nameless.psopack whole.psopack
    "$psopack" verify -q nameless.psopack
    "$psopack" info --json nameless.psopack | json 'o["has_names"]' 'o["has_hashes"]'
    try cat nameless.psopack metal/lit ps
done
[ "$("$psopack" info --json nameless.psopack | json 'o["content_id"]')" = \
    "$("$psopack" info --json whole.psopack | json 'o["content_id"]')" ] && echo same content
try strip -o x.psopack --hashes nameless.psopack

# In place; nothing to do; nothing found.
"$psopack" strip -q --names -o whole.psopack whole.psopack
"$psopack" info --json whole.psopack | json 'o["has_names"]'
try strip -o x.psopack thin.psopack
try strip -o x.psopack --slot nothing thin.psopack
ls x.psopack 2>&1
