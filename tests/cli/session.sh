# The loop: what testers met, cut by a crash, listed, checked, exported, packed, extracted.
. "$cases/lib.sh"

mkdir one two three
"$met" one pso wall 7 'vs=code of wall' 'ps=' pso floor 7 'vs=code of floor' pso hall/door 7 \
    'state=shut' find floor 7 find floor 7 raw key value pso lost 7 'vs=never written whole'
"$met" two pso floor 7 'vs=code of floor' pso wall 7 'vs=code of wall' 'ps=' \
    find wall 7 find wall 7

# A crash in the middle of the last store. The index then does not fit: uses of `one` are 1.
file=$(echo one/psopack-sessions/*.0.val)
head -c -5 "$file" > cut
cp cut "$file"
try session verify one two | sed -E "s,$file,FILE,"
"$psopack" session verify --json two | json 'o["schema"]' 'o["records"]' 'o["damaged"]'
"$psopack" session verify --json one 2> /dev/null | json 'o["findings"][0]["code"]' 'o["records"]'

masked() { sed -E 's,(one|two|three|four)/psopack-sessions/[^ :]*,\1/FILE,g'; }
shown() { try session "$@" | masked; }
shown list one two
"$psopack" session list --json one two 2> /dev/null | json 'o["others"]' 'o["damaged"]' \
    '[(p["name"], p["slots"], p["bytes"], p["uses"], p["files"]) for p in o["psos"]]'
shown order one two -o order.txt
cat order.txt
shown order -q one two
"$psopack" session order --json two | json 'o["psos"]'

# Whole, by two ways: the same archive but for nothing.
shown export one two -C met
find met -type f | LC_ALL=C sort
"$psopack" pack -q -o tree.psopack --content-version 7 met
"$psopack" pack -q -o session.psopack --content-version 7 --depfile out.d --from-session one \
    --from-session two
cmp tree.psopack session.psopack && echo 'the same archive'
grep -o '[a-z]*/psopack-sessions/.*val' out.d | masked
"$psopack" extract -q session.psopack -C back
diff -r met back && echo 'the same bytes'

# Against what was shipped, and next to it.
mkdir -p base/wall base/floor
printf 'code of wall' > base/wall/vs
: > base/wall/ps
printf 'older code' > base/floor/vs
"$psopack" pack -q -o shipped.psopack base
shown list -q one two --shipped shipped.psopack
shown export one two --shipped shipped.psopack -C new
find new -type f | LC_ALL=C sort
"$psopack" pack -q -o more.psopack --content-version 7 --from-session one base 2>&1 | mask_numbers
rm -r base/floor
"$psopack" pack -q -o more.psopack --content-version 7 --from-session one base
"$psopack" list -q more.psopack | awk '{ print $NF }'

# What is refused, and what is left out.
"$met" three pso wall 7 'vs=other' pso wall 8 'vs=next' pso bare 8
shown list -q one two three | grep -E 'conflict|PSO|wall'
shown export -q one three -C conflict
shown export -q one three --content-version 7 -C conflict
try pack -o out.psopack --from-session three --content-version 8 | mask_sizes
shown export three --content-version 8 -C conflict
try pack -o out.psopack --from-session three | mask_sizes
mkdir four five
"$met" four tag driver-2 pso wall 7 vs=x
"$met" five pso ../wall 7 vs=x
shown list -q one four
shown export -q five -C five.out
ls five.out 2> /dev/null
mkdir none
try session list none
try session list missing
try session burn one
try session verify order.txt
try session order one --shipped shipped.psopack
