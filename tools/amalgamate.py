#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the loader as one psopack.c and one psopack.h.

    amalgamate.py BUILD_FOLDER OUT_FOLDER

BUILD_FOLDER is a configured Meson build: it knows the loader's sources. The result links libzstd's
decoder and xxHash and nothing else.

Names that two files define for themselves (static functions, types, macros) get the file's name as
a prefix, by a #define before the file and an #undef behind it, so that the code stays as it was
written.
"""
import argparse
import collections
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TARGETS = ("psopack-format", "psopack-system", "psopack")
PUBLIC_HEADERS = ("psopack/status.h", "psopack/psopack.h", "psopack/load_plan.h",
                  "psopack/residency.h", "psopack/mount.h")
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+[<"]([^>"]+)[>"].*\n', re.MULTILINE)
OWN_NAMES = (
    # Functions and tables; ALWAYS_INLINE and the like count as static.
    re.compile(r"^(?:static|[A-Z_]+) [^;{}=]*?\b(\w+)(?:\[|\((?!\()| =|;)", re.MULTILINE),
    re.compile(r"^(?:typedef )?(?:struct|union|enum) (\w+)\b", re.MULTILINE),
    re.compile(r"^(?:typedef .*|\}) (\w+);", re.MULTILINE),
)
ENUMS = re.compile(r"^(?:typedef )?enum\b[^{;]*\{([^}]*)\}", re.MULTILINE)
ENUMERATOR = re.compile(r"(?:^|,)\s*(\w+)")
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
ATTRIBUTE = re.compile(r"__attribute__\(\(.*?\)\) ?")
OWN_MACROS = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", re.MULTILINE)


def sources(build):
    """The loader's C files, lowest layer first."""
    run = subprocess.run(["meson", "introspect", "--targets", str(build)], check=True,
                         capture_output=True, text=True)
    found = {}
    for target in json.loads(run.stdout):
        if target["name"] in TARGETS and "library" in target["type"]:
            # A library made both ways lists its sources in one of the two.
            files = [f for group in target["target_sources"] for f in group["sources"]]
            found.setdefault(target["name"], set()).update(f for f in files if f.endswith(".c"))
    return [pathlib.Path(f) for target in TARGETS for f in sorted(found[target])]


def without_license(text):
    return text.removeprefix("/* SPDX-License-Identifier: MIT */\n")


def locate(name, file):
    """Our header behind an #include, or None for a system header."""
    for folder in (file.parent, ROOT / "src", ROOT / "include"):
        if (folder / name).is_file():
            return folder / name
    return None


class Amalgamation:
    def __init__(self):
        self.seen = {ROOT / "include" / name for name in PUBLIC_HEADERS}

    def expand(self, file):
        """A file's text; each of our headers stands where it is first included."""
        def replaced(match):
            header = locate(match.group(1), file)
            if header is None:
                return match.group(0)
            if header in self.seen:
                return ""
            self.seen.add(header)
            return self.expand(header)
        return INCLUDE.sub(replaced, without_license(file.read_text(encoding="utf-8")))


def own_names(file):
    """The names a C file defines for itself: functions, tables, types, enumerators."""
    text = ATTRIBUTE.sub("", COMMENT.sub("", file.read_text(encoding="utf-8")))
    names = {name for pattern in OWN_NAMES for name in pattern.findall(text)}
    for enumerators in ENUMS.findall(text):
        names.update(ENUMERATOR.findall(enumerators))
    return {name for name in names if not name.startswith("psopack_")}


def private_part(file, text, shared_names):
    """One file's text between the #defines that make its names unique and their end."""
    renamed = sorted(own_names(file) & shared_names)
    macros = sorted(set(OWN_MACROS.findall(file.read_text(encoding="utf-8"))))
    before = "".join(f"#define {name} {file.stem}_{name}\n" for name in renamed)
    kept = {"_GNU_SOURCE", "_FILE_OFFSET_BITS"}
    after = "".join(f"#undef {name}\n" for name in [*renamed, *macros] if name not in kept)
    return f"\n/* ---- {file.relative_to(ROOT / 'src')} ---- */\n{before}{text}{after}"


def header_text():
    parts = []
    for name in PUBLIC_HEADERS:
        text = without_license((ROOT / "include" / name).read_text(encoding="utf-8"))
        parts.append(re.sub(r"^#include <psopack/.*\n", "", text, flags=re.MULTILINE))
    return "/* SPDX-License-Identifier: MIT */\n/* libpsopack, in one header. */\n" + "".join(parts)


def source_text(files):
    counts = collections.Counter(name for file in files for name in own_names(file))
    shared_names = {name for name, count in counts.items() if count > 1}
    amalgamation = Amalgamation()
    text = ("/* SPDX-License-Identifier: MIT */\n"
            "/* libpsopack, in one file. Link libzstd and libxxhash. */\n"
            "#ifndef _GNU_SOURCE\n#define _GNU_SOURCE 1\n#endif\n"
            "#ifndef _FILE_OFFSET_BITS\n#define _FILE_OFFSET_BITS 64\n#endif\n"
            '#include "psopack.h"\n')
    for file in files:
        text += private_part(file, amalgamation.expand(file), shared_names)
    return text


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    options = parser.parse_args()
    files = sources(options.build)
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "psopack.h").write_text(header_text(), encoding="utf-8")
    (options.out / "psopack.c").write_text(source_text(files), encoding="utf-8")
    print(f"amalgamate: {len(files)} files in {options.out}", file=sys.stderr)


if __name__ == "__main__":
    main()
