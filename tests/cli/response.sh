# Response files: GNU quoting, nesting, @@; in operand position only, not after --.
. "$cases/lib.sh"
make_tree 'in put'
mkdir -p '@at/q' more
printf x > '@at/q/vs'
cp -r 'in put/two words' more/p
printf '%s' "-o 'out.psopack' \"in put\" @more.rsp" > words.rsp
printf '%s' 'mo\re @@at' > more.rsp
try pack -v @words.rsp | grep -v '^psopack: [^:]*$' | tail -n 1 | mask_sizes
try list -q out.psopack
echo '@loop.rsp' > loop.rsp
try pack @loop.rsp
printf '%s' "a 'b" > open.rsp
try pack @open.rsp
try pack @none.rsp
try info -- @words.rsp
try pack -o @words.rsp none
