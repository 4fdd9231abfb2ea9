// SPDX-License-Identifier: MIT
// Grows bending blades from a point.
#version 430
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"
#include "noise.glsl"
#ifndef BLADES
#define BLADES 3
#endif
layout(points) in;
layout(triangle_strip, max_vertices = 15) out;
layout(location = 0) in vec4 in_root[];
#ifndef PASS_DEPTH
layout(location = 0) out vec3 out_position;
layout(location = 1) out vec3 out_normal;
layout(location = 2) out float out_height;
#endif

void emit(vec3 position, vec3 normal, float height)
{
    gl_Position = frame.view_projection * vec4(position, 1.0);
#ifndef PASS_DEPTH
    out_position = position;
    out_normal = normal;
    out_height = height;
#endif
    EmitVertex();
}

void main()
{
    vec4 root = in_root[0];
    for (int blade = 0; blade < BLADES; blade++) {
        float turn = 2.0 * PI * hash12(root.xz + float(blade));
        vec3 side = vec3(cos(turn), 0.0, sin(turn)) * 0.03;
        vec3 normal = vec3(-side.z, 0.0, side.x) / 0.03;
        float gust = value_noise(root.xz * 0.2 + frame.time) - 0.3;
        vec3 bend = normal * gust * root.w;
        vec3 base = root.xyz + normal * 0.1 * float(blade);
        vec3 middle = base + vec3(0.0, root.w * 0.6, 0.0) + bend * 0.35;
        emit(base - side, normal, 0.0);
        emit(base + side, normal, 0.0);
        emit(middle - side * 0.7, normal, 0.6);
        emit(middle + side * 0.7, normal, 0.6);
        emit(base + vec3(0.0, root.w, 0.0) + bend, normal, 1.0);
        EndPrimitive();
    }
}
