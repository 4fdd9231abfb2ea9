// SPDX-License-Identifier: MIT
// Sky by scattering, by gradient or from a cube map; stars and clouds on request.
#version 430
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"
#include "noise.glsl"
#include "output.glsl"
layout(location = 0) in vec3 in_direction;
#ifdef SKY_CUBE
layout(set = 1, binding = 0) uniform samplerCube sky;
#endif

#ifdef SKY_SCATTER
vec3 scatter(vec3 d)
{
    vec3 rayleigh = vec3(5.8e-3, 13.5e-3, 33.1e-3);
    float height = max(d.y, 0.02);
    float air = 1.0 / (height + 0.15 * pow(1.64 - acos(height), -1.253));
    float mu = dot(d, frame.sun_direction.xyz);
    float phase = 0.75 * (1.0 + mu * mu);
    float mie = 0.1 / pow(1.58 - 1.52 * mu, 1.5);
    vec3 extinction = exp(-rayleigh * air * 4.0);
    return (rayleigh * phase * 9.0 + mie * 0.02) * air * extinction * frame.sun_radiance.rgb;
}
#endif

void main()
{
    vec3 d = normalize(in_direction);
#if defined(SKY_CUBE)
    vec3 color = texture(sky, d).rgb;
#elif defined(SKY_SCATTER)
    vec3 color = scatter(d);
#else
    vec3 color = mix(frame.ambient_ground.rgb, frame.ambient_sky.rgb, smoothstep(-0.1, 0.4, d.y));
#endif
#ifdef STARS
    float star = hash12(floor(d.xz / (abs(d.y) + 0.2) * 300.0));
    color += step(0.998, star) * 0.6;
#endif
#ifdef CLOUDS
    vec2 p = d.xz / max(d.y, 0.05) + frame.time * 0.01;
    float cover = smoothstep(0.45, 0.8, fractal_noise(p * 1.5, 5)) * smoothstep(0.0, 0.2, d.y);
    color = mix(color, vec3(0.9) * luminance(frame.sun_radiance.rgb) * 0.1 + 0.5, cover);
#endif
    write_color(color, 1.0);
}
