# SPDX-License-Identifier: MIT
"""The loader's own paths: on the corpus's balanced archive, and on one of a million made-up PSOs.

Both are results of bench_loader, which names every number.
"""
PSOS, PSOS_QUICK = 1_000_000, 20_000

# text, key, divisor, unit
ROWS = (
    ("PSOs", "psos", 1, ""),
    ("components", "components", 1, ""),
    ("open", "open_ns", 1e3, "us"),
    ("open, whole manifest checked", "open_check_all_ns", 1e3, "us"),
    ("find by key", "find_key_ns", 1, "ns"),
    ("find by name", "find_name_ns", 1, "ns"),
    ("a PSO's components by index", "find_index_ns", 1, "ns"),
    ("read, cold, p50", "cold_read_ns_p50", 1e3, "us"),
    ("read, cold, p99", "cold_read_ns_p99", 1e3, "us"),
    ("read, warm", "warm_read_ns", 1, "ns"),
    ("plan of all, made", "plan_create_ns", 1e6, "ms"),
    ("plan of all, executed by 1 thread", "load_all_1_thread_ns", 1e6, "ms"),
    ("plan of all, executed by 2 threads", "load_all_2_threads_ns", 1e6, "ms"),
    ("acquire + release, 1 thread", "acquire_per_second_1", 1e6, "M/s"),
    ("acquire + release, 2 threads", "acquire_per_second_2", 1e6, "M/s"),
    ("acquire + release, 8 threads", "acquire_per_second_8", 1e6, "M/s"),
    ("the same, a quarter must be loaded, 1 thread", "acquire_tight_per_second_1", 1e3, "k/s"),
    ("the same, a quarter must be loaded, 2 threads", "acquire_tight_per_second_2", 1e3, "k/s"),
    ("the same, a quarter must be loaded, 8 threads", "acquire_tight_per_second_8", 1e3, "k/s"),
    ("heap allocations after open", "heap_allocations_after_open", 1, ""),
    ("memory of an archive, without bases", "own_memory", 1024, "KiB"),
    ("memory of a context", "context_memory", 1024, "KiB"),
)


def _measure(bench, archive):
    result = bench.measure(bench.helper("loader", archive))
    if not result["heap_counted"]:
        del result["heap_allocations_after_open"]  # not counted is not 0
    result["own_memory"] = result["archive_memory"] - result["base_memory"]
    return result


def measure(bench, quick, say):
    """{"loader.corpus": numbers, "loader.synthetic": numbers}"""
    psos = PSOS_QUICK if quick else PSOS
    say("the loader on the corpus")
    results = {"loader.corpus": _measure(bench, bench.archive("balanced"))}
    say(f"an archive of {psos:,} PSOs")
    archive = bench.work / "synthetic.psopack"
    bench.measure([str(bench.helpers / "make_million"), str(archive), str(psos)])
    say("the loader on it")
    # Under another name when it is smaller: bars for a million are not for less.
    results["loader.synthetic" if quick else "loader.million"] = _measure(bench, archive)
    archive.unlink()
    return results


def rows(results):
    """A header and one row of text per number."""
    found = [["the loader", "", *(name.partition(".")[2] for name in results)]]
    for text, key, divisor, unit in ROWS:
        values = [numbers.get(key) for numbers in results.values()]
        found.append([text, unit, *("-" if value is None else f"{value / divisor:,.4g}"
                                    if value / divisor < 1000 else f"{value / divisor:,.0f}"
                                    for value in values)])
    return found
