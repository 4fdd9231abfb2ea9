# Distinct errors for what is no archive, cut, extended, or not there.
. "$cases/lib.sh"
make_tree in
"$psopack" pack -q -o good.psopack in
: > empty
head -c 5000 /dev/zero | tr '\0' 'x' > noise
head -c 200 good.psopack > short
{ cat good.psopack; echo more; } > extended
for file in empty noise short extended none in; do
    echo "--- $file"
    "$psopack" verify $file > out 2> err
    echo "exit $?"
    cat out
    sed -E 's/^(psopack: error: [^:]*):.* \[/\1: ... [/' err
done
