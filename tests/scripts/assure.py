#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What psopack was put through, in one table: ./dev assure [--long].

assure.py [--long] BUILD FUZZ_BUILD

BUILD is a plain build with tests, FUZZ_BUILD one with -Dfuzz=true. The short form takes minutes;
the long one tries every place, fuzzes each target for ten minutes, and runs the tests on other
machines. Exits 1 when something is not as promised.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
MACHINES = ('s390x', 'arm64', 'i386', 'musl', 'x86-64')


def run(*command):
    """Exit code, and all that was printed."""
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False)
    return done.returncode, done.stdout.decode(errors='replace')


def last_line(text, begins):
    """What follows `begins` in the last line that has it."""
    found = [line.split(begins, 1)[1].strip() for line in text.splitlines() if begins in line]
    return found[-1] if found else ''


def fuzz(target, seconds):
    seeds = ROOT / 'tests/fuzz/corpus' / target.name.removeprefix('fuzz_')
    with tempfile.TemporaryDirectory(prefix='psopack-assure-') as found:
        code, text = run(target, f'-max_total_time={seconds}', '-print_final_stats=1',
                         '-timeout=10', '-rss_limit_mb=2048', f'-artifact_prefix={found}/', found,
                         *([seeds] if seeds.is_dir() else []))
    executions = re.search(r'number_of_executed_units: (\d+)', text)
    tried = f'{executions[1]} executions in {seconds} s' if executions else 'nothing'
    return target.name, tried, code == 0 and executions is not None, text


def check(name, begins, *command):
    code, text = run(*command)
    tried = last_line(text, begins)
    return name, tried, code == 0 and tried != '', text


def rows(build, fuzz_build, is_long):
    program = build / 'tools/psopack/psopack'
    shim = build / 'tests/fault/fault_shim.so'
    python = sys.executable
    yield check('damage matrix', 'damage: ', build / 'tests/damage/test_damage',
                ROOT / 'doc/damage.md')
    yield check('faults of the system', 'faults: ', python, ROOT / 'tests/fault/faults.py',
                '--stride', 1 if is_long else 23, program, shim)
    yield check('power cuts', 'power: ', python, ROOT / 'tests/fault/power.py', program, shim)
    yield check('sessions, killed and cut', 'runs: ', build / 'tests/session/test_session_crash',
                2000 if is_long else 40)
    for target in sorted((fuzz_build / 'tests/fuzz').glob('fuzz_*')):
        if target.is_file():
            yield fuzz(target, 600 if is_long else 10)
    for machine in MACHINES if is_long else ():
        yield check(f'machine {machine}', 'tried: ', 'sh', ROOT / 'tests/scripts/foreign.sh',
                    machine, build)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--long', action='store_true')
    parser.add_argument('build', type=pathlib.Path)
    parser.add_argument('fuzz_build', type=pathlib.Path)
    options = parser.parse_args()
    failed = 0
    print('| what | tried | as promised |\n|---|---|---|')
    for name, tried, good, text in rows(options.build.resolve(), options.fuzz_build.resolve(),
                                        options.long):
        print(f'| {name} | {tried} | {"yes" if good else "NO"} |', flush=True)
        if not good:
            failed += 1
            print(text[-4000:], file=sys.stderr)
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
