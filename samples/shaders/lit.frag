// SPDX-License-Identifier: MIT
// Physically based mesh shading, forward or into the G-buffer.
#version 430
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"
#include "brdf.glsl"
#ifndef PASS_GBUFFER
#include "lighting.glsl"
#endif
#include "surface.glsl"
#include "output.glsl"

void main()
{
    Surface s = read_surface();
#ifdef PASS_GBUFFER
    out_base_color = vec4(s.base_color, s.occlusion);
    out_normal_roughness = vec4(s.normal * 0.5 + 0.5, s.roughness);
    out_emission_metallic = vec4(s.emission, s.metallic);
#else
    write_color(light_surface(s, in_position, gl_FragCoord), s.opacity);
#endif
}
