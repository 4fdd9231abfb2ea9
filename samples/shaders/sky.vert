// SPDX-License-Identifier: MIT
// One triangle at the far plane.
#version 430
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"
layout(location = 0) out vec3 out_direction;

void main()
{
    vec2 p = vec2((gl_VertexIndex << 1) & 2, gl_VertexIndex & 2) * 2.0 - 1.0;
    out_direction = world_from_depth(p * 0.5 + 0.5, 1e-4) - frame.camera_position.xyz;
    gl_Position = vec4(p, 0.0, 1.0);
}
