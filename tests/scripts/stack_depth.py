#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The deepest stack of a call graph that gcc -fcallgraph-info=su wrote, and whether it recurses.

    stack_depth.py GRAPH.ci LIMIT_BYTES

Counts our own frames; what lies below a call of libc, zstd or a callback of the caller's is theirs.
A call through a pointer may reach any of our functions in CALLBACKS, the deepest counts. Exits 1
for recursion, a frame without a bound, or a deeper stack than the limit.
"""
import re
import sys

NODE = re.compile(r'^node: \{ title: "([^"]*)" label: "[^"]*?(\d+) bytes \(([^)]*)\)')
EDGE = re.compile(r'^edge: \{ sourcename: "([^"]*)" targetname: "([^"]*)"')
INDIRECT = "__indirect_call"

# Ours that are called through pointers while something is read: how a source reads, how parts are
# found, how the stripped bytes of a transform come back.
CALLBACKS = re.compile(r"(^|:)(read_(file|memory|callback|source)\w*|find_\w+|\w*inverse\w*|"
                       r"\w*_default)$")


def read_graph(path):
    frames, calls, unbounded = {}, {}, []
    with open(path, encoding="utf-8") as file:
        for line in file:
            if node := NODE.match(line):
                frames[node[1]] = int(node[2])
                if node[3] not in ("static", "dynamic,bounded"):
                    unbounded.append(node[1])
            elif edge := EDGE.match(line):
                calls.setdefault(edge[1], set()).add(edge[2])
    return frames, calls, unbounded


class Depth:
    """Deepest path from each function, each looked at once."""

    def __init__(self, frames, calls):
        self.frames, self.calls = frames, calls
        self.known, self.open, self.cycles = {}, [], []
        self.callbacks = {name for name in frames if CALLBACKS.search(name)}

    def of(self, name):
        """(bytes, path)"""
        if name in self.open:
            self.cycles.append(self.open[self.open.index(name):] + [name])
            return 0, ()
        if name not in self.known:
            self.open.append(name)
            below = max((self.of(callee) for callee in self.callees(name)), default=(0, ()))
            self.open.pop()
            self.known[name] = (below[0] + self.frames.get(name, 0), (name, *below[1]))
        return self.known[name]

    def callees(self, name):
        found = set(self.calls.get(name, ()))
        if INDIRECT in found and name not in self.callbacks:
            found |= self.callbacks
        return {callee for callee in found if callee in self.frames}


def main():
    frames, calls, unbounded = read_graph(sys.argv[1])
    depth = Depth(frames, calls)
    deepest, path = max(depth.of(name) for name in frames)
    print(f"{deepest} bytes, the deepest of {len(frames)} functions:")
    for name in path:
        print(f"{frames[name]:8} {name.rpartition(':')[2]}")
    for cycle in depth.cycles:
        print("recursion:", " -> ".join(cycle))
    for name in unbounded:
        print("a frame without a bound:", name)
    if not frames or depth.cycles or unbounded or deepest > int(sys.argv[2]):
        sys.exit(1)


if __name__ == "__main__":
    main()
