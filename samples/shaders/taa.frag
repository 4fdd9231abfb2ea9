// SPDX-License-Identifier: MIT
// Temporal antialiasing: history clipped to the neighbourhood's colours.
#version 430
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"
#include "post.glsl"
layout(set = 1, binding = 1) uniform sampler2D history;
layout(set = 1, binding = 2) uniform sampler2D velocity;

void main()
{
    vec3 low = vec3(1e9);
    vec3 high = vec3(-1e9);
    for (int y = -1; y <= 1; y++) {
        for (int x = -1; x <= 1; x++) {
            vec3 c = textureLod(source, in_uv + vec2(x, y) * frame.viewport.zw, 0.0).rgb;
            low = min(low, c);
            high = max(high, c);
        }
    }
    vec2 before = in_uv - textureLod(velocity, in_uv, 0.0).rg;
    vec3 old = textureLod(history, before, 0.0).rgb;
#ifdef CLIP_HISTORY
    vec3 middle = (low + high) * 0.5;
    vec3 extent = (high - low) * 0.5 + 1e-4;
    vec3 offset = abs((old - middle) / extent);
    float most = max(offset.x, max(offset.y, offset.z));
    old = most > 1.0 ? middle + (old - middle) / most : old;
#else
    old = clamp(old, low, high);
#endif
    bool outside = any(lessThan(before, vec2(0.0))) || any(greaterThan(before, vec2(1.0)));
    vec3 now = textureLod(source, in_uv, 0.0).rgb;
    out_color = vec4(mix(now, old, outside ? 0.0 : 0.9), 1.0);
}
