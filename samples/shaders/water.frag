// SPDX-License-Identifier: MIT
// Refraction, absorption by depth, sky reflection, foam at the shore.
#version 430
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"
#include "noise.glsl"
#include "brdf.glsl"
#include "lighting.glsl"
#include "output.glsl"
layout(location = 0) in vec3 in_position;
layout(location = 1) in vec3 in_normal;
layout(set = 1, binding = 0) uniform sampler2D scene_color;
layout(set = 1, binding = 1) uniform sampler2D scene_depth;
layout(set = 1, binding = 2) uniform Water {
    vec4 absorption;
    vec4 scatter;
} water;

void main()
{
    vec2 uv = gl_FragCoord.xy * frame.viewport.zw;
    vec2 ripple = vec2(value_noise(in_position.xz * 4.0 + frame.time),
                       value_noise(in_position.zx * 4.0 - frame.time)) - 0.5;
    vec3 n = normalize(in_normal + vec3(ripple.x, 0.0, ripple.y) * 0.2);
    vec2 bent = uv + n.xz * 0.03;
    float floor_depth = view_depth(textureLod(scene_depth, bent, 0.0).r);
    float thickness = max(floor_depth - view_depth(gl_FragCoord.z), 0.0);
    vec3 through = textureLod(scene_color, bent, 0.0).rgb * exp(-water.absorption.rgb * thickness);

    Surface s;
    s.base_color = water.scatter.rgb;
    s.normal = n;
    s.metallic = 0.0;
    s.roughness = 0.08;
    s.occlusion = 1.0;
    s.emission = through;
    s.opacity = 1.0;
#ifdef FOAM
    float foam = smoothstep(0.6, 0.0, thickness) * fractal_noise(in_position.xz * 2.0, 3);
    s.base_color = mix(s.base_color, vec3(1.0), foam);
    s.roughness = mix(s.roughness, 1.0, foam);
    s.emission *= 1.0 - foam;
#endif
    write_color(light_surface(s, in_position, gl_FragCoord), s.opacity);
}
