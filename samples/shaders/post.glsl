// SPDX-License-Identifier: MIT
// What post effects share: the source image and the coordinates.
layout(location = 0) in vec2 in_uv;
layout(location = 0) out vec4 out_color;
layout(set = 1, binding = 0) uniform sampler2D source;
