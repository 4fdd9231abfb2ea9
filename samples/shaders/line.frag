// SPDX-License-Identifier: MIT
// Debug line colour, dashed on request.
#version 430
layout(location = 0) in vec4 in_color;
layout(location = 0) out vec4 out_color;

void main()
{
#ifdef DASHED
    if (fract((gl_FragCoord.x - gl_FragCoord.y) / 8.0) < 0.5)
        discard;
#endif
    out_color = in_color;
}
