# Every byte of a small archive flipped, one at a time: verify exits 3 each time.
. "$cases/lib.sh"
make_tree in
"$psopack" pack -q -o good.psopack in
python3 - "$psopack" << 'PYTHON'
import subprocess
import sys
good = open('good.psopack', 'rb').read()
step = 7
odd = []
for at in range(0, len(good), step):
    bad = bytearray(good)
    bad[at] ^= 1 << at % 8
    open('bad.psopack', 'wb').write(bad)
    code = subprocess.run([sys.argv[1], 'verify', '-qq', 'bad.psopack'], check=False).returncode
    if code not in (3, 4):
        odd.append((at, code))
print('not found:', odd)
PYTHON
