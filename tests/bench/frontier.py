#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Draws size against the latency of one cold read, both logarithmic, as SVG.

    frontier.py [--corpus NAME] BENCH_JSON SVG
"""
import argparse
import json
import math
import pathlib
import xml.sax.saxutils

WIDTH, HEIGHT = 860, 520
LEFT, RIGHT, TOP, BOTTOM = 70, 20, 50, 60
LINE = 13  # height of a label
OURS, THEIRS, INK, GRID = "#0b6fa4", "#8a5a00", "#222222", "#dddddd"

LABELS = {"solid": "solid zstd -22", "tar": "tar, zstd -19", "zstd19.each": "zstd -19 each",
          "sqlite": "SQLite, zstd -19 each", "squashfs.64k": "squashfs 64K",
          "squashfs.256k": "squashfs 256K", "fossilize": "Fossilize"}


class Axis:
    """Maps the logarithm of a value to a place between two coordinates."""

    def __init__(self, values, low, high):
        logs = [math.log10(value) for value in values]
        margin = 0.06 * (max(logs) - min(logs)) + 0.05
        self.start, self.end = min(logs) - margin, max(logs) + margin
        self.low, self.high = low, high

    def place(self, value):
        share = (math.log10(value) - self.start) / (self.end - self.start)
        return self.low + share * (self.high - self.low)

    def ticks(self):
        """1, 2 and 5 times powers of ten; only the powers where that is enough."""
        exponents = range(math.floor(self.start), math.ceil(self.end) + 1)
        steps = (1,) if self.end - self.start > 3 else (1, 2, 5)
        values = [step * 10.0 ** exponent for exponent in exponents for step in steps]
        return [value for value in values if self.start <= math.log10(value) <= self.end]


def text(x, y, content, anchor="start", color=INK, weight="normal"):
    return (f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{color}" '
            f'font-weight="{weight}" stroke="#ffffff" stroke-width="3" paint-order="stroke">'
            f'{xml.sax.saxutils.escape(content)}</text>')


def line(x1, y1, x2, y2, color):
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{color}"/>'


def time_name(microseconds):
    if microseconds >= 1000:
        return f"{microseconds / 1000:g} ms"
    return f"{microseconds:g} \u00b5s"


def points(result):
    """(us, MB, label, whether it is psopack) of every entry with a size and a read."""
    found = []
    for entry in result["entries"].values():
        read = entry.get("cold_read_ns_p50", entry.get("cold_read_ns_mean"))
        if not read or not entry.get("bytes"):
            continue
        mark = " *" if "notes" in entry else ""
        label = LABELS.get(entry["id"], entry["name"])
        found.append((read / 1e3, entry["bytes"] / 1e6, label + mark,
                      entry["id"].startswith("psopack.")))
    return sorted(found)


def draw_axes(x_axis, y_axis):
    parts = []
    for value in x_axis.ticks():
        x = x_axis.place(value)
        parts.append(line(x, TOP, x, HEIGHT - BOTTOM, GRID))
        parts.append(text(x, HEIGHT - BOTTOM + 18, time_name(value), "middle"))
    for value in y_axis.ticks():
        y = y_axis.place(value)
        parts.append(line(LEFT, y, WIDTH - RIGHT, y, GRID))
        parts.append(text(LEFT - 8, y + 4, f"{value:g} MB", "end"))
    parts.append(text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 20,
                      "one cold read, median (logarithmic); left is better", "middle"))
    return parts


def free_place(taken, x, y, width):
    """The y nearest to `y` where a label of this width covers no other."""
    for distance in range(0, HEIGHT, 2):
        for candidate in (y - distance, y + distance):
            if all(abs(candidate - other_y) >= LINE or x + width < other_x or
                   x > other_x + other_width for other_x, other_y, other_width in taken):
                return candidate
    return y


def draw_frontier(found, x_axis, y_axis):
    """Through the points that no other beats in both size and latency, in steps."""
    path = []
    smallest = math.inf
    for us, size, _, _ in found:
        if size >= smallest:
            continue
        x = f"{x_axis.place(us):.1f}"
        if path:
            path.append(f"{x},{y_axis.place(smallest):.1f}")
        path.append(f"{x},{y_axis.place(size):.1f}")
        smallest = size
    return [f'<polyline points="{" ".join(path)}" fill="none" stroke="{OURS}" '
            'stroke-width="1.5" stroke-dasharray="5 4"/>']


def draw_points(found, x_axis, y_axis):
    parts = []
    taken = [(x_axis.place(us) - 6, y_axis.place(size) + 4, 12) for us, size, _, _ in found]
    for us, size, label, ours in found:
        x, y = x_axis.place(us), y_axis.place(size)
        color = OURS if ours else THEIRS
        fill = color if ours else "#ffffff"
        parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" fill="{fill}" stroke="{color}" '
                     'stroke-width="2"/>')
        label = f"{label}, {size:.2f} MB"
        width = (7.0 if ours else 6.3) * len(label)
        to_left = x + 10 + width > WIDTH - RIGHT
        start = x - 10 - width if to_left else x + 10
        label_y = free_place(taken, start, y - 4, width)
        taken.append((start, label_y, width))
        parts.append(text(x - 10 if to_left else x + 10, label_y, label,
                          "end" if to_left else "start", color, "bold" if ours else "normal"))
    return parts


def draw(result):
    corpus = result["corpus"]
    found = points(result)
    if len(found) < 2:
        raise ValueError(f"{corpus['name']}: fewer than two entries have a size and a cold read")
    x_axis = Axis([point[0] for point in found], LEFT, WIDTH - RIGHT)
    y_axis = Axis([point[1] for point in found], HEIGHT - BOTTOM, TOP)
    title = (f"Size and latency: {corpus['psos']:,} PSOs, {corpus['unique_bytes'] / 1e6:.1f} MB of "
             f"unique components ({corpus['name']})")
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" '
        f'viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
        text(LEFT, 24, title, weight="bold"),
        text(LEFT, 40, "whole archives, logarithmic; lower is better. Dashed: nothing is "
                       "both smaller and quicker. * see compression.md"),
    ]
    parts += draw_axes(x_axis, y_axis)
    parts += draw_frontier(found, x_axis, y_axis)
    parts += draw_points(found, x_axis, y_axis)
    parts.append("</svg>")
    return "\n".join(parts) + "\n"


def main():
    parser = argparse.ArgumentParser(description="draw size against cold-read latency")
    parser.add_argument("--corpus", help="name of the corpus; the first by default")
    parser.add_argument("json", type=pathlib.Path)
    parser.add_argument("svg", type=pathlib.Path)
    options = parser.parse_args()
    results = json.loads(options.json.read_text(encoding="utf-8"))["results"]
    chosen = [r for r in results if options.corpus in (None, r["corpus"]["name"])]
    if not chosen:
        parser.error(f"{options.json}: no corpus {options.corpus}")
    options.svg.write_text(draw(chosen[0]), encoding="utf-8")


if __name__ == "__main__":
    main()
