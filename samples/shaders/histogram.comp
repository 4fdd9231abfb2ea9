// SPDX-License-Identifier: MIT
// Luminance histogram of the frame, in shared memory first.
#version 430
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"
layout(local_size_x = 16, local_size_y = 16) in;
layout(set = 1, binding = 0) uniform sampler2D source;
layout(set = 1, binding = 1, std430) buffer Histogram {
    uint bins[256];
};
shared uint local_bins[256];

void main()
{
    local_bins[gl_LocalInvocationIndex] = 0u;
    barrier();
    ivec2 p = ivec2(gl_GlobalInvocationID.xy);
    if (all(lessThan(p, textureSize(source, 0)))) {
        float l = luminance(texelFetch(source, p, 0).rgb);
        uint bin = uint(clamp((log2(max(l, 1e-5)) + 10.0) / 14.0, 0.0, 1.0) * 255.0);
        atomicAdd(local_bins[bin], 1u);
    }
    barrier();
    atomicAdd(bins[gl_LocalInvocationIndex], local_bins[gl_LocalInvocationIndex]);
}
