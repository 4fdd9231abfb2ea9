# SPDX-License-Identifier: MIT
"""Writes a run's numbers into a page between two markers, so that they cannot drift."""
import bulk
import loader
import rebuild
import tables

BEGIN = "<!-- bench: begin (written by ./dev bench --doc, do not edit) -->"
END = "<!-- bench: end -->"

WHEN = {
    "psopack.fast": "developer builds, every day: packing speed first",
    "psopack.balanced": "the default",
    "psopack.small": "what ships: bytes first, packing may take longer",
    "psopack.stored": "components used in place from a mapped file; not compressed",
    "psopack.directstorage": "GPU decoders of plain zstd frames, up to 256 KiB each",
}


def profile_rows(result):
    rows = [["profile", "when to use", "bytes", "pack s (CPU s)", "pack memory", "cold p50 / p99",
             "load all", "memory: bases + archive + context"]]
    for name, when in WHEN.items():
        e = result["entries"][name]
        rows.append([
            f"`{name.split('.')[1]}`", when, tables.number(e["bytes"], 1, 0),
            f"{e['pack_wall_s']:.1f} ({e['pack_cpu_s']:.1f})",
            f"{e['pack_peak_memory'] / 1e6:.0f} MB",
            f"{e['cold_read_ns_p50'] / 1e3:.1f} / {e['cold_read_ns_p99'] / 1e3:.1f} us",
            f"{e['load_all_bytes_per_second'] / 1e6:.0f} MB/s",
            f"{e['base_memory'] / 1024:.0f} + "
            f"{(e['archive_memory'] - e['base_memory']) / 1024:.0f} + "
            f"{e['context_memory'] / 1024:.0f} KiB",
        ])
    return rows


def section(result):
    corpus = result["corpus"]
    name = corpus["name"]
    parts = [
        f"### `{name}`",
        f"{corpus['psos']:,} PSOs, {corpus['files']:,} files, {corpus['raw_bytes']:,} bytes; "
        f"{corpus['components']:,} unique components, {corpus['unique_bytes']:,} bytes. "
        f"Load average {result['load_average'][0]:.1f} before, {result['load_average'][1]:.1f} "
        "after.",
        tables.as_markdown(profile_rows(result), texts=2),
        "Beside what one would use instead:",
        tables.as_markdown(tables.entry_rows(result)),
        "\n".join(f"- {line}" for line in tables.notes(result)),
        "The loader's own paths:" if result["loader"] else "",
        tables.as_markdown(loader.rows(result["loader"]), texts=2) if result["loader"] else "",
        "Rebuilds:" if result["rebuild"] else "",
        tables.as_markdown(rebuild.rows(result["rebuild"]), texts=2) if result["rebuild"] else "",
        "A build of more input than memory:" if result["bulk"] else "",
        tables.as_markdown(bulk.rows(result["bulk"]), texts=2) if result["bulk"] else "",
        "Against the project's bars and aims:",
        tables.as_markdown(tables.target_rows(result)),
    ]
    return [part for part in parts if part]


def fill(text, report):
    """The page with its generated part replaced."""
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError("the page has no bench markers")
    machine = report["machine"]
    parts = [
        BEGIN,
        f"Measured {report['date']} at commit {report['commit']}; {machine['processor']}, "
        f"{machine['processors']} processors, {machine['system']}; {machine['zstd']}, "
        f"{machine['squashfs']}.",
    ]
    for result in report["results"]:
        parts += section(result)
    return before + "\n\n".join(parts) + "\n\n" + END + after
