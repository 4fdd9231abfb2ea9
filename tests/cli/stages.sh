# scan, plan, compress, assemble: the archive that pack makes, byte for byte.
. "$cases/lib.sh"
for pso in $(seq 100 160); do
    mkdir -p "in/set/pso$pso"
    for part in vs ps; do
        for word in $(seq 40); do
            echo "$part $((pso * word % 97)) of a shader that has some words in common $word"
        done > "in/set/pso$pso/$part"
    done
    : > "in/set/pso$pso/empty"
done
head -c 700000 /dev/zero > in/set/pso100/large
for profile in balanced fast small stored directstorage; do
    for parts in 1 3; do
        "$psopack" pack -q --profile $profile --align vs=256 --target t -o one.psopack in
        "$psopack" scan -q --profile $profile --align vs=256 --target t -o scan in
        "$psopack" plan -o plan scan
        files=
        for part in $(seq $parts); do
            "$psopack" compress --part "$part/$parts" -o "part$part" scan plan
            files="part$part $files"
        done
        # shellcheck disable=SC2086 # file names without spaces
        "$psopack" assemble -o many.psopack scan plan $files
        cmp one.psopack many.psopack && echo "$profile in $parts: identical"
    done
done
try scan -o scan in | mask_sizes
try compress --part 4/3 -o x scan plan
try compress --part 1 -o x scan plan
try compress -o x scan plan
try plan -o x plan
try compress --part 1/3 -o x scan plan
"$psopack" plan -o plan scan
for part in 1 2 3; do "$psopack" compress --part $part/3 -o part$part scan plan; done
try assemble -o x scan plan part1 part2
try assemble -o x scan plan part1 part2 part2
try assemble -o x scan plan part1 part2 one.psopack
cp part2 damaged
flip damaged 20
try assemble -o x scan plan part1 damaged part3
cp part2 damaged
flip damaged $(($(wc -c < part2) - 60))
try assemble -o x scan plan part1 damaged part3
head -c 100 plan > cut
try compress --part 1/3 -o x scan cut
echo 'another shader' > in/set/pso120/vs
try compress --part 1/1 -o x scan plan
printf x > in/loose
try scan -o x in
ls x 2>&1
rm in/loose
# The same under Ninja, twice: the second run has nothing to do.
farm=$cases/../../samples/farm
sh "$farm/ninja.sh" "$psopack" in farm.psopack 3 > log 2>&1 || cat log
"$psopack" pack -q -o one.psopack in
cmp one.psopack farm.psopack
sh "$farm/ninja.sh" "$psopack" in farm.psopack 3
echo 'third shader' > in/set/pso120/vs
sh "$farm/ninja.sh" "$psopack" in farm.psopack 3 > log 2>&1 || cat log
"$psopack" pack -q -o one.psopack in
cmp one.psopack farm.psopack
