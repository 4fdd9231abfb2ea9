// SPDX-License-Identifier: MIT
// Microfacet terms: GGX distribution, Smith visibility, Schlick Fresnel.
struct Surface {
    vec3 base_color;
    vec3 normal;
    float metallic;
    float roughness;
    float occlusion;
    vec3 emission;
    float opacity;
#ifdef CLEARCOAT
    float clearcoat;
#endif
#ifdef SHEEN
    vec3 sheen;
#endif
#ifdef SUBSURFACE
    vec3 subsurface;
#endif
};

float ggx(float n_dot_h, float a)
{
    float a2 = a * a;
    float d = n_dot_h * n_dot_h * (a2 - 1.0) + 1.0;
    return a2 / (PI * d * d);
}

float smith(float n_dot_v, float n_dot_l, float a)
{
    float k = a * 0.5;
    float v = n_dot_v * (1.0 - k) + k;
    float l = n_dot_l * (1.0 - k) + k;
    return 0.25 / max(v * l, 1e-4);
}

vec3 schlick(vec3 f0, float v_dot_h)
{
    return f0 + (1.0 - f0) * pow(1.0 - v_dot_h, 5.0);
}

vec3 shade(Surface s, vec3 view, vec3 light, vec3 radiance)
{
    vec3 h = normalize(view + light);
    float n_dot_l_signed = dot(s.normal, light);
    float n_dot_l = max(n_dot_l_signed, 0.0);
    float n_dot_v = max(dot(s.normal, view), 1e-3);
    float n_dot_h = max(dot(s.normal, h), 0.0);
    float v_dot_h = max(dot(view, h), 0.0);
    float a = max(s.roughness * s.roughness, 0.002);

    vec3 f0 = mix(vec3(0.04), s.base_color, s.metallic);
    vec3 f = schlick(f0, v_dot_h);
    vec3 specular = f * ggx(n_dot_h, a) * smith(n_dot_v, n_dot_l, a);
    vec3 diffuse = (1.0 - f) * (1.0 - s.metallic) * s.base_color / PI;
    vec3 result = (diffuse + specular) * n_dot_l;
#ifdef SHEEN
    float inverted = 1.0 - v_dot_h;
    result += s.sheen * inverted * inverted * inverted * n_dot_l;
#endif
#ifdef CLEARCOAT
    float coat = schlick(vec3(0.04), v_dot_h).x * s.clearcoat;
    result = result * (1.0 - coat) + coat * ggx(n_dot_h, 0.01) * 0.25 * n_dot_l;
#endif
#ifdef SUBSURFACE
    float wrapped = clamp((n_dot_l_signed + 0.5) / 2.25, 0.0, 1.0);
    result += s.subsurface * s.base_color * (wrapped - n_dot_l * 0.44) / PI;
#endif
    return result * radiance;
}
