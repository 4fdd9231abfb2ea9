// SPDX-License-Identifier: MIT
// One flat colour: the shell around a selected mesh.
#version 430
layout(push_constant) uniform Object {
    mat4 world;
    vec4 tint;
} object;
layout(location = 0) out vec4 out_color;

void main()
{
    out_color = vec4(object.tint.rgb, 1.0);
}
