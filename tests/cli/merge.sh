# merge: archives become one, whatever made them; their blocks are copied, not made again.
. "$cases/lib.sh"
# A folder of PSOs first..last with some text in common.
variants()
{
    for pso in $(seq "$2" "$3"); do
        mkdir -p "$1/set/pso$pso"
        for part in vs ps; do
            for word in $(seq 40); do
                echo "$part $((pso * word % 97)) of a shader that has some words in common $word"
            done > "$1/set/pso$pso/$part"
        done
    done
}
variants left 100 149
variants right 140 199
cp -r left all
cp -r right/. all
"$psopack" pack -q -o left.psopack left
"$psopack" pack -q -o right.psopack right
"$psopack" pack -q -o all.psopack all
ids()
{
    "$psopack" info --json "$1" | json 'o["content_id"]'
}

# The content is that of a pack of both folders; blocks are copied; -j changes nothing.
"$psopack" merge --json --verify -o merged.psopack left.psopack right.psopack > result 2> /dev/null
json 'o["psos"]' 'o["archives"]' 'o["kept_blocks"] > 0' 'len(o["notes"])' < result
[ "$(ids all.psopack)" = "$(ids merged.psopack)" ] && echo same content
"$psopack" extract -q merged.psopack -C out
diff -r all out
"$psopack" merge -q -j1 -o again.psopack left.psopack right.psopack
cmp again.psopack merged.psopack
# One archive alone.
try merge -o one.psopack left.psopack | mask_sizes | sed 's/, of it.*//'
# Another profile: nothing can be copied as it is, everything is still there.
"$psopack" merge -q --profile stored -o stored.psopack left.psopack right.psopack
"$psopack" verify -q stored.psopack
"$psopack" merge -q -o mixed.psopack stored.psopack right.psopack
"$psopack" info --json mixed.psopack | json 'o["profile"]'
[ "$(ids all.psopack)" = "$(ids mixed.psopack)" ] && echo same content
# The output may be an input.
cp left.psopack grows.psopack
"$psopack" merge -q -o grows.psopack grows.psopack right.psopack
[ "$(ids all.psopack)" = "$(ids grows.psopack)" ] && echo same content
"$psopack" merge -q -o made.psopack --depfile made.d --stamp made.stamp left.psopack right.psopack
cat made.d

# One name, two contents.
echo other > right/set/pso145/vs
"$psopack" pack -q -o other.psopack right
try merge -o x.psopack left.psopack other.psopack 2>&1 | grep -v note:
ls x.psopack 2>&1
for which in first last; do
    "$psopack" merge -q --prefer $which -o x.psopack left.psopack other.psopack
    "$psopack" cat x.psopack set/pso145 vs | head -1
done

# Archives for different targets.
"$psopack" pack -q -o t1.psopack --target one --content-version 3 left
"$psopack" pack -q -o t2.psopack --target two --content-version 3 right
try merge -o t.psopack t1.psopack t2.psopack
"$psopack" merge -q --prefer last --target two -o t.psopack t1.psopack t2.psopack
"$psopack" info --json t.psopack | json 'o["target"]' 'o["content_version"]'

# Damage: a copy in another archive is as good.
"$psopack" pack -q --profile stored -o whole.psopack left
cp whole.psopack hurt.psopack
at=$("$psopack" list --blocks --json hurt.psopack |
    python3 -c 'import json, sys; print(json.load(sys.stdin)["blocks"][0]["offset"] + 5)')
flip hurt.psopack "$at"
try merge -o x.psopack hurt.psopack right.psopack | grep -v note: | mask_numbers
"$psopack" merge --json -o mended.psopack hurt.psopack whole.psopack > result 2> /dev/null
json 'len([n for n in o["notes"] if "is damaged in" in n]) > 0' < result
"$psopack" verify -q mended.psopack
[ "$(ids whole.psopack)" = "$(ids mended.psopack)" ] && echo mended
cmp -s hurt.psopack whole.psopack || echo hurt is left as it was

# A layer and its base are one input; the merge of both is the whole.
"$psopack" pack -q -o layer.psopack --layer left.psopack all
"$psopack" merge --json -o flat.psopack left.psopack layer.psopack > result
json 'o["archives"]' 'o["kept_blocks"] > 0' < result
"$psopack" verify -q flat.psopack
[ "$(ids all.psopack)" = "$(ids flat.psopack)" ] && echo same content
# Usage.
try merge left.psopack
try merge -o x.psopack
try merge -o x.psopack missing.psopack
