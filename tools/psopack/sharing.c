/* SPDX-License-Identifier: MIT */
/* Who shares what: one walk over all PSOs that counts the uses of each component. */
#include "sharing.h"

#include "failure.h"

#include <stdlib.h>

static psopack_status read_sizes(psopack_reader *reader, psopack_sharing *sharing,
                                 psopack_diag *diag)
{
    for (uint32_t i = 0; i < reader->components; i++) {
        psopack_component_info component;
        psopack_status status = psopack_component_get(reader->archive, i, &component, diag);
        if (status != PSOPACK_OK)
            return status;
        sharing->sizes[i] = component.size;
    }
    return PSOPACK_OK;
}

/* One slot in all PSOs at a time, so that `seen` can tell a slot's first use of a component. */
static psopack_status count_slot(psopack_reader *reader, uint32_t slot, psopack_sharing *sharing,
                                 uint32_t *seen, psopack_diag *diag)
{
    psopack_slot_sharing *counts = &sharing->slots[slot];
    for (uint32_t pso = 0; pso < reader->info.psos; pso++) {
        uint32_t component = 0;
        psopack_status status = psopack_pso_component(reader->archive, pso, slot, &component, diag);
        if (status == PSOPACK_E_ABSENT)
            continue;
        if (status != PSOPACK_OK)
            return status;
        if (component >= reader->components)
            continue;
        uint64_t size = sharing->sizes[component];
        sharing->uses[component]++;
        counts->present++;
        counts->empty += size == 0;
        counts->reference_bytes += size;
        if (seen[component] != slot + 1) {
            seen[component] = slot + 1;
            counts->components++;
            counts->component_bytes += size;
        }
    }
    return PSOPACK_OK;
}

psopack_status psopack_sharing_count(psopack_reader *reader, psopack_sharing *sharing,
                                     psopack_diag *diag)
{
    size_t components = (size_t)reader->info.components + 1;
    size_t slots = (size_t)reader->info.slots + 1;
    *sharing = (psopack_sharing){
        calloc(components, sizeof *sharing->uses),
        calloc(components, sizeof *sharing->sizes),
        calloc(slots, sizeof *sharing->slots),
    };
    uint32_t *seen = calloc(components, sizeof *seen);
    psopack_status status = PSOPACK_OK;
    if (!sharing->uses || !sharing->sizes || !sharing->slots || !seen)
        status = psopack_failure_memory(diag, "a count per component");
    if (status == PSOPACK_OK)
        status = read_sizes(reader, sharing, diag);
    for (uint32_t slot = 0; slot < reader->info.slots && status == PSOPACK_OK; slot++)
        status = count_slot(reader, slot, sharing, seen, diag);
    free(seen);
    return status;
}

void psopack_sharing_free(psopack_sharing *sharing)
{
    free(sharing->uses);
    free(sharing->sizes);
    free(sharing->slots);
    *sharing = (psopack_sharing){0};
}
