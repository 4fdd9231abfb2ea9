#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Holds the layers to their arrows: reads the #include lines of every C file.

    check_layers.py ROOT

Exits 1 with one line per include that points the wrong way.
"""
import pathlib
import re
import sys

# What a file below the folder may include of ours, by the path in its #include line.
ALLOWED = {
    "include/psopack": ("psopack/",),
    "src/format": ("format/", "psopack/status.h"),
    "src/platform": ("platform/", "format/error.h", "psopack/status.h"),
    "src/loader": (
        "loader/", "format/", "psopack/psopack.h", "psopack/load_plan.h", "psopack/mount.h",
        "psopack/residency.h", "psopack/status.h",
    ),
    "src/packer": (
        "packer/", "format/", "platform/", "psopack/build.h", "psopack/build_stages.h",
        "psopack/psopack.h", "psopack/status.h",
    ),
    "src/lint": ("lint/", "format/error.h", "psopack/lint.h", "psopack/status.h"),
    "src/session": ("session/", "format/", "platform/", "psopack/"),
    "tools/psopack": ("psopack/",),
    "samples": ("psopack/",),
}
# Public headers of other libraries.
FORBIDDEN = {"src/loader": ("psopack/build.h", "psopack/lint.h", "psopack/session")}
LIBRARIES = ("src/format", "src/loader", "src/packer", "src/lint", "src/session")
# The loader's only doors to the system: its file source, and yielding while another thread works.
LOADER_PLATFORM_FILES = re.compile(r"(source_\w+|wait)\.c")
# System calls have one home in the libraries.
PLATFORM_HEADERS = ("pthread.h", "threads.h", "fcntl.h", "unistd.h", "sys/", "windows.h")
INCLUDE = re.compile(r'^\s*#\s*include\s+([<"])([^>"]+)[>"]', re.MULTILINE)


def our_include(root, file, quote, name):
    """The include as a path below src/ or include/, or None for a system header."""
    if quote == "<":
        return name if name.startswith("psopack/") else None
    beside = file.parent / name
    if "/" not in name and beside.is_file():
        parent = file.parent.relative_to(root).as_posix()
        return f"{parent.removeprefix('src/')}/{name}"
    return name


def allowed(folder, file, include):
    prefixes = ALLOWED[folder]
    if include.startswith(FORBIDDEN.get(folder, ())):
        return False
    if folder == "src/loader" and LOADER_PLATFORM_FILES.fullmatch(file.name):
        prefixes += ("platform/",)
    if folder in ("tools/psopack", "samples") and include.startswith(folder + "/"):
        return True
    if folder == "tools/psopack" and "/" not in include:
        return True
    return include.startswith(prefixes)


def complaints(root, folder, file):
    text = file.read_text(encoding="utf-8")
    for match in INCLUDE.finditer(text):
        quote, name = match.groups()
        line = text.count("\n", 0, match.start(2)) + 1
        where = f"{file.relative_to(root)}:{line}"
        ours = our_include(root, file, quote, name)
        if ours and not allowed(folder, file, ours):
            yield f"{where}: {folder} must not include {ours}"
        if folder in LIBRARIES and quote == "<" and name.startswith(PLATFORM_HEADERS):
            yield f"{where}: only src/platform may include <{name}>"


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    files = found = 0
    for folder in ALLOWED:
        for file in sorted((root / folder).rglob("*.[ch]")):
            files += 1
            for complaint in complaints(root, folder, file):
                found += 1
                print(complaint)
    print(f"check_layers: {files} files, {found} wrong includes")
    return 1 if found or not files else 0


if __name__ == "__main__":
    sys.exit(main())
