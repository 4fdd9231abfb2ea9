# Every byte of a small archive flipped, one at a time: verify exits 3 each time.
. "$cases/lib.sh"
make_tree in
"$psopack" pack -q -o good.psopack in
python3 - "$psopack" << 'PYTHON'
import subprocess
import sys
good = open('good.psopack', 'rb').read()
odd = []
for at in range(len(good)):
    bad = bytearray(good)
    bad[at] ^= 1 << at % 8
    open('bad.psopack', 'wb').write(bad)
    code = subprocess.run([sys.argv[1], 'verify', '-qq', 'bad.psopack'], check=False).returncode
    if code != 3:
        odd.append((at, code))
print('not found:', odd)
PYTHON
