# What is wrong with a command line: one line, a hint, exit 2.
. "$cases/lib.sh"
try
try pakc
try --output x
try pack --jbos 3
try pack --prof fast
try pack --zzzzzzzzzz
try pack --quick
try pack -Z
try pack -qZ
try pack -o
try pack --json=1
try pack --flat slot
try pack --jobs=many -o x y
try pack --jobs 18446744073709551616 -o x y
try pack --content-version 0xg -o x y
try pack --memory 1T -o x y
try pack --memory 1KB -o x y
try pack --memory M -o x y
try pack --memory 99999999999G -o x y
try pack --memory 0 -o x y
try pack --profile tiny -o x y
try pack --progress=often -o x y
try pack --null -o x y
try pack -MT x -o x y
try pack y
try pack -o x
try info
try info a b
try cat a b
try list --slots --blocks a
try list --slots a b
try help nonsense
try version extra
try pack --align vs=3 -o x y
try pack --align vs -o x y
try pack --align vs=1x -o x y
try info --json
