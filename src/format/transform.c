/* SPDX-License-Identifier: MIT */
/* The table of byte transforms. */
#include "transform.h"

#include "transform_amdgpu.h"
#include "transform_spirv.h"

static const psopack_transform transforms[] = {
    {PSOPACK_TRANSFORM_AMDGPU_GFX10, "amdgpu-gfx10", psopack_amdgpu_gfx10_forward,
     psopack_amdgpu_gfx10_inverse},
    {PSOPACK_TRANSFORM_AMDGPU_GFX8, "amdgpu-gfx8", psopack_amdgpu_gfx8_forward,
     psopack_amdgpu_gfx8_inverse},
    {PSOPACK_TRANSFORM_SPIRV, "spirv", psopack_spirv_forward, psopack_spirv_inverse},
};

const psopack_transform *psopack_transform_find(uint32_t id)
{
    for (size_t i = 0; i < sizeof(transforms) / sizeof(transforms[0]); i++) {
        if ((uint32_t)transforms[i].id == id) {
            return &transforms[i];
        }
    }
    return NULL;
}

const psopack_transform *psopack_transform_all(size_t *ret_count)
{
    *ret_count = sizeof(transforms) / sizeof(transforms[0]);
    return transforms;
}
