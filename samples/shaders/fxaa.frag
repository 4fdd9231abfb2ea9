// SPDX-License-Identifier: MIT
// Edge smoothing along the luminance gradient.
#version 430
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"
#include "post.glsl"

float luma(vec2 offset)
{
    return luminance(textureLod(source, in_uv + offset * frame.viewport.zw, 0.0).rgb);
}

void main()
{
    float nw = luma(vec2(-1, -1));
    float ne = luma(vec2(1, -1));
    float sw = luma(vec2(-1, 1));
    float se = luma(vec2(1, 1));
    float m = luma(vec2(0));
    float low = min(m, min(min(nw, ne), min(sw, se)));
    float high = max(m, max(max(nw, ne), max(sw, se)));
    if (high - low < max(0.03, high * 0.12)) {
        out_color = textureLod(source, in_uv, 0.0);
        return;
    }
    vec2 d = vec2(sw + se - nw - ne, nw + sw - ne - se);
    float reduce = max((nw + ne + sw + se) * 0.03, 1.0 / 128.0);
    d = clamp(d / (min(abs(d.x), abs(d.y)) + reduce), -8.0, 8.0) * frame.viewport.zw;
    vec4 narrow = 0.5 * (textureLod(source, in_uv - d / 6.0, 0.0) +
                         textureLod(source, in_uv + d / 6.0, 0.0));
#ifdef HIGH_QUALITY
    vec4 wide = narrow * 0.5 + 0.25 * (textureLod(source, in_uv - d * 0.5, 0.0) +
                                       textureLod(source, in_uv + d * 0.5, 0.0));
    float l = luminance(wide.rgb);
    out_color = l < low || l > high ? narrow : wide;
#else
    out_color = narrow;
#endif
}
