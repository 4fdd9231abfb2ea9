#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The real program over a system that fails on order.

faults.py [--stride N] PROGRAM SHIM

Every allocation and every call to the system fails in turn, with each plausible errno; calls are
interrupted, transfers cut to a byte, the disk fills up at each byte of the output; the process is
killed in front of each call. After each: a clear error and the right exit code, no allocation left,
no litter, the old output whole or the new one, and whatever is said with exit code 0 is true.

--stride N tries every Nth place only. The last line counts what was tried.
"""

import argparse
import collections
import errno
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile

ERRORS = (errno.EIO, errno.ENOSPC, errno.EACCES, errno.ENOMEM, errno.EMFILE)
STDIO_BUFFERS = 2  # of standard output and error, which nobody frees
TROUBLE = {'diff': 2}  # as cmp and diff have it; else 1

# name: arguments, the file or folder that it makes. A new command is one row more.
COMMANDS = {
    'pack': (['pack', '-q', '-j1', '-o', 'out/file', 'in'], True),
    'rebuild': (['pack', '-q', '-j1', '--base', 'good', '-o', 'out/file', 'in'], True),
    'extract': (['extract', '-q', '-j1', 'good', '-C', 'out/tree'], True),
    'verify': (['verify', 'good'], False),
    'info': (['info', '--json', 'good'], False),
    'list': (['list', 'good'], False),
    'cat': (['cat', 'good', 'metal/lit', 'vs'], False),
    'diff': (['diff', 'good', 'old'], False),
}


def make_inputs(program):
    for path, content in {'metal/lit/vs': b'vertex code' * 40, 'metal/lit/ps': b'pixel code',
                          'metal/unlit/vs': b'vertex code' * 40, 'metal/unlit/ps': b'',
                          'two words/state': b'state'}.items():
        file = pathlib.Path('in', path)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    shutil.copytree('in', 'in.old')
    pathlib.Path('in.old/metal/lit/ps').write_bytes(b'pixel code of yesterday')
    for name, folder in (('good', 'in'), ('old', 'in.old')):
        subprocess.run([program, 'pack', '-q', '-o', name, folder], check=True)


def tree(folder):
    return {str(p.relative_to(folder)): p.read_bytes() if p.is_file() else None
            for p in sorted(pathlib.Path(folder).rglob('*'))}


Run = collections.namedtuple('Run', 'code out err calls live failed made')


class Bench:
    """Runs one command under one plan after the other, and judges."""

    def __init__(self, program, shim, stride):
        self.program, self.shim, self.stride = program, shim, stride
        self.counts = collections.Counter()
        self.problems = []

    def run(self, arguments, **plan):
        shutil.rmtree('out', ignore_errors=True)
        os.mkdir('out')
        if arguments[0] == 'pack':
            shutil.copy('old', 'out/file')
        return self.again(arguments, **plan)

    def again(self, arguments, **plan):
        report = pathlib.Path('report')
        report.unlink(missing_ok=True)
        environment = {'PATH': os.environ['PATH'], 'LC_ALL': 'C', 'LD_PRELOAD': self.shim,
                       'FAULT_REPORT': 'report',
                       **{f'FAULT_{name}': str(value) for name, value in plan.items()}}
        done = subprocess.run([self.program, *arguments], env=environment, capture_output=True,
                              stdin=subprocess.DEVNULL, timeout=60, check=False)
        words = report.read_text().split() or ['0', '0', '-']  # it was killed
        return Run(done.returncode, done.stdout, done.stderr.decode(errors='replace'),
                   int(words[0]), int(words[1]), words[2], tree('out'))

    def problem(self, name, plan, run, text):
        self.problems.append(f'{name} {plan}: {text} (exit {run.code}, {run.failed} failed)\n'
                             f'    {run.err.strip()}')

    def judge(self, name, plan, run, good):
        """What may be after a run that was disturbed but not killed."""
        if run.live > good.live + STDIO_BUFFERS:
            self.problem(name, plan, run, f'{run.live} allocations are left')
        if run.code == good.code and run.failed == '-' or run.code == 0:
            if (run.code, run.out, run.made) != (good.code, good.out, good.made):
                self.problem(name, plan, run, 'says all is well, and it is not')
        elif (run.code != TROUBLE.get(name, 1) or 'psopack: error: ' not in run.err or
              '[PSOPACK_E_' not in run.err):
            if (run.code, run.out) != (good.code, good.out):
                self.problem(name, plan, run, 'no clear error')
        self.judge_output(name, plan, run, good)

    def judge_output(self, name, plan, run, good):
        made = dict(run.made)
        if name == 'extract':  # files are whole, or not there; one temporary name may be left
            for path, content in made.items():
                if path in good.made and content != good.made[path]:
                    self.problem(name, plan, run, f'{path} is not whole')
        elif COMMANDS[name][1]:
            if made.pop('file', None) not in (self.old, good.made['file']):
                self.problem(name, plan, run, 'the output is neither the old nor the new one')
            if made and run.failed != 'unlinkat':
                self.problem(name, plan, run, f'litter: {list(made)}')

    def places(self, count):
        return range(0, count, self.stride)

    def command(self, name):
        arguments = COMMANDS[name][0]
        good = {group: self.run(arguments, GROUP=group) for group in ('memory', 'io')}
        for at in self.places(good['memory'].calls + 1):
            self.try_plan(name, good['memory'], 'allocations', GROUP='memory', AT=at,
                          ERRNO=errno.ENOMEM)
        for number in ERRORS:
            for at in self.places(good['io'].calls + 1):
                self.try_plan(name, good['io'], 'calls', GROUP='io', AT=at, ERRNO=number)
        for short in (0, 1, 2, 3):
            run = self.try_plan(name, good['io'], 'storms', GROUP='io', EINTR=1, SHORT=short)
            if run.code != good['io'].code:
                self.problem(name, f'EINTR, {short} bytes', run, 'interrupted, and it gave up')
        if COMMANDS[name][1]:
            self.fill_disk(name, good['io'])
            self.kill(name, good['io'])

    def try_plan(self, name, good, count, **plan):
        run = self.run(COMMANDS[name][0], **plan)
        self.counts[count] += 1
        self.judge(name, plan, run, good)
        return run

    def fill_disk(self, name, good):
        size = sum(len(content or b'') for content in good.made.values())
        for space in self.places(size):
            run = self.try_plan(name, good, 'full disks', GROUP='io', SPACE=space)
            if run.code == 0:
                self.problem(name, f'disk of {space} bytes', run, 'it did not notice')

    def kill(self, name, good):
        for at in self.places(good.calls):
            run = self.run(COMMANDS[name][0], GROUP='io', KILL=at)
            self.counts['kills'] += 1
            if run.code != -signal.SIGKILL:
                self.problem(name, f'kill {at}', run, 'it lived')
            if name != 'extract' and run.made.get('file') not in (self.old, good.made['file']):
                self.problem(name, f'kill {at}', run, 'the output is neither old nor new')
            again = self.again(COMMANDS[name][0] + (['--replace'] if name == 'extract' else []))
            if (again.code, again.made) != (0, good.made) and name != 'extract':
                self.problem(name, f'kill {at}', again, 'the run after it leaves something else')


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--stride', type=int, default=1)
    parser.add_argument('program', type=pathlib.Path)
    parser.add_argument('shim', type=pathlib.Path)
    options = parser.parse_args()
    bench = Bench(str(options.program.resolve()), str(options.shim.resolve()), options.stride)
    with tempfile.TemporaryDirectory(prefix='psopack-faults-') as folder:
        os.chdir(folder)
        make_inputs(bench.program)
        bench.old = pathlib.Path('old').read_bytes()
        for name in COMMANDS:
            bench.command(name)
        os.chdir('/')
    print('\n'.join(bench.problems[:20]))
    print('faults: ' + ', '.join(f'{n} {what}' for what, n in bench.counts.items()) +
          f'; {len(bench.problems)} not as promised')
    return 1 if bench.problems else 0


if __name__ == '__main__':
    sys.exit(main())
