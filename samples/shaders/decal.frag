// SPDX-License-Identifier: MIT
// Projects a decal by depth into G-buffer or colour target.
#version 430
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"
#include "output.glsl"
layout(set = 1, binding = 0) uniform sampler2D scene_depth;
layout(set = 1, binding = 1) uniform sampler2D image;
#ifdef NORMAL_MAP
layout(set = 1, binding = 2) uniform sampler2D normal_map;
#endif
layout(push_constant) uniform Decal {
    mat4 world;
    mat4 inverse_world;
} decal;

void main()
{
    vec2 uv = gl_FragCoord.xy * frame.viewport.zw;
    vec3 world = world_from_depth(uv, textureLod(scene_depth, uv, 0.0).r);
    vec3 local = (decal.inverse_world * vec4(world, 1.0)).xyz;
    if (any(greaterThan(abs(local), vec3(0.5))))
        discard;
    vec4 c = texture(image, local.xz + 0.5);
#ifdef PASS_GBUFFER
    vec3 n = vec3(0, 0, 1);
#ifdef NORMAL_MAP
    n = texture(normal_map, local.xz + 0.5).xyz * 2.0 - 1.0;
#endif
    out_base_color = c;
    out_normal_roughness = vec4(normalize(mat3(decal.world) * n.xzy) * 0.5 + 0.5, c.a);
    out_emission_metallic = vec4(0.0, 0.0, 0.0, c.a);
#else
    write_color(c.rgb * frame.ambient_sky.rgb, c.a);
#endif
}
