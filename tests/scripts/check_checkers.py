#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Shows that the checkers can fail: each gets a tree with one thing wrong.

    check_checkers.py
"""
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
LICENSE = "/* SPDX-License-Identifier: MIT */\n"

# checker, file, content, what its output must say; None: the checker must be content.
CASES = (
    ("check_layers.py", "src/format/a.c", '#include "format/b.h"\n', None),
    ("check_layers.py", "src/format/a.c", '#include "loader/b.h"\n', "a.c:1: src/format must not"),
    ("check_layers.py", "src/format/a.c", "#include <psopack/psopack.h>\n", "must not include"),
    ("check_layers.py", "src/loader/source_x.c", '#include "platform/file.h"\n', None),
    ("check_layers.py", "src/loader/block.c", '#include "platform/file.h"\n', "must not include"),
    ("check_layers.py", "src/packer/a.c", '\n#  include "loader/archive.h"\n', "a.c:2:"),
    ("check_layers.py", "src/loader/a.c", "#include <psopack/build.h>\n", "must not include"),
    ("check_layers.py", "src/packer/a.c", "#include <pthread.h>\n", "only src/platform"),
    ("check_layers.py", "tools/psopack/a.c", '#include "format/error.h"\n', "must not include"),
    ("check_style.py", "src/a.c", LICENSE + "int a;\n", None),
    ("check_style.py", "src/a.c", "int a;\n", "a.c:1: no license line"),
    ("check_style.py", "src/a.c", LICENSE + "\tint a;\n", "a.c:2: tab"),
    ("check_style.py", "src/a.c", LICENSE + "int a; \n", "a.c:2: blank"),
    ("check_style.py", "src/a.c", LICENSE + "int a;\r\n", "a.c:2: CR"),
    ("check_style.py", "src/a.c", LICENSE + "int a;", "a.c:2: no newline"),
    ("check_style.py", "src/a.c", LICENSE + f"int {'a' * 97};\n", "a.c:2: 102 columns"),
    ("check_style.py", "src/a.c", LICENSE + "/* \u00fc */\n", "a.c:2: non-ASCII"),
    ("check_style.py", "dev", "\techo\n", "dev:1: tab"),
)


def run_case(checker, name, content, expected):
    """What went wrong, or None."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, name)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode())
        run = subprocess.run([sys.executable, HERE / checker, folder], capture_output=True,
                             text=True, check=False)
    if run.returncode != (0 if expected is None else 1):
        return f"exit {run.returncode}: {run.stdout}{run.stderr}"
    if expected is not None and expected not in run.stdout:
        return f"no {expected!r} in: {run.stdout}"
    return None


def main():
    failed = 0
    for case in CASES:
        problem = run_case(*case)
        if problem:
            failed += 1
            print(f"{case[0]} on {case[1]} {case[2]!r}: {problem}")
    print(f"check_checkers: {len(CASES)} cases, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
