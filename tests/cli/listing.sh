# list in its four forms, patterns, and cat.
. "$cases/lib.sh"
make_tree in
"$psopack" pack -q -o out.psopack in
try list out.psopack
try list -q --components out.psopack | awk 'NR > 2 { $1 = "N"; $6 = $6 == "-" ? $6 : "N" } 1' | sort
try list --slots out.psopack
try list -q --blocks out.psopack | awk 'NR > 2 { $1 = $2 = "N" } 1' | sort
try list -q out.psopack 'metal/*'
try list -q out.psopack '*lit' 'two words'
try list -q out.psopack 'metal/*' 'none*'
try list -q out.psopack 'METAL/*'
"$psopack" list --json out.psopack | json 'o["schema"]' 'o["psos"]'
"$psopack" list --json --components out.psopack | json \
    'sorted((c["bytes"], c["uses"], c["crc32c"]) for c in o["components"])' \
    'sorted(set().union(*o["components"]))'
"$psopack" list --json --slots out.psopack | json 'o["slots"]'
"$psopack" list --json --blocks out.psopack | json 'sorted(b["kind"] for b in o["blocks"])' \
    'sorted(o["blocks"][0])'
"$psopack" cat out.psopack metal/lit vs | cmp - in/metal/lit/vs
"$psopack" cat out.psopack metal/unlit ps | cmp - in/metal/unlit/ps
try cat out.psopack metal/none vs
try cat out.psopack metal/lit none
try cat out.psopack metal/lit state
"$psopack" cat --json out.psopack metal/lit vs | grep -v '"component"'
