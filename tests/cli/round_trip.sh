# pack, verify, extract: the same tree, empty and absent kept apart; every profile.
. "$cases/lib.sh"
make_tree in
for profile in balanced fast small stored directstorage; do
    try pack -o out.psopack --profile $profile --verify in | mask_sizes
    try verify out.psopack
    try extract out.psopack -C restored-$profile
    diff -r in restored-$profile
done
ls -a
