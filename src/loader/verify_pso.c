/* SPDX-License-Identifier: MIT */
/* The pass over PSOs: names in order, keys that lead back, parts that give the tuple CRC. */
#include "loader/verify.h"

#include <string.h>

#include "format/tuple.h"
#include "loader/layer.h"
#include "loader/name_page.h"

#define SHOWN_NAME_MAX 200

/* " 'name'" for messages, control bytes as '?'; "" when there is no name to be had. */
static const char *show_name(const psopack_verifier *verifier, uint32_t size,
                             char shown[SHOWN_NAME_MAX + 4])
{
    uint32_t taken = size < SHOWN_NAME_MAX ? size : SHOWN_NAME_MAX, at = 0;
    shown[0] = '\0';
    if (size == 0)
        return shown;
    shown[at++] = ' ';
    shown[at++] = '\'';
    for (uint32_t i = 0; i < taken; i++) {
        uint8_t byte = verifier->context->name[i];
        shown[at++] = byte < 0x20 || byte == 0x7f ? '?' : (char)byte;
    }
    shown[at++] = '\'';
    shown[at] = '\0';
    return shown;
}

static int compare_with_previous(const psopack_verifier *verifier, uint32_t size)
{
    uint32_t previous = verifier->previous_size;
    int order =
        memcmp(verifier->context->name, verifier->previous_name, size < previous ? size : previous);
    return order != 0 ? order : (size > previous) - (size < previous);
}

/* *ret_size is 0 where the archive has no names. */
static psopack_status check_name(psopack_verifier *verifier, uint32_t pso, uint32_t *ret_size,
                                 psopack_diag *diag)
{
    const psopack_archive *archive = verifier->archive;
    uint32_t size = 0, found;
    *ret_size = 0;
    if (!psopack_archive_has_names(archive))
        return PSOPACK_OK;
    PSOPACK_TRY(psopack_context_shown_name(verifier->context, archive, pso, &size, diag));
    if (pso != 0 && compare_with_previous(verifier, size) <= 0)
        return psopack_fail_at(diag, PSOPACK_E_CORRUPT, PSOPACK_OBJECT_PSO, pso, PSOPACK_NO_OFFSET,
                               "PSO %u: its name does not come behind the one before it", pso);
    memcpy(verifier->previous_name, verifier->context->name, size);
    verifier->previous_size = size;
    if ((archive->view.meta_flags & PSOPACK_META_KEYS_GIVEN) == 0) {
        psopack_status status = psopack_pso_find(archive, verifier->context,
                                                 verifier->previous_name, size, &found, diag);
        if (status != PSOPACK_OK || found != pso)
            return psopack_fail_at(diag, PSOPACK_E_CORRUPT, PSOPACK_OBJECT_PSO, pso,
                                   PSOPACK_NO_OFFSET, "PSO %u: its name's key does not lead to it",
                                   pso);
    }
    *ret_size = size;
    return PSOPACK_OK;
}

static psopack_status check_parts(psopack_verifier *verifier, uint32_t pso, const char *name,
                                  psopack_diag *diag)
{
    const psopack_archive *archive = verifier->archive;
    const psopack_view *view = &archive->view;
    uint32_t tuple = 0, wanted;
    PSOPACK_TRY(psopack_pso_components(archive, pso, verifier->slots, diag));
    for (uint32_t i = 0; i < view->slots; i++) {
        uint32_t component = verifier->slots[i];
        psopack_slot_row slot;
        psopack_component_row row;
        if (component == PSOPACK_ABSENT)
            continue;
        psopack_view_slot(view, i, &slot);
        if (verifier->states[component] < PSOPACK_COMPONENT_GOOD)
            return psopack_fail_at(
                diag, PSOPACK_E_CHECKSUM, PSOPACK_OBJECT_PSO, pso, PSOPACK_NO_OFFSET,
                "PSO %u%s: component %u in slot '%s' is damaged", pso, name, component, slot.name);
        PSOPACK_TRY(psopack_archive_component_row(archive, component, &row, diag));
        tuple = psopack_tuple_add(tuple, slot.name, slot.name_size, row.size,
                                  verifier->crcs[component]);
    }
    PSOPACK_TRY(psopack_pso_tuple_crc(archive, pso, &wanted, diag));
    if (tuple != wanted)
        return psopack_fail_at(diag, PSOPACK_E_TUPLE, PSOPACK_OBJECT_PSO, pso, PSOPACK_NO_OFFSET,
                               "PSO %u%s: its parts give tuple CRC %08x, packed was %08x", pso,
                               name, tuple, wanted);
    return PSOPACK_OK;
}

/* The finding of a name that can't be had speaks of its section: say whose name it is, too. */
static void report_name(psopack_verifier *verifier, uint32_t pso, psopack_diag *diag)
{
    psopack_diag named;
    psopack_verify_report(verifier, diag, false);
    if (diag->object == PSOPACK_OBJECT_PSO || verifier->stopped)
        return;
    psopack_fail_at(&named, diag->code, PSOPACK_OBJECT_PSO, pso, PSOPACK_NO_OFFSET,
                    "PSO %u: its name is damaged, it can only be found by key or index", pso);
    psopack_verify_report(verifier, &named, false);
}

void psopack_verify_psos(psopack_verifier *verifier, bool decoded)
{
    psopack_verify_sums_begin(verifier);
    for (uint32_t pso = 0; pso < verifier->archive->psos && !verifier->stopped; pso++) {
        psopack_diag diag;
        char shown[SHOWN_NAME_MAX + 4];
        uint32_t size;
        psopack_status name_status = check_name(verifier, pso, &size, &diag);
        if (name_status != PSOPACK_OK)
            report_name(verifier, pso, &diag);
        psopack_status status = check_parts(verifier, pso, show_name(verifier, size, shown), &diag);
        if (status != PSOPACK_OK && !verifier->stopped)
            psopack_verify_report(verifier, &diag, false);
        verifier->result.psos_checked++;
        if (name_status != PSOPACK_OK || status != PSOPACK_OK)
            verifier->result.psos_damaged++;
        else
            psopack_verify_sums_add(verifier, size);
    }
    /* What is damaged already has been named, and nothing adds up. */
    if (verifier->result.findings == 0)
        psopack_verify_sums_end(verifier, decoded && psopack_archive_has_names(verifier->archive));
}
