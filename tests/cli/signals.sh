# SIGINT and SIGTERM: stop soon, exit 130 or 143, the old archive whole, no litter.
. "$cases/lib.sh"
make_tree in
"$psopack" pack -q -o out.psopack in
cp out.psopack before.psopack
python3 - "$psopack" << 'PYTHON'
import os
import random
import signal
import subprocess
import sys
import time

random.seed(1)
os.mkdir('big')
words = [random.randbytes(24) for _ in range(2000)]
for i in range(100):
    os.mkdir(f'big/p{i}')
    with open(f'big/p{i}/vs', 'wb') as file:
        file.write(b''.join(random.choice(words) for _ in range(3000)))


def stop(number, *arguments, ready):
    process = subprocess.Popen([sys.argv[1], *arguments], stderr=subprocess.PIPE,
                               stdin=subprocess.PIPE)
    ready(process)
    sent = time.monotonic()
    process.send_signal(number)
    lines = process.communicate()[1].decode().splitlines()
    took = time.monotonic() - sent
    # 0.1 s is the promise; a loaded machine or a sanitizer takes longer.
    print(number.name, process.returncode, [line for line in lines if line[0] != '{'],
          'late' if took > 3 else 'in time')


def has_begun(process):
    # Waits until it works: its message about progress says so.
    process.stderr.readline()


pack = ['pack', '--profile', 'small', '--no-fsync', '--progress=json', '-o', 'out.psopack', 'big']
stop(signal.SIGINT, *pack, ready=has_begun)
stop(signal.SIGTERM, *pack, ready=has_begun)
stop(signal.SIGINT, 'pack', '-o', 'out.psopack', '--list', '-', ready=lambda p: time.sleep(0.5))
PYTHON
cmp out.psopack before.psopack
ls
