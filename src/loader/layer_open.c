/* SPDX-License-Identifier: MIT */
/* A layer meets its base. */
#include <stdio.h>
#include <string.h>

#include "loader/layer.h"

#define ID_TEXT_SIZE 33u

static const char *show_id(const uint8_t id[16], char text[ID_TEXT_SIZE])
{
    for (size_t i = 0; i < 16; i++)
        snprintf(text + 2 * i, 3, "%02x", id[i]);
    return text;
}

static bool id_equals(const uint8_t a[16], const uint8_t b[16])
{
    return memcmp(a, b, 16) == 0;
}

static psopack_status base_is_missing(const psopack_layer_row *layer, psopack_diag *diag)
{
    char wanted[ID_TEXT_SIZE];
    return psopack_fail(diag, PSOPACK_E_BASE_MISSING,
                        "this is a layer: it needs its base, the archive with id %s",
                        show_id(layer->base_archive_id, wanted));
}

/* Told apart, because the remedy differs: the archive that was shipped, or another one. */
static psopack_status check_identity(const psopack_layer_row *layer, const psopack_archive *base,
                                     psopack_diag *diag)
{
    const psopack_ends *ends = &base->view.ends;
    char wanted[ID_TEXT_SIZE], found[ID_TEXT_SIZE];
    show_id(layer->base_archive_id, wanted);
    show_id(ends->archive_id, found);
    if (id_equals(ends->archive_id, layer->base_archive_id))
        return PSOPACK_OK;
    if (id_equals(ends->content_id, layer->base_content_id))
        return psopack_fail(diag, PSOPACK_E_BASE_REPACKED,
                            "the base has the same content, packed differently: it is archive %s, "
                            "the layer was made for %s",
                            found, wanted);
    return psopack_fail(diag, PSOPACK_E_BASE_WRONG,
                        "the base is archive %s, the layer was made for %s", found, wanted);
}

static psopack_status base_contradicts(psopack_diag *diag, const char *what)
{
    return psopack_fail(diag, PSOPACK_E_CORRUPT, "the layer contradicts its base: %s", what);
}

/* The ids agree, so anything else that does not was forged, or written by a faulty packer. */
static psopack_status check_counts(const psopack_view *view, const psopack_archive *base,
                                   psopack_diag *diag)
{
    if (view->layer.depth != base->depth + 1)
        return base_contradicts(diag, "depth");
    if (view->layer.base_psos != base->psos || view->layer.base_components != base->components)
        return base_contradicts(diag, "numbers of PSOs or components");
    if (view->ends.key_seed != base->view.ends.key_seed)
        return base_contradicts(diag, "key seed");
    return PSOPACK_OK;
}

/* Both sets ascend: one pass. The layer must have every slot of the base. */
static psopack_status map_slots(const psopack_view *view, const psopack_view *base, uint16_t *map,
                                psopack_diag *diag)
{
    psopack_slot_row own, wanted;
    uint32_t next = 0;
    for (uint32_t slot = 0; psopack_view_slot(view, slot, &own); slot++) {
        bool is_there =
            psopack_view_slot(base, next, &wanted) && strcmp(own.name, wanted.name) == 0;
        map[slot] = is_there ? (uint16_t)next++ : PSOPACK_NO_SLOT;
    }
    return next == base->slots ? PSOPACK_OK : base_contradicts(diag, "slots");
}

/* ---- base blocks ---------------------------------------------------------------------------- */

/* A base block of `archive` by its hash; an external one was resolved when `archive` was opened. */
static psopack_base *find_by_hash(const psopack_archive *archive, const uint8_t hash[16])
{
    psopack_base_row row;
    for (uint32_t i = 0; psopack_view_base(&archive->view, i, &row); i++) {
        if (id_equals(row.hash, hash))
            return &archive->bases[i];
    }
    return NULL;
}

static psopack_status find_external(psopack_archive *archive, uint32_t index,
                                    const psopack_base_row *row, psopack_diag *diag)
{
    psopack_base *base = &archive->bases[index], *found = NULL;
    char wanted[ID_TEXT_SIZE];
    for (const psopack_archive *at = archive->base; at && !found; at = at->base)
        found = find_by_hash(at, row->hash);
    if (!found)
        return psopack_fail(diag, PSOPACK_E_CORRUPT,
                            "the layer contradicts its base: it has no base block with hash %s",
                            show_id(row->hash, wanted));
    if (found->raw_size != row->raw_size)
        return base_contradicts(diag, "size of a base block");
    base->owner = found->owner;
    base->owner_index = found->owner_index;
    return PSOPACK_OK;
}

static psopack_status find_externals(psopack_archive *archive, psopack_diag *diag)
{
    psopack_base_row row;
    for (uint32_t i = 0; psopack_view_base(&archive->view, i, &row); i++) {
        if (row.block == PSOPACK_BASE_EXTERNAL)
            PSOPACK_TRY(find_external(archive, i, &row, diag));
    }
    return PSOPACK_OK;
}

/* ---- attaching ------------------------------------------------------------------------------ */

static psopack_status attach_base(psopack_archive *archive, const psopack_archive *base,
                                  uint16_t *room, psopack_diag *diag)
{
    const psopack_view *view = &archive->view;
    if (base->view.layer.depth != 0 && !base->base)
        return psopack_fail(diag, PSOPACK_E_BASE_MISSING,
                            "the base is a layer itself and was opened alone");
    PSOPACK_TRY(check_identity(&view->layer, base, diag));
    PSOPACK_TRY(check_counts(view, base, diag));
    PSOPACK_TRY(map_slots(view, &base->view, room, diag));
    archive->base = base;
    archive->base_slots = room;
    archive->depth = view->layer.depth;
    archive->psos = view->layer.psos;
    return find_externals(archive, diag);
}

psopack_status psopack_layer_attach(psopack_archive *archive, const psopack_open_options *options,
                                    uint16_t *room, psopack_diag *diag)
{
    const psopack_view *view = &archive->view;
    archive->psos = view->psos;
    archive->components = view->component_end;
    if (view->layer.depth != 0 && options->base)
        return attach_base(archive, options->base, room, diag);
    if (options->base)
        return psopack_fail(diag, PSOPACK_E_ARGUMENT,
                            "the archive is no layer: it is opened without a base");
    if (view->layer.depth != 0 && (options->flags & PSOPACK_OPEN_ALONE) == 0)
        return base_is_missing(&view->layer, diag);
    return PSOPACK_OK;
}

const psopack_archive *psopack_archive_base(const psopack_archive *archive)
{
    return archive->base;
}

psopack_status psopack_archive_layer(const psopack_archive *archive, psopack_layer_info *ret_info)
{
    const psopack_view *view = &archive->view;
    if (view->layer.depth == 0)
        return PSOPACK_E_NOT_FOUND;
    *ret_info = (psopack_layer_info){
        .depth = view->layer.depth,
        .own_psos = view->psos,
        .gone_psos = (uint32_t)view->layer_columns[PSOPACK_COLUMN_LAYER_GONE].rows,
        .own_components = view->components,
    };
    memcpy(ret_info->base_content_id, view->layer.base_content_id, 16);
    memcpy(ret_info->base_archive_id, view->layer.base_archive_id, 16);
    return PSOPACK_OK;
}
