// SPDX-License-Identifier: MIT
// Where a colour pass writes: the G-buffer, an HDR target or the screen.
#ifdef PASS_GBUFFER
layout(location = 0) out vec4 out_base_color;
layout(location = 1) out vec4 out_normal_roughness;
layout(location = 2) out vec4 out_emission_metallic;
#else
layout(location = 0) out vec4 out_color;
#endif

vec3 tone_map(vec3 c)
{
    c *= frame.camera_position.w;
    return clamp(c * (2.51 * c + 0.03) / (c * (2.43 * c + 0.59) + 0.14), 0.0, 1.0);
}

#ifndef PASS_GBUFFER
void write_color(vec3 color, float opacity)
{
#ifdef TO_SCREEN
    color = tone_map(color);
#endif
#ifdef BLEND_PREMULTIPLIED
    color *= opacity;
#endif
    out_color = vec4(color, opacity);
}
#endif
