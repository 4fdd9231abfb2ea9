# SPDX-License-Identifier: MIT
"""Reads from a SPIR-V module what a pipeline needs to know about a shader.

Only what the sample shaders use is understood; the modules come from our own compiler run, so an
impossible module is a bug and may raise.
"""
import struct
from dataclasses import dataclass, field

MAGIC = 0x07230203

OP_ENTRY_POINT, OP_EXECUTION_MODE, OP_CAPABILITY = 15, 16, 17
OP_TYPE_BOOL, OP_TYPE_INT, OP_TYPE_FLOAT, OP_TYPE_VECTOR, OP_TYPE_MATRIX = 20, 21, 22, 23, 24
OP_TYPE_IMAGE, OP_TYPE_SAMPLED_IMAGE, OP_TYPE_ARRAY, OP_TYPE_RUNTIME_ARRAY = 25, 27, 28, 29
OP_TYPE_STRUCT, OP_TYPE_POINTER, OP_CONSTANT, OP_VARIABLE = 30, 32, 43, 59
OP_DECORATE, OP_MEMBER_DECORATE = 71, 72

DECORATION_BUFFER_BLOCK, DECORATION_BUILT_IN, DECORATION_LOCATION = 3, 11, 30
DECORATION_BINDING, DECORATION_SET, DECORATION_OFFSET = 33, 34, 35

CLASS_INPUT, CLASS_UNIFORM, CLASS_OUTPUT, CLASS_PUSH_CONSTANT, CLASS_STORAGE = 1, 2, 3, 9, 12

MODE_LOCAL_SIZE = 17

# Descriptor types, as Vulkan numbers them.
COMBINED_IMAGE, STORAGE_IMAGE, UNIFORM_BUFFER, STORAGE_BUFFER = 1, 3, 6, 7


@dataclass(frozen=True, order=True)
class Binding:
    set: int
    binding: int
    type: int
    count: int


@dataclass(frozen=True, order=True)
class Attribute:
    location: int
    base: str  # "f", "i" or "u"
    width: int  # components


@dataclass
class Shader:
    execution_model: int = 0
    ids: int = 0
    local_size: tuple = (0, 0, 0)
    capabilities: list = field(default_factory=list)
    bindings: list = field(default_factory=list)
    inputs: list = field(default_factory=list)
    outputs: list = field(default_factory=list)
    push_constant_bytes: int = 0

    def reads_nothing(self):
        return not (self.bindings or self.inputs or self.push_constant_bytes)


class _Module:
    def __init__(self, words):
        self.shader = Shader(ids=words[3])
        self.types, self.constants, self.variables = {}, {}, []
        self.decorations, self.offsets = {}, {}
        at = 5
        while at < len(words):
            length, opcode = words[at] >> 16, words[at] & 0xFFFF
            self._instruction(opcode, words[at + 1:at + length])
            at += length

    def _instruction(self, opcode, w):
        if opcode == OP_ENTRY_POINT:
            self.shader.execution_model = w[0]
        elif opcode == OP_EXECUTION_MODE and w[1] == MODE_LOCAL_SIZE:
            self.shader.local_size = tuple(w[2:5])
        elif opcode == OP_CAPABILITY:
            self.shader.capabilities.append(w[0])
        elif opcode == OP_DECORATE:
            self.decorations.setdefault(w[0], {})[w[1]] = w[2] if len(w) > 2 else True
        elif opcode == OP_MEMBER_DECORATE:
            if w[2] == DECORATION_OFFSET:
                self.offsets[w[0], w[1]] = w[3]
            elif w[2] == DECORATION_BUILT_IN:
                self.decorations.setdefault(w[0], {})[DECORATION_BUILT_IN] = True
        elif OP_TYPE_BOOL <= opcode <= OP_TYPE_POINTER:
            self.types[w[0]] = (opcode, w[1:])
        elif opcode == OP_CONSTANT:
            self.constants[w[1]] = w[2]
        elif opcode == OP_VARIABLE:
            self.variables.append((w[1], w[0], w[2]))  # id, pointer type, storage class

    def _size(self, type_id):
        opcode, w = self.types[type_id]
        if opcode in (OP_TYPE_INT, OP_TYPE_FLOAT):
            return w[0] // 8
        if opcode == OP_TYPE_VECTOR:
            return self._size(w[0]) * w[1]
        if opcode == OP_TYPE_MATRIX:
            return 16 * w[1]  # columns are padded to four floats
        if opcode == OP_TYPE_ARRAY:
            return -(-self._size(w[0]) // 16) * 16 * self.constants[w[1]]
        if opcode == OP_TYPE_STRUCT:
            return self.offsets[type_id, len(w) - 1] + self._size(w[-1])
        raise ValueError(f"a type of opcode {opcode} has no size here")

    def _peel_arrays(self, type_id):
        count = 1
        while self.types[type_id][0] in (OP_TYPE_ARRAY, OP_TYPE_RUNTIME_ARRAY):
            opcode, w = self.types[type_id]
            count *= self.constants[w[1]] if opcode == OP_TYPE_ARRAY else 1
            type_id = w[0]
        return type_id, count

    def _descriptor_type(self, type_id, storage):
        opcode = self.types[type_id][0]
        if opcode == OP_TYPE_SAMPLED_IMAGE:
            return COMBINED_IMAGE
        if opcode == OP_TYPE_IMAGE:
            return STORAGE_IMAGE
        old_style = DECORATION_BUFFER_BLOCK in self.decorations.get(type_id, {})
        return STORAGE_BUFFER if storage == CLASS_STORAGE or old_style else UNIFORM_BUFFER

    def _attributes(self, location, type_id):
        """One Attribute per location: arrays and matrices take several."""
        type_id, count = self._peel_arrays(type_id)
        opcode, w = self.types[type_id]
        if opcode == OP_TYPE_MATRIX:
            count, type_id = count * w[1], w[0]
            opcode, w = self.types[type_id]
        width = w[1] if opcode == OP_TYPE_VECTOR else 1
        scalar, w = self.types[w[0] if opcode == OP_TYPE_VECTOR else type_id]
        base = "f" if scalar == OP_TYPE_FLOAT else "i" if w[1] else "u"
        return [Attribute(location + i, base, width) for i in range(count)]

    def reflect(self):
        s = self.shader
        for variable, pointer, storage in self.variables:
            marks = self.decorations.get(variable, {})
            type_id = self.types[pointer][1][1]
            if storage == CLASS_PUSH_CONSTANT:
                s.push_constant_bytes = self._size(type_id)
            elif DECORATION_BINDING in marks:
                inner, count = self._peel_arrays(type_id)
                s.bindings.append(Binding(marks[DECORATION_SET], marks[DECORATION_BINDING],
                                          self._descriptor_type(inner, storage), count))
            elif DECORATION_LOCATION in marks:
                to = s.inputs if storage == CLASS_INPUT else s.outputs
                to.extend(self._attributes(marks[DECORATION_LOCATION], type_id))
        for part in (s.capabilities, s.bindings, s.inputs, s.outputs):
            part.sort()
        return s


def reflect(code):
    words = struct.unpack(f"<{len(code) // 4}I", code)
    if words[0] != MAGIC:
        raise ValueError("not a SPIR-V module")
    return _Module(words).reflect()
