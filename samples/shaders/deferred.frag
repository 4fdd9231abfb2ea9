// SPDX-License-Identifier: MIT
// Lights a G-buffer.
#version 430
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"
#include "brdf.glsl"
#include "lighting.glsl"
layout(location = 0) in vec2 in_uv;
layout(location = 0) out vec4 out_color;
layout(set = 1, binding = 0) uniform sampler2D g_base_color;
layout(set = 1, binding = 1) uniform sampler2D g_normal_roughness;
layout(set = 1, binding = 2) uniform sampler2D g_emission_metallic;
layout(set = 1, binding = 3) uniform sampler2D g_depth;
#ifdef AMBIENT_OCCLUSION
layout(set = 1, binding = 4) uniform sampler2D occlusion;
#endif

void main()
{
    vec4 base = textureLod(g_base_color, in_uv, 0.0);
    vec4 normal = textureLod(g_normal_roughness, in_uv, 0.0);
    vec4 emission = textureLod(g_emission_metallic, in_uv, 0.0);
    float depth = textureLod(g_depth, in_uv, 0.0).r;
    Surface s;
    s.base_color = base.rgb;
    s.occlusion = base.a;
    s.normal = normalize(normal.xyz * 2.0 - 1.0);
    s.roughness = normal.a;
    s.emission = emission.rgb;
    s.metallic = emission.a;
    s.opacity = 1.0;
#ifdef AMBIENT_OCCLUSION
    s.occlusion *= textureLod(occlusion, in_uv, 0.0).r;
#endif
    out_color = vec4(light_surface(s, world_from_depth(in_uv, depth),
                                   vec4(gl_FragCoord.xy, depth, 1.0)), 1.0);
}
