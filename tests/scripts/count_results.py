#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Sums up what Meson's runner recorded, for ./dev test.

    count_results.py [--failed NAME]... BUILD_FOLDER...

Names every test that was skipped or failed, then prints `N passed, N failed, N skipped` as the last
line. --failed says that compiler or runner failed in a build; that and a build where nothing ran
count as one failure unless a failed test accounts for it. Exits 1 unless something passed and
nothing failed.
"""
import argparse
import collections
import json
import pathlib
import sys

PASSED = {"OK", "EXPECTEDFAIL"}
SKIPPED = {"SKIP"}


def records(build):
    """The runner's records of a build; none when it never got as far as running a test."""
    log = build / "meson-logs" / "testlog.json"
    if not log.is_file():
        return []
    return [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines() if line]


def last_line(record):
    lines = (record.get("stdout", "") + record.get("stderr", "")).strip().splitlines()
    return lines[-1] if lines else "no output"


def count(build, totals):
    found = records(build)
    if not found:
        totals["failed"] += 1
        print(f"FAILED  {build.name}: no test ran")
    for record in found:
        name = f"{build.name}: {record['name']}"
        if record["result"] in PASSED:
            totals["passed"] += 1
        elif record["result"] in SKIPPED:
            totals["skipped"] += 1
            print(f"SKIPPED {name}: {last_line(record)}")
        else:
            totals["failed"] += 1
            print(f"FAILED  {name}: {record['result']}, exit {record['returncode']}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--failed", action="append", default=[], metavar="NAME")
    parser.add_argument("builds", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    totals = collections.Counter()
    accounted = set()
    for build in options.builds:
        before = totals["failed"]
        count(build, totals)
        if totals["failed"] > before:
            accounted.add(build.name)
    for name in sorted(set(options.failed) - accounted):
        totals["failed"] += 1
        print(f"FAILED  {name}: does not build, or its runner failed")
    print(f"{totals['passed']} passed, {totals['failed']} failed, {totals['skipped']} skipped")
    return 0 if totals["passed"] and not totals["failed"] else 1


if __name__ == "__main__":
    sys.exit(main())
