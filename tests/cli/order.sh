# What listed PSOs use comes first, in blocks of its own; the bytes stay the same.
. "$cases/lib.sh"
for pso in $(seq 100 160); do
    mkdir -p "in/set/pso$pso"
    for part in vs ps; do
        for word in $(seq 60); do
            echo "$part $((pso * word % 97)) of a shader that has some words in common $word"
        done > "in/set/pso$pso/$part"
    done
done
printf '%s\n' set/pso150 no/pso set/pso101 '' set/pso133 > names
for profile in fast stored; do
    echo $profile
    "$psopack" pack -q --profile $profile -o plain.psopack in
    "$psopack" pack --json --verify --profile $profile --order names -o out.psopack in > result
    json 'o["notes"]' 'o["unchanged"]' < result
    "$psopack" pack --json --profile $profile --force-write \
        -j 1 --order names -o again.psopack in > result
    python3 - << 'PYTHON'
import json, os
result = json.load(open('result'))
more = os.path.getsize('out.psopack') - os.path.getsize('plain.psopack')
print('cost is as said:', more == result['order_cost_bytes'])
PYTHON
    cmp out.psopack again.psopack
    "$psopack" extract -q --force out.psopack -C out
    diff -r in out
    # The second time nothing is made, so nothing is measured; without the list it is another one.
    "$psopack" pack --json --profile $profile --order names -o out.psopack in |
        json 'o["unchanged"]' 'o["order_cost_bytes"]'
    "$psopack" pack --json --profile $profile -o out.psopack in | json 'o["unchanged"]'
    cmp out.psopack plain.psopack
done
# In the order of the list, where blocks hold bytes as they are: vertex code of 150, 101, 133.
python3 - << 'PYTHON'
data = open('again.psopack', 'rb').read()
at = [data.find(open(f'in/set/pso{n}/vs', 'rb').read()) for n in (150, 101, 133, 100)]
print('in order:', at == sorted(at) and at[0] > 0)
PYTHON
try pack -o more.psopack --base plain.psopack --order names in
