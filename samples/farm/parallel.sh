#!/bin/sh
# SPDX-License-Identifier: MIT
# A build in stages under GNU parallel: parts are compressed on the machines of HOSTS (a list for
# --sshlogin; ":" is this one), which see the same files by the same paths.
#
#   [HOSTS=one,two] parallel.sh PSOPACK INPUT ARCHIVE PARTS [WORK]
set -eu
psopack=$1 input=$2 archive=$3 parts=$4 work=${5:-$3.stages}
mkdir -p "$work"
"$psopack" scan -q -o "$work/scan" "$input"
"$psopack" plan -q -o "$work/plan" "$work/scan"
seq "$parts" | parallel --sshlogin "${HOSTS:-:}" --workdir "$PWD" --halt now,fail=1 \
    "$psopack" compress -q -j 1 --part "{}/$parts" -o "$work/part{}" "$work/scan" "$work/plan"
set --
for part in $(seq "$parts"); do
    set -- "$@" "$work/part$part"
done
exec "$psopack" assemble -q -o "$archive" "$work/scan" "$work/plan" "$@"
