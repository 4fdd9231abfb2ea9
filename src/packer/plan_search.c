/* SPDX-License-Identifier: MIT */
/* How hard a rebuild searches the bases it builds on. */
#include "packer/plan.h"

static uint64_t new_bytes_on(const psopack_plan *plan, uint32_t base)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < plan->block_count; i++) {
        if (!plan->blocks[i].old && plan->blocks[i].base == base)
            bytes += plan->blocks[i].raw_size;
    }
    return bytes;
}

void psopack_plan_search_less(psopack_planner *planner)
{
    psopack_plan *plan = planner->plan;
    for (uint32_t i = 0; i < plan->base_count; i++) {
        psopack_plan_base *base = &plan->bases[i];
        if (base->old && new_bytes_on(plan, i) < base->raw_size / 2)
            base->params.search_log = planner->settings->few_search_log;
    }
}
