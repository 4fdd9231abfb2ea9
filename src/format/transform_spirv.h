/* SPDX-License-Identifier: MIT */
/* The SPIR-V id transform. */
#ifndef PSOPACK_FORMAT_TRANSFORM_SPIRV_H
#define PSOPACK_FORMAT_TRANSFORM_SPIRV_H

#include "transform.h"

psopack_transform_fn psopack_spirv_forward, psopack_spirv_inverse;

#endif
