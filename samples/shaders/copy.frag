// SPDX-License-Identifier: MIT
// Copies an image, or shows one channel of it.
#version 430
#extension GL_GOOGLE_include_directive : require
#include "post.glsl"

void main()
{
#ifdef CHANNEL
    out_color = vec4(vec3(textureLod(source, in_uv, 0.0)[CHANNEL]), 1.0);
#else
    out_color = textureLod(source, in_uv, 0.0);
#endif
}
