# A thousand duplicates are not a thousand lines.
. "$cases/lib.sh"
mkdir in
i=0
while [ $i -lt 25 ]; do
    mkdir in/p$i
    printf '%s' $i > in/p$i/vs
    i=$((i + 1))
done
"$psopack" pack -o out.psopack in in 2>&1 | grep -c 'note: PSO'
"$psopack" pack -o out.psopack in in 2>&1 | grep 'more notes'
"$psopack" pack -v -o out.psopack in in 2>&1 | grep -c 'note: PSO'
"$psopack" pack --json -o out.psopack in in 2> /dev/null | json 'len(o["notes"])'
