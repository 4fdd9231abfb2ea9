# Another target or content version is stale, exit 4, never damaged.
. "$cases/lib.sh"
make_tree in
"$psopack" pack -q -o out.psopack --target navi21 --content-version 7 in
try verify out.psopack --target navi21 --content-version 0x7
try verify out.psopack --target navi10
try verify out.psopack --content-version 8
try extract out.psopack --target navi10 -C restored
ls
