# Blocks that the output has already are copied, and the archive is the one that is made from
# scratch.
. "$cases/lib.sh"
for pso in $(seq 100 220); do
    mkdir -p "in/set/pso$pso"
    for part in vs ps; do
        for word in $(seq 60); do
            echo "$part $((pso * word % 97)) of a shader that has some words in common $word"
        done > "in/set/pso$pso/$part"
    done
done
for profile in fast balanced directstorage stored; do
    rm -f out.psopack
    "$psopack" pack -q --profile $profile -o out.psopack in
    echo "$profile changes" > in/set/pso100/ps
    cp out.psopack damaged.psopack
    "$psopack" pack --json --profile $profile -o out.psopack in > result
    echo $profile
    json 'o["reused_blocks"] > 0' 'o["unchanged"]' < result
    "$psopack" pack -q --profile $profile -o fresh.psopack in
    cmp out.psopack fresh.psopack
    "$psopack" pack --json --force-write --profile $profile -o out.psopack in |
        json 'o["reused_blocks"]'
    # A damaged block is made again, and never copied.
    flip damaged.psopack 80
    "$psopack" pack -q --profile $profile -o damaged.psopack in
    cmp damaged.psopack fresh.psopack
    # Also when nothing else has changed.
    flip damaged.psopack 80
    "$psopack" pack --json --profile $profile -o damaged.psopack in | json 'o["unchanged"]'
    cmp damaged.psopack fresh.psopack
done
# Another recipe: nothing fits.
"$psopack" pack --json --profile small -o out.psopack in | json 'o["reused_blocks"]'

# An alignment of a slot that is not there.
try pack -o out.psopack --align vx=16 in | mask_sizes
