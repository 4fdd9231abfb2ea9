// SPDX-License-Identifier: MIT
// Cel shading: light in steps, a rim towards the silhouette.
#version 430
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"
#include "brdf.glsl"
#include "lighting.glsl"
#include "surface.glsl"
#include "output.glsl"

void main()
{
    Surface s = read_surface();
    vec3 view = normalize(frame.camera_position.xyz - in_position);
    float light = dot(s.normal, frame.sun_direction.xyz);
#ifdef SHADOWS
    light *= sun_visibility(in_position, view_depth(gl_FragCoord.z));
#endif
    float steps = floor(clamp(light, 0.0, 1.0) * 3.0 + 0.5) / 3.0;
    float rim = smoothstep(0.6, 0.7, 1.0 - dot(view, s.normal));
    vec3 color = s.base_color * (0.3 + 0.7 * steps) + rim * 0.25;
    write_color(apply_fog(color, in_position), s.opacity);
}
