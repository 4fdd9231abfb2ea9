// SPDX-License-Identifier: MIT
// One point per tuft; the geometry shader grows the blades.
#version 430
layout(location = 0) in vec4 in_root; // w: height
layout(location = 0) out vec4 out_root;

void main()
{
    out_root = in_root;
}
