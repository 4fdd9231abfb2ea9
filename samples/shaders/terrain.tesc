// SPDX-License-Identifier: MIT
// Edge factors from the edge's length on screen, so neighbours agree.
#version 430
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"
layout(vertices = 4) out;
layout(location = 0) in vec3 in_control[];
layout(location = 0) out vec3 out_control[];

float edge_factor(vec3 a, vec3 b)
{
    float d = distance((a + b) * 0.5, frame.camera_position.xyz);
    return clamp(distance(a, b) * 96.0 / max(d, 1.0), 1.0, 64.0);
}

void main()
{
    out_control[gl_InvocationID] = in_control[gl_InvocationID];
    if (gl_InvocationID == 0) {
        gl_TessLevelOuter[0] = edge_factor(in_control[3], in_control[0]);
        gl_TessLevelOuter[1] = edge_factor(in_control[0], in_control[1]);
        gl_TessLevelOuter[2] = edge_factor(in_control[1], in_control[2]);
        gl_TessLevelOuter[3] = edge_factor(in_control[2], in_control[3]);
        gl_TessLevelInner[0] = max(gl_TessLevelOuter[1], gl_TessLevelOuter[3]);
        gl_TessLevelInner[1] = max(gl_TessLevelOuter[0], gl_TessLevelOuter[2]);
    }
}
