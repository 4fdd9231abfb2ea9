// SPDX-License-Identifier: MIT
// Reads a mesh material's maps into a Surface.
layout(location = 0) in vec2 in_uv;
layout(location = 1) in vec3 in_position;
layout(location = 2) in vec3 in_normal;
layout(location = 3) in vec4 in_tint;
#ifdef NORMAL_MAP
layout(location = 4) in vec4 in_tangent;
#endif

layout(set = 1, binding = 0) uniform Material {
    vec4 base_color;
    vec4 emission;
    float metallic;
    float roughness;
    float alpha_cutoff;
    float clearcoat;
    vec4 sheen_subsurface;
} material;
layout(set = 1, binding = 1) uniform sampler2D base_map;
#ifdef NORMAL_MAP
layout(set = 1, binding = 2) uniform sampler2D normal_map;
#endif
#ifdef ORM_MAP
layout(set = 1, binding = 3) uniform sampler2D orm_map;
#endif
#ifdef EMISSION_MAP
layout(set = 1, binding = 4) uniform sampler2D emission_map;
#endif
#ifdef DETAIL_MAP
layout(set = 1, binding = 5) uniform sampler2D detail_map;
#endif
#ifdef PARALLAX
layout(set = 1, binding = 6) uniform sampler2D height_map;
#endif

#ifdef NORMAL_MAP
mat3 tangent_frame()
{
    vec3 n = normalize(in_normal);
    vec3 t = normalize(in_tangent.xyz - n * dot(n, in_tangent.xyz));
    return mat3(t, cross(n, t) * in_tangent.w, n);
}
#endif

vec2 surface_uv()
{
#if defined(PARALLAX) && defined(NORMAL_MAP)
    vec3 view = normalize(frame.camera_position.xyz - in_position) * tangent_frame();
    vec2 stride = view.xy / max(view.z, 0.2) * 0.04 / 12.0;
    vec2 uv = in_uv;
    float layer = 1.0;
    for (int i = 0; i < 12; i++) {
        if (textureLod(height_map, uv, 0.0).r >= layer)
            break;
        layer -= 1.0 / 12.0;
        uv -= stride;
    }
    return uv;
#else
    return in_uv;
#endif
}

Surface read_surface()
{
    vec2 uv = surface_uv();
    vec4 base = texture(base_map, uv) * material.base_color * in_tint;
#ifdef ALPHA_TEST
    if (base.a < material.alpha_cutoff)
        discard;
#endif
#ifdef DETAIL_MAP
    base.rgb *= texture(detail_map, uv * 8.0).rgb * 2.0;
#endif
    Surface s;
    s.base_color = base.rgb;
    s.opacity = base.a;
    s.normal = normalize(in_normal);
    s.metallic = material.metallic;
    s.roughness = material.roughness;
    s.occlusion = 1.0;
    s.emission = material.emission.rgb;
#ifdef NORMAL_MAP
    vec3 n = texture(normal_map, uv).xyz * 2.0 - 1.0;
    s.normal = normalize(tangent_frame() * n);
#endif
#ifdef TWO_SIDED
    s.normal = gl_FrontFacing ? s.normal : -s.normal;
#endif
#ifdef ORM_MAP
    vec3 orm = texture(orm_map, uv).rgb;
    s.occlusion = orm.r;
    s.roughness *= orm.g;
    s.metallic *= orm.b;
#endif
#ifdef EMISSION_MAP
    s.emission *= texture(emission_map, uv).rgb;
#endif
#ifdef CLEARCOAT
    s.clearcoat = material.clearcoat;
#endif
#ifdef SHEEN
    s.sheen = material.sheen_subsurface.rgb;
#endif
#ifdef SUBSURFACE
    s.subsurface = material.sheen_subsurface.rgb;
#endif
#ifdef WET
    s.roughness *= 0.3;
    s.base_color *= 0.6;
#endif
    return s;
}
