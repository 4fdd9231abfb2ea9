// SPDX-License-Identifier: MIT
// Editor wireframe over a faint fill.
#version 430
layout(location = 0) in vec3 in_edge;
layout(location = 1) in vec4 in_tint;
layout(location = 0) out vec4 out_color;

void main()
{
    vec3 w = fwidth(in_edge);
    vec3 a = smoothstep(w * 0.5, w * 1.5, in_edge);
    float line = 1.0 - min(a.x, min(a.y, a.z));
    out_color = vec4(in_tint.rgb, 0.1 + 0.9 * line);
}
