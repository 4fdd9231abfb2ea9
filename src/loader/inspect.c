/* SPDX-License-Identifier: MIT */
/* What is in an archive: the numbers and rows that tools show. */
#include <string.h>

#include "format/transform.h"
#include "loader/context.h"
#include "loader/layer.h"

/* Numbers as in the format; the names are the packer's. */
static const char *profile_name(uint32_t profile)
{
    static const char *const names[] = {"balanced", "fast", "small", "stored", "directstorage"};
    return profile < sizeof names / sizeof names[0] ? names[profile] : "unknown";
}

static const char *transform_name(uint32_t id)
{
    const psopack_transform *transform = psopack_transform_find(id);
    return transform ? transform->name : id == PSOPACK_TRANSFORM_NONE ? "none" : "unknown";
}

static uint64_t sum_data_bytes(const psopack_view *view)
{
    uint64_t sum = 0;
    psopack_kind_row row;
    for (uint32_t i = 0; psopack_view_kind(view, i, &row); i++)
        sum += row.stored_bytes;
    return sum;
}

static uint64_t sum_base_bytes(const psopack_view *view)
{
    uint64_t sum = 0;
    psopack_base_row base;
    psopack_block_row block;
    for (uint32_t i = 0; psopack_view_base(view, i, &base); i++) {
        if (psopack_view_block(view, base.block, &block, NULL) == PSOPACK_OK)
            sum += block.stored_size;
    }
    return sum;
}

static void fill_memory(const psopack_archive *archive, psopack_info *info)
{
    info->base_memory = archive->base_memory;
    info->archive_memory =
        (uint64_t)archive->size + archive->second_size + archive->origin.state_size;
    info->context_memory = psopack_context_size(archive);
}

/* All PSOs have names, or none does: an archive without them hides those of its layers. */
bool psopack_archive_has_names(const psopack_archive *archive)
{
    while (archive && archive->view.name_section)
        archive = archive->base;
    return archive == NULL;
}

static bool has_hashes(const psopack_archive *archive)
{
    while (archive && archive->view.hash_section)
        archive = archive->base;
    return archive == NULL;
}

/* Of the whole, where META has them for the layer itself. */
static void fill_sums(const psopack_layer_row *layer, psopack_info *info)
{
    info->live_components = layer->live_components;
    info->references = layer->references;
    info->reference_bytes = layer->reference_bytes;
    info->component_bytes = layer->component_bytes;
}

void psopack_archive_info(const psopack_archive *archive, psopack_info *ret_info)
{
    const psopack_view *view = &archive->view;
    psopack_info info = {
        .file_bytes = archive->origin.size,
        .psos = archive->psos,
        .slots = view->slots,
        .components = archive->components,
        .live_components = view->live_components,
        .kinds = view->kinds,
        .blocks = view->blocks,
        .bases = view->bases,
        .references = view->references,
        .reference_bytes = view->reference_bytes,
        .component_bytes = view->component_bytes,
        .data_bytes = sum_data_bytes(view),
        .base_bytes = sum_base_bytes(view),
        .content_version = view->content_version,
        .target = view->target,
        .profile = profile_name(view->profile),
        .recipe = view->recipe,
        .zstd_version = view->zstd_version,
        .has_names = psopack_archive_has_names(archive),
        .has_hashes = has_hashes(archive),
        .is_mapped = archive->origin.is_mapped,
        .is_stripped = (view->ends.may_not_append & PSOPACK_FEATURE_STRIPPED) != 0,
    };
    info.manifest_bytes = info.file_bytes > info.data_bytes ? info.file_bytes - info.data_bytes : 0;
    memcpy(info.content_id, view->ends.content_id, sizeof info.content_id);
    memcpy(info.archive_id, view->ends.archive_id, sizeof info.archive_id);
    fill_memory(archive, &info);
    if (archive->base)
        fill_sums(&view->layer, &info);
    *ret_info = info;
}

const char *psopack_slot_name(const psopack_archive *archive, uint32_t slot)
{
    psopack_slot_row row;
    return psopack_view_slot(&archive->view, slot, &row) ? row.name : NULL;
}

psopack_status psopack_slot_find(const psopack_archive *archive, const char *name,
                                 uint32_t *ret_slot)
{
    psopack_slot_row row;
    for (uint32_t i = 0; psopack_view_slot(&archive->view, i, &row); i++) {
        if (strcmp(row.name, name) == 0) {
            *ret_slot = i;
            return PSOPACK_OK;
        }
    }
    return PSOPACK_E_NOT_FOUND;
}

psopack_status psopack_block_get(const psopack_archive *archive, uint32_t block,
                                 psopack_block_info *ret_info, psopack_diag *diag)
{
    psopack_block_row row;
    PSOPACK_TRY(psopack_view_block(&archive->view, block, &row, diag));
    *ret_info = (psopack_block_info){
        .offset = row.offset,
        .stored_size = row.stored_size,
        .raw_size = row.raw_size,
        .first_component = row.first,
        .components = row.count,
        .kind = row.kind,
        .transform = row.transform,
        .transform_name = transform_name(row.transform),
        .base = row.base,
        .is_base = (row.flags & PSOPACK_BLOCK_BASE) != 0,
        .is_raw = (row.flags & PSOPACK_BLOCK_RAW) != 0,
        .is_dead = (row.flags & PSOPACK_BLOCK_DEAD) != 0,
    };
    return PSOPACK_OK;
}

psopack_status psopack_kind_get(const psopack_archive *archive, uint32_t kind,
                                psopack_kind_info *ret_info)
{
    psopack_kind_row row;
    if (!psopack_view_kind(&archive->view, kind, &row))
        return PSOPACK_E_NOT_FOUND;
    *ret_info = (psopack_kind_info){
        .name = row.name,
        .transform_name = transform_name(row.transform),
        .components = row.components,
        .component_bytes = row.component_bytes,
        .stored_bytes = row.stored_bytes,
        .base = row.base,
    };
    return PSOPACK_OK;
}

psopack_status psopack_section_get(const psopack_archive *archive, uint32_t section,
                                   psopack_section_info *ret_info)
{
    if (section >= archive->view.section_count)
        return PSOPACK_E_NOT_FOUND;
    const psopack_section *row = &archive->view.sections[section];
    psopack_section_name(row->id, ret_info->name);
    ret_info->offset = row->offset;
    ret_info->size = row->size;
    ret_info->required = (row->flags & PSOPACK_SECTION_REQUIRED) != 0;
    return PSOPACK_OK;
}
