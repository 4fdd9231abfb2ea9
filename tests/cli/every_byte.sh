# Every byte of a small archive flipped, one at a time: verify exits 3 each time.
. "$cases/lib.sh"
make_tree in
"$psopack" pack -q -o good.psopack in
python3 - "$psopack" << 'PYTHON'
import concurrent.futures
import os
import subprocess
import sys
good = open('good.psopack', 'rb').read()


def exit_code(at):
    path = f'bad-{at}.psopack'
    with open(path, 'wb') as file:
        file.write(good[:at] + bytes([good[at] ^ 1 << at % 8]) + good[at + 1:])
    code = subprocess.run([sys.argv[1], 'verify', '-qq', path], check=False).returncode
    os.unlink(path)
    return code


with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    codes = list(pool.map(exit_code, range(len(good))))
print('not found:', [(at, code) for at, code in enumerate(codes) if code != 3])
PYTHON
