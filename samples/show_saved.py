#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Says in three lines what packing saved.

    psopack info --json ARCHIVE | show_saved.py
"""
import json
import sys


def main():
    info = json.load(sys.stdin)
    raw = info["reference_bytes"]
    for label, count, size in (
            ("raw files", info["references"], raw),
            ("unique", info["components"], info["component_bytes"]),
            ("archive", 1, info["file_bytes"])):
        print(f"{label:<10} {count:>7,} {'files' if count != 1 else 'file ':<5} "
              f"{size:>12,} bytes  {100 * size / raw:5.1f} %")


if __name__ == "__main__":
    main()
