// SPDX-License-Identifier: MIT
// Two-tone blades, lit through.
#version 430
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"
#include "brdf.glsl"
#ifndef PASS_GBUFFER
#include "lighting.glsl"
#endif
#include "output.glsl"
layout(location = 0) in vec3 in_position;
layout(location = 1) in vec3 in_normal;
layout(location = 2) in float in_height;

void main()
{
    Surface s;
    s.base_color = mix(vec3(0.03, 0.09, 0.02), vec3(0.25, 0.4, 0.08), in_height);
#ifdef DRY
    s.base_color = mix(s.base_color, vec3(0.5, 0.4, 0.15), in_height * 0.7);
#endif
    s.normal = normalize(gl_FrontFacing ? in_normal : -in_normal);
    s.metallic = 0.0;
    s.roughness = 0.7;
    s.occlusion = 0.4 + 0.6 * in_height;
    s.emission = vec3(0.0);
    s.opacity = 1.0;
#ifdef SUBSURFACE
    s.subsurface = vec3(0.6);
#endif
#ifdef PASS_GBUFFER
    out_base_color = vec4(s.base_color, s.occlusion);
    out_normal_roughness = vec4(s.normal * 0.5 + 0.5, s.roughness);
    out_emission_metallic = vec4(0.0);
#else
    write_color(light_surface(s, in_position, gl_FragCoord), 1.0);
#endif
}
