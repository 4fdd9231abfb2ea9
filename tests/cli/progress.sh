# Progress: JSON Lines on standard error when asked for; a bar only on a terminal.
. "$cases/lib.sh"
python3 - "$psopack" << 'PYTHON'
import json
import os
import pty
import random
import subprocess
import sys

random.seed(1)
os.mkdir('big')
words = [random.randbytes(24) for _ in range(2000)]
for i in range(30):
    os.mkdir(f'big/p{i}')
    with open(f'big/p{i}/vs', 'wb') as file:
        file.write(b''.join(random.choice(words) for _ in range(1500)))
pack = [sys.argv[1], 'pack', '--no-fsync', '--force-write', '-o', 'out', 'big']

done = subprocess.run(pack + ['--progress=json', '-q'], capture_output=True, check=False)
lines = [json.loads(line) for line in done.stderr.splitlines()]
print('json:', done.returncode, len(lines) > 0, all(
    line['schema'] == 'psopack.progress/1' and line['phase'] and line['done'] <= line['total']
    for line in lines))

done = subprocess.run(pack, capture_output=True, check=False)
print('no terminal:', done.returncode, b'\r' in done.stderr, done.stderr.count(b'\n'))


def on_terminal(*arguments):
    ours, theirs = pty.openpty()
    process = subprocess.Popen(pack + list(arguments), stdout=subprocess.PIPE, stderr=theirs,
                               env={**os.environ, 'TERM': 'xterm'})
    os.close(theirs)
    seen = b''
    while True:
        try:
            piece = os.read(ours, 4096)
        except OSError:
            break
        if not piece:
            break
        seen += piece
    process.communicate()
    return seen


seen = on_terminal()
print('terminal:', seen.count(b'\r') > 1, seen.isascii(), b'\r\x1b[Kpsopack: ' in seen)
print('terminal, -q:', on_terminal('-q'))
print('terminal, --json:', on_terminal('--json'))
print('terminal, --progress=none:', b'\x1b[K' in on_terminal('--progress=none'))
PYTHON
