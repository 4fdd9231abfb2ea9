# With --json failures are objects on standard output too; usage errors as well.
. "$cases/lib.sh"
"$psopack" info --json none 2> /dev/null
"$psopack" pack --json --jbos 2> /dev/null
"$psopack" pack --json -o out none 2> /dev/null
"$psopack" nonsense --json 2> /dev/null
true
