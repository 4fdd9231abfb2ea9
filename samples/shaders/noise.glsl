// SPDX-License-Identifier: MIT
// Hashes and gradient noise without textures.
float hash12(vec2 p)
{
    vec3 q = fract(vec3(p.xyx) * 0.1031);
    q += dot(q, q.yzx + 33.33);
    return fract((q.x + q.y) * q.z);
}

uint hash_uint(uint x)
{
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ (x >> 16);
}

float random01(uint seed)
{
    return float(hash_uint(seed) >> 8) * (1.0 / 16777216.0);
}

float value_noise(vec2 p)
{
    vec2 i = floor(p);
    vec2 f = fract(p);
    f = f * f * (3.0 - 2.0 * f);
    float a = mix(hash12(i), hash12(i + vec2(1, 0)), f.x);
    float b = mix(hash12(i + vec2(0, 1)), hash12(i + vec2(1, 1)), f.x);
    return mix(a, b, f.y);
}

float fractal_noise(vec2 p, int octaves)
{
    float sum = 0.0;
    float amplitude = 0.5;
    for (int i = 0; i < octaves; i++) {
        sum += amplitude * value_noise(p);
        p = mat2(1.6, 1.2, -1.2, 1.6) * p;
        amplitude *= 0.5;
    }
    return sum;
}
