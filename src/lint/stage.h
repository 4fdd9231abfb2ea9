/* SPDX-License-Identifier: MIT */
/* Shader stages, and how the slots of a PSO tell which it has. */
#ifndef PSOPACK_LINT_STAGE_H
#define PSOPACK_LINT_STAGE_H

#include <stdint.h>

/* The first seven follow D3D12_SHADER_VISIBILITY: visibility v is stage v - 1. */
typedef enum psopack_stage {
    PSOPACK_STAGE_VS = 0,
    PSOPACK_STAGE_HS = 1,
    PSOPACK_STAGE_DS = 2,
    PSOPACK_STAGE_GS = 3,
    PSOPACK_STAGE_PS = 4,
    PSOPACK_STAGE_AS = 5,
    PSOPACK_STAGE_MS = 6,
    PSOPACK_STAGE_CS = 7,
    PSOPACK_STAGE_COUNT = 8,
    PSOPACK_STAGE_NONE = PSOPACK_STAGE_COUNT
} psopack_stage;

/* "vs" and so on; "" for PSOPACK_STAGE_NONE. */
const char *psopack_stage_name(psopack_stage stage);

/* "ps.instructions" is PSOPACK_STAGE_PS, and so is "ps"; PSOPACK_STAGE_NONE for other slots. */
psopack_stage psopack_stage_of_slot(const char *slot);

/*
 * The stages of a PSO as a bit mask, from the bits of the stages that its slots name. Some hardware
 * merges stages and leaves the slot of the earlier one absent, so what D3D12 requires is added: a
 * vertex shader without a mesh shader, hull and domain shader only together. A PSO whose slots name
 * no stage is taken to have the five of the classic graphics pipeline: counting too many is safe.
 */
uint32_t psopack_stages_complete(uint32_t named);

#endif
