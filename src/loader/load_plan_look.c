/* SPDX-License-Identifier: MIT */
/* Looking at a load plan: its numbers, its places, the parts of its PSOs. */
#include "loader/load_plan.h"

void psopack_load_plan_get_info(const psopack_load_plan *plan, psopack_load_plan_info *ret_info)
{
    *ret_info = plan->info;
}

psopack_status psopack_load_plan_get_item(const psopack_load_plan *plan, uint32_t index,
                                          psopack_load_plan_item *ret_item)
{
    if (index >= plan->info.items)
        return PSOPACK_E_NOT_FOUND;
    const plan_item *item = &plan->items[index];
    *ret_item = (psopack_load_plan_item){
        .component = item->component,
        .heap = item->heap,
        .offset = item->offset,
        .size = item->size,
        .crc = item->crc,
        .is_loaded = item->state == PLAN_ITEM_LOADED,
    };
    return PSOPACK_OK;
}

/* The number of items in front of (component, heap). */
static uint32_t lower_bound(const psopack_load_plan *plan, uint32_t component, uint32_t heap)
{
    uint32_t low = 0, high = plan->info.items;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const plan_item *item = &plan->items[middle];
        if (item->component < component || (item->component == component && item->heap < heap))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

psopack_status psopack_load_plan_find(const psopack_load_plan *plan, uint32_t component,
                                      uint32_t heap, psopack_load_plan_item *ret_item)
{
    psopack_load_plan_item item;
    PSOPACK_TRY(psopack_load_plan_get_item(plan, lower_bound(plan, component, heap), &item));
    if (item.component != component || item.heap != heap)
        return PSOPACK_E_NOT_FOUND;
    *ret_item = item;
    return PSOPACK_OK;
}

typedef struct part_finder {
    const psopack_load_plan *plan;
    void *const *heaps;
} part_finder;

static psopack_status find_part(void *user, uint32_t slot, uint32_t component,
                                const void **ret_bytes, uint32_t *ret_crc)
{
    const part_finder *finder = user;
    psopack_load_plan_item item;
    PSOPACK_TRY(
        psopack_load_plan_find(finder->plan, component, finder->plan->slot_heaps[slot], &item));
    if (!item.is_loaded)
        return PSOPACK_E_NOT_FOUND;
    const uint8_t *heap = finder->heaps[item.heap];
    /* A heap of empty components only may be NULL; a part that is present may not. */
    *ret_bytes = heap ? heap + (size_t)item.offset : (const void *)finder->plan;
    *ret_crc = item.crc;
    return PSOPACK_OK;
}

psopack_status psopack_load_plan_parts(const psopack_load_plan *plan, uint32_t pso,
                                       void *const *heaps, psopack_part *ret_parts,
                                       psopack_diag *diag)
{
    part_finder finder = {plan, heaps};
    return psopack_pso_parts(plan->archive, pso, find_part, &finder, ret_parts, diag);
}
