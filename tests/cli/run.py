#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs command-line cases and compares what they print, byte for byte.

run.py [--update] [--tool NAME=PATH]... PROGRAM CASE.sh...

A case is a shell script. It runs with `sh -u` in an empty directory, with $psopack the program,
$cases this directory and $NAME each further tool, in the C locale, without a terminal.
Beside CASE.sh lie what it must print and how it must exit: CASE.out, CASE.err, CASE.rc. A file that
is missing means: nothing, nothing, 0. --update rewrites these files from what happens now: read the
difference before you commit it. A case that exits 77 is skipped.
"""

import argparse
import os
import pathlib
import signal
import subprocess
import sys
import tempfile

CASES = pathlib.Path(__file__).resolve().parent
SKIPPED = 77


def run(program, tools, case, directory):
    environment = {
        'PATH': os.environ['PATH'],
        'LC_ALL': 'C',
        'TZ': 'UTC',
        'HOME': directory,
        'psopack': str(program),
        'cases': str(CASES),
        **tools,
    }
    for name in ('ASAN_OPTIONS', 'UBSAN_OPTIONS', 'LSAN_OPTIONS', 'LD_LIBRARY_PATH'):
        if name in os.environ:
            environment[name] = os.environ[name]
    done = subprocess.run(['sh', '-u', str(case)], cwd=directory, env=environment,
                          stdin=subprocess.DEVNULL, capture_output=True, timeout=900, check=False)
    return {'.out': done.stdout, '.err': done.stderr, '.rc': b'%d\n' % done.returncode}


def expected(case, suffix):
    path = case.with_suffix(suffix)
    if path.exists():
        return path.read_bytes()
    return b'0\n' if suffix == '.rc' else b''


def update(case, seen):
    for suffix, data in seen.items():
        path = case.with_suffix(suffix)
        if data == (b'0\n' if suffix == '.rc' else b''):
            path.unlink(missing_ok=True)
        else:
            path.write_bytes(data)


def differences(case, seen):
    count = 0
    for suffix, data in seen.items():
        wanted = expected(case, suffix)
        if data == wanted:
            continue
        count += 1
        with tempfile.NamedTemporaryFile() as a, tempfile.NamedTemporaryFile() as b:
            a.write(wanted)
            b.write(data)
            a.flush()
            b.flush()
            subprocess.run(['diff', '-u', '--label', f'{case.stem}{suffix}, expected', '--label',
                            f'{case.stem}{suffix}, seen', a.name, b.name], stdout=sys.stderr,
                           check=False)
    return count


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--update', action='store_true')
    parser.add_argument('--tool', action='append', default=[], metavar='NAME=PATH')
    parser.add_argument('program', type=pathlib.Path)
    parser.add_argument('cases', type=pathlib.Path, nargs='+')
    arguments = parser.parse_args()
    tools = {name: os.path.abspath(path)
             for name, path in (tool.split('=', 1) for tool in arguments.tool)}
    # A shell's background job ignores SIGINT, and so would all that the cases start.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    failed = 0
    skipped = 0
    for case in arguments.cases:
        case = case.resolve()
        with tempfile.TemporaryDirectory(prefix='psopack-cli-') as directory:
            seen = run(arguments.program.resolve(), tools, case, directory)
        if seen['.rc'] == b'%d\n' % SKIPPED:
            print(f'{case.stem}: skipped', file=sys.stderr)
            skipped += 1
        elif arguments.update:
            update(case, seen)
        elif differences(case, seen):
            print(f'{case.stem}: failed', file=sys.stderr)
            failed += 1
    if failed:
        return 1
    return SKIPPED if skipped == len(arguments.cases) else 0


if __name__ == '__main__':
    sys.exit(main())
