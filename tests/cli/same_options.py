#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""--help, the completions of three shells and the man page list the same options.

same_options.py PROGRAM PAGE.scd

Each is read back as its reader would, command by command where it tells commands apart, and
compared with the table that `psopack help --json` prints.
"""

import json
import pathlib
import re
import subprocess
import sys


def output(program, *arguments):
    return subprocess.run([program, *arguments], capture_output=True, text=True,
                          check=True).stdout


def spellings(text):
    """All option spellings in a piece of text that has nothing else with leading dashes."""
    return set(re.findall(r'(?<![\w-])--?[A-Za-z0-9][\w-]*', text))


def bash(program):
    text = output(program, 'help', '--format', 'bash')
    return {command: set(words.split())
            for command, words in re.findall(r"^    (\w+)\) options='(.*)' ;;$", text, re.M)}


def zsh(program):
    text = output(program, 'help', '--format', 'zsh')
    found = {}
    for command, body in re.findall(r'^    (\w+)\)\n(.*?)^        ;;$', text, re.M | re.S):
        heads = [line.split('[')[0] for line in body.splitlines()]
        found[command] = set().union(*(spellings(head) for head in heads))
    return found


def fish(program):
    found = {}
    for line in output(program, 'help', '--format', 'fish').splitlines():
        match = re.search(r"_from (\w+)' -l (\S+)(?: -[so] (\S+))?", line)
        if match:
            command, name, letters = match.groups()
            found.setdefault(command, set()).add('--' + name)
            if letters:
                found[command].add('-' + letters)
    return found


def helps(program, commands):
    found = {}
    for command in commands:
        lines = output(program, command, '--help').splitlines()
        heads = [line[2:28] if not line.startswith('  -M') else line[2:] for line in lines
                 if re.match(r'  (?:-|    --)', line)]
        found[command] = set().union(*(spellings(head) for head in heads))
    return found


def main(program, page):
    table = json.loads(output(program, 'help', '--json'))['commands']
    wanted = {}
    for command in table:
        options = command['options']
        wanted[command['name']] = {'--' + o['name'] for o in options} | {
            '-' + o['letters'] for o in options if o['letters']}
        for option in options:
            assert not re.search(r"['\"\[\]\\]", option['help']), option
    everything = set().union(*wanted.values())
    heads = [line for line in pathlib.Path(page).read_text(encoding='utf-8').splitlines()
             if re.match(r'\*-.*\*--', line) or line.startswith('*--')]
    man = set().union(*(spellings(head.replace('*', ' ')) for head in heads))

    failed = False
    for name, found in (('bash', bash(program)), ('zsh', zsh(program)), ('fish', fish(program)),
                        ('--help', helps(program, wanted)), ('man', {'all': man})):
        expected = {'all': everything} if name == 'man' else wanted
        for command in sorted(expected.keys() | found.keys()):
            odd = expected.get(command, set()) ^ found.get(command, set())
            if odd:
                failed = True
                print(f'{name}, {command}: only in one of both: {sorted(odd)}', file=sys.stderr)
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
