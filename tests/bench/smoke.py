#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the loader's benchmark on a small synthetic archive: smoke.py MAKE_MILLION BENCH_LOADER.

No time is judged. What must hold: every number that run.py shows is there, everything that was made
is found, and nothing on a read path allocates.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

import loader

PSOS = 5000


def run(*command):
    return json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)


def main():
    make_million, bench_loader = sys.argv[1:]
    with tempfile.TemporaryDirectory(prefix="psopack-bench-") as work:
        archive = str(pathlib.Path(work) / "small.psopack")
        made = run(make_million, archive, str(PSOS))
        found = run(bench_loader, "--quick", archive)
    found["own_memory"] = found["archive_memory"] - found["base_memory"]
    missing = [key for _, key, _, _ in loader.ROWS if key not in found]
    if missing:
        sys.exit(f"smoke.py: bench_loader says nothing of {missing}")
    if [found[key] for key in ("psos", "components")] != [PSOS, made["components"]]:
        sys.exit(f"smoke.py: made {made}, found {found}")
    allocations = {key: n for key, n in found.items() if key.startswith("allocations_") and n}
    if allocations:
        sys.exit(f"smoke.py: read paths allocate: {allocations}")
    print(f"{PSOS} PSOs; allocations {'counted: 0' if found['heap_counted'] else 'not counted'}")


if __name__ == "__main__":
    main()
