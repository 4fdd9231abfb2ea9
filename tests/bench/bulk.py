# SPDX-License-Identifier: MIT
"""A build of more input than memory, by make_bulk: what it takes, and how its cost grows."""
FILES, FILES_QUICK = 2_000_000, 50_000  # ten to a PSO
FEW, MANY = 100_000, 10_000_000         # 10 k and 1 M PSOs
MEMORY = 4 << 20

# text, key, divisor, unit
ROWS = (
    ("files", "files", 1, ""),
    ("distinct", "components", 1, ""),
    ("their bytes before sharing", "bytes", 1e9, "GB"),
    ("peak memory", "peak_memory", 1 << 20, "MiB"),
    ("peak memory allowed", "allowed", 1 << 20, "MiB"),
    ("processor time a file, 10 k PSOs", "few_us", 1, "us"),
    ("processor time a file, 1 M PSOs", "many_us", 1, "us"),
)


def _make(bench, files):
    archive = bench.work / "bulk.psopack"
    made = bench.measure([str(bench.helpers / "make_bulk"), str(archive), str(files), str(MEMORY)])
    archive.unlink()  # its pages would count as memory of the next
    return made


def measure(bench, quick, say):
    """Numbers by the keys of ROWS; without the last two where time is short."""
    files = FILES_QUICK if quick else FILES
    say(f"a build of {files:,} files")
    result = _make(bench, files)
    if not quick:
        for key, count in (("few_us", FEW), ("many_us", MANY)):
            say(f"a build of {count // 10:,} PSOs")
            result[key] = _make(bench, count)["cpu_s"] / count * 1e6
    return result


def rows(result):
    """A header and one row of text per number."""
    found = [["a build of much input", "", ""]]
    for text, key, divisor, unit in ROWS:
        if key in result:
            value = result[key] / divisor
            found.append([text, unit, f"{value:,.1f}" if unit else f"{value:,.0f}"])
    return found
