/* SPDX-License-Identifier: MIT */
/* What a session has met against what was shipped. */
#include "session_shipped.h"

#include "failure.h"

#include <stdlib.h>
#include <string.h>

const char *psopack_shipped_name(psopack_shipped_state state)
{
    static const char *const names[] = {"new", "same", "changed"};
    return names[state];
}

static psopack_status compare_bytes(psopack_reader *shipped, uint32_t component,
                                    const psopack_met_part *part, bool *ret_same,
                                    psopack_diag *diag)
{
    psopack_component_info info;
    psopack_status status = psopack_component_get(shipped->archive, component, &info, diag);
    if (status != PSOPACK_OK)
        return status;
    *ret_same = info.size == part->size;
    if (!*ret_same)
        return PSOPACK_OK;
    void *bytes = malloc(part->size + 1);
    uint32_t crc;
    if (!bytes)
        return psopack_failure_memory(diag, "a component");
    status = psopack_component_read(shipped->archive, shipped->context, component, bytes,
                                    part->size, &crc, diag);
    if (status == PSOPACK_OK)
        *ret_same = memcmp(bytes, part->bytes, part->size) == 0;
    free(bytes);
    return status;
}

/* Both have as many slots, so each of the session's that is there leaves none over. */
static psopack_status compare_parts(psopack_reader *shipped, const psopack_met *met, bool *ret_same,
                                    psopack_diag *diag)
{
    *ret_same = true;
    for (size_t i = 0; i < met->part_count && *ret_same; i++) {
        uint32_t slot;
        *ret_same = psopack_slot_find(shipped->archive, met->parts[i].slot, &slot) == PSOPACK_OK &&
                    shipped->parts[slot] != PSOPACK_ABSENT;
        if (!*ret_same)
            break;
        psopack_status status =
            compare_bytes(shipped, shipped->parts[slot], &met->parts[i], ret_same, diag);
        if (status != PSOPACK_OK)
            return status;
    }
    return PSOPACK_OK;
}

static size_t present_slots(const psopack_reader *shipped)
{
    size_t count = 0;
    for (uint32_t slot = 0; slot < shipped->info.slots; slot++)
        count += shipped->parts[slot] != PSOPACK_ABSENT;
    return count;
}

psopack_status psopack_shipped_compare(psopack_reader *shipped, const psopack_met *met,
                                       psopack_shipped_state *ret_state, psopack_diag *diag)
{
    uint32_t pso;
    bool same = false;
    psopack_status status =
        psopack_pso_find(shipped->archive, shipped->context, met->name, met->name_size, &pso, diag);
    if (status == PSOPACK_E_NOT_FOUND) {
        *ret_state = PSOPACK_SHIPPED_NEW;
        return PSOPACK_OK;
    }
    if (status == PSOPACK_OK)
        status = psopack_reader_parts(shipped, pso, diag);
    if (status == PSOPACK_OK && present_slots(shipped) == met->part_count)
        status = compare_parts(shipped, met, &same, diag);
    if (status == PSOPACK_OK)
        *ret_state = same ? PSOPACK_SHIPPED_SAME : PSOPACK_SHIPPED_CHANGED;
    return status;
}
