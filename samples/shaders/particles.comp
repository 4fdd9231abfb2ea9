// SPDX-License-Identifier: MIT
// Integrates particles: drag, gravity, curl, collision with a plane, respawn.
#version 430
#extension GL_GOOGLE_include_directive : require
#include "noise.glsl"
layout(local_size_x = 128) in;
struct Particle {
    vec4 position_age;
    vec4 velocity_size;
    vec4 color;
};
layout(set = 2, binding = 0, std430) buffer Particles {
    Particle particles[];
};
layout(push_constant) uniform Emitter {
    vec4 origin_spread;
    vec4 gravity_drag;
    float dt;
    float lifetime;
    uint count;
    uint seed;
} emitter;

Particle spawn(uint i)
{
    uint seed = emitter.seed ^ (i * 747796405u);
    vec3 jitter = vec3(random01(seed), random01(seed + 1u), random01(seed + 2u)) * 2.0 - 1.0;
    Particle p;
    p.position_age = vec4(emitter.origin_spread.xyz + jitter * emitter.origin_spread.w, 0.0);
    p.velocity_size = vec4(jitter * 2.0 + vec3(0, 3, 0), 0.1 + 0.1 * random01(seed + 3u));
    p.color = vec4(1.0);
    return p;
}

void main()
{
    uint i = gl_GlobalInvocationID.x;
    if (i >= emitter.count)
        return;
    Particle p = particles[i];
    p.position_age.w += emitter.dt / emitter.lifetime;
    if (p.position_age.w >= 1.0) {
        particles[i] = spawn(i);
        return;
    }
    vec3 v = p.velocity_size.xyz;
    v += emitter.gravity_drag.xyz * emitter.dt;
#ifdef CURL
    v += vec3(value_noise(p.position_age.yz * 3.0) - 0.5, 0.0,
              value_noise(p.position_age.xy * 3.0) - 0.5) * emitter.dt * 4.0;
#endif
    v *= exp(-emitter.gravity_drag.w * emitter.dt);
    vec3 position = p.position_age.xyz + v * emitter.dt;
#ifdef COLLIDE
    if (position.y < 0.0) {
        position.y = -position.y;
        v.y *= -0.4;
    }
#endif
    p.position_age.xyz = position;
    p.velocity_size.xyz = v;
    p.color.a = 1.0 - p.position_age.w;
    particles[i] = p;
}
