// SPDX-License-Identifier: MIT
// Mesh colour without lights: signs, screens, stylised props.
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
#ifdef SCANLINES
    s.base_color *= 0.85 + 0.15 * sin(gl_FragCoord.y * PI * 0.5);
#endif
#ifdef PASS_GBUFFER
    out_base_color = vec4(0.0);
    out_normal_roughness = vec4(s.normal * 0.5 + 0.5, 1.0);
    out_emission_metallic = vec4(s.base_color, 0.0);
#else
    write_color(apply_fog(s.base_color + s.emission, in_position), s.opacity);
#endif
}
