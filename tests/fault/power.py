#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Power cuts while an archive is replaced.

power.py PROGRAM SHIM

The shim writes down what `pack` does to the disk. Then the power fails behind each step, and the
disk may have kept any of what was not flushed: each write or none of it, each rename or not, in any
order. What the output then holds must be the old archive or the new one, whole.
"""

import argparse
import itertools
import os
import pathlib
import random
import subprocess
import sys
import tempfile

SUBSETS_MOST = 256  # of unflushed steps; beyond, as many at random


def read_log(path):
    """[(what, offset, bytes, path)] in order."""
    data = pathlib.Path(path).read_bytes()
    steps, at = [], 0
    while at < len(data):
        end = data.index(b'\n', at)
        what, offset, size, name = data[at:end].split(b' ', 3)
        at = end + 1 + int(size)
        steps.append((what.decode(), int(offset), data[end + 1:at], name.decode()))
    return steps


class Disk:
    """What is flushed, and the steps that are not."""

    def __init__(self, names):
        self.inodes = {i: content for i, content in enumerate(names.values())}
        self.names = dict(zip(names, self.inodes))  # as the process sees them
        self.durable = dict(self.names)
        self.pending = []  # ('write', inode, offset, bytes), ('rename', ...) and the like

    def apply(self, step):
        what, offset, data, path = step
        if what == 'create':
            if path not in self.names:
                self.names[path] = len(self.inodes)
                self.inodes[self.names[path]] = b''
                self.pending.append(('link', path, self.names[path]))
        elif what == 'write':
            self.pending.append(('write', self.names[path], offset, data))
        elif what == 'fsync' and path in self.names:
            self.flush(lambda p: p[0] == 'write' and p[1] == self.names[path])
        elif what == 'fsync':
            self.flush(lambda p: p[0] != 'write' and os.path.dirname(p[1]) == path)
        elif what == 'rename':
            source, name = path.split('\t')
            target = os.path.join(os.path.dirname(source), name)
            inode = self.names.pop(source)
            self.names[target] = inode
            self.pending.append(('rename', source, target, inode))
        elif what == 'unlink':
            self.names.pop(path, None)
            self.pending.append(('unlink', path))

    def flush(self, is_meant):
        kept = [p for p in self.pending if is_meant(p)]
        self.pending = [p for p in self.pending if not is_meant(p)]
        self.inodes, self.durable = self.after(kept)

    def after(self, kept):
        inodes, names = dict(self.inodes), dict(self.durable)
        for p in kept:
            if p[0] == 'write':
                old = inodes[p[1]].ljust(p[2], b'\0')
                inodes[p[1]] = old[:p[2]] + p[3] + old[p[2] + len(p[3]):]
            elif p[0] == 'link':
                names[p[1]] = p[2]
            elif p[0] == 'rename':
                names.pop(p[1], None)
                names[p[2]] = p[3]
            else:
                names.pop(p[1], None)
        return inodes, names

    def crashes(self):
        """All disks that may be found after a power cut now."""
        count = len(self.pending)
        if 2 ** count <= SUBSETS_MOST:
            chosen = itertools.product((0, 1), repeat=count)
        else:
            dice = random.Random(count)
            chosen = [[dice.getrandbits(1) for _ in range(count)] for _ in range(SUBSETS_MOST)]
            chosen += [[i < n for i in range(count)] for n in range(count + 1)]
            chosen += [[i != n for i in range(count)] for n in range(count)]
        for bits in chosen:
            yield self.after([p for p, bit in zip(self.pending, bits) if bit])


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('program', type=pathlib.Path)
    parser.add_argument('shim', type=pathlib.Path)
    options = parser.parse_args()
    program, shim = str(options.program.resolve()), str(options.shim.resolve())
    with tempfile.TemporaryDirectory(prefix='psopack-power-') as folder:
        os.chdir(folder)
        for name in ('before', 'after'):
            for i in range(40):
                pathlib.Path(name, f'pso{i}').mkdir(parents=True)
                pathlib.Path(name, f'pso{i}', 'vs').write_bytes(f'{name} {i} '.encode() * 300)
        out = os.path.realpath('out.psopack')
        subprocess.run([program, 'pack', '-q', '-o', out, 'before'], check=True)
        old = pathlib.Path(out).read_bytes()
        subprocess.run([program, 'pack', '-q', '-j1', '-o', out, 'after'], check=True,
                       env={'LD_PRELOAD': shim, 'FAULT_LOG': 'log', 'FAULT_SHORT': '200'})
        new = pathlib.Path(out).read_bytes()
        steps = read_log('log')
        os.chdir('/')
    disk, crashes, bad = Disk({out: old}), 0, []
    for number, step in enumerate(steps):
        disk.apply(step)
        for inodes, names in disk.crashes():
            crashes += 1
            if inodes.get(names.get(out)) not in (old, new):
                bad.append(f'behind step {number}, {step[0]} of {step[3]}')
    if disk.inodes.get(disk.durable.get(out)) != new:
        bad.append('when it was done, the new archive was not on the disk')
    print('\n'.join(bad[:10]))
    print(f'power: {len(steps)} steps, {crashes} disks after a cut, {len(bad)} not as promised')
    return 1 if bad or len(steps) < 10 else 0


if __name__ == '__main__':
    sys.exit(main())
