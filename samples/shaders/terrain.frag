// SPDX-License-Identifier: MIT
// Up to four ground layers, blended by weight and height.
#version 430
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"
#include "noise.glsl"
#include "brdf.glsl"
#ifndef PASS_GBUFFER
#include "lighting.glsl"
#endif
#include "output.glsl"
layout(location = 0) in vec3 in_position;
layout(location = 1) in vec3 in_normal;
layout(set = 1, binding = 1) uniform sampler2DArray layer_color;
layout(set = 1, binding = 2) uniform sampler2D layer_weights;

vec4 layer_sample(int layer, vec3 p, vec3 n)
{
#ifdef TRIPLANAR
    vec3 w = pow(abs(n), vec3(4.0));
    w /= w.x + w.y + w.z;
    return texture(layer_color, vec3(p.zy * 0.25, layer)) * w.x +
           texture(layer_color, vec3(p.xz * 0.25, layer)) * w.y +
           texture(layer_color, vec3(p.xy * 0.25, layer)) * w.z;
#else
    return texture(layer_color, vec3(p.xz * 0.25, layer));
#endif
}

void main()
{
    vec3 n = normalize(in_normal);
    vec4 weights = texture(layer_weights, in_position.xz / 4096.0 + 0.5);
    vec4 sum = vec4(0.0);
    float total = 0.0;
    for (int i = 0; i < LAYERS; i++) {
        vec4 c = layer_sample(i, in_position, n);
        float w = weights[i] * (c.a + 0.05);
        sum += c * w;
        total += w;
    }
    Surface s;
    s.base_color = sum.rgb / max(total, 1e-3);
    s.normal = n;
    s.metallic = 0.0;
    s.roughness = 0.9;
    s.occlusion = 1.0;
    s.emission = vec3(0.0);
    s.opacity = 1.0;
#ifdef SNOW
    float snow = smoothstep(0.55, 0.8, n.y + 0.2 * value_noise(in_position.xz * 3.0));
    s.base_color = mix(s.base_color, vec3(0.9), snow);
    s.roughness = mix(s.roughness, 0.5, snow);
#endif
#ifdef PASS_GBUFFER
    out_base_color = vec4(s.base_color, s.occlusion);
    out_normal_roughness = vec4(s.normal * 0.5 + 0.5, s.roughness);
    out_emission_metallic = vec4(0.0);
#else
    write_color(light_surface(s, in_position, gl_FragCoord), 1.0);
#endif
}
