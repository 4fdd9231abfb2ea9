# An identical archive is left untouched, time and all; a stamp is touched each time.
. "$cases/lib.sh"
make_tree in
try pack -o out.psopack --stamp stamp in | mask_sizes
touch -d @1 out.psopack stamp
try pack -o out.psopack --stamp stamp in | mask_sizes
stat -c '%n %Y' out.psopack
[ "$(stat -c %Y stamp)" -gt 1 ] && echo stamp touched
try pack -o out.psopack --force-write in | mask_sizes
[ "$(stat -c %Y out.psopack)" -gt 1 ] && echo archive written
"$psopack" pack --json -o out.psopack in | json 'o["unchanged"]'
ls -a
