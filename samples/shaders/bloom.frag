// SPDX-License-Identifier: MIT
// Bloom pyramid: 13-tap reduction, 9-tap tent on the way up, soft threshold at the first level.
#version 430
#extension GL_GOOGLE_include_directive : require
#include "post.glsl"

vec3 tap(vec2 offset)
{
    return textureLodOffset(source, in_uv + offset / vec2(textureSize(source, 0)), 0.0,
                            ivec2(0)).rgb;
}

vec3 down()
{
    vec3 inner = tap(vec2(-1, -1)) + tap(vec2(1, -1)) + tap(vec2(-1, 1)) + tap(vec2(1, 1));
    vec3 corners = tap(vec2(-2, -2)) + tap(vec2(2, -2)) + tap(vec2(-2, 2)) + tap(vec2(2, 2));
    vec3 edges = tap(vec2(0, -2)) + tap(vec2(-2, 0)) + tap(vec2(2, 0)) + tap(vec2(0, 2));
    return inner * 0.125 + tap(vec2(0)) * 0.125 + edges * 0.0625 + corners * 0.03125;
}

vec3 up()
{
    vec3 corners = tap(vec2(-1, -1)) + tap(vec2(1, -1)) + tap(vec2(-1, 1)) + tap(vec2(1, 1));
    vec3 edges = tap(vec2(0, -1)) + tap(vec2(-1, 0)) + tap(vec2(1, 0)) + tap(vec2(0, 1));
    return tap(vec2(0)) * 0.25 + edges * 0.125 + corners * 0.0625;
}

void main()
{
#ifdef UPSAMPLE
    vec3 c = up();
#else
    vec3 c = down();
#endif
#ifdef THRESHOLD
    float peak = max(c.r, max(c.g, c.b));
    c *= max(peak - 1.0, 0.0) / max(peak, 1e-4);
#endif
    out_color = vec4(c, 1.0);
}
