// SPDX-License-Identifier: MIT
// Textured particles: soft against the scene, animated, optionally lit.
#version 430
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"
#include "brdf.glsl"
#include "lighting.glsl"
#include "output.glsl"
layout(location = 0) in vec2 in_uv;
layout(location = 1) in vec4 in_color;
layout(location = 2) in vec3 in_position;
#ifdef FLIPBOOK
layout(location = 3) in float in_frame;
#endif
layout(set = 1, binding = 0) uniform sampler2D sprite;
#ifdef SOFT
layout(set = 1, binding = 1) uniform sampler2D scene_depth;
#endif

#ifdef FLIPBOOK
vec4 flipbook(float index)
{
    float i = floor(index);
    vec2 a = (in_uv + vec2(mod(i, 4.0), floor(i / 4.0))) * 0.25;
    vec2 b = (in_uv + vec2(mod(i + 1.0, 4.0), floor((i + 1.0) / 4.0))) * 0.25;
    return mix(texture(sprite, a), texture(sprite, b), fract(index));
}
#endif

void main()
{
#ifdef FLIPBOOK
    vec4 c = flipbook(in_frame) * in_color;
#else
    vec4 c = texture(sprite, in_uv) * in_color;
#endif
#ifdef SOFT
    vec2 uv = gl_FragCoord.xy * frame.viewport.zw;
    float behind = view_depth(textureLod(scene_depth, uv, 0.0).r) - view_depth(gl_FragCoord.z);
    c.a *= clamp(behind * 2.0, 0.0, 1.0);
#endif
#ifdef LIT_PARTICLES
    vec3 light = frame.sun_radiance.rgb * 0.25 + frame.ambient_sky.rgb;
#ifdef SHADOWS
    light *= 0.3 + 0.7 * sun_visibility(in_position, view_depth(gl_FragCoord.z));
#endif
    c.rgb *= light;
#endif
    write_color(apply_fog(c.rgb, in_position), c.a);
}
