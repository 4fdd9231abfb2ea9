// SPDX-License-Identifier: MIT
// Screen-space velocity of moving meshes.
#version 430
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"
layout(location = 5) in vec4 in_previous;
layout(location = 0) out vec2 out_velocity;

void main()
{
    vec2 now = gl_FragCoord.xy * frame.viewport.zw;
    vec2 before = in_previous.xy / in_previous.w * 0.5 + 0.5;
    out_velocity = now - before;
}
