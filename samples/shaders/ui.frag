// SPDX-License-Identifier: MIT
// Interface fill: plain, textured, distance-field text, rounded, striped.
#version 430
layout(location = 0) in vec2 in_uv;
layout(location = 1) in vec4 in_color;
layout(location = 0) out vec4 out_color;
#if defined(TEXTURED) || defined(DISTANCE_FIELD)
layout(set = 1, binding = 0) uniform sampler2D image;
#endif
#ifdef ROUNDED
layout(push_constant) uniform Screen {
    vec2 scale;
    vec2 size;
} screen;
#endif

void main()
{
    vec4 c = in_color;
#ifdef TEXTURED
    c *= texture(image, in_uv);
#endif
#ifdef DISTANCE_FIELD
    float d = texture(image, in_uv).r - 0.5;
    c.a *= clamp(d / max(fwidth(d), 1e-4) + 0.5, 0.0, 1.0);
#ifdef TEXT_OUTLINE
    float edge = clamp((d + 0.15) / max(fwidth(d), 1e-4) + 0.5, 0.0, 1.0);
    c = mix(vec4(0.0, 0.0, 0.0, edge), c, c.a);
#endif
#endif
#ifdef ROUNDED
    vec2 q = abs(in_uv - 0.5) * screen.size - screen.size * 0.5 + 8.0;
    float outside = length(max(q, 0.0)) - 8.0;
    c.a *= clamp(0.5 - outside, 0.0, 1.0);
#endif
#ifdef STRIPES
    c.rgb *= 0.8 + 0.2 * step(0.5, fract((gl_FragCoord.x + gl_FragCoord.y) / 16.0));
#endif
#ifdef GRAYSCALE
    c.rgb = vec3(dot(c.rgb, vec3(0.2126, 0.7152, 0.0722)));
#endif
    out_color = c;
}
