# Archives with names that no packer writes and good checks: nothing is extracted.
. "$cases/lib.sh"
mkdir -p in/ab/cdefg in/ab/hijkl
printf x > in/ab/cdefg/vstage
printf y > in/ab/hijkl/vstage
"$psopack" pack -q -o good.psopack in
hostile()
{
    echo "--- $1 -> $2"
    "$forge" good.psopack bad.psopack "$1" "$2" || exit 1
    mkdir -p jail/cell
    "$psopack" extract bad.psopack -C jail/cell 2>&1 |
        sed 's/: PSO [0-9]* is/: PSO N is/; s/at byte [0-9]*/at byte N/'
    "$psopack" extract -qq --force bad.psopack -C jail/cell
    echo "exit $?"
    find jail | sort
    rm -r jail
}
hostile ab/cdefg ../cdefg
hostile ab/cdefg /b/cdefg
hostile ab/cdefg ab/../fg
hostile ab/cdefg ab/cde/.
hostile ab/cdefg ab/cdef/
hostile ab/cdefg ab//defg
hostile ab/cdefg ab/c~efg
hostile vstage ../vst
hostile vstage /stage
hostile vstage vst~ge
echo "--- what verify and list say of such a name"
"$forge" good.psopack bad.psopack ab/cdefg "$(printf 'ab/\033[2Jx')"
try list -q bad.psopack
