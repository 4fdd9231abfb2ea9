// SPDX-License-Identifier: MIT
// Frustum and occlusion culling of instances into indirect draws.
#version 430
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"
layout(local_size_x = 64) in;
struct Bounds {
    vec4 center_radius;
    uvec4 draw; // x: first index, y: index count, z: mesh
};
layout(set = 1, binding = 0, std430) readonly buffer Objects {
    Bounds objects[];
};
layout(set = 1, binding = 1, std430) buffer Draws {
    uint count;
    uvec4 draws[];
};
#ifdef OCCLUSION
layout(set = 1, binding = 2) uniform sampler2D depth_pyramid;
#endif
layout(push_constant) uniform Cull {
    vec4 planes[6];
    uint objects;
} cull;

bool visible(vec4 sphere)
{
    for (int i = 0; i < 6; i++) {
        if (dot(cull.planes[i], vec4(sphere.xyz, 1.0)) < -sphere.w)
            return false;
    }
#ifdef OCCLUSION
    vec4 p = frame.view_projection * vec4(sphere.xyz, 1.0);
    if (p.w > sphere.w) {
        float pixels = sphere.w / p.w * frame.viewport.y;
        float level = ceil(log2(max(pixels, 1.0)));
        float nearest = frame.near_plane / (p.w - sphere.w);
        if (textureLod(depth_pyramid, p.xy / p.w * 0.5 + 0.5, level).r > nearest)
            return false;
    }
#endif
    return true;
}

void main()
{
    uint i = gl_GlobalInvocationID.x;
    if (i >= cull.objects || !visible(objects[i].center_radius))
        return;
    uint slot = atomicAdd(count, 1u);
    draws[slot] = uvec4(objects[i].draw.xyz, i);
}
