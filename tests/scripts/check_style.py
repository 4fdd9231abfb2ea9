#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks what a formatter does not: bytes and lines of every source file.

    check_style.py ROOT

No tabs, CR, trailing blanks or non-ASCII bytes, a newline at the end, at most 100 columns, and a
license line in C. Exits 1 with one line per finding.
"""
import pathlib
import sys

FOLDERS = ("include", "src", "tools", "samples", "tests", ".ci")
SUFFIXES = {".c", ".h", ".py", ".sh", ".build", ".txt", ".ini", ".glsl", ".vert", ".frag", ".tesc",
            ".tese", ".geom", ".comp"}
TOP_FILES = ("dev", "meson.build", "meson_options.txt")
# Test inputs that are wrong on purpose, or exact output.
EXEMPT = {"data", "corpus", "expected", "archives"}
MAX_COLUMNS = 100
WIDE_SUFFIX = "_table.h"  # tables of numbers that a script wrote
LICENSE = b"/* SPDX-License-Identifier: MIT */\n"


def source_files(root):
    for folder in FOLDERS:
        for file in sorted((root / folder).rglob("*")):
            is_source = file.suffix in SUFFIXES or file.name == "run"
            if is_source and file.is_file() and not EXEMPT & set(file.relative_to(root).parts):
                yield file
    yield from (root / name for name in TOP_FILES if (root / name).is_file())


def line_findings(line, max_columns):
    if b"\t" in line:
        yield "tab"
    if line.endswith(b"\r"):
        yield "CR at the end"
    elif line != line.rstrip():
        yield "blank at the end"
    if len(line) > max_columns:
        yield f"{len(line)} columns"
    if not line.isascii():
        yield "non-ASCII byte"


def findings(file):
    content = file.read_bytes()
    if file.suffix in (".c", ".h") and not content.startswith(LICENSE):
        yield 1, "no license line"
    max_columns = sys.maxsize if file.name.endswith(WIDE_SUFFIX) else MAX_COLUMNS
    if content and not content.endswith(b"\n"):
        yield content.count(b"\n") + 1, "no newline at the end"
    for number, line in enumerate(content.split(b"\n"), 1):
        for finding in line_findings(line, max_columns):
            yield number, finding


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    files = found = 0
    for file in source_files(root):
        files += 1
        for line, finding in findings(file):
            found += 1
            print(f"{file.relative_to(root)}:{line}: {finding}")
    print(f"check_style: {files} files, {found} findings")
    return 1 if found or not files else 0


if __name__ == "__main__":
    sys.exit(main())
