#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs benchmarks on small synthetic inputs: smoke.py MAKE_MILLION BENCH_LOADER MAKE_BULK.

No time is judged. What must hold: every number that run.py shows is there, everything that was made
is found, nothing on a read path allocates, and a build takes no more memory than it may.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

import loader

PSOS = 5000
FILES, MEMORY = 20_000, 4 << 20


def run(*command):
    return json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)


def main():
    make_million, bench_loader, make_bulk = sys.argv[1:]
    with tempfile.TemporaryDirectory(prefix="psopack-bench-") as work:
        archive = str(pathlib.Path(work) / "small.psopack")
        made = run(make_million, archive, str(PSOS))
        found = run(bench_loader, "--quick", archive)
        bulk = run(make_bulk, str(pathlib.Path(work) / "bulk.psopack"), str(FILES), str(MEMORY))
    found["own_memory"] = found["archive_memory"] - found["base_memory"]
    missing = [key for _, key, _, _ in loader.ROWS if key not in found]
    if missing:
        sys.exit(f"smoke.py: bench_loader says nothing of {missing}")
    if [found[key] for key in ("psos", "components")] != [PSOS, made["components"]]:
        sys.exit(f"smoke.py: made {made}, found {found}")
    allocations = {key: n for key, n in found.items() if key.startswith("allocations_") and n}
    if allocations:
        sys.exit(f"smoke.py: read paths allocate: {allocations}")
    if [bulk["files"], bulk["components"]] != [FILES, FILES // 5]:
        sys.exit(f"smoke.py: a build of {FILES} files, every fifth distinct, found {bulk}")
    # Sanitizers take memory of their own.
    if found["heap_counted"] and bulk["peak_memory"] > bulk["allowed"]:
        sys.exit(f"smoke.py: a build may take {bulk['allowed']} bytes of memory: {bulk}")
    print(f"{PSOS} PSOs; allocations {'counted: 0' if found['heap_counted'] else 'not counted'}")


if __name__ == "__main__":
    main()
