# Data on standard output, the rest on standard error; both may fail.
. "$cases/lib.sh"
make_tree in
"$psopack" pack -q -o out.psopack in
"$psopack" list out.psopack 2> /dev/null | wc -l
{ "$psopack" list -q out.psopack > /dev/null; } 2>&1
"$psopack" info -qq none
echo "exit $?"
"$psopack" list out.psopack > /dev/full
echo "exit $?"
"$psopack" cat out.psopack metal/lit vs > /dev/full
echo "exit $?"
python3 - "$psopack" << 'PYTHON'
# A reader that has gone: quiet.
import os
import subprocess
import sys
read, write = os.pipe()
os.close(read)
done = subprocess.run([sys.argv[1], 'help'], stdout=write, stderr=subprocess.PIPE, check=False)
print('closed pipe:', done.returncode, done.stderr)
PYTHON
