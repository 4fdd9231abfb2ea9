/* SPDX-License-Identifier: MIT */
/* pack --from-session: what players and testers have met, as input of a build. */
#include "pack_session.h"

#include <inttypes.h>
#include <stdio.h>

static psopack_status add_pso(psopack_build *build, const psopack_met *met, psopack_diag *diag)
{
    psopack_status status = PSOPACK_OK;
    if (met->part_count == 0)
        return psopack_build_add_pso(build, met->name, met->name_size, diag);
    for (size_t i = 0; i < met->part_count && status == PSOPACK_OK; i++) {
        const psopack_met_part *part = &met->parts[i];
        status = psopack_build_add_memory(build, met->name, met->name_size, part->slot, part->bytes,
                                          part->size, diag);
    }
    return status;
}

psopack_status psopack_pack_session_add(psopack_output *output, const psopack_options *options,
                                        psopack_build *build, psopack_met_set *set,
                                        psopack_diag *diag)
{
    /* A loader takes every PSO of an archive for one of its content version. */
    psopack_number version = {options->content_version.value, true};
    uint64_t left_out = 0;
    if (options->from_session.count == 0)
        return PSOPACK_OK;
    psopack_status status = psopack_met_read(output, options->from_session.items,
                                             options->from_session.count, set, diag);
    if (status == PSOPACK_OK)
        status = psopack_met_select(set, &version, &left_out, diag);
    if (status == PSOPACK_OK && left_out > 0) {
        char text[128];
        snprintf(text, sizeof text,
                 "%" PRIu64 " PSO%s of the sessions left out: not of content version %" PRIu64,
                 left_out, psopack_plural(left_out), version.value);
        psopack_output_note(output, text);
    }
    for (size_t i = 0; i < set->count && status == PSOPACK_OK; i++)
        status = add_pso(build, &set->psos[i], diag);
    return status;
}
