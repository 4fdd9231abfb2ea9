#!/bin/sh
# SPDX-License-Identifier: MIT
# A build in stages under Ninja: writes WORK/build.ninja, runs it. A distributed Ninja (or any tool
# that runs rules on other machines) needs nothing else: stages meet only in files.
#
#   ninja.sh PSOPACK INPUT ARCHIVE PARTS [WORK]
set -eu
psopack=$1 input=$2 archive=$3 parts=$4 work=${5:-$3.stages}
mkdir -p "$work"
list=''
for part in $(seq "$parts"); do
    list="$list $work/part$part"
done
{
    cat << END
psopack = $psopack

rule scan
  command = \$psopack scan -q -o \$out --depfile \$out.d $input
  depfile = \$out.d
  restat = 1
rule plan
  command = \$psopack plan -q -o \$out \$in
  restat = 1
rule compress
  command = \$psopack compress -q -j 1 --part \$part -o \$out \$in
  restat = 1
rule assemble
  command = \$psopack assemble -q -o \$out \$in
  restat = 1

build $work/scan: scan
build $work/plan: plan $work/scan
END
    for part in $(seq "$parts"); do
        echo "build $work/part$part: compress $work/scan $work/plan"
        echo "  part = $part/$parts"
    done
    echo "build $archive: assemble $work/scan $work/plan$list"
    echo "default $archive"
} > "$work/build.ninja"
exec ninja -f "$work/build.ninja"
