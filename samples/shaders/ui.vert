// SPDX-License-Identifier: MIT
// Screen rectangles in pixels.
#version 430
layout(location = 0) in vec2 in_position;
layout(location = 1) in vec2 in_uv;
layout(location = 2) in vec4 in_color;
layout(location = 0) out vec2 out_uv;
layout(location = 1) out vec4 out_color;
layout(push_constant) uniform Screen {
    vec2 scale;
    vec2 size; // of the rectangle, for rounded corners
} screen;

void main()
{
    out_uv = in_uv;
    out_color = in_color;
    gl_Position = vec4(in_position * screen.scale - 1.0, 0.0, 1.0);
}
