// SPDX-License-Identifier: MIT
// HDR to display: exposure, curve, grading, vignette, grain.
#version 430
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"
#include "noise.glsl"
#include "post.glsl"
#ifdef BLOOM
layout(set = 1, binding = 1) uniform sampler2D bloom;
#endif
#ifdef COLOR_GRADE
layout(set = 1, binding = 2) uniform sampler3D grade;
#endif

vec3 curve(vec3 c)
{
#if CURVE == 2 /* filmic */
    return clamp(c * (2.51 * c + 0.03) / (c * (2.43 * c + 0.59) + 0.14), 0.0, 1.0);
#elif CURVE == 1 /* Reinhard by luminance */
    float l = luminance(c);
    return c * ((1.0 + l / 16.0) / (1.0 + l));
#else
    return clamp(c, 0.0, 1.0);
#endif
}

void main()
{
    vec3 c = textureLod(source, in_uv, 0.0).rgb;
#ifdef BLOOM
    c = mix(c, textureLod(bloom, in_uv, 0.0).rgb, 0.06);
#endif
    c = curve(c * frame.camera_position.w);
#ifdef COLOR_GRADE
    c = textureLod(grade, c * (31.0 / 32.0) + 0.5 / 32.0, 0.0).rgb;
#endif
#ifdef VIGNETTE
    vec2 v = in_uv - 0.5;
    c *= 1.0 - dot(v, v) * 0.7;
#endif
#ifdef GRAIN
    c += (hash12(gl_FragCoord.xy + fract(frame.time)) - 0.5) * 0.02;
#endif
    out_color = vec4(pow(c, vec3(1.0 / 2.2)), 1.0);
}
