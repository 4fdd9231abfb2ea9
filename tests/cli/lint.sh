# lint and limits: text to blob and back, findings at and past 22 waves, a misfit stops a pack.
. "$cases/lib.sh"

# make_limits WAVES MASK: a limits text with these two members, all others 0.
make_limits()
{
    echo "MaxWavesWithLateAllocParameterCache = $1"
    echo "VSDisableFlags = $2"
    for name in DSDisableFlags GSDisableFlags PSDisableFlags VSMaxWaves HSMaxWaves DSMaxWaves \
        GSMaxWaves PSMaxWaves VSMaxWavesForCuLocking HSMaxWavesForCuLocking \
        DSMaxWavesForCuLocking GSMaxWavesForCuLocking PSMaxWavesForCuLocking; do
        echo "$name = 0"
    done
}

make_limits 22 0 > safe.txt
make_limits 23 0 > deadly.txt
make_limits 23 1 > masked.txt
for name in safe deadly masked; do
    mkdir -p in/$name
    "$psopack" limits $name.txt -o in/$name/limits
    printf 'code of %s' $name > in/$name/vs.instructions
    wc -c < in/$name/limits | tr -d ' '
    "$psopack" limits in/$name/limits | head -2
    "$psopack" limits in/$name/limits | "$psopack" limits - | cmp - in/$name/limits
done
"$psopack" pack -q -o out.psopack in
try lint out.psopack | grep -E 'limits|errors|exit'
"$psopack" lint --json out.psopack | json 'o["schema"]' 'o["errors"]' 'o["notes"]'
"$psopack" lint --sarif out.psopack | json 'o["version"]' 'o["runs"][0]["tool"]["driver"]["name"]'
"$psopack" pack -q -o kept.psopack in
cp kept.psopack before.psopack
mkdir -p in/more
printf 'more' > in/more/vs.instructions
"$psopack" pack -q --lint -o kept.psopack in > report.txt
echo "exit $?"
cmp kept.psopack before.psopack && echo 'the old archive stayed'
echo 'limits-late-alloc deadly accepted for the test' > suppress.txt
"$psopack" pack -q --lint --suppress suppress.txt -o kept.psopack in > report.txt
echo "exit $?"
try lint --tier 4 out.psopack
try lint --feature-level 9.1 out.psopack
try lint --limits-at vs out.psopack
try limits out.psopack
