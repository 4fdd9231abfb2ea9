# SPDX-License-Identifier: MIT
# For the cases: a small tree of PSOs, and ways to show what a command does.
# shellcheck shell=sh

# Shows a command, what it prints on both streams in order, and its exit code.
try()
{
    echo "\$ psopack $*"
    "$psopack" "$@" 2>&1
    code=$?
    [ $code -eq 0 ] || echo "exit $code"
}

# How large an archive gets is not what a case is about.
mask_sizes()
{
    sed -E 's/-> [0-9.]+ (bytes|[KMG]iB)/-> SIZE/'
}

# How the packer numbers components and blocks, and where it puts them, is not either.
mask_numbers()
{
    sed -E 's/(component|block|byte) [0-9]+/\1 N/g'
}

# Three PSOs: a component shared, a slot absent, one empty, a name with a space.
make_tree()
{
    mkdir -p "$1/metal/lit" "$1/metal/unlit" "$1/two words"
    printf 'vertex code' > "$1/metal/lit/vs"
    printf 'pixel code' > "$1/metal/lit/ps"
    printf 'vertex code' > "$1/metal/unlit/vs"
    : > "$1/metal/unlit/ps"
    printf 'state' > "$1/two words/state"
}

# Replaces the byte at an offset of a file by its complement.
flip()
{
    python3 - "$1" "$2" << 'PYTHON'
import sys
with open(sys.argv[1], 'r+b') as file:
    file.seek(int(sys.argv[2]))
    byte = file.read(1)[0]
    file.seek(-1, 1)
    file.write(bytes([byte ^ 255]))
PYTHON
}

# Prints members of the JSON object on standard input: json 'o["psos"]'.
json()
{
    python3 -c "import json, sys; o = json.load(sys.stdin)
for e in sys.argv[1:]: print(e, '=', eval(e))" "$@"
}
