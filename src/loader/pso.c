/* SPDX-License-Identifier: MIT */
/* PSOs: found by key, by name or by index; their slots; the proof that their parts are right. */
#include <string.h>

#include "format/keys.h"
#include "format/tuple.h"
#include "loader/layer.h"
#include "loader/name_page.h"
#include "loader/pso.h"

/* ---- names ---------------------------------------------------------------------------------- */

static psopack_status check_context(const psopack_archive *archive, const psopack_context *context,
                                    psopack_diag *diag)
{
    if (psopack_context_serves(context, archive))
        return PSOPACK_OK;
    return psopack_fail(diag, PSOPACK_E_ARGUMENT, "names need a context of this archive");
}

psopack_status psopack_pso_name(const psopack_archive *archive, psopack_context *context,
                                uint32_t pso, char *buffer, size_t capacity, size_t *ret_size,
                                psopack_diag *diag)
{
    uint32_t size;
    PSOPACK_TRY(check_context(archive, context, diag));
    PSOPACK_TRY(psopack_context_shown_name(context, archive, pso, &size, diag));
    if (ret_size)
        *ret_size = size;
    size_t taken = size < capacity ? size : capacity ? capacity - 1 : 0;
    if (capacity != 0) {
        memcpy(buffer, context->name, taken);
        buffer[taken] = '\0';
    }
    if (taken == size && capacity != 0)
        return PSOPACK_OK;
    return psopack_fail(diag, PSOPACK_E_BUFFER, "the name has %u bytes and a terminator", size);
}

/* ---- finding -------------------------------------------------------------------------------- */

int psopack_key_needs_context(const psopack_archive *archive)
{
    while (archive && !psopack_view_keys_are_paged(&archive->view))
        archive = archive->base;
    return archive != NULL;
}

uint64_t psopack_pso_key(const psopack_archive *archive, const void *name, size_t size)
{
    return psopack_name_key(name, size, archive->view.ends.key_seed);
}

/* One page of names may hold it; there the names themselves decide. */
static psopack_status find_paged_key(const psopack_archive *archive, psopack_context *context,
                                     uint64_t key, uint32_t *ret_pso, uint32_t *ret_size,
                                     psopack_diag *diag)
{
    uint32_t page;
    PSOPACK_TRY(check_context(archive, context, diag));
    PSOPACK_TRY(psopack_view_key_page(&archive->view, key, &page, diag));
    return psopack_context_find_in_page(context, archive, page, key, ret_pso, ret_size, diag);
}

static psopack_status find_own_key(const psopack_archive *archive, psopack_context *context,
                                   uint64_t key, uint32_t *ret_pso)
{
    uint32_t size;
    if (psopack_view_keys_are_paged(&archive->view))
        return find_paged_key(archive, context, key, ret_pso, &size, NULL);
    return psopack_view_find_key(&archive->view, key, ret_pso, NULL);
}

/* The first archive that has the PSO decides: what lies below is the same one, replaced. */
psopack_status psopack_pso_find_key(const psopack_archive *archive, psopack_context *context,
                                    uint64_t key, uint32_t *ret_pso)
{
    for (const psopack_archive *at = archive; at; at = at->base) {
        uint32_t own = 0;
        psopack_status status = find_own_key(at, context, key, &own);
        if (status == PSOPACK_OK)
            return psopack_shown_pso(archive, at, own, ret_pso, NULL);
        if (status != PSOPACK_E_NOT_FOUND)
            return status;
    }
    return PSOPACK_E_NOT_FOUND;
}

static psopack_status name_not_found(psopack_diag *diag, const void *name, size_t size)
{
    int shown = size < 200 ? (int)size : 200;
    return psopack_fail(diag, PSOPACK_E_NOT_FOUND, "no PSO is named '%.*s'", shown,
                        (const char *)name);
}

/* The PSO with that key; its name is then in the context. */
static psopack_status find_candidate(const psopack_archive *archive, psopack_context *context,
                                     uint64_t key, uint32_t *ret_pso, uint32_t *ret_size,
                                     psopack_diag *diag)
{
    uint32_t pso;
    if (psopack_view_keys_are_paged(&archive->view))
        return find_paged_key(archive, context, key, ret_pso, ret_size, diag);
    PSOPACK_TRY(psopack_view_find_key(&archive->view, key, &pso, diag));
    PSOPACK_TRY(psopack_context_name(context, archive, pso, ret_size, diag));
    *ret_pso = pso;
    return PSOPACK_OK;
}

static psopack_status find_hashed(const psopack_archive *archive, psopack_context *context,
                                  const void *name, size_t size, uint32_t *ret_pso,
                                  psopack_diag *diag)
{
    uint64_t key = psopack_pso_key(archive, name, size);
    uint32_t pso, found_size;
    psopack_status status = find_candidate(archive, context, key, &pso, &found_size, diag);
    if (status == PSOPACK_E_NOT_FOUND ||
        (status == PSOPACK_OK && (found_size != size || memcmp(context->name, name, size) != 0)))
        return name_not_found(diag, name, size);
    PSOPACK_TRY(status);
    *ret_pso = pso;
    return PSOPACK_OK;
}

static int compare_names(const void *a, size_t a_size, const void *b, size_t b_size)
{
    int order = memcmp(a, b, a_size < b_size ? a_size : b_size);
    return order != 0 ? order : (a_size > b_size) - (a_size < b_size);
}

/* Keys that came with a list say nothing about names: bisect the names, which ascend. */
static psopack_status find_sorted(const psopack_archive *archive, psopack_context *context,
                                  const void *name, size_t size, uint32_t *ret_pso,
                                  psopack_diag *diag)
{
    uint32_t low = 0, high = archive->view.psos;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2, found_size;
        PSOPACK_TRY(psopack_context_name(context, archive, middle, &found_size, diag));
        int order = compare_names(context->name, found_size, name, size);
        if (order == 0) {
            *ret_pso = middle;
            return PSOPACK_OK;
        }
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return name_not_found(diag, name, size);
}

static psopack_status find_own(const psopack_archive *archive, psopack_context *context,
                               const void *name, size_t size, uint32_t *ret_pso, psopack_diag *diag)
{
    if (!archive->view.name_section)
        return psopack_fail(diag, PSOPACK_E_NO_NAMES,
                            "names not present: they were stripped; find by key");
    if ((archive->view.meta_flags & PSOPACK_META_KEYS_GIVEN) != 0)
        return find_sorted(archive, context, name, size, ret_pso, diag);
    return find_hashed(archive, context, name, size, ret_pso, diag);
}

psopack_status psopack_pso_find(const psopack_archive *archive, psopack_context *context,
                                const void *name, size_t size, uint32_t *ret_pso,
                                psopack_diag *diag)
{
    PSOPACK_TRY(check_context(archive, context, diag));
    for (const psopack_archive *at = archive; at && size <= PSOPACK_PSO_NAME_MAX; at = at->base) {
        uint32_t own = 0;
        psopack_status status = find_own(at, context, name, size, &own, diag);
        if (status == PSOPACK_OK)
            status = psopack_shown_pso(archive, at, own, ret_pso, diag);
        else if (status == PSOPACK_E_NOT_FOUND)
            continue;
        if (status == PSOPACK_E_NOT_FOUND) /* a layer above took it out */
            break;
        return psopack_local_explain(archive, at, status, diag);
    }
    return name_not_found(diag, name, size);
}

/* ---- slots ---------------------------------------------------------------------------------- */

psopack_status psopack_pso_component(const psopack_archive *archive, uint32_t pso, uint32_t slot,
                                     uint32_t *ret_component, psopack_diag *diag)
{
    psopack_local local;
    PSOPACK_TRY(psopack_local_pso(archive, pso, &local, diag));
    psopack_status status = psopack_local_slot(archive, &local, slot, ret_component, diag);
    if (status == PSOPACK_E_ABSENT)
        return psopack_fail_at(diag, status, PSOPACK_OBJECT_PSO, pso, PSOPACK_NO_OFFSET,
                               "PSO %u has no component in slot '%s'", pso,
                               psopack_slot_name(archive, slot));
    return status;
}

psopack_status psopack_pso_components(const psopack_archive *archive, uint32_t pso,
                                      uint32_t *ret_components, psopack_diag *diag)
{
    psopack_local local;
    PSOPACK_TRY(psopack_local_pso(archive, pso, &local, diag));
    if (local.archive == archive)
        return psopack_view_pso(&archive->view, local.index, ret_components, diag);
    for (uint32_t slot = 0; slot < archive->view.slots; slot++) {
        psopack_status status =
            psopack_local_slot(archive, &local, slot, &ret_components[slot], diag);
        if (status == PSOPACK_E_ABSENT)
            ret_components[slot] = PSOPACK_ABSENT;
        else if (status != PSOPACK_OK)
            return status;
    }
    return PSOPACK_OK;
}

psopack_status psopack_pso_tuple_crc(const psopack_archive *archive, uint32_t pso,
                                     uint32_t *ret_crc, psopack_diag *diag)
{
    psopack_local local;
    PSOPACK_TRY(psopack_local_pso(archive, pso, &local, diag));
    psopack_status status = psopack_view_tuple(&local.archive->view, local.index, ret_crc, diag);
    return psopack_local_explain(archive, local.archive, status, diag);
}

psopack_status psopack_pso_compare(const psopack_archive *archive, uint32_t pso, uint32_t tuple,
                                   psopack_diag *diag)
{
    uint32_t wanted;
    PSOPACK_TRY(psopack_pso_tuple_crc(archive, pso, &wanted, diag));
    if (tuple == wanted)
        return PSOPACK_OK;
    return psopack_fail_at(diag, PSOPACK_E_TUPLE, PSOPACK_OBJECT_PSO, pso, PSOPACK_NO_OFFSET,
                           "PSO %u: its parts give tuple CRC %08x, packed was %08x", pso, tuple,
                           wanted);
}

psopack_status psopack_pso_check(const psopack_archive *archive, uint32_t pso,
                                 const uint32_t *components, const uint64_t *sizes,
                                 const uint32_t *crcs, psopack_diag *diag)
{
    uint32_t tuple = 0;
    for (uint32_t i = 0; i < archive->view.slots; i++) {
        psopack_slot_row slot;
        if (components[i] == PSOPACK_ABSENT)
            continue;
        psopack_view_slot(&archive->view, i, &slot);
        tuple = psopack_tuple_add(tuple, slot.name, slot.name_size, sizes[i], crcs[i]);
    }
    return psopack_pso_compare(archive, pso, tuple, diag);
}

/* One present slot: asks where its bytes are. */
static psopack_status gather_part(const psopack_archive *archive, uint32_t slot, uint32_t component,
                                  psopack_part_fn *find, void *user, psopack_part *ret_part,
                                  psopack_diag *diag)
{
    psopack_component_row row;
    psopack_part part = {.component = component};
    PSOPACK_TRY(psopack_archive_component_row(archive, component, &row, diag));
    psopack_status status = find(user, slot, component, &part.bytes, &part.crc);
    if (status != PSOPACK_OK)
        return psopack_fail_at(diag, status, PSOPACK_OBJECT_COMPONENT, component, PSOPACK_NO_OFFSET,
                               "component %u in slot '%s' is not in memory: %s", component,
                               psopack_slot_name(archive, slot), psopack_status_text(status));
    part.size = row.size;
    *ret_part = part;
    return PSOPACK_OK;
}

psopack_status psopack_pso_parts(const psopack_archive *archive, uint32_t pso,
                                 psopack_part_fn *find, void *user, psopack_part *ret_parts,
                                 psopack_diag *diag)
{
    uint32_t tuple = 0;
    psopack_local local;
    PSOPACK_TRY(psopack_local_pso(archive, pso, &local, diag));
    for (uint32_t i = 0; i < archive->view.slots; i++) {
        uint32_t component;
        psopack_slot_row slot;
        psopack_part part = {.component = PSOPACK_ABSENT};
        psopack_status status = psopack_local_slot(archive, &local, i, &component, diag);
        if (status == PSOPACK_OK) {
            PSOPACK_TRY(gather_part(archive, i, component, find, user, &part, diag));
            psopack_view_slot(&archive->view, i, &slot);
            tuple = psopack_tuple_add(tuple, slot.name, slot.name_size, part.size, part.crc);
        } else if (status != PSOPACK_E_ABSENT) {
            return status;
        }
        if (ret_parts)
            ret_parts[i] = part;
    }
    return psopack_pso_compare(archive, pso, tuple, diag);
}
