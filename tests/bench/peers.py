# SPDX-License-Identifier: MIT
"""psopack in its profiles and what one would use instead: how each is made, how each is read.

An entry is one row of the result, a dict: id, name, bytes, pack_wall_s, pack_cpu_s,
pack_peak_memory, open_ns, cold_read_ns_p50, cold_read_ns_p99, load_all_bytes_per_second and, where
a number is not simply measured, notes. What does not apply is absent.
"""
import json
import subprocess

PROFILES = ("fast", "balanced", "small", "stored", "directstorage")
BLOCKS = (64, 256)  # KiB, of squashfs
STORES = {"sqlite": "SQLite, a row each, zstd -19", "lmdb": "LMDB, a value each, zstd -19"}


class Bench:
    """The programs, a work folder and the entries measured so far, by id."""

    def __init__(self, psopack, helpers, corpus, work):
        self.psopack = str(psopack)
        self.helpers = helpers
        self.corpus = corpus
        self.work = work
        self.entries = {}

    def helper(self, name, *arguments):
        return [str(self.helpers / f"bench_{name}"), *map(str, arguments)]

    def entry(self, entry_id, name):
        return self.entries.setdefault(entry_id, {"id": entry_id, "name": name})

    def run(self, command):
        """Runs a command that makes something; what it cost."""
        result = self.work / "cost.json"
        done = subprocess.run(self.helper("run", result, *command), stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, check=False)
        if done.returncode != 0:
            text = done.stderr.decode(errors="replace").strip()
            raise OSError(f"{' '.join(map(str, command))}: exit {done.returncode}: {text}")
        return json.loads(result.read_text(encoding="utf-8"))

    def measure(self, command):
        """Runs a command that prints one JSON object."""
        done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
        return json.loads(done.stdout)

    def make(self, entry_id, name, output, command):
        """Makes an archive and fills in its entry's size and cost; made again, the best counts."""
        output.unlink(missing_ok=True)
        cost = self.run(command)
        entry = self.entry(entry_id, name)
        entry["bytes"] = output.stat().st_size
        entry["packs"] = entry.get("packs", 0) + 1
        for key, cost_key in (("pack_wall_s", "wall_s"), ("pack_cpu_s", "cpu_s"),
                              ("pack_peak_memory", "peak_memory")):
            entry[key] = min(entry.get(key, cost[cost_key]), cost[cost_key])
        return entry

    def archive(self, profile):
        return self.work / f"{profile}.psopack"


# ---- making --------------------------------------------------------------------------------------

def make_psopack(bench, profile):
    output = bench.archive(profile)
    entry = bench.make(f"psopack.{profile}", f"psopack {profile}", output, [
        bench.psopack, "pack", "-q", "-j2", "--profile", profile, "-o", output,
        *bench.corpus.pack_input()])
    info = bench.measure([bench.psopack, "info", "--json", str(output)])
    counted = (info["components"], info["component_bytes"], info["psos"])
    if counted != (bench.corpus.components, bench.corpus.unique_bytes, bench.corpus.psos):
        raise ValueError(f"{output.name}: {counted} components, bytes, PSOs; "
                         f"the corpus has {bench.corpus.facts()}")
    for name in ("data_bytes", "base_bytes", "manifest_bytes", "base_memory", "archive_memory",
                 "context_memory", "recipe"):
        entry[name] = info[name]
    entry["manifest_bytes_per_pso"] = info["manifest_bytes"] / max(info["psos"], 1)


def make_frames(bench):
    cost = bench.run(bench.helper("frames", "make", bench.corpus.set, bench.work / "frames"))
    entry = bench.entry("zstd19.each", "zstd -19 each component, no index")
    entry["bytes"] = (bench.work / "frames.bytes").stat().st_size
    entry["pack_wall_s"] = cost["wall_s"]
    entry["pack_cpu_s"] = cost["cpu_s"]


def make_store(bench, entry_id, name):
    """A database of frames. Needs make_frames; its time counts too."""
    frames = bench.entries["zstd19.each"]
    output = bench.work / f"components.{entry_id}"
    entry = bench.make(entry_id, name, output,
                       bench.helper(entry_id, "make", bench.work / "frames", output))
    entry["pack_wall_s"] += frames["pack_wall_s"]
    entry["pack_cpu_s"] += frames["pack_cpu_s"]
    del entry["pack_peak_memory"]  # of the second half only


def make_files(bench):
    entry = bench.entry("files", "loose files")
    entry["bytes"] = bench.corpus.raw_bytes


def make_squashfs(bench, block):
    output = bench.work / f"squashfs{block}"
    bench.make(f"squashfs.{block}k", f"squashfs zstd -19, {block}K", output, [
        "mksquashfs", str(bench.corpus.folder), output, "-comp", "zstd",
        "-Xcompression-level", "19", "-b", f"{block}K", "-no-xattrs", "-processors", "2",
        "-noappend", "-no-progress"])


def make_tar(bench):
    output = bench.work / "tree.tar.zst"
    script = ('tar --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner -C "$1" -cf - "$2" |'
              ' zstd -q -19 --long=27 -o "$3"')
    folder = bench.corpus.folder
    bench.make("tar", "tar, zstd -19 --long=27", output,
               ["sh", "-c", script, "tar", str(folder.parent), folder.name, output])


def make_solid(bench):
    output = bench.work / "solid.zst"
    bench.make("solid", "solid zstd --ultra -22 --long=27, no index", output, [
        "zstd", "-q", "--ultra", "-22", "--long=27", f"{bench.corpus.set}.bytes", "-o", output])


def make_blocks(bench, block):
    """What a read from squashfs decodes at least. Not an entry."""
    bench.run(bench.helper("frames", "make", bench.corpus.set, bench.work / f"blocks{block}",
                           block * 1024))


# ---- reading -------------------------------------------------------------------------------------

def keep_best(entry, result):
    """Other work on the machine only ever slows a measurement: the best round is the truest."""
    for name in ("open_ns", "find_key_ns", "cold_read_ns_p50", "cold_read_ns_p99", "warm_read_ns"):
        if result.get(name) is not None:
            entry[name] = min(entry.get(name, result[name]), result[name])
    name = "load_all_bytes_per_second"
    entry[name] = max(entry.get(name, 0), result[name])


def read_psopack(bench, profile):
    result = bench.measure([bench.psopack, "bench", "--json", str(bench.archive(profile))])
    entry = bench.entries[f"psopack.{profile}"]
    entry["heap_allocations_after_open"] = result["heap_allocations_after_open"]
    keep_best(entry, result)


def read_frames(bench):
    keep_best(bench.entries["zstd19.each"],
              bench.measure(bench.helper("frames", "read", bench.work / "frames")))


def read_store(bench, entry_id):
    keep_best(bench.entries[entry_id],
              bench.measure(bench.helper(entry_id, "read", bench.work / f"components.{entry_id}")))


def read_files(bench):
    keep_best(bench.entries["files"],
              bench.measure(bench.helper("files", f"{bench.corpus.set}.paths")))


def read_blocks(bench, block):
    """A lower bound: the image is not mounted (that takes root and a kernel)."""
    result = bench.measure(bench.helper("frames", "read", bench.work / f"blocks{block}"))
    entry = bench.entry(f"squashfs.{block}k", f"squashfs zstd -19, {block}K")
    entry["notes"] = f"reads: decoding blocks of {block} KiB alone, in truth slower"
    keep_best(entry, result)


def read_stream(bench, entry_id, path):
    """A component at a random place: half of the stream on average."""
    entry = bench.entries[entry_id]
    total = bench.measure(bench.helper("frames", "stream", path))["ns"]
    entry["cold_read_ns_p50"] = total // 2
    entry["cold_read_ns_p99"] = total * 99 // 100
    entry["load_all_bytes_per_second"] = bench.corpus.unique_bytes * 1e9 / max(total, 1)
    entry["notes"] = "reads: computed from one decode of the whole stream"


# ---- all of it -----------------------------------------------------------------------------------

def make_all(bench, sections, say):
    for profile in PROFILES:
        say(f"psopack pack --profile {profile}")
        make_psopack(bench, profile)
    say("zstd -19 per component")
    make_frames(bench)
    if sections & {"size", "read"}:
        for store, name in STORES.items():
            make_store(bench, store, name)
        make_files(bench)
    if "size" in sections:
        for block in BLOCKS:
            say(f"mksquashfs -b {block}K")
            make_squashfs(bench, block)
        say("balanced and squashfs once more: their times are compared")
        make_psopack(bench, "balanced")
        make_squashfs(bench, 256)
        say("tar | zstd -19 --long=27")
        make_tar(bench)
        say("zstd --ultra -22 --long=27 of the unique components")
        make_solid(bench)
    if "read" in sections:
        for block in BLOCKS:
            say(f"blocks of {block} KiB")
            make_blocks(bench, block)


def read_all(bench, sections, rounds, say):
    """In turns, so that a busy minute of the machine meets all of them."""
    for number in range(rounds if sections & {"read", "load"} else 0):
        say(f"reads, round {number + 1} of {rounds}")
        for profile in PROFILES:
            read_psopack(bench, profile)
            if profile == "balanced":
                read_frames(bench)
        if "read" in sections:
            for store in STORES:
                read_store(bench, store)
            read_files(bench)
            for block in BLOCKS:
                read_blocks(bench, block)
    if {"size", "read"} <= sections:
        read_stream(bench, "tar", bench.work / "tree.tar.zst")
        read_stream(bench, "solid", bench.work / "solid.zst")


def add_fossilize(bench, quoted):
    if not quoted:
        return
    entry = bench.entry("fossilize", "Fossilize, best mode (quoted)")
    entry["bytes"] = quoted["bytes"]
    entry["notes"] = "quoted from the corpus's README, not measured in this run"
    if "cold_read_ns_mean" in quoted:
        entry["cold_read_ns_mean"] = quoted["cold_read_ns_mean"]
        entry["load_all_bytes_per_second"] = quoted["load_all_bytes_per_second"]
