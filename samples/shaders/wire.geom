// SPDX-License-Identifier: MIT
// Adds distances to the edges, for wire lines of constant width.
#version 430
layout(triangles) in;
layout(triangle_strip, max_vertices = 3) out;
layout(location = 0) in vec2 in_uv[];
layout(location = 1) in vec3 in_position[];
layout(location = 2) in vec3 in_normal[];
layout(location = 3) in vec4 in_tint[];
layout(location = 0) out vec3 out_edge;
layout(location = 1) out vec4 out_tint;

void main()
{
    for (int i = 0; i < 3; i++) {
        gl_Position = gl_in[i].gl_Position;
        out_edge = vec3(i == 0, i == 1, i == 2);
        out_tint = in_tint[i];
        EmitVertex();
    }
    EndPrimitive();
}
