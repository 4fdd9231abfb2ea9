// SPDX-License-Identifier: MIT
// Ambient occlusion from depth, in a hemisphere of samples.
#version 430
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"
#include "noise.glsl"
#include "post.glsl"
#ifndef SAMPLES
#define SAMPLES 8
#endif

void main()
{
    float depth = textureLod(source, in_uv, 0.0).r;
    vec3 p = world_from_depth(in_uv, depth);
    vec3 n = normalize(cross(dFdx(p), dFdy(p)));
    float angle = hash12(gl_FragCoord.xy) * 2.0 * PI;
    float occluded = 0.0;
    for (int i = 0; i < SAMPLES; i++) {
        float r = (float(i) + 0.5) / float(SAMPLES);
        angle += 2.399963;
        vec2 uv = in_uv + vec2(cos(angle), sin(angle)) * r * 0.25 / view_depth(depth);
        vec3 v = world_from_depth(uv, textureLod(source, uv, 0.0).r) - p;
        float d2 = dot(v, v);
        occluded += max(dot(v, n) - 0.02, 0.0) / (d2 + 0.05);
    }
    out_color = vec4(max(1.0 - occluded * 2.0 / float(SAMPLES), 0.0));
}
