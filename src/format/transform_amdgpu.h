/* SPDX-License-Identifier: MIT */
/* The two profiles of the AMD GPU register transform. */
#ifndef PSOPACK_FORMAT_TRANSFORM_AMDGPU_H
#define PSOPACK_FORMAT_TRANSFORM_AMDGPU_H

#include "transform.h"

psopack_transform_fn psopack_amdgpu_gfx8_forward, psopack_amdgpu_gfx8_inverse;
psopack_transform_fn psopack_amdgpu_gfx10_forward, psopack_amdgpu_gfx10_inverse;

#endif
