// SPDX-License-Identifier: MIT
// Gathers a disc whose size is the circle of confusion.
#version 430
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"
#include "post.glsl"
layout(set = 1, binding = 1) uniform sampler2D scene_depth;
layout(push_constant) uniform Lens {
    float focus;
    float aperture;
} lens;
#ifndef RINGS
#define RINGS 2
#endif

float confusion(vec2 uv)
{
    float z = view_depth(textureLod(scene_depth, uv, 0.0).r);
    return clamp(abs(z - lens.focus) / z * lens.aperture, 0.0, 12.0);
}

void main()
{
    float center = confusion(in_uv);
    vec3 sum = textureLod(source, in_uv, 0.0).rgb;
    float total = 1.0;
    for (int ring = 1; ring <= RINGS; ring++) {
        for (int i = 0; i < ring * 6; i++) {
            float a = 2.0 * PI * float(i) / float(ring * 6);
            float r = float(ring) / float(RINGS);
            vec2 uv = in_uv + vec2(cos(a), sin(a)) * r * center * frame.viewport.zw;
            float w = smoothstep(0.0, 1.0, confusion(uv) / max(center * r, 0.1));
            sum += textureLod(source, uv, 0.0).rgb * w;
            total += w;
        }
    }
    out_color = vec4(sum / total, 1.0);
}
