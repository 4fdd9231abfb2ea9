# SPDX-License-Identifier: MIT
"""Encodes the sample set's metadata, state and rootsig blobs. README.md has the layouts.

They stand for what a platform SDK hands out beside the instructions; psopack never looks inside.
"""
import struct

FORMATS = {  # Vulkan's numbers
    "rgba8": 37, "bgra8": 44, "rgb10a2": 64, "rg16f": 83, "rgba16f": 97,
    "d16": 124, "d32f": 126, "": 0,
}
ATTRIBUTE_FORMATS = {
    ("f", 1): 100, ("f", 2): 103, ("f", 3): 106, ("f", 4): 109,
    ("u", 1): 98, ("u", 2): 101, ("u", 3): 104, ("u", 4): 107,
    ("i", 1): 99, ("i", 2): 102, ("i", 3): 105, ("i", 4): 108,
}
TOPOLOGIES = {"points": 0, "lines": 1, "triangles": 3, "patch4": 10}
CULL = {"none": 0, "front": 1, "back": 2}
COMPARE = {"never": 0, "less": 1, "equal": 2, "greater": 4, "greater_equal": 6, "always": 7}
BLEND = {  # enable, color: source, destination, operation, then alpha's
    "none": (0, 1, 0, 0, 1, 0, 0),
    "alpha": (1, 6, 7, 0, 1, 7, 0),
    "premultiplied": (1, 1, 7, 0, 1, 7, 0),
    "additive": (1, 6, 1, 0, 0, 1, 0),
}
STAGE_BITS = {"vs": 1, "hs": 2, "ds": 4, "gs": 8, "ps": 16, "cs": 32}


def _padded(blob, multiple):
    return blob + bytes(-len(blob) % multiple)


def _mask(attributes):
    return sum({1 << a.location for a in attributes}) & 0xFFFFFFFF


def metadata(code, shader):
    """What a loader of the instructions must know; padded like a driver's fixed-size record."""
    head = struct.pack(
        "<4sHHIIIII3IHH", b"PSSM", 1, shader.execution_model, len(code), shader.ids,
        _mask(shader.inputs), _mask(shader.outputs), shader.push_constant_bytes,
        *shader.local_size, len(shader.capabilities), len(shader.bindings))
    words = struct.pack(f"<{len(shader.capabilities)}I", *shader.capabilities)
    rows = b"".join(struct.pack("<4H", b.set, b.binding, b.type, b.count) for b in shader.bindings)
    return _padded(head + words + rows, 256)


def rootsig(shaders):
    """Every binding of the pipeline with the stages that see it; empty when there is none.

    `shaders` maps stage names to Shader. Stages may see one binding as different types; each
    type is a row of its own.
    """
    stages_of = {}
    push_bytes = push_stages = 0
    for stage, shader in shaders.items():
        bit = STAGE_BITS[stage]
        for b in shader.bindings:
            stages_of[b] = stages_of.get(b, 0) | bit
        if shader.push_constant_bytes:
            push_bytes = max(push_bytes, shader.push_constant_bytes)
            push_stages |= bit
    if not stages_of and not push_bytes:
        return b""
    head = struct.pack("<4sHHHH", b"PSRS", 1, len(stages_of), push_bytes, push_stages)
    return head + b"".join(
        struct.pack("<5HH", b.set, b.binding, b.type, b.count, stages_of[b], 0)
        for b in sorted(stages_of))


def _depth(words):
    """"off", "test COMPARE" or "write COMPARE" to (test, write, compare)."""
    mode, *compare = words.split()
    if mode == "off":
        return 0, 0, COMPARE["always"]
    return 1, int(mode == "write"), COMPARE[compare[0]]


def _attributes(inputs):
    """Interleaved vertex attributes in the order of their locations."""
    offset, rows = 0, []
    for a in inputs:
        rows.append(struct.pack("<HHI", a.location, ATTRIBUTE_FORMATS[a.base, a.width], offset))
        offset += 4 * a.width
    return offset, b"".join(rows)


def state(settings, topology, vertex_inputs):
    """The fixed-function state of a graphics pipeline from its pass's settings."""
    targets = settings.get("targets", "rgba16f").split()
    blend = BLEND[settings.get("blend", "none")]
    test, write, compare = _depth(settings["depth"])
    has_depth = settings["depth"] != "off"
    depth_format = FORMATS[settings.get("depth_format", "d32f") if has_depth else ""]
    bias, slope = map(float, settings.get("bias", "0 0").split())
    stencil = int(settings.get("stencil", "0"))
    stride, attributes = _attributes(vertex_inputs)

    head = struct.pack(
        "<4sHHII", b"PSST", 1, len(vertex_inputs), stride, len(targets))
    raster = struct.pack(
        "<4B2fI", TOPOLOGIES[topology], CULL[settings.get("cull", "back")],
        int(settings.get("front", "") == "clockwise"), 0, bias, slope,
        int(settings.get("samples", "1")))
    depth = struct.pack("<4BI", test, write, compare, int(stencil != 0), depth_format)
    ops = struct.pack("<8B", stencil, 0xFF, 0xFF, COMPARE["equal"], 0, 0, 2, 0)
    blends = b"".join(struct.pack("<I7BB", FORMATS[t], *blend, 0xF) for t in targets)
    return head + raster + depth + ops * 2 + _padded(blends, 96) + attributes
