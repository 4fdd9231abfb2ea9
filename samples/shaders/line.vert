// SPDX-License-Identifier: MIT
// Editor and debug lines: gizmos, bounds, navigation.
#version 430
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"
layout(location = 0) in vec3 in_position;
layout(location = 1) in vec4 in_color;
layout(location = 0) out vec4 out_color;

void main()
{
    out_color = in_color;
    gl_Position = frame.view_projection * vec4(in_position, 1.0);
}
