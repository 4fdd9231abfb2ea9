// SPDX-License-Identifier: MIT
// Assigns point lights to the view's clusters.
#version 430
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"
layout(local_size_x = 64) in;
struct PointLight {
    vec4 position_radius;
    vec4 color;
};
layout(set = 0, binding = 2, std430) readonly buffer Lights {
    PointLight point_lights[];
};
layout(set = 1, binding = 0, std430) readonly buffer ClusterBounds {
    vec4 low_high[][2];
};
layout(set = 1, binding = 1, std430) buffer Clusters {
    uint next;
    uvec2 ranges[16 * 9 * 24];
    uint lights[];
};
layout(push_constant) uniform Count {
    uint lights;
} total;

bool touches(vec4 sphere, vec3 low, vec3 high)
{
    vec3 d = sphere.xyz - clamp(sphere.xyz, low, high);
    return dot(d, d) <= sphere.w * sphere.w;
}

void main()
{
    uint cluster = gl_GlobalInvocationID.x;
    if (cluster >= 16u * 9u * 24u)
        return;
    vec3 low = low_high[cluster][0].xyz;
    vec3 high = low_high[cluster][1].xyz;
    uint found[MAX_LIGHTS];
    uint n = 0u;
    for (uint i = 0u; i < total.lights && n < MAX_LIGHTS; i++) {
        if (touches(point_lights[i].position_radius, low, high))
            found[n++] = i;
    }
    uint first = atomicAdd(next, n);
    ranges[cluster] = uvec2(first, n);
    for (uint i = 0u; i < n; i++)
        lights[first + i] = found[i];
}
