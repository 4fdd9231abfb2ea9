# The same bytes whatever the threads, the order of inputs, the directory, locale, time zone, umask.
. "$cases/lib.sh"
make_tree in
mkdir -p more/x/y elsewhere
printf 'other' > more/x/y/vs
"$psopack" pack -q -o 1.psopack -j 1 in more
"$psopack" pack -q -o 2.psopack -j 3 more in
cmp 1.psopack 2.psopack
find in more -type f | sort -r | awk -F/ '{
    pso = $2; for (i = 3; i < NF; i++) pso = pso "/" $i; print pso "\t" $NF "\t" $0 }' > list
"$psopack" pack -q -o 3.psopack --list list
cmp 1.psopack 3.psopack
(
    cd elsewhere || exit
    umask 077
    LC_ALL=C.UTF-8 TZ=Asia/Kolkata "$psopack" pack -q -o ../4.psopack ../in ../more
)
cmp 1.psopack 4.psopack
"$psopack" pack -q -o 5.psopack --memory 1K in more
cmp 1.psopack 5.psopack
stat -c %a 4.psopack
