// SPDX-License-Identifier: MIT
// A unit box that projects an image onto what lies inside.
#version 430
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"
layout(location = 0) in vec3 in_position;
layout(push_constant) uniform Decal {
    mat4 world;
    mat4 inverse_world;
} decal;

void main()
{
    gl_Position = frame.view_projection * decal.world * vec4(in_position, 1.0);
}
