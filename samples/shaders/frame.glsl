// SPDX-License-Identifier: MIT
// What every shader of a frame sees: camera, sun, time.
layout(set = 0, binding = 0) uniform Frame {
    mat4 view_projection;
    mat4 inverse_view_projection;
    mat4 previous_view_projection;
    mat4 sun_view_projection[4];
    vec4 cascade_far;
    vec4 camera_position; // w: exposure
    vec4 sun_direction;   // towards the sun; w: angular radius
    vec4 sun_radiance;
    vec4 ambient_sky;
    vec4 ambient_ground;
    vec4 fog;             // rgb: colour, a: density per metre
    vec4 viewport;        // width, height and their reciprocals
    float time;
    float near_plane;
} frame;

const float PI = 3.14159265;

vec3 world_from_depth(vec2 uv, float depth)
{
    vec4 p = frame.inverse_view_projection * vec4(uv * 2.0 - 1.0, depth, 1.0);
    return p.xyz / p.w;
}

float view_depth(float depth)
{
    return frame.near_plane / max(depth, 1e-6); // reversed, infinite far plane
}

float luminance(vec3 c)
{
    return dot(c, vec3(0.2126, 0.7152, 0.0722));
}
