// SPDX-License-Identifier: MIT
// Displaces the tessellated patch by the height map plus fine noise.
#version 430
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"
#include "noise.glsl"
layout(quads, fractional_odd_spacing, ccw) in;
layout(location = 0) in vec3 in_control[];
#ifndef PASS_DEPTH
layout(location = 0) out vec3 out_position;
layout(location = 1) out vec3 out_normal;
#endif

vec3 displaced(vec3 p)
{
    return p + vec3(0.0, (fractal_noise(p.xz * 0.7, 3) - 0.5) * 0.4, 0.0);
}

void main()
{
    vec3 a = mix(in_control[0], in_control[1], gl_TessCoord.x);
    vec3 b = mix(in_control[3], in_control[2], gl_TessCoord.x);
    vec3 p = displaced(mix(a, b, gl_TessCoord.y));
    gl_Position = frame.view_projection * vec4(p, 1.0);
#ifndef PASS_DEPTH
    vec3 u = displaced(p + vec3(0.3, 0, 0)) - p;
    vec3 v = displaced(p + vec3(0, 0, 0.3)) - p;
    out_position = p;
    out_normal = normalize(cross(v, u));
#endif
}
