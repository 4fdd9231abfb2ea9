/* SPDX-License-Identifier: MIT */
/* Down a chain of layers and up again, by loops: chains have at most PSOPACK_LAYER_DEPTH_MAX. */
#include "loader/layer.h"

#include <string.h>

/* ---- components ----------------------------------------------------------------------------- */

psopack_status psopack_local_component(const psopack_archive *archive, uint32_t component,
                                       psopack_local *ret_local, psopack_diag *diag)
{
    const psopack_archive *at = archive;
    uint32_t first = 0;
    if (component >= archive->components)
        return psopack_fail(diag, PSOPACK_E_NOT_FOUND, "component %u: there are %u", component,
                            archive->components);
    while (at->base && component - first >= at->view.components) {
        first += at->view.components;
        at = at->base;
    }
    if (component - first >= at->view.components)
        return psopack_fail_at(
            diag, PSOPACK_E_BASE_MISSING, PSOPACK_OBJECT_COMPONENT, component, PSOPACK_NO_OFFSET,
            "component %u lies in the base of this layer: open the layer on it", component);
    *ret_local = (psopack_local){at, component - first, first};
    return PSOPACK_OK;
}

psopack_status psopack_archive_component_row(const psopack_archive *archive, uint32_t component,
                                             psopack_component_row *ret_row, psopack_diag *diag)
{
    psopack_local local;
    PSOPACK_TRY(psopack_local_component(archive, component, &local, diag));
    psopack_status status =
        psopack_view_component(&local.archive->view, local.index, ret_row, diag);
    return psopack_local_explain(archive, local.archive, status, diag);
}

/* ---- PSOs ----------------------------------------------------------------------------------- */

psopack_status psopack_local_pso(const psopack_archive *archive, uint32_t pso,
                                 psopack_local *ret_local, psopack_diag *diag)
{
    psopack_local local = {archive, pso, 0};
    if (pso >= archive->psos)
        return psopack_fail(diag, PSOPACK_E_NOT_FOUND, "PSO %u: there are %u", pso, archive->psos);
    while (local.archive->base) {
        bool is_own;
        psopack_status status =
            psopack_view_layer_find(&local.archive->view, local.index, &is_own, &local.index, diag);
        if (status != PSOPACK_OK)
            return psopack_local_explain(archive, local.archive, status, diag);
        if (is_own)
            break;
        local.first_component += local.archive->view.components;
        local.archive = local.archive->base;
    }
    *ret_local = local;
    return PSOPACK_OK;
}

psopack_status psopack_shown_pso(const psopack_archive *archive, const psopack_archive *holder,
                                 uint32_t index, uint32_t *ret_pso, psopack_diag *diag)
{
    const psopack_archive *above[PSOPACK_LAYER_DEPTH_MAX];
    uint32_t count = 0;
    for (; archive != holder; archive = archive->base)
        above[count++] = archive;
    if (holder->base)
        PSOPACK_TRY(psopack_view_layer_place(&holder->view, index, &index, diag));
    while (count != 0)
        PSOPACK_TRY(psopack_view_layer_keep(&above[--count]->view, index, &index, diag));
    *ret_pso = index;
    return PSOPACK_OK;
}

psopack_status psopack_local_slot(const psopack_archive *archive, const psopack_local *pso,
                                  uint32_t slot, uint32_t *ret_component, psopack_diag *diag)
{
    uint32_t component;
    if (slot >= archive->view.slots)
        return psopack_fail(diag, PSOPACK_E_NOT_FOUND, "slot %u: there are %u", slot,
                            archive->view.slots);
    for (const psopack_archive *at = archive; at != pso->archive; at = at->base) {
        slot = at->base_slots[slot];
        if (slot == PSOPACK_NO_SLOT)
            return PSOPACK_E_ABSENT;
    }
    psopack_status status =
        psopack_view_pso_slot(&pso->archive->view, pso->index, slot, &component, diag);
    if (status == PSOPACK_OK)
        *ret_component = component + pso->first_component;
    return psopack_local_explain(archive, pso->archive, status, diag);
}

/* ---- messages ------------------------------------------------------------------------------- */

psopack_status psopack_local_explain(const psopack_archive *archive, const psopack_archive *holder,
                                     psopack_status status, psopack_diag *diag)
{
    if (status == PSOPACK_OK || status == PSOPACK_E_ABSENT || archive == holder || !diag)
        return status;
    const uint8_t *id = holder->view.ends.archive_id;
    char text[sizeof diag->text];
    memcpy(text, diag->text, sizeof text);
    psopack_diag_fill(diag, diag->code, diag->object, diag->index, diag->offset,
                      "base %02x%02x%02x%02x: %s", id[0], id[1], id[2], id[3], text);
    return status;
}
