/* SPDX-License-Identifier: MIT */
/* Bringing components into memory: one thread decodes, others wait; many PSOs in file order. */
#include "loader/component.h"
#include "loader/context.h"
#include "loader/load_plan.h"
#include "loader/residency.h"

/* Under the lock: room and memory for a component that is out. */
static psopack_status begin_component(psopack_residency *residency, uint32_t component,
                                      const psopack_found *found, psopack_diag *diag)
{
    resident_component *entry = &residency->components[component];
    PSOPACK_TRY(psopack_residency_make_room(residency, found->row.size, diag));
    entry->bytes = psopack_residency_allocate(residency, component, &found->row);
    if (!entry->bytes)
        return psopack_fail_at(diag, PSOPACK_E_NOMEM, PSOPACK_OBJECT_COMPONENT, component,
                               PSOPACK_NO_OFFSET, "no memory for component %u of %llu bytes",
                               component, (unsigned long long)found->row.size);
    entry->users = 1;
    residency->stages[component] = COMPONENT_LOADING;
    residency->stats.components++;
    residency->stats.bytes += found->row.size;
    if (residency->stats.bytes > residency->stats.peak_bytes)
        residency->stats.peak_bytes = residency->stats.bytes;
    return PSOPACK_OK;
}

/* Decodes a component that this thread has begun; on failure it is out again. */
static psopack_status decode_component(psopack_residency *residency, psopack_context *context,
                                       uint32_t component, const psopack_found *found,
                                       psopack_diag *diag)
{
    resident_component *entry = &residency->components[component];
    psopack_status status =
        psopack_component_read(residency->archive, context, component, entry->bytes,
                               (size_t)found->row.size, &entry->crc, diag);
    psopack_residency_lock(residency);
    if (status == PSOPACK_OK) {
        residency->stages[component] = COMPONENT_IN;
        residency->stats.component_loads++;
    } else {
        psopack_residency_drop_component(residency, component);
    }
    psopack_residency_unlock(residency);
    return status;
}

psopack_status psopack_residency_hold_component(psopack_residency *residency,
                                                psopack_context *context, uint32_t component,
                                                psopack_diag *diag)
{
    const psopack_wait *wait = &residency->archive->wait;
    psopack_found found = {0};
    psopack_status status = PSOPACK_OK;
    for (;;) {
        psopack_residency_lock(residency);
        component_stage stage = (component_stage)residency->stages[component];
        if (stage == COMPONENT_IN)
            residency->components[component].users++;
        if (stage == COMPONENT_OUT) {
            status = psopack_component_find(residency->archive, component, &found, diag);
            if (status == PSOPACK_OK)
                status = begin_component(residency, component, &found, diag);
        }
        psopack_residency_unlock(residency);
        if (stage == COMPONENT_IN || status != PSOPACK_OK)
            return status;
        if (stage == COMPONENT_OUT)
            return decode_component(residency, context, component, &found, diag);
        wait->call(wait->user);
    }
}

/* ---- many at once --------------------------------------------------------------------------- */

/* Holds the first `count` items of a plan once more, in file order; *ret_held of them. */
static psopack_status hold_items(psopack_residency *residency, psopack_context *context,
                                 const psopack_load_plan *plan, uint32_t count, uint32_t *ret_held,
                                 psopack_diag *diag)
{
    *ret_held = 0;
    for (uint32_t i = 0; i < count; i++) {
        PSOPACK_TRY(
            psopack_residency_hold_component(residency, context, plan->items[i].component, diag));
        ++*ret_held;
    }
    return PSOPACK_OK;
}

static void drop_items(psopack_residency *residency, const psopack_load_plan *plan, uint32_t count)
{
    psopack_residency_lock(residency);
    for (uint32_t i = 0; i < count; i++)
        psopack_residency_drop_component(residency, plan->items[i].component);
    psopack_residency_unlock(residency);
}

static psopack_status acquire_each(psopack_residency *residency, psopack_context *context,
                                   const uint32_t *psos, uint32_t count, psopack_diag *diag)
{
    for (uint32_t i = 0; i < count; i++) {
        psopack_status status = psopack_residency_acquire(residency, context, psos[i], diag);
        if (status == PSOPACK_OK)
            continue;
        while (i-- != 0)
            psopack_residency_release(residency, psos[i]);
        return status;
    }
    return PSOPACK_OK;
}

psopack_status psopack_residency_acquire_many(psopack_residency *residency,
                                              psopack_context *context, const uint32_t *psos,
                                              uint32_t count, psopack_diag *diag)
{
    psopack_load_plan_options options = PSOPACK_LOAD_PLAN_OPTIONS_INIT;
    psopack_load_plan *plan = NULL;
    uint32_t held = 0;
    options.psos = psos;
    options.pso_count = count;
    options.allocator = residency->options.tables;
    PSOPACK_TRY(psopack_load_plan_create(residency->archive, &options, &plan, diag));
    psopack_status status = hold_items(residency, context, plan, plan->info.items, &held, diag);
    if (status == PSOPACK_OK)
        status = acquire_each(residency, context, psos, count, diag);
    drop_items(residency, plan, held);
    psopack_load_plan_destroy(&plan);
    return status;
}
