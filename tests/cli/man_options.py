#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The OPTIONS of psopack(1) must be what the program's table of options gives.

man_options.py [--update] PROGRAM PAGE.scd    compare, or rewrite the page's part
"""

import difflib
import pathlib
import subprocess
import sys

BEGIN = '; begin: '
END = '; end\n'


def main(arguments):
    rewrite = arguments[:1] == ['--update']
    program, page = arguments[1:] if rewrite else arguments
    path = pathlib.Path(page)
    lines = path.read_text(encoding='utf-8').splitlines(keepends=True)
    begin = next(i for i, line in enumerate(lines) if line.startswith(BEGIN)) + 1
    end = lines.index(END)
    made = subprocess.run([program, 'help', '--format', 'scdoc'], capture_output=True, text=True,
                          check=True).stdout.splitlines(keepends=True)
    if rewrite:
        path.write_text(''.join(lines[:begin] + made + lines[end:]), encoding='utf-8')
        return 0
    difference = list(difflib.unified_diff(lines[begin:end], made, 'psopack.1.scd', 'program'))
    sys.stderr.writelines(difference)
    return 1 if difference else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
