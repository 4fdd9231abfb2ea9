/* SPDX-License-Identifier: MIT */
/* Opening an older archive twice: its rows by the format, its components by the loader. */
#include "packer/old_archive.h"
#include "packer/salvage.h"

#include <stdlib.h>
#include <string.h>

/* ---- rows -------------------------------------------------------------------------------------
 */

/* `end` is the file's end, of `tail` bytes and more. */
static psopack_status open_view(psopack_old *old, const uint8_t *header, const uint8_t *end,
                                size_t tail, uint64_t size, psopack_diag *diag)
{
    psopack_ends ends;
    uint64_t manifest, pages;
    PSOPACK_TRY(
        psopack_ends_check(header, size < 64 ? size : 64, end - tail, tail, size, &ends, diag));
    const uint8_t *table = end - (size - ends.repeat_offset);
    PSOPACK_TRY(psopack_table_check(&ends, table, &manifest, &pages, diag));
    PSOPACK_TRY(psopack_new_array(&old->pages, (size_t)pages, sizeof *old->pages, diag));
    PSOPACK_TRY(
        psopack_view_open(&ends, end - (size - manifest), manifest, old->pages, &old->view, diag));
    PSOPACK_TRY(
        psopack_new_array(&old->columns, 2 * (size_t)old->view.slots, sizeof *old->columns, diag));
    return psopack_view_open_columns(&old->view, old->columns, diag);
}

static psopack_status read_blocks(psopack_old *old, psopack_diag *diag)
{
    const psopack_view *view = &old->view;
    PSOPACK_TRY(psopack_new_array(&old->blocks, view->blocks, sizeof *old->blocks, diag));
    PSOPACK_TRY(psopack_new_array(&old->lost, view->blocks, 1, diag));
    for (uint32_t i = 0; i < view->blocks; i++) {
        psopack_status status = psopack_view_block(view, i, &old->blocks[i], diag);
        old->lost[i] = status != PSOPACK_OK;
        if (status != PSOPACK_OK && !old->mended)
            return status;
    }
    return PSOPACK_OK;
}

/* The loader's own look-up decides where a component lies; here it only goes the other way. */
static psopack_status read_components(psopack_old *old, psopack_diag *diag)
{
    const psopack_view *view = &old->view;
    PSOPACK_TRY(
        psopack_new_array(&old->components, view->components, sizeof *old->components, diag));
    PSOPACK_TRY(psopack_new_array(&old->block_of, view->components, sizeof(uint32_t), diag));
    PSOPACK_TRY(psopack_new_array(&old->item, view->components, sizeof(uint32_t), diag));
    PSOPACK_TRY(psopack_new_array(&old->hash, view->components, sizeof *old->hash, diag));
    for (uint32_t i = 0; i < view->components; i++) {
        psopack_status status = psopack_view_component(view, i, &old->components[i], diag);
        if (status != PSOPACK_OK && !old->mended)
            return status;
        old->block_of[i] = UINT32_MAX;
        old->item[i] = PSOPACK_NO_ITEM;
    }
    for (uint32_t block = view->blocks; block-- > 0;) {
        const psopack_block_row *row = &old->blocks[block];
        uint32_t end = row->first + (row->count == 0 ? 1 : row->count);
        if (old->lost[block])
            continue;
        for (uint32_t i = row->first; i < end && i < view->components; i++) {
            if (old->components[i].size != 0)
                old->block_of[i] = block;
        }
    }
    return PSOPACK_OK;
}

/* ---- open, close ------------------------------------------------------------------------------
 */

static psopack_status map_file(psopack_old *old, psopack_diag *diag)
{
    psopack_file file;
    psopack_file_stat stat;
    PSOPACK_TRY(psopack_file_open_read(old->path, &file, &stat, diag));
    psopack_status status = psopack_map_file(&file, &old->map, diag);
    psopack_file_close(&file, NULL);
    return status;
}

static psopack_status open_whole(psopack_old *old, const psopack_open_options *options,
                                 psopack_diag *diag)
{
    const uint8_t *file = old->map.data;
    size_t size = old->map.size;
    PSOPACK_TRY(psopack_archive_open_memory(file, size, options, &old->handle, diag));
    return open_view(old, file, file + size, size < 65536 ? size : 65536, size, diag);
}

/* What the loader sees of a damaged file: the mended header and manifest, blocks as they are. */
static psopack_status read_mended(void *user, uint64_t offset, void *buffer, size_t size)
{
    const psopack_old *old = user;
    const psopack_mended *mended = old->mended;
    const uint8_t *header = (const uint8_t *)&mended->header;
    uint8_t *to = buffer;
    for (; size != 0 && offset < sizeof mended->header; size--)
        *to++ = header[offset++];
    for (; size != 0 && offset < mended->offset; size--)
        *to++ = old->map.data[offset++];
    if (size != 0)
        memcpy(to, mended->manifest + (offset - mended->offset), size);
    return PSOPACK_OK;
}

static psopack_status open_damaged(psopack_old *old, psopack_open_options *options,
                                   const psopack_build_events *events, psopack_diag *diag)
{
    PSOPACK_TRY(psopack_new_array(&old->mended, 1, sizeof *old->mended, diag));
    PSOPACK_TRY(psopack_mend(old->map.data, old->map.size, events, old->mended, diag));
    const psopack_mended *mended = old->mended;
    const psopack_source source = {.read = read_mended, .user = old, .size = mended->size};
    size_t size = (size_t)(mended->size - mended->offset);
    options->limits.manifest_size = UINT64_MAX; /* it is there already */
    PSOPACK_TRY(psopack_archive_open_source(&source, options, &old->handle, diag));
    return open_view(old, (const uint8_t *)&mended->header, mended->manifest + size,
                     size < 65536 ? size : 65536, mended->size, diag);
}

/* `events` NULL: it must be whole. */
static psopack_status open_all(psopack_old *old, const psopack_archive *below,
                               const psopack_build_events *events, psopack_diag *diag)
{
    psopack_open_options options = PSOPACK_OPEN_OPTIONS_INIT;
    options.base = below;
    options.limits.base_memory = UINT64_MAX; /* a build machine has room for any number of bases */
    PSOPACK_TRY(map_file(old, diag));
    PSOPACK_TRY(events ? open_damaged(old, &options, events, diag)
                       : open_whole(old, &options, diag));
    PSOPACK_TRY(read_blocks(old, diag));
    PSOPACK_TRY(read_components(old, diag));
    return events ? psopack_salvage_create(old, &old->salvage, diag) : PSOPACK_OK;
}

static psopack_status open_path(const char *path, const psopack_archive *below,
                                const psopack_build_events *events, psopack_old **ret_old,
                                psopack_diag *diag)
{
    psopack_old *old;
    size_t size = strlen(path) + 1;
    PSOPACK_TRY(psopack_new_array(&old, 1, sizeof *old, diag));
    old->map = PSOPACK_MAP_NONE;
    psopack_status status = psopack_new_array(&old->path, size, 1, diag);
    if (status == PSOPACK_OK) {
        memcpy(old->path, path, size);
        status = open_all(old, below, events, diag);
    }
    if (status != PSOPACK_OK)
        psopack_old_close(&old);
    else
        *ret_old = old;
    return status;
}

psopack_status psopack_old_open(const char *path, const psopack_archive *below,
                                psopack_old **ret_old, psopack_diag *diag)
{
    return open_path(path, below, NULL, ret_old, diag);
}

psopack_status psopack_old_open_damaged(const char *path, const psopack_archive *below,
                                        const psopack_build_events *events, psopack_old **ret_old,
                                        psopack_diag *diag)
{
    return open_path(path, below, events, ret_old, diag);
}

void psopack_old_close(psopack_old **old_at)
{
    psopack_old *old = *old_at;
    if (!old)
        return;
    psopack_archive_close(&old->handle);
    psopack_salvage_destroy(&old->salvage);
    if (old->mended)
        free(old->mended->manifest);
    free(old->mended);
    psopack_map_unmap(&old->map);
    free(old->path);
    free(old->pages);
    free(old->columns);
    free(old->blocks);
    free(old->components);
    free(old->block_of);
    free(old->item);
    free(old->lost);
    free(old->hash);
    free(old);
    *old_at = NULL;
}

/* ---- blocks -----------------------------------------------------------------------------------
 */

psopack_status psopack_old_block_check(const psopack_old *old, uint32_t block, psopack_diag *diag)
{
    const psopack_block_row *row = &old->blocks[block];
    psopack_base_row base = {0};
    bool has_base = row->base != 0 && psopack_view_base(&old->view, row->base - 1, &base);
    uint64_t check =
        psopack_block_check(old->map.data + row->offset, row->stored_size, row->raw_size,
                            row->transform, has_base ? base.hash : NULL);
    if (check == row->check)
        return PSOPACK_OK;
    return psopack_fail_at(diag, PSOPACK_E_CHECKSUM, PSOPACK_OBJECT_BLOCK, block, row->offset,
                           "%s: block %u does not match its check: salvage what is whole, or build "
                           "without this archive",
                           old->path, block);
}

/* One component as its block holds it. `bytes` has its delivered size. */
static psopack_status rebuild_component(const psopack_old *old, psopack_context *context,
                                        uint32_t component, const psopack_transform *transform,
                                        uint8_t *bytes, void *scratch, uint8_t *out,
                                        psopack_diag *diag)
{
    const psopack_component_row *row = &old->components[component];
    size_t stored = (size_t)psopack_component_stored(row);
    PSOPACK_TRY(psopack_component_read(old->handle, context, component, bytes, (size_t)row->size,
                                       NULL, diag));
    if (transform)
        transform->forward(out, bytes, stored, scratch);
    else if (stored != 0)
        memcpy(out, bytes, stored);
    return PSOPACK_OK;
}

static psopack_status rebuild_block(const psopack_old *old, psopack_context *context,
                                    const psopack_block_row *row, uint8_t *out, psopack_diag *diag)
{
    const psopack_transform *transform = psopack_transform_find(row->transform);
    uint8_t *bytes = NULL, scratch[PSOPACK_TRANSFORM_SCRATCH];
    size_t capacity = 0, at = 0;
    psopack_status status = PSOPACK_OK;
    for (uint32_t i = row->first; i < row->first + row->count && status == PSOPACK_OK; i++) {
        status = psopack_grow(&bytes, &capacity, (size_t)old->components[i].size + 1, 1, diag);
        if (status == PSOPACK_OK)
            status = rebuild_component(old, context, i, transform, bytes, scratch, out + at, diag);
        at += (size_t)psopack_component_stored(&old->components[i]);
    }
    free(bytes);
    return status;
}

static psopack_status read_salvaged(const psopack_old *old, uint32_t component, uint8_t *bytes,
                                    psopack_diag *diag)
{
    psopack_salvage_reader *reader;
    PSOPACK_TRY(psopack_salvage_reader_create(&reader, diag));
    psopack_status status = psopack_salvage_read(old->salvage, reader, component, bytes, diag);
    psopack_salvage_reader_destroy(&reader);
    return status;
}

psopack_status psopack_old_read(const psopack_old *old, uint32_t component,
                                psopack_read_buffer *buffer, uint64_t *ret_size, psopack_diag *diag)
{
    uint64_t size = old->components[component].size;
    psopack_context *context;
    PSOPACK_TRY(psopack_grow(&buffer->bytes, &buffer->capacity, (size_t)size + 1, 1, diag));
    PSOPACK_TRY(psopack_context_create(old->handle, NULL, &context));
    psopack_status status = psopack_component_read(old->handle, context, component, buffer->bytes,
                                                   (size_t)size, NULL, diag);
    psopack_context_destroy(&context);
    if (status != PSOPACK_OK && old->salvage)
        status = read_salvaged(old, component, buffer->bytes, diag);
    if (status == PSOPACK_OK)
        *ret_size = size;
    return status;
}

psopack_status psopack_old_block_bytes(const psopack_old *old, uint32_t block, uint8_t *out,
                                       psopack_diag *diag)
{
    psopack_context *context;
    PSOPACK_TRY(psopack_context_create(old->handle, NULL, &context));
    psopack_status status = rebuild_block(old, context, &old->blocks[block], out, diag);
    psopack_context_destroy(&context);
    return status;
}
