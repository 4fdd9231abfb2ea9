# SPDX-License-Identifier: MIT
"""A corpus: a folder of PSOs, and its unique components written out for the C helpers.

A folder that directly holds files is flat: each file is a PSO with one slot, named like the folder.
"""
import array
import hashlib
import os
import pathlib
import re
import subprocess


class Corpus:
    """Facts about a folder; .set names the unique components, in order of (slot, first PSO)."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder).resolve()
        self.name = self.folder.name
        self.flat = any(entry.is_file() for entry in os.scandir(self.folder))
        self.files = 0
        self.raw_bytes = 0
        self.psos = 0
        self.components = 0
        self.unique_bytes = 0
        self.set = None

    def pack_input(self):
        """The arguments that give this corpus to psopack pack."""
        return ["--flat", self.name, str(self.folder)] if self.flat else [str(self.folder)]

    def facts(self):
        names = ("name", "flat", "files", "raw_bytes", "psos", "components", "unique_bytes")
        return {name: getattr(self, name) for name in names}


def unpack(archive, into):
    """The one folder inside a .tar.zst."""
    into.mkdir(parents=True)
    decoder = subprocess.Popen(["zstd", "-dc", "--long=27", archive], stdout=subprocess.PIPE)
    subprocess.run(["tar", "-C", into, "-xf", "-"], stdin=decoder.stdout, check=True)
    decoder.stdout.close()
    if decoder.wait() != 0:
        raise OSError(f"{archive}: zstd cannot unpack it")
    return next(entry for entry in sorted(into.iterdir()) if entry.is_dir())


def list_files(folder, flat):
    """(slot, PSO, path) of every file, as bytes, in the order of (slot, PSO)."""
    root = os.fsencode(folder)
    found = []
    for path, _, names in os.walk(root):
        pso = os.path.relpath(path, root)
        for name in names:
            row = (os.path.basename(root), os.path.join(pso, name)) if flat else (name, pso)
            found.append(row + (os.path.join(path, name),))
    found.sort()
    return found


def scan(folder, work):
    """Reads the whole corpus (so it is in the page cache from here on) and writes its set:
    work/components.bytes, .sizes and .paths, see bench_common.h and bench_files.c."""
    corpus = Corpus(folder)
    corpus.set = work / "components"
    seen = set()
    psos = set()
    sizes = array.array("Q")
    with open(f"{corpus.set}.bytes", "wb") as out, open(f"{corpus.set}.paths", "wb") as paths:
        for _, pso, path in list_files(corpus.folder, corpus.flat):
            with open(path, "rb") as file:
                content = file.read()
            corpus.files += 1
            corpus.raw_bytes += len(content)
            psos.add(pso)
            digest = hashlib.blake2b(content, digest_size=16).digest()
            if digest in seen:
                continue
            seen.add(digest)
            sizes.append(len(content))
            out.write(content)
            paths.write(path + b"\0")
    with open(f"{corpus.set}.sizes", "wb") as out:
        sizes.tofile(out)
    corpus.psos = len(psos)
    corpus.components = len(sizes)
    corpus.unique_bytes = sum(sizes)
    return corpus


def quoted_fossilize(readme, corpus):
    """What a README measured with Fossilize on this very corpus (same raw and unique bytes): a dict
    of bytes and cold_read_ns, or None. The library is not at hand, so this is quoted, not run."""
    if not readme or not readme.is_file():
        return None
    text = readme.read_text(encoding="utf-8")
    rows = {}
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        numbers = [re.match(r"([\d,]+) \(", cell) for cell in cells[1:]]
        if numbers and all(numbers):
            rows[cells[0]] = [int(number[1].replace(",", "")) for number in numbers]
    key = (corpus.raw_bytes, corpus.unique_bytes)
    columns = list(zip(rows.get("raw", []), rows.get("unique components", [])))
    figures = next((row for name, row in rows.items() if name.startswith("Fossilize")), [])
    if key not in columns or len(figures) != len(columns):
        return None
    quoted = {"bytes": figures[columns.index(key)]}
    block = re.search(rf"^input +{corpus.files} files,.*?^```", text, re.M | re.S)
    read = block and re.search(r"read random +\S+ (\d+) ns/entry, ([\d.]+) MB/s", block[0])
    if read:
        quoted["cold_read_ns_mean"] = int(read[1])
        quoted["load_all_bytes_per_second"] = float(read[2]) * 1e6
    return quoted
