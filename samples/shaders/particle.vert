// SPDX-License-Identifier: MIT
// Camera-facing or velocity-stretched quads read from the simulation's buffer.
#version 430
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"
struct Particle {
    vec4 position_age;
    vec4 velocity_size;
    vec4 color;
};
layout(set = 2, binding = 0, std430) readonly buffer Particles {
    Particle particles[];
};
layout(location = 0) out vec2 out_uv;
layout(location = 1) out vec4 out_color;
layout(location = 2) out vec3 out_position;
#ifdef FLIPBOOK
layout(location = 3) out float out_frame;
#endif

void main()
{
    Particle p = particles[gl_VertexIndex / 6];
    int corner = int[](0, 1, 2, 2, 1, 3)[gl_VertexIndex % 6];
    vec2 uv = vec2(corner & 1, corner >> 1);
    vec3 view = normalize(frame.camera_position.xyz - p.position_age.xyz);
#ifdef STRETCHED
    vec3 up = normalize(p.velocity_size.xyz) * (1.0 + length(p.velocity_size.xyz) * 0.1);
#else
    vec3 up = vec3(0, 1, 0);
#endif
    vec3 right = normalize(cross(up, view));
    vec2 offset = (uv - 0.5) * p.velocity_size.w;
    vec3 position = p.position_age.xyz + right * offset.x + up * offset.y;
    out_uv = uv;
    out_color = p.color;
    out_position = position;
#ifdef FLIPBOOK
    out_frame = p.position_age.w * 15.0;
#endif
    gl_Position = frame.view_projection * vec4(position, 1.0);
}
