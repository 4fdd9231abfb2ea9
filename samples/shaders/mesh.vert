// SPDX-License-Identifier: MIT
// Static, skinned, morphed and wind-bent meshes for every pass.
#version 430
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"
#include "object.glsl"

layout(location = 0) in vec3 in_position;
layout(location = 1) in vec3 in_normal;
layout(location = 2) in vec2 in_uv;
#ifdef NORMAL_MAP
layout(location = 3) in vec4 in_tangent;
#endif
#ifdef VERTEX_COLOR
layout(location = 4) in vec4 in_color;
#endif
#ifdef SKINNED
layout(location = 5) in uvec4 in_joints;
layout(location = 6) in vec4 in_weights;
layout(set = 2, binding = 1, std430) readonly buffer Joints {
    mat4 joints[];
};
#endif
#ifdef MORPH
layout(location = 7) in vec3 in_morph_offset[2];
layout(set = 2, binding = 2) uniform Morph {
    vec4 weights;
} morph;
#endif

#ifdef PASS_DEPTH
#ifdef ALPHA_TEST
layout(location = 0) out vec2 out_uv;
#endif
#else
layout(location = 0) out vec2 out_uv;
layout(location = 1) out vec3 out_position;
layout(location = 2) out vec3 out_normal;
layout(location = 3) out vec4 out_tint;
#ifdef NORMAL_MAP
layout(location = 4) out vec4 out_tangent;
#endif
#endif
#ifdef MOTION_VECTORS
layout(location = 5) out vec4 out_previous;
#endif

#ifdef PASS_SHADOW
layout(set = 0, binding = 5) uniform ShadowView {
    mat4 view_projection;
    float depth_bias;
} shadow_view;
#endif

mat4 skin()
{
    mat4 m = OBJECT_WORLD;
#ifdef SKINNED
    m = m * (joints[in_joints.x] * in_weights.x + joints[in_joints.y] * in_weights.y +
             joints[in_joints.z] * in_weights.z + joints[in_joints.w] * in_weights.w);
#endif
    return m;
}

vec3 object_position()
{
    vec3 p = in_position;
#ifdef MORPH
    p += in_morph_offset[0] * morph.weights.x + in_morph_offset[1] * morph.weights.y;
#endif
    return p;
}

void main()
{
    mat4 world = skin();
    vec3 position = (world * vec4(object_position(), 1.0)).xyz;
#ifdef WIND
    float sway = sin(frame.time * 1.7 + position.x * 0.6 + position.z * 0.4);
    position.xz += vec2(0.12, 0.07) * sway * max(in_position.y, 0.0);
#endif
#ifdef OUTLINE
    position += normalize(mat3(world) * in_normal) * 0.015;
#endif
#ifdef PASS_SHADOW
    gl_Position = shadow_view.view_projection * vec4(position, 1.0);
    gl_Position.z -= shadow_view.depth_bias;
#else
    gl_Position = frame.view_projection * vec4(position, 1.0);
#endif
#ifdef MOTION_VECTORS
    out_previous = frame.previous_view_projection * vec4(position, 1.0);
#endif

#if !defined(PASS_DEPTH) || defined(ALPHA_TEST)
    out_uv = in_uv;
#endif
#ifndef PASS_DEPTH
    out_position = position;
    out_normal = mat3(world) * in_normal;
    out_tint = OBJECT_TINT;
#ifdef VERTEX_COLOR
    out_tint *= in_color;
#endif
#ifdef NORMAL_MAP
    out_tangent = vec4(mat3(world) * in_tangent.xyz, in_tangent.w);
#endif
#endif
}
