// SPDX-License-Identifier: MIT
// The "no texture yet" pattern; it binds no resource at all.
#version 430
layout(location = 0) in vec2 in_uv;
layout(location = 0) out vec4 out_color;

void main()
{
    bvec2 odd = lessThan(fract(gl_FragCoord.xy / 32.0), vec2(0.5));
    out_color = odd.x == odd.y ? vec4(1.0, 0.0, 1.0, 1.0) : vec4(0.05, 0.05, 0.05, 1.0);
}
