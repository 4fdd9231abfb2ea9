// SPDX-License-Identifier: MIT
// Smears along the velocity buffer.
#version 430
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"
#include "noise.glsl"
#include "post.glsl"
layout(set = 1, binding = 1) uniform sampler2D velocity;

void main()
{
    vec2 v = textureLod(velocity, in_uv, 0.0).rg * 0.5;
    float jitter = hash12(gl_FragCoord.xy) - 0.5;
    vec4 sum = vec4(0.0);
    for (int i = 0; i < STEPS; i++)
        sum += textureLod(source, in_uv + v * ((float(i) + jitter) / float(STEPS) - 0.5), 0.0);
    out_color = sum / float(STEPS);
}
