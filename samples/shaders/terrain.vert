// SPDX-License-Identifier: MIT
// A height-mapped grid patch whose detail levels morph into each other.
#version 430
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"
layout(location = 0) in vec2 in_grid;
layout(set = 1, binding = 0) uniform sampler2D height_map;
layout(push_constant) uniform Patch {
    vec4 origin_size; // xy: world origin, z: size, w: morph 0..1
    vec4 height;      // x: scale, y: offset
} patch_data;
#ifdef PASS_SHADOW
layout(set = 0, binding = 5) uniform ShadowView {
    mat4 view_projection;
    float depth_bias;
} shadow_view;
#endif
#ifdef TESSELLATED
layout(location = 0) out vec3 out_control;
#elif !defined(PASS_DEPTH)
layout(location = 0) out vec3 out_position;
layout(location = 1) out vec3 out_normal;
#endif

float height_at(vec2 p)
{
    vec2 uv = p / 4096.0 + 0.5;
    return textureLod(height_map, uv, 0.0).r * patch_data.height.x + patch_data.height.y;
}

void main()
{
    vec2 odd = fract(in_grid * 16.0) * (2.0 / 32.0);
    vec2 grid = in_grid - odd * patch_data.origin_size.w;
    vec2 p = patch_data.origin_size.xy + grid * patch_data.origin_size.z;
    vec3 position = vec3(p.x, height_at(p), p.y);
#ifdef TESSELLATED
    out_control = position;
    gl_Position = vec4(position, 1.0);
#else
#ifdef PASS_SHADOW
    gl_Position = shadow_view.view_projection * vec4(position, 1.0);
#else
    gl_Position = frame.view_projection * vec4(position, 1.0);
#endif
#ifndef PASS_DEPTH
    out_position = position;
    float e = 0.5;
    out_normal = normalize(vec3(height_at(p - vec2(e, 0)) - height_at(p + vec2(e, 0)), 2.0 * e,
                                height_at(p - vec2(0, e)) - height_at(p + vec2(0, e))));
#endif
#endif
}
