// SPDX-License-Identifier: MIT
// Per-draw data: push constants, or one record per instance.
#ifdef INSTANCED
struct Instance {
    mat4 world;
    vec4 tint;
};
layout(set = 2, binding = 0, std430) readonly buffer Instances {
    Instance instances[];
};
#define OBJECT_WORLD instances[gl_InstanceIndex].world
#define OBJECT_TINT instances[gl_InstanceIndex].tint
#else
layout(push_constant) uniform Object {
    mat4 world;
    vec4 tint;
} object;
#define OBJECT_WORLD object.world
#define OBJECT_TINT object.tint
#endif
