/* SPDX-License-Identifier: MIT */
/* Load plans over a mount: every component in the plan of the archive where it is at home. */
#include <string.h>

#include "loader/arena.h"
#include "loader/load_plan.h"
#include "loader/mount.h"

struct psopack_mount_plan {
    const psopack_mount *mount;
    psopack_mount_heap_fn *heap;
    void *user;
    psopack_load_plan *plans[PSOPACK_MOUNT_ARCHIVES_MAX];
};

/* The components that one archive must load, found by going through all PSOs. */
typedef struct home_list {
    uint32_t *components; /* NULL: count only */
    uint8_t *heaps;
    uint32_t count;
} home_list;

static uint8_t heap_of_slot(const psopack_mount_plan *plan, uint32_t archive, uint32_t slot)
{
    return plan->heap ? plan->heap(plan->user, archive,
                                   psopack_slot_name(plan->mount->archives[archive], slot))
                      : 0;
}

/* Adds those components of a PSO that are at home in `home_archive`. */
static psopack_status list_pso(const psopack_mount_plan *plan, psopack_mounted pso,
                               uint32_t home_archive, home_list *list, psopack_diag *diag)
{
    const psopack_archive *archive = plan->mount->archives[pso.archive];
    uint32_t components[PSOPACK_SLOTS_MAX];
    PSOPACK_TRY(psopack_pso_components(archive, pso.index, components, diag));
    for (uint32_t slot = 0; slot < archive->view.slots; slot++) {
        psopack_mounted home;
        if (components[slot] == PSOPACK_ABSENT ||
            psopack_mount_home(plan->mount, (psopack_mounted){pso.archive, components[slot]},
                               &home) != PSOPACK_OK ||
            home.archive != home_archive)
            continue;
        uint8_t heap = heap_of_slot(plan, pso.archive, slot);
        if (heap == PSOPACK_LOAD_PLAN_SKIP)
            continue;
        if (list->components) {
            list->components[list->count] = home.index;
            list->heaps[list->count] = heap;
        }
        list->count++;
    }
    return PSOPACK_OK;
}

static psopack_status list_all(const psopack_mount_plan *plan, const psopack_mounted *psos,
                               uint32_t count, uint32_t home_archive, home_list *list,
                               psopack_diag *diag)
{
    list->count = 0;
    for (uint32_t i = 0; i < count; i++)
        PSOPACK_TRY(list_pso(plan, psos[i], home_archive, list, diag));
    return PSOPACK_OK;
}

static psopack_status plan_archive(psopack_mount_plan *plan, const psopack_mounted *psos,
                                   uint32_t count, uint32_t archive, psopack_diag *diag)
{
    const psopack_allocator *allocator = &plan->mount->allocator;
    psopack_load_plan_options options = PSOPACK_LOAD_PLAN_OPTIONS_INIT;
    home_list list = {NULL, NULL, 0};
    psopack_arena arena = {0};
    PSOPACK_TRY(list_all(plan, psos, count, archive, &list, diag));
    size_t components_at = psopack_arena_add(&arena, list.count * (uint64_t)sizeof(uint32_t));
    size_t heaps_at = psopack_arena_add(&arena, list.count + UINT64_C(1));
    uint8_t *memory = psopack_arena_allocate(&arena, allocator, diag);
    if (!memory)
        return PSOPACK_E_NOMEM;
    list.components = (uint32_t *)(void *)(memory + components_at);
    list.heaps = memory + heaps_at;
    psopack_status status = list_all(plan, psos, count, archive, &list, diag);
    options.components = list.components;
    options.component_heaps = list.heaps;
    options.component_count = list.count;
    options.allocator = *allocator;
    if (status == PSOPACK_OK)
        status = psopack_load_plan_create(plan->mount->archives[archive], &options,
                                          &plan->plans[archive], diag);
    allocator->release(allocator->user, memory, arena.size);
    return status;
}

psopack_status psopack_mount_plan_create(const psopack_mount *mount, const psopack_mounted *psos,
                                         uint32_t count, psopack_mount_heap_fn *heap, void *user,
                                         psopack_mount_plan **ret_plan, psopack_diag *diag)
{
    if (!mount || (!psos && count != 0) || !ret_plan)
        return psopack_fail(diag, PSOPACK_E_ARGUMENT, "mount, psos and ret_plan must not be NULL");
    for (uint32_t i = 0; i < count; i++) {
        if (psos[i].archive >= mount->count)
            return psopack_fail(diag, PSOPACK_E_NOT_FOUND, "archive %u: %u are mounted",
                                psos[i].archive, mount->count);
    }
    psopack_mount_plan *plan = psopack_allocate(&mount->allocator, sizeof *plan, diag);
    if (!plan)
        return PSOPACK_E_NOMEM;
    memset(plan, 0, sizeof *plan);
    plan->mount = mount;
    plan->heap = heap;
    plan->user = user;
    psopack_status status = PSOPACK_OK;
    for (uint32_t i = 0; i < mount->count && status == PSOPACK_OK; i++)
        status = plan_archive(plan, psos, count, i, diag);
    if (status != PSOPACK_OK) {
        psopack_mount_plan_destroy(&plan);
        return status;
    }
    *ret_plan = plan;
    return PSOPACK_OK;
}

void psopack_mount_plan_destroy(psopack_mount_plan **plan)
{
    if (!plan || !*plan)
        return;
    const psopack_allocator *allocator = &(*plan)->mount->allocator;
    for (uint32_t i = 0; i < PSOPACK_MOUNT_ARCHIVES_MAX; i++)
        psopack_load_plan_destroy(&(*plan)->plans[i]);
    allocator->release(allocator->user, *plan, sizeof **plan);
    *plan = NULL;
}

psopack_load_plan *psopack_mount_plan_of(psopack_mount_plan *plan, uint32_t archive)
{
    return archive < plan->mount->count ? plan->plans[archive] : NULL;
}

/* ---- parts ---------------------------------------------------------------------------------- */

typedef struct part_search {
    const psopack_mount_plan *plan;
    uint32_t archive; /* the PSO's */
    void *const *const *heaps;
} part_search;

static psopack_status find_mounted_part(void *user, uint32_t slot, uint32_t component,
                                        const void **ret_bytes, uint32_t *ret_crc)
{
    const part_search *search = user;
    const psopack_mount_plan *plan = search->plan;
    psopack_mounted home;
    psopack_load_plan_item item;
    PSOPACK_TRY(
        psopack_mount_home(plan->mount, (psopack_mounted){search->archive, component}, &home));
    uint8_t heap = heap_of_slot(plan, search->archive, slot);
    PSOPACK_TRY(psopack_load_plan_find(plan->plans[home.archive], home.index, heap, &item));
    if (!item.is_loaded)
        return PSOPACK_E_NOT_FOUND;
    const uint8_t *memory = search->heaps[home.archive][heap];
    /* A heap of empty components only may be NULL; a part that is present may not. */
    *ret_bytes = memory ? memory + (size_t)item.offset : (const void *)plan;
    *ret_crc = item.crc;
    return PSOPACK_OK;
}

psopack_status psopack_mount_plan_parts(const psopack_mount_plan *plan, psopack_mounted pso,
                                        void *const *const *heaps, psopack_part *ret_parts,
                                        psopack_diag *diag)
{
    if (pso.archive >= plan->mount->count)
        return psopack_fail(diag, PSOPACK_E_NOT_FOUND, "archive %u: %u are mounted", pso.archive,
                            plan->mount->count);
    part_search search = {plan, pso.archive, heaps};
    return psopack_pso_parts(plan->mount->archives[pso.archive], pso.index, find_mounted_part,
                             &search, ret_parts, diag);
}
