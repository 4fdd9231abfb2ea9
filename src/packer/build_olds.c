/* SPDX-License-Identifier: MIT */
/* Older archives of a build, from paths to matched components. */
#include "packer/build_olds.h"

#include <stdlib.h>
#include <string.h>

static void forget_paths(psopack_build_olds *olds)
{
    for (uint32_t i = 0; olds->paths && i < olds->count; i++)
        free(olds->paths[i]);
    free(olds->paths);
    olds->paths = NULL;
    olds->count = 0;
}

psopack_status psopack_build_olds_set(psopack_build_olds *olds, const char *const *paths,
                                      uint32_t count, psopack_diag *diag)
{
    forget_paths(olds);
    PSOPACK_TRY(psopack_new_array(&olds->paths, count, sizeof *olds->paths, diag));
    for (uint32_t i = 0; i < count; i++) {
        size_t size = strlen(paths[i]) + 1;
        PSOPACK_TRY(psopack_new_array(&olds->paths[i], size, 1, diag));
        memcpy(olds->paths[i], paths[i], size);
        olds->count++;
    }
    return PSOPACK_OK;
}

/* ---- open, close ------------------------------------------------------------------------------
 */

static psopack_status check_old(const psopack_build_olds *olds, const psopack_old *old,
                                psopack_profile profile, psopack_diag *diag)
{
    if (olds->are_inputs)
        return PSOPACK_OK; /* plan_keep.c looks at each block */
    bool is_layer = (old->view.ends.must_refuse & PSOPACK_FEATURE_LAYER) != 0;
    if (olds->how == PSOPACK_KEEP_IN_PLACE && is_layer)
        return psopack_fail(diag, PSOPACK_E_FEATURE,
                            "%s is a layer: merge it with its base first, or add a layer to it",
                            old->path);
    if (!old->view.name_section)
        return psopack_fail(diag, PSOPACK_E_NO_NAMES,
                            "%s: its names were stripped, so it can't be built on", old->path);
    if (old->view.profile != (uint32_t)profile)
        return psopack_fail(diag, PSOPACK_E_ARGUMENT,
                            "%s has profile %s: build with the same, or without it", old->path,
                            psopack_profile_name((psopack_profile)old->view.profile));
    return PSOPACK_OK;
}

static int compare_strings(const void *a, const void *b)
{
    return psopack_string_compare(a, b);
}

/* Kinds of all archives, in byte order, each once. */
static psopack_status list_kinds(psopack_build_olds *olds, psopack_diag *diag)
{
    size_t count = 0, kept = 0;
    psopack_kind_row row;
    for (uint32_t i = 0; i < olds->count; i++)
        count += olds->olds[i]->view.kinds;
    PSOPACK_TRY(psopack_new_array(&olds->kinds, count, sizeof *olds->kinds, diag));
    count = 0;
    for (uint32_t i = 0; i < olds->count; i++) {
        for (uint32_t kind = 0; psopack_view_kind(&olds->olds[i]->view, kind, &row); kind++)
            olds->kinds[count++] = (psopack_string){.bytes = row.name, .size = row.name_size};
    }
    qsort(olds->kinds, count, sizeof *olds->kinds, compare_strings);
    for (size_t i = 0; i < count; i++) {
        if (kept == 0 || psopack_string_compare(&olds->kinds[kept - 1], &olds->kinds[i]) != 0)
            olds->kinds[kept++] = olds->kinds[i];
    }
    olds->kind_count = olds->how == PSOPACK_KEEP_OUTSIDE ? 0 : kept;
    return PSOPACK_OK;
}

/* A layer has at least the slots of what it is made on: the top of a chain lists all of them. */
static psopack_status list_slots(psopack_build_olds *olds, psopack_diag *diag)
{
    psopack_slot_row row;
    if (olds->how != PSOPACK_KEEP_OUTSIDE)
        return PSOPACK_OK;
    const psopack_view *view = &olds->olds[olds->count - 1]->view;
    PSOPACK_TRY(psopack_new_array(&olds->slots, view->slots, sizeof *olds->slots, diag));
    while (psopack_view_slot(view, (uint32_t)olds->slot_count, &row))
        olds->slots[olds->slot_count++] =
            (psopack_string){.bytes = row.name, .size = row.name_size};
    return PSOPACK_OK;
}

static psopack_status open_named(psopack_build_olds *olds, psopack_profile profile,
                                 psopack_diag *diag)
{
    PSOPACK_TRY(psopack_new_array(&olds->olds, olds->count, sizeof *olds->olds, diag));
    for (uint32_t i = 0; i < olds->count; i++) {
        const psopack_archive *below = i != 0 ? olds->olds[i - 1]->handle : NULL;
        PSOPACK_TRY(psopack_old_open(olds->paths[i], below, &olds->olds[i], diag));
        PSOPACK_TRY(check_old(olds, olds->olds[i], profile, diag));
    }
    return PSOPACK_OK;
}

psopack_status psopack_build_olds_open(psopack_build_olds *olds, psopack_profile profile,
                                       psopack_diag *diag)
{
    if (olds->count == 0)
        return PSOPACK_OK;
    if (!olds->are_inputs)
        PSOPACK_TRY(open_named(olds, profile, diag));
    PSOPACK_TRY(list_slots(olds, diag));
    return list_kinds(olds, diag);
}

psopack_status psopack_build_olds_add(psopack_build_olds *olds, const char *path, bool is_layer,
                                      const psopack_build_events *salvage, psopack_diag *diag)
{
    size_t capacity = olds->count;
    const psopack_archive *below = is_layer ? olds->olds[olds->count - 1]->handle : NULL;
    PSOPACK_TRY(psopack_grow(&olds->olds, &capacity, olds->count + 1, sizeof *olds->olds, diag));
    psopack_old **place = &olds->olds[olds->count];
    PSOPACK_TRY(salvage ? psopack_old_open_damaged(path, below, salvage, place, diag)
                        : psopack_old_open(path, below, place, diag));
    olds->count++;
    olds->are_inputs = true;
    olds->how = PSOPACK_KEEP_MOVED;
    return PSOPACK_OK;
}

static void close_all(psopack_build_olds *olds)
{
    for (uint32_t i = olds->olds ? olds->count : 0; i-- > 0;) /* layers before their base */
        psopack_old_close(&olds->olds[i]);
    free(olds->olds);
    olds->olds = NULL;
}

void psopack_build_olds_close(psopack_build_olds *olds)
{
    if (!olds->are_inputs)
        close_all(olds);
    free(olds->kinds);
    free(olds->slots);
    olds->kinds = olds->slots = NULL;
    olds->kind_count = olds->slot_count = 0;
}

void psopack_build_olds_free(psopack_build_olds *olds)
{
    psopack_build_olds_close(olds);
    close_all(olds);
    if (olds->paths)
        forget_paths(olds);
}

/* ---- use --------------------------------------------------------------------------------------
 */

psopack_status psopack_build_olds_match(const psopack_build_olds *olds, const psopack_store *store,
                                        unsigned threads, const psopack_build_events *events,
                                        psopack_diag *diag)
{
    for (uint32_t i = 0; !olds->are_inputs && i < olds->count; i++)
        PSOPACK_TRY(psopack_old_match(olds->olds[i], store, threads, events, diag));
    return PSOPACK_OK;
}

bool psopack_build_olds_too_stale(const psopack_build_olds *olds, const psopack_waste *waste)
{
    return olds->how == PSOPACK_KEEP_IN_PLACE &&
           waste->dead_bytes * 100 > waste->kept_bytes * olds->max_waste;
}
