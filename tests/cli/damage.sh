# Damage is named by verify, which goes on; extract leaves out the PSOs it hits and no others.
. "$cases/lib.sh"
make_tree in
"$psopack" pack -q -o good.psopack --profile stored in
offset=$("$psopack" list --blocks --json good.psopack | python3 -c '
import json, sys
print(next(b["offset"] for b in json.load(sys.stdin)["blocks"] if b["kind"] == "ps"))')
cp good.psopack bad.psopack
flip bad.psopack "$offset"
try verify bad.psopack | mask_numbers
try verify --quick bad.psopack
try extract bad.psopack -C restored | mask_numbers
diff -r in restored
try cat bad.psopack metal/lit ps | mask_numbers
"$psopack" verify --json -qq bad.psopack > object
echo "exit $?"
json 'o["schema"]' 'o["damaged"]' '[f["object"] for f in o["findings"]]' \
    'all("offset" in f for f in o["findings"] if f["object"] == "block")' \
    'o["psos_damaged"]' 'o["psos_checked"]' < object
"$psopack" extract --json -qq bad.psopack -C again > object
echo "exit $?"
json 'o["psos"]' 'o["psos_left_out"]' '[p["pso"] for p in o["left_out"]]' < object
