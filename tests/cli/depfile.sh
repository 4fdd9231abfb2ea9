# A depfile names every input and every directory walked, escaped as Make reads it.
. "$cases/lib.sh"
make_tree in
mkdir 'in/a$b#c'
printf x > 'in/a$b#c/v:s[1]'
"$psopack" pack -q -o out.psopack --depfile out.d in
cat out.d
echo "--- -MT and -MP; a list and a response file are inputs too"
printf 'p\tvs\tin/metal/lit/vs\n' > list
printf '%s' '--list list' > words
"$psopack" pack -q -o out.psopack --depfile out.d -MP -MT 'my target' @words
cat out.d
echo "--- Make reads them"
if command -v make > /dev/null; then
    "$psopack" pack -q -o out.psopack --depfile out.d -MP in
    printf 'out.psopack:\n\t@echo made\ninclude out.d\n' > Makefile
    touch -d @1 in/*/* in/*/*/* in/* in
    touch -d @2 out.psopack
    make -q && echo fresh
    touch -d @3 'in/a$b#c/v:s[1]'
    make -q || echo stale
else
    printf 'fresh\nstale\n'
fi
echo "--- a name with a line break"
mkdir -p "lines/p"
printf x > lines/p/vs
try pack -q -o out.psopack --depfile out.d -MT "$(printf 'a\nb')" lines
ls ./*.d*
