// SPDX-License-Identifier: MIT
// Sends each triangle to all six faces of a point light's shadow cube.
#version 430
layout(triangles) in;
layout(triangle_strip, max_vertices = 18) out;
layout(set = 0, binding = 6) uniform CubeView {
    mat4 faces[6];
} cube_view;

void main()
{
    for (int face = 0; face < 6; face++) {
        gl_Layer = face;
        for (int i = 0; i < 3; i++) {
            gl_Position = cube_view.faces[face] * gl_in[i].gl_Position;
            EmitVertex();
        }
        EndPrimitive();
    }
}
