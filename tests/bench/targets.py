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


def _ratio_of(a, b, entry):
    def value(entries):
        numbers = entries.get(entry, {})
        return numbers[a] / numbers[b] if numbers.get(b) and a in numbers else None
    return value


def _growth(a, b, entry):
    def value(entries):
        numbers = entries.get(entry, {})
        return numbers[a] / numbers[b] - 1 if numbers.get(b) and a in numbers else None
    return value


def _patch(entries):
    numbers = entries.get(REBUILD)
    return numbers["changed_bytes"] / (numbers["needed_bytes"] + (128 << 10)) if numbers else None


def _largest(measure, *names):
    def value(entries):
        found = [entries[name][measure] for name in names if measure in entries.get(name, {})]
        return max(found, default=None)
    return value


CORPUS, MILLION = "loader.corpus", "loader.million"  # see loader.py
REBUILD = "rebuild"  # see rebuild.py
BULK = "bulk"  # see bulk.py
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
    ("cold read p50: balanced / SQLite, zstd -19", "tree",
     _ratio("cold_read_ns_p50", BALANCED, "sqlite"), NOT_ABOVE, 2.0, 1.2, ""),
    ("open, 20 k PSOs", "tree", _own("open_ns", CORPUS, 1e3), NOT_ABOVE, 100, 40, "us"),
    ("open, 1 M PSOs", "tree", _own("open_ns", MILLION, 1e6), NOT_ABOVE, 5, 1, "ms"),
    ("find by key, 1 M PSOs", "tree", _own("find_key_ns", MILLION), NOT_ABOVE, 80, 35, "ns"),
    ("heap allocations after open", "tree",
     _largest("heap_allocations_after_open", CORPUS, MILLION, "loader.synthetic"),
     NOT_ABOVE, 0, 0, ""),
    ("archive's memory without bases, 1 M PSOs", "tree", _own("own_memory", MILLION, 1024),
     NOT_ABOVE, 64, 64, "KiB"),
    ("load all: 1 thread's time / 2 threads'", "tree",
     _ratio_of("load_all_1_thread_ns", "load_all_2_threads_ns", CORPUS), NOT_BELOW, 1.7, 1.9, ""),
    ("acquire + release, 1 thread, a second", "tree", _own("acquire_per_second_1", CORPUS, 1e6),
     NOT_BELOW, 8, 20, "M"),
    ("acquire + release: 8 threads / 2, together", "tree",
     _ratio_of("acquire_per_second_8", "acquire_per_second_2", CORPUS), NOT_BELOW, 0.8, 0.95, ""),
    ("rebuild, nothing changed / full pack", "tree", _ratio_of("no_op_s", "full_s", REBUILD),
     NOT_ABOVE, 0.12, 0.07, ""),
    ("rebuild, 1 % changed / full pack", "tree", _ratio_of("rebuild_s", "full_s", REBUILD),
     NOT_ABOVE, 0.20, 0.10, ""),
    ("64 KiB pieces changed / manifest, new blocks, 128 KiB", "tree", _patch,
     NOT_ABOVE, 1.3, 1.0, ""),
    ("growth by ten edits against a fresh pack", "tree",
     _growth("aged_bytes", "fresh_bytes", REBUILD), NOT_ABOVE, 0.15, 0.08, ""),
    ("1 MiB pieces changed, share of a large archive", "tree",
     _ratio_of("large_changed_bytes", "large_bytes", REBUILD), NOT_ABOVE, 0.10, 0.05, ""),
    ("peak memory of a large build / allowed", "tree", _ratio_of("peak_memory", "allowed", BULK),
     NOT_ABOVE, 1.0, 0.5, ""),
    ("processor time a file, 1 M PSOs / 10 k", "tree", _ratio_of("many_us", "few_us", BULK),
     NOT_ABOVE, 1.3, 1.0, ""),
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
