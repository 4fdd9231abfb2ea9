# A layer finds its base: beside it, by --base, among the operands of diff; and says so when not.
. "$cases/lib.sh"
set_of()
{
    for pso in $(seq 10 "$2"); do
        mkdir -p "$1/set/pso$pso"
        for part in vs ps; do
            for word in $(seq 30); do
                echo "$part $((pso * word % 31)) of a shader, word $word"
            done > "$1/set/pso$pso/$part"
        done
    done
}
ids() { sed -E 's/[0-9a-f]{32}/ID/g'; }
set_of in 40
mkdir game patch dlc away
"$psopack" pack -q -o game/game.psopack in
echo 'a better shader' > in/set/pso20/vs
rm -r in/set/pso30
mkdir in/new
echo 'a new slot' > in/new/gs
"$psopack" pack -q -o game/patch.psopack --layer game/game.psopack --verify in
cp -r in patched
echo 'more of it' > in/new/gs
mkdir in/set/dlc
echo 'a shader of the dlc' > in/set/dlc/vs
"$psopack" pack -q -o game/dlc.psopack --layer game/game.psopack --layer game/patch.psopack in

# Two deep, all in one folder: every command sees the whole.
"$psopack" verify -q game/dlc.psopack
"$psopack" verify -q --quick game/dlc.psopack
"$psopack" extract -q game/dlc.psopack -C out
diff -r in out
"$psopack" extract -q game/patch.psopack -C out2
diff -r patched out2
"$psopack" cat game/dlc.psopack set/pso20 vs
try cat game/dlc.psopack set/pso30 vs
"$psopack" pack -q -o fresh.psopack in
for form in '' --components --slots --blocks; do
    "$psopack" list -q $form game/dlc.psopack > list"$form"
done
"$psopack" list -q fresh.psopack | cmp - list
"$psopack" list -q --slots fresh.psopack | cmp - list--slots
"$psopack" list --components --json game/dlc.psopack |
    json 'sorted({c["level"] for c in o["components"]})'
"$psopack" diff -q fresh.psopack game/dlc.psopack
"$psopack" lint -q game/dlc.psopack > lint
"$psopack" report -q game/dlc.psopack > report
"$psopack" bench -q game/dlc.psopack > bench

# What info says of it.
"$psopack" info game/dlc.psopack | sed -n '/^layer/,/^  hides/p' | ids
"$psopack" info --json game/patch.psopack > patch.json
json 'o["layer"]' 'o["depth"]' 'o["base"]' 'o["own_psos"]' 'o["gone_psos"]' 'o["psos"]' < patch.json
"$psopack" info --json game/game.psopack > game.json
json 'o["layer"]' 'o["depth"]' 'o["base"]' 'o["base_archive_id"]' < game.json
json 'o["own_psos"] == o["psos"]' < game.json
python3 - << 'PYTHON'
import json
game, patch = json.load(open('game.json')), json.load(open('patch.json'))
print(patch['base_archive_id'] == game['archive_id'])
print(patch['base_content_id'] == game['content_id'])
PYTHON

# Elsewhere: named in any order, or not at all.
mv game/patch.psopack patch
mv game/dlc.psopack dlc
try info dlc/dlc.psopack | ids
try info --base patch/patch.psopack dlc/dlc.psopack | ids
"$psopack" info --base game/game.psopack --base patch/patch.psopack dlc/dlc.psopack | grep '^layer'
"$psopack" verify -q --base patch/patch.psopack --base game/game.psopack dlc/dlc.psopack
try diff game/game.psopack patch/patch.psopack | grep -v grid
try diff game/game.psopack dlc/dlc.psopack | ids

# Alone.
"$psopack" info --alone patch/patch.psopack | grep '^layer'
"$psopack" list -q --alone patch/patch.psopack
"$psopack" list --alone --components --json patch/patch.psopack | json 'len(o["components"])'
try verify --alone patch/patch.psopack

# Wrong ones.
"$psopack" pack -q -o game/other.psopack in
try info --base game/other.psopack patch/patch.psopack | ids
"$psopack" extract -q game/game.psopack -C first
"$psopack" pack -q --profile fast -o away/game.psopack first
try info --base away/game.psopack patch/patch.psopack | ids
cp patch/patch.psopack away
try extract away/patch.psopack -C nowhere | ids
test ! -e nowhere
