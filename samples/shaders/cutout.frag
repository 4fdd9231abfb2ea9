// SPDX-License-Identifier: MIT
// Depth passes of alpha-tested meshes: no colour, only discard.
#version 430
layout(location = 0) in vec2 in_uv;
layout(set = 1, binding = 1) uniform sampler2D base_map;

void main()
{
    if (texture(base_map, in_uv).a < 0.5)
        discard;
}
