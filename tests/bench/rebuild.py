# SPDX-License-Identifier: MIT
"""What a rebuild costs: nothing changed, 1 % of the PSOs changed, ten such edits in a row; and how
many bytes a patcher sees, also on a large archive of bytes that do not compress.

An edit is the folder one_percent of edits.tar.zst where that lies beside the corpus, else bytes
flipped in the files of every hundredth PSO. Hashes are kept in a cache, so copies are edited in
place: a file that was only linked would count as changed.
"""
import os
import pathlib
import random
import shutil

import corpus

GRID, STEAM_GRID = 64 << 10, 1 << 20
ROUNDS = 3
EDITS = 10
LARGE_PSOS, LARGE_SLOTS, LARGE_SIZE = 12_000, 8, 1_150  # 110 MB
SEED = 20261201

# text, key, divisor, unit
ROWS = (
    ("full pack", "full_s", 1, "s"),
    ("nothing changed, with a cache", "no_op_s", 1, "s"),
    ("1 % changed, with a cache, on the old archive", "rebuild_s", 1, "s"),
    ("archive", "archive_bytes", 1, "bytes"),
    ("rebuilt archive", "rebuilt_bytes", 1, "bytes"),
    ("64 KiB pieces that changed", "changed_bytes", 1, "bytes"),
    ("its manifest and new blocks", "needed_bytes", 1, "bytes"),
    ("after ten edits in a row, rebuilt", "aged_bytes", 1, "bytes"),
    ("the same, packed afresh", "fresh_bytes", 1, "bytes"),
    ("a large archive", "large_bytes", 1, "bytes"),
    ("1 MiB pieces of it that changed by 1 %", "large_changed_bytes", 1, "bytes"),
)


def changed_bytes(old, new, grid):
    """Bytes of the pieces of `new` that are not the same piece of `old`."""
    total = 0
    with open(old, "rb") as a, open(new, "rb") as b:
        while piece := b.read(grid):
            total += 0 if a.read(grid) == piece else len(piece)
    return total


def list_psos(tree):
    return sorted(pathlib.Path(path) for path, _, names in os.walk(tree) if names)


def flip(path, rng):
    """Other bytes in a new file of that name."""
    content = bytearray(path.read_bytes())
    for _ in range(min(4, len(content))):
        content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
    path.unlink()
    path.write_bytes(content)


def edit(tree, seed):
    """Changes every file of 1 % of the PSOs, at least of one."""
    rng = random.Random(seed)
    psos = list_psos(tree)
    for pso in rng.sample(psos, max(1, len(psos) // 100)):
        for path in sorted(pso.iterdir()):
            flip(path, rng)


def overlay(edits, tree):
    shutil.copytree(edits, tree, dirs_exist_ok=True,
                    copy_function=lambda source, to: (pathlib.Path(to).unlink(missing_ok=True),
                                                      shutil.copyfile(source, to)))


class Rebuild:
    """One tree that is packed, edited and packed again."""

    def __init__(self, bench, tree):
        self.bench = bench
        self.tree = tree
        self.cache = bench.work / "rebuild.cache"

    def pack(self, output, *options):
        return self.bench.run([self.bench.psopack, "pack", "-q", "-j2", "-o", output, *options,
                               str(self.tree)])["wall_s"]

    def info(self, archive):
        return self.bench.measure([self.bench.psopack, "info", "--json", str(archive)])

    def pack_on(self, old, new):
        """On `old`, with the cache as that build left it."""
        again = self.cache.with_suffix(".copy")
        shutil.copyfile(self.cache, again)
        new.unlink(missing_ok=True)
        return self.pack(new, "--base", old, "--cache", again)


def needed_bytes(rebuild, old, new):
    """The new manifest and what was added to the data in front of it."""
    before, after = rebuild.info(old), rebuild.info(new)
    blocks = after["file_bytes"] - after["manifest_bytes"]
    return after["manifest_bytes"] + blocks - (before["file_bytes"] - before["manifest_bytes"])


def measure_one_edit(rebuild, edits, work):
    old, new = work / "rebuild.old.psopack", work / "rebuild.new.psopack"
    full = []
    for _ in range(ROUNDS):
        old.unlink(missing_ok=True)
        rebuild.cache.unlink(missing_ok=True)
        full.append(rebuild.pack(old, "--cache", rebuild.cache))
    result = {"full_s": min(full),
              "no_op_s": min(rebuild.pack(old, "--cache", rebuild.cache) for _ in range(ROUNDS)),
              "archive_bytes": old.stat().st_size}
    if edits:
        overlay(edits, rebuild.tree)
    else:
        edit(rebuild.tree, SEED)
    result["rebuild_s"] = min(rebuild.pack_on(old, new) for _ in range(ROUNDS))
    result["rebuilt_bytes"] = new.stat().st_size
    result["changed_bytes"] = changed_bytes(old, new, GRID)
    result["needed_bytes"] = needed_bytes(rebuild, old, new)
    return result, new


def measure_ten_edits(rebuild, first, work):
    """The edit that was measured and nine of flipped bytes, each rebuilt on the one before."""
    old = first
    for i in range(1, EDITS):
        edit(rebuild.tree, SEED + i)
        new = work / f"rebuild.{i}.psopack"
        rebuild.pack(new, "--base", old)
        old.unlink()
        old = new
    fresh = work / "rebuild.fresh.psopack"
    rebuild.pack(fresh)
    return {"aged_bytes": old.stat().st_size, "fresh_bytes": fresh.stat().st_size}


def make_large(tree, psos):
    rng = random.Random(SEED)
    for i in range(psos):
        folder = tree / f"{i:06}"
        folder.mkdir(parents=True)
        for slot in range(LARGE_SLOTS):
            (folder / f"slot{slot}").write_bytes(rng.randbytes(LARGE_SIZE))


def measure_large(bench, work, psos):
    tree = work / "large"
    make_large(tree, psos)
    rebuild = Rebuild(bench, tree)
    old, new = work / "large.old.psopack", work / "large.new.psopack"
    rebuild.pack(old)
    edit(tree, SEED)
    rebuild.pack(new, "--base", old)
    result = {"large_bytes": new.stat().st_size,
              "large_changed_bytes": changed_bytes(old, new, STEAM_GRID)}
    shutil.rmtree(tree)
    return result


def measure(bench, edits_archive, quick, say):
    """Numbers by the keys of ROWS."""
    work = bench.work
    tree = work / "tree"
    shutil.copytree(bench.corpus.folder, tree)
    edits = None
    if edits_archive and edits_archive.is_file():
        edits = corpus.unpack(edits_archive, work / "edits") / "one_percent"
    rebuild = Rebuild(bench, tree)
    say("rebuild after an edit")
    result, first = measure_one_edit(rebuild, edits, work)
    say("ten edits in a row")
    result.update(measure_ten_edits(rebuild, first, work))
    shutil.rmtree(tree)
    say("an edit of a large archive")
    result.update(measure_large(bench, work, LARGE_PSOS // 100 if quick else LARGE_PSOS))
    return result


def rows(result):
    """A header and one row of text per number."""
    found = [["rebuilds", "", ""]]
    for text, key, divisor, unit in ROWS:
        value = result[key] / divisor
        found.append([text, unit, f"{value:,.2f}" if unit == "s" else f"{value:,.0f}"])
    return found
