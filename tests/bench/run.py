#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""psopack in all profiles beside what one would use instead, on a corpus, in one run.

    run.py --build FOLDER [--quick] [--only size,read,load,loader,rebuild,bulk] [--doc] [CORPUS...]

A CORPUS is a folder of PSOs, a folder of loose files, or a .tar.zst of one. Without any:
main.tar.zst in the folder shared/corpus beside the repository, else the samples. Prints tables,
writes build/bench.json and build/frontier.svg; --doc also doc/frontier.svg and the tables in
doc/compression.md. Everything is read from the page cache. Nothing fails because it is slow.
"""
import argparse
import datetime
import json
import os
import pathlib
import platform
import shutil
import subprocess
import sys
import tempfile

import bulk
import corpus
import frontier
import loader
import page
import peers
import rebuild
import tables
import targets

ROOT = pathlib.Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared" / "corpus"
HELPERS = ("bench_run", "bench_files", "bench_frames", "bench_sqlite", "bench_lmdb", "bench_loader",
           "make_million", "make_bulk")
SECTIONS = {"size", "read", "load", "loader", "rebuild", "bulk"}
ROUNDS = 3
SMALL, SMALL_ROUNDS = 10_000_000, 9  # a small corpus is read in milliseconds: noise weighs more


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, required=True, metavar="FOLDER",
                        help="Meson build folder with psopack and the benchmarks")
    parser.add_argument("--psopack", type=pathlib.Path, help="another psopack program")
    parser.add_argument("--quick", action="store_true", help="the samples, few rounds")
    parser.add_argument("--only", default="size,read,load,loader,rebuild,bulk", metavar="LIST",
                        help="size: slow archivers; read: all readers; load: psopack and frames; "
                             "loader: the loader's paths, also on a million PSOs; "
                             "rebuild: edits of the corpus, packed again; "
                             "bulk: a build of more input than memory")
    parser.add_argument("--doc", action="store_true", help="write the results into doc/")
    parser.add_argument("--json", type=pathlib.Path, default=ROOT / "build" / "bench.json")
    parser.add_argument("--quoted", type=pathlib.Path, default=SHARED / "README.md",
                        metavar="FILE", help="where a corpus's Fossilize figures stand")
    parser.add_argument("corpora", nargs="*", type=pathlib.Path, metavar="CORPUS")
    options = parser.parse_args()
    options.sections = set(options.only.split(","))
    if not options.sections <= SECTIONS:
        parser.error("--only takes size, read, load, loader, rebuild, bulk")
    if options.doc and options.sections != SECTIONS:
        parser.error("--doc needs all sections")
    if options.quick and options.corpora:
        parser.error("--quick is for the samples")
    return options


def choose_corpora(options):
    if options.corpora:
        return options.corpora
    main = SHARED / "main.tar.zst"
    if main.is_file() and not options.quick:
        return [main]
    samples = ROOT / "build" / "samples"
    if not samples.is_dir():
        subprocess.run([sys.executable, ROOT / "samples" / "make_samples.py", samples], check=True,
                       stdout=subprocess.DEVNULL)
    return [samples]


def first_line(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return done.stdout.decode(errors="replace").strip().partition("\n")[0]


def describe_machine():
    model = [line.partition(":")[2].strip()
             for line in pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
             if line.startswith("model name")]
    return {
        "processor": model[0] if model else platform.machine(),
        "processors": len(os.sched_getaffinity(0)),
        "system": f"{platform.system()} {platform.release()}",
        "zstd": first_line("zstd", "--version").strip("* ").partition(",")[0],
        "squashfs": first_line("mksquashfs", "-version").partition(" (")[0],
    }


def check_tools(options):
    helpers = options.build / "tests" / "bench"
    psopack = options.psopack or options.build / "tools" / "psopack" / "psopack"
    wanted = [helpers / name for name in HELPERS]
    missing = [str(path) for path in (psopack, *wanted) if not path.is_file()]
    missing += [name for name in ("mksquashfs", "zstd", "tar") if not shutil.which(name)]
    if missing:
        sys.exit(f"run.py: missing: {' '.join(missing)}; ./dev bench builds and installs them")
    return psopack.resolve(), helpers.resolve()


def say(what):
    print(f"bench: {what}", file=sys.stderr, flush=True)


def measure(source, options, tools, work):
    """The result of one corpus."""
    folder = source
    if source.is_file():
        say(f"unpacking {source.name}")
        folder = corpus.unpack(source, work / "corpus")
    say(f"reading {folder}")
    found = corpus.scan(folder, work)
    if found.components == 0:
        sys.exit(f"run.py: {folder}: no files")
    bench = peers.Bench(*tools, found, work)
    load_before = os.getloadavg()[0]
    peers.make_all(bench, options.sections, say)
    rounds = ROUNDS if options.quick or found.unique_bytes > SMALL else SMALL_ROUNDS
    peers.read_all(bench, options.sections, rounds, say)
    peers.add_fossilize(bench, corpus.quoted_fossilize(options.quoted, found))
    paths = {}
    if "loader" in options.sections:
        paths = loader.measure(bench, options.quick, say)
    rebuilds = {}
    if "rebuild" in options.sections and not found.flat:
        edits = source.with_name("edits.tar.zst") if source.is_file() else None
        rebuilds = rebuild.measure(bench, edits, options.quick, say)
    much = bulk.measure(bench, options.quick, say) if "bulk" in options.sections else {}
    return {
        "corpus": found.facts(),
        "load_average": [load_before, os.getloadavg()[0]],
        "entries": bench.entries,
        "loader": paths,
        "rebuild": rebuilds,
        "bulk": much,
        "targets": targets.judge({**bench.entries, **paths, "rebuild": rebuilds, "bulk": much},
                                 found.flat),
    }


def write_json(report, path):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")


def write_pages(report, options):
    print(f"\nwritten: {options.json}")
    if "read" not in options.sections:
        return
    drawing = frontier.draw(report["results"][0])
    drawings = [options.json.with_name("frontier.svg")]
    if options.doc:
        drawings.append(ROOT / "doc" / "frontier.svg")
        text_file = ROOT / "doc" / "compression.md"
        text_file.write_text(page.fill(text_file.read_text(encoding="utf-8"), report),
                             encoding="utf-8")
        print(f"written: {text_file}")
    for path in drawings:
        path.write_text(drawing, encoding="utf-8")
        print(f"written: {path}")


def main():
    options = parse_arguments()
    tools = check_tools(options)
    report = {
        "schema": "psopack.compare/1",
        "date": datetime.date.today().isoformat(),
        "commit": first_line("git", "-C", ROOT, "describe", "--always", "--dirty"),
        "machine": describe_machine(),
        "results": [],
    }
    for source in choose_corpora(options):
        with tempfile.TemporaryDirectory(prefix="psopack-bench-") as work:
            result = measure(source, options, tools, pathlib.Path(work))
        tables.print_result(result)
        report["results"].append(result)
        write_json(report, options.json)  # after each: a long run that is stopped keeps its numbers
    write_pages(report, options)


if __name__ == "__main__":
    main()
