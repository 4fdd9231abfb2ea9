// SPDX-License-Identifier: MIT
// Sun with shadow cascades, clustered point lights, ambient, fog.
#ifdef SHADOWS
layout(set = 0, binding = 1) uniform sampler2DArrayShadow sun_shadow;

float sun_visibility(vec3 position, float depth)
{
    int cascade = int(dot(vec4(greaterThan(vec4(depth), frame.cascade_far)), vec4(1.0)));
    if (cascade > 3)
        return 1.0;
    vec4 p = frame.sun_view_projection[cascade] * vec4(position, 1.0);
    vec2 uv = p.xy * 0.5 + 0.5;
#if SHADOWS > 1
    float sum = 0.0;
    vec2 texel = 1.0 / vec2(textureSize(sun_shadow, 0).xy);
    for (int y = -1; y <= 1; y++) {
        for (int x = -1; x <= 1; x++)
            sum += texture(sun_shadow, vec4(uv + vec2(x, y) * texel, cascade, p.z));
    }
    return sum / 9.0;
#else
    return texture(sun_shadow, vec4(uv, cascade, p.z));
#endif
}
#endif

#ifdef POINT_LIGHTS
struct PointLight {
    vec4 position_radius;
    vec4 color;
};
layout(set = 0, binding = 2, std430) readonly buffer Lights {
    PointLight point_lights[];
};
layout(set = 0, binding = 3, std430) readonly buffer Clusters {
    uvec2 cluster_ranges[16 * 9 * 24];
    uint cluster_lights[];
};

uint cluster_index(vec4 fragment)
{
    uvec2 tile = uvec2(fragment.xy * frame.viewport.zw * vec2(16, 9));
    uint slice = uint(clamp(log2(view_depth(fragment.z)) * 2.6, 0.0, 23.0));
    return (slice * 9u + tile.y) * 16u + tile.x;
}

vec3 shade_point_lights(Surface s, vec3 position, vec3 view, vec4 fragment)
{
    vec3 sum = vec3(0.0);
    uvec2 range = cluster_ranges[cluster_index(fragment)];
    for (uint i = 0u; i < range.y; i++) {
        PointLight light = point_lights[cluster_lights[range.x + i]];
        vec3 to_light = light.position_radius.xyz - position;
        float d2 = dot(to_light, to_light);
        float r2 = light.position_radius.w * light.position_radius.w;
        float window = clamp(1.0 - d2 * d2 / (r2 * r2), 0.0, 1.0);
        if (window > 0.0)
            sum += shade(s, view, to_light * inversesqrt(d2),
                         light.color.rgb * window * window / (d2 + 0.01));
    }
    return sum;
}
#endif

#ifdef ENVIRONMENT_MAP
layout(set = 0, binding = 4) uniform samplerCube environment;
#endif

vec3 ambient(Surface s, vec3 view)
{
    vec3 irradiance = mix(frame.ambient_ground.rgb, frame.ambient_sky.rgb, s.normal.y * 0.5 + 0.5);
    vec3 result = s.base_color * (1.0 - s.metallic) * irradiance;
#ifdef ENVIRONMENT_MAP
    vec3 f0 = mix(vec3(0.04), s.base_color, s.metallic);
    vec3 f = schlick(f0, max(dot(s.normal, view), 0.0));
    result += f * textureLod(environment, reflect(-view, s.normal), s.roughness * 7.0).rgb;
#endif
    return result * s.occlusion;
}

vec3 apply_fog(vec3 color, vec3 position)
{
#ifdef FOG
    float d = distance(position, frame.camera_position.xyz);
#if FOG > 1 /* thinner with height */
    float density = frame.fog.a * exp(-0.01 * max(position.y, 0.0));
#else
    float density = frame.fog.a;
#endif
    return mix(frame.fog.rgb, color, exp(-density * d));
#else
    return color;
#endif
}

vec3 light_surface(Surface s, vec3 position, vec4 fragment)
{
    vec3 view = normalize(frame.camera_position.xyz - position);
    vec3 sun = frame.sun_radiance.rgb;
#ifdef SHADOWS
    sun *= sun_visibility(position, view_depth(fragment.z));
#endif
    vec3 color = shade(s, view, frame.sun_direction.xyz, sun) + ambient(s, view) + s.emission;
#ifdef POINT_LIGHTS
    color += shade_point_lights(s, position, view, fragment);
#endif
    return apply_fog(color, position);
}
