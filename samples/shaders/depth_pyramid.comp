// SPDX-License-Identifier: MIT
// One level of the farthest-depth pyramid.
#version 430
layout(local_size_x = 8, local_size_y = 8) in;
layout(set = 1, binding = 0) uniform sampler2D source;
layout(set = 1, binding = 1, r32f) uniform writeonly image2D target;

void main()
{
    ivec2 p = ivec2(gl_GlobalInvocationID.xy);
    if (any(greaterThanEqual(p, imageSize(target))))
        return;
    ivec2 s = p * 2;
    float a = texelFetch(source, s, 0).r;
    float b = texelFetch(source, s + ivec2(1, 0), 0).r;
    float c = texelFetch(source, s + ivec2(0, 1), 0).r;
    float d = texelFetch(source, s + ivec2(1, 1), 0).r;
    imageStore(target, p, vec4(min(min(a, b), min(c, d))));
}
