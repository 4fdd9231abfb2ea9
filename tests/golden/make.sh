#!/bin/sh
# make.sh BUILD: makes the golden archives of format 1 anew with the packer built in BUILD, and the
# seeds of the archive fuzz targets from them. Only for a change of format 1 before its first
# release: afterwards an archive here is never replaced, new ones are added beside it.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=${1:?usage: make.sh BUILD}
ninja -C "$build" tests/golden/make_golden
mkdir -p "$here/v1"
rm -f "$here"/v1/*.psopack "$here"/v1/*.list
"$build/tests/golden/make_golden" "$here/v1"
for target in open reseal; do
    seeds=$here/../fuzz/corpus/$target
    mkdir -p "$seeds"
    for name in balanced small stored fast keys empty; do
        cp "$here/v1/$name.psopack" "$seeds/golden-$name"
    done
done
du -sh "$here/v1"
