// SPDX-License-Identifier: MIT
// A sum of Gerstner waves.
#version 430
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"
layout(location = 0) in vec2 in_grid;
layout(location = 0) out vec3 out_position;
layout(location = 1) out vec3 out_normal;
layout(push_constant) uniform Sea {
    vec4 origin_size;
    vec4 waves[WAVES]; // xy: direction, z: length, w: steepness
} sea;

void main()
{
    vec2 p = sea.origin_size.xy + in_grid * sea.origin_size.z;
    vec3 position = vec3(p.x, sea.origin_size.w, p.y);
    vec3 normal = vec3(0, 1, 0);
    for (int i = 0; i < WAVES; i++) {
        vec4 wave = sea.waves[i];
        float k = 2.0 * PI / wave.z;
        float f = k * dot(wave.xy, p) - sqrt(9.81 * k) * frame.time;
        float a = wave.w / k;
        position += vec3(wave.xy * a * cos(f), a * sin(f)).xzy;
        normal -= vec3(wave.xy * wave.w * cos(f), wave.w * sin(f)).xzy;
    }
    out_position = position;
    out_normal = normalize(normal);
    gl_Position = frame.view_projection * vec4(position, 1.0);
}
