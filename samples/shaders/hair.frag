// SPDX-License-Identifier: MIT
// Kajiya-Kay strands with two shifted highlights.
#version 430
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"
#include "brdf.glsl"
#include "lighting.glsl"
#include "surface.glsl"
#include "output.glsl"

float strand(vec3 tangent, vec3 h, float exponent)
{
    float d = dot(tangent, h);
    return smoothstep(-1.0, 0.0, d) * pow(sqrt(max(1.0 - d * d, 0.0)), exponent);
}

void main()
{
    Surface s = read_surface();
    vec3 view = normalize(frame.camera_position.xyz - in_position);
    vec3 h = normalize(view + frame.sun_direction.xyz);
#ifdef NORMAL_MAP
    vec3 tangent = tangent_frame()[1];
#else
    vec3 tangent = normalize(cross(s.normal, vec3(0, 0, 1)));
#endif
    vec3 first = strand(normalize(tangent + s.normal * 0.1), h, 80.0) * vec3(0.5);
    vec3 second = strand(normalize(tangent - s.normal * 0.15), h, 20.0) * s.base_color;
    vec3 light = frame.sun_radiance.rgb;
#ifdef SHADOWS
    light *= sun_visibility(in_position, view_depth(gl_FragCoord.z));
#endif
    float wrap = clamp(dot(s.normal, frame.sun_direction.xyz) * 0.7 + 0.3, 0.0, 1.0);
    vec3 color = (s.base_color * wrap + first + second) * light + ambient(s, view);
    write_color(apply_fog(color, in_position), s.opacity);
}
