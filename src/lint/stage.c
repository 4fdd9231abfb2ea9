/* SPDX-License-Identifier: MIT */
/* Shader stages from slot names. */
#include "lint/stage.h"

#include <string.h>

#define BIT(stage) (UINT32_C(1) << (stage))

static const char stage_names[PSOPACK_STAGE_COUNT + 1][3] = {"vs", "hs", "ds", "gs", "ps",
                                                             "as", "ms", "cs", ""};

const char *psopack_stage_name(psopack_stage stage)
{
    return stage_names[stage];
}

psopack_stage psopack_stage_of_slot(const char *slot)
{
    size_t size = strcspn(slot, ".");
    int stage = 0;
    while (stage < PSOPACK_STAGE_COUNT && (size != 2 || memcmp(slot, stage_names[stage], 2) != 0))
        stage++;
    return (psopack_stage)stage;
}

uint32_t psopack_stages_complete(uint32_t named)
{
    const uint32_t tessellation = BIT(PSOPACK_STAGE_HS) | BIT(PSOPACK_STAGE_DS);
    if (named == BIT(PSOPACK_STAGE_CS))
        return named;
    if (!named)
        return tessellation | BIT(PSOPACK_STAGE_VS) | BIT(PSOPACK_STAGE_GS) | BIT(PSOPACK_STAGE_PS);
    if (named & (BIT(PSOPACK_STAGE_MS) | BIT(PSOPACK_STAGE_AS)))
        return named | BIT(PSOPACK_STAGE_MS);
    if (named & tessellation)
        named |= tessellation;
    return named | BIT(PSOPACK_STAGE_VS);
}
