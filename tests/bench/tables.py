# SPDX-License-Identifier: MIT
"""Results as rows of text, for the terminal and for Markdown."""

import bulk
import loader
import rebuild

ORDER = ("psopack.small", "psopack.balanced", "psopack.fast", "psopack.directstorage",
         "psopack.stored", "solid", "tar", "squashfs.256k", "squashfs.64k", "zstd19.each", "sqlite",
         "lmdb", "fossilize", "files")


def number(value, scale=1.0, digits=1):
    return "-" if value is None else f"{value / scale:,.{digits}f}"


def in_order(entries):
    return [entries[name] for name in ORDER if name in entries]


def entry_rows(result):
    """A header and one row of text per entry."""
    unique = result["corpus"]["unique_bytes"]
    header = ["", "bytes", "unique/x", "pack s", "CPU s", "peak MB", "open us", "cold p50 us",
              "p99 us", "load MB/s", "manifest B/PSO", "bases KiB"]
    rows = [header]
    for entry in in_order(result["entries"]):
        size = entry.get("bytes")
        mark = " *" if "notes" in entry else ""
        rows.append([
            entry["name"] + mark,
            number(size, 1, 0),
            "-" if not size else f"{unique / size:.2f}x",
            number(entry.get("pack_wall_s")),
            number(entry.get("pack_cpu_s")),
            number(entry.get("pack_peak_memory"), 1e6, 0),
            number(entry.get("open_ns"), 1e3),
            number(entry.get("cold_read_ns_p50"), 1e3),
            number(entry.get("cold_read_ns_p99"), 1e3),
            number(entry.get("load_all_bytes_per_second"), 1e6, 0),
            number(entry.get("manifest_bytes_per_pso")),
            number(entry.get("base_memory"), 1024, 0),
        ])
    return rows


def notes(result):
    entries = in_order(result["entries"])
    found = [f"{entry['name']}: {entry['notes']}" for entry in entries if "notes" in entry]
    found += [f"{entry['name']}: made {entry['packs']} times, in turn; the lowest cost counts"
              for entry in entries if entry.get("packs", 1) > 1]
    return found


def target_rows(result):
    rows = [["", "value", "bar", "aim", "reached"]]
    for target in result["targets"]:
        unit = f" {target['unit']}" if target["unit"] else ""
        rows.append([target["measure"], f"{target['value']:.3g}{unit}",
                     f"{target['comparison']} {target['bar']}{unit}",
                     f"{target['comparison']} {target['aim']}{unit}", target["reached"]])
    return rows


def as_text(rows):
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return "\n".join(
        "  ".join(cell.ljust(width) if i == 0 else cell.rjust(width)
                  for i, (cell, width) in enumerate(zip(row, widths))).rstrip()
        for row in rows)


def as_markdown(rows, texts=1):
    """The first columns, `texts` of them, are text; the others numbers."""
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    lines.insert(1, "|---" * texts + "|---:" * (len(rows[0]) - texts) + "|")
    return "\n".join(lines)


def print_result(result):
    corpus = result["corpus"]
    print(f"\n{corpus['name']}: {corpus['psos']:,} PSOs, {corpus['files']:,} files, "
          f"{corpus['raw_bytes']:,} bytes; {corpus['components']:,} unique components, "
          f"{corpus['unique_bytes']:,} bytes\n")
    print(as_text(entry_rows(result)))
    for line in notes(result):
        print(f"  - {line}")
    if result["loader"]:
        print("\n" + as_text(loader.rows(result["loader"])))
    if result["rebuild"]:
        print("\n" + as_text(rebuild.rows(result["rebuild"])))
    if result["bulk"]:
        print("\n" + as_text(bulk.rows(result["bulk"])))
    if result["targets"]:
        print("\n" + as_text(target_rows(result)))
