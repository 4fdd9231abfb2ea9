// SPDX-License-Identifier: MIT
// Adapts exposure to the histogram's middle.
#version 430
layout(local_size_x = 1) in;
layout(set = 1, binding = 1, std430) buffer Histogram {
    uint bins[256];
};
layout(set = 1, binding = 2, std430) buffer Exposure {
    float value;
} exposure;
layout(push_constant) uniform Adapt {
    float dt;
    float speed;
} adapt;

void main()
{
    uint total = 0u;
    for (int i = 0; i < 256; i++)
        total += bins[i];
    uint skip = total / 2u;
    int middle = 0;
    for (uint sum = 0u; middle < 255 && sum + bins[middle] < skip; middle++)
        sum += bins[middle];
    float wanted = 0.18 / exp2(float(middle) / 255.0 * 14.0 - 10.0);
    exposure.value += (wanted - exposure.value) * (1.0 - exp(-adapt.dt * adapt.speed));
    for (int i = 0; i < 256; i++)
        bins[i] = 0u;
}
