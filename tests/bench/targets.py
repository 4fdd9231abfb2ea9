# SPDX-License-Identifier: MIT
"""What psopack must reach, and what it aims at, as ratios to its peers of the same run.

The numbers hold for the corpora main (a tree) and spirv (flat); on others they are only shown.
"""
MIB = 1 << 20
NOT_ABOVE, NOT_BELOW = "<=", ">="


def _ratio(measure, mine, theirs):
    def value(entries):
        a = entries.get(mine, {}).get(measure)
        b = entries.get(theirs, {}).get(measure)
        return None if a is None or not b else a / b
    return value


def _own(measure, mine, scale=1):
    def value(entries):
        a = entries.get(mine, {}).get(measure)
        return None if a is None else a / scale
    return value


BALANCED = "psopack.balanced"
SMALL = "psopack.small"

# text, corpora it is meant for, how to get the value, comparison, bar, aim, unit
TARGETS = [
    ("size: balanced / solid zstd -22", "tree", _ratio("bytes", BALANCED, "solid"),
     NOT_ABOVE, 0.85, 0.68, ""),
    ("size: small / solid zstd -22", "tree", _ratio("bytes", SMALL, "solid"),
     NOT_ABOVE, 0.70, 0.58, ""),
    ("size: balanced / solid zstd -22", "flat", _ratio("bytes", BALANCED, "solid"),
     NOT_ABOVE, 0.68, 0.48, ""),
    ("size: balanced / squashfs 256K", "tree", _ratio("bytes", BALANCED, "squashfs.256k"),
     NOT_ABOVE, 0.40, 0.32, ""),
    ("size: balanced / Fossilize (quoted)", "tree", _ratio("bytes", BALANCED, "fossilize"),
     NOT_ABOVE, 0.20, 0.16, ""),
    ("cold read p50, balanced", "tree", _own("cold_read_ns_p50", BALANCED, 1e3),
     NOT_ABOVE, 12, 5, "us"),
    ("cold read p99, balanced", "tree", _own("cold_read_ns_p99", BALANCED, 1e3),
     NOT_ABOVE, 90, 40, "us"),
    ("load all: balanced / zstd -19 frames", "tree",
     _ratio("load_all_bytes_per_second", BALANCED, "zstd19.each"), NOT_BELOW, 0.5, 1.0, ""),
    ("pack time, wall: balanced / squashfs 256K", "tree",
     _ratio("pack_wall_s", BALANCED, "squashfs.256k"), NOT_ABOVE, 1.5, 0.8, ""),
    ("pack time, CPU: balanced / squashfs 256K", "tree",
     _ratio("pack_cpu_s", BALANCED, "squashfs.256k"), NOT_ABOVE, 1.5, 0.8, ""),
    ("open, balanced, all checks", "tree", _own("open_ns", BALANCED, 1e3),
     NOT_ABOVE, 200, 200, "us"),
    ("memory of all bases, balanced", "tree", _own("base_memory", BALANCED, MIB),
     NOT_ABOVE, 4, 4, "MiB"),
    ("manifest, bytes per PSO, balanced", "tree", _own("manifest_bytes_per_pso", BALANCED),
     NOT_ABOVE, 45, 28, "B"),
    ("manifest, bytes per PSO, small", "tree", _own("manifest_bytes_per_pso", SMALL),
     NOT_ABOVE, 20, 14, "B"),
]


def _reached(value, comparison, limit):
    return value <= limit if comparison == NOT_ABOVE else value >= limit


def judge(entries, flat):
    """One dict per target that this run has numbers for."""
    results = []
    for text, shape, get, comparison, bar, aim, unit in TARGETS:
        value = get(entries)
        if value is None or (shape == "flat") != flat:
            continue
        verdict = "aim" if _reached(value, comparison, aim) else (
            "bar" if _reached(value, comparison, bar) else "missed")
        results.append({"measure": text, "value": value, "comparison": comparison, "bar": bar,
                        "aim": aim, "unit": unit, "reached": verdict})
    return results
