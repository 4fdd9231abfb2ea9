// SPDX-License-Identifier: MIT
// Separable blur through shared memory.
#version 430
layout(local_size_x = 128) in;
layout(set = 1, binding = 0) uniform sampler2D source;
layout(set = 1, binding = 1, rgba16f) uniform writeonly image2D target;
shared vec3 row[128 + 2 * RADIUS];

ivec2 at(int along, int line)
{
#ifdef VERTICAL
    return ivec2(line, along);
#else
    return ivec2(along, line);
#endif
}

void main()
{
    int first = int(gl_WorkGroupID.x) * 128 - RADIUS;
    int line = int(gl_WorkGroupID.y);
    int me = int(gl_LocalInvocationID.x);
    ivec2 last = textureSize(source, 0) - 1;
    for (int i = me; i < 128 + 2 * RADIUS; i += 128)
        row[i] = texelFetch(source, clamp(at(first + i, line), ivec2(0), last), 0).rgb;
    barrier();
    vec3 sum = vec3(0.0);
    float total = 0.0;
    for (int i = -RADIUS; i <= RADIUS; i++) {
        float w = exp(-2.0 * float(i * i) / float(RADIUS * RADIUS));
        sum += row[me + RADIUS + i] * w;
        total += w;
    }
    imageStore(target, at(first + RADIUS + me, line), vec4(sum / total, 1.0));
}
