/* SPDX-License-Identifier: MIT */
/* Opening and closing: ends, section table, manifest, then room for what is decoded lazily. */
#include "loader/archive.h"

#include <string.h>

#include "loader/base.h"
#include "loader/layer.h"
#include "loader/memory_layout.h"
#include "loader/open.h"

#define HEADER_SIZE sizeof(psopack_disk_header)
#define SEARCH_SIZE UINT64_C(65536) /* where a footer is looked for when it is not at the end */

/* ---- header, footer, section table ---------------------------------------------------------- */

/* A footer is missing: look farther back, so that "extended" is told from "truncated". */
#define EXPECTED_MAX ((uint64_t)512 << 10) /* of a manifest: all that open looks at, and more */

static psopack_status explain_ends(const psopack_origin *origin, const psopack_allocator *allocator,
                                   const uint8_t *header, size_t header_size,
                                   psopack_ends *ret_ends, psopack_diag *diag)
{
    size_t size = (size_t)(origin->size < SEARCH_SIZE ? origin->size : SEARCH_SIZE);
    uint8_t *bytes = psopack_allocate(allocator, size ? size : 1, diag);
    if (!bytes)
        return PSOPACK_E_NOMEM;
    psopack_status status = psopack_origin_read(origin, origin->size - size, bytes, size, diag);
    if (status == PSOPACK_OK)
        status = psopack_ends_check(header, header_size, bytes, size, origin->size, ret_ends, diag);
    allocator->release(allocator->user, bytes, size ? size : 1);
    return status;
}

psopack_status psopack_tail_read(const psopack_origin *origin, const psopack_allocator *allocator,
                                 psopack_tail *ret_tail, psopack_ends *ret_ends, psopack_diag *diag)
{
    uint8_t header[HEADER_SIZE];
    size_t header_size = origin->size < HEADER_SIZE ? (size_t)origin->size : HEADER_SIZE;
    size_t tail_size = sizeof ret_tail->bytes;
    ret_tail->size = origin->size < tail_size ? (size_t)origin->size : tail_size;
    PSOPACK_TRY(psopack_origin_read(origin, 0, header, header_size, diag));
    PSOPACK_TRY(psopack_origin_read(origin, origin->size - ret_tail->size, ret_tail->bytes,
                                    ret_tail->size, diag));
    psopack_status status = psopack_ends_check(header, header_size, ret_tail->bytes, ret_tail->size,
                                               origin->size, ret_ends, diag);
    if (status == PSOPACK_E_TRUNCATED && allocator)
        return explain_ends(origin, allocator, header, header_size, ret_ends, diag);
    return status;
}

/* ---- allocation 1 --------------------------------------------------------------------------- */

static psopack_status allocate_archive(const psopack_origin *origin,
                                       const psopack_open_options *options, uint64_t pages,
                                       uint64_t manifest_size, psopack_archive **ret_archive,
                                       psopack_page_state **ret_pages, uint8_t **ret_manifest,
                                       psopack_diag *diag)
{
    if (!origin->memory && manifest_size > options->limits.manifest_size)
        return psopack_fail(diag, PSOPACK_E_LIMIT,
                            "the manifest has %llu bytes, the limit is %llu: raise "
                            "limits.manifest_size or map the archive",
                            (unsigned long long)manifest_size,
                            (unsigned long long)options->limits.manifest_size);
    psopack_first_layout layout = psopack_lay_out_first(pages, origin->memory ? 0 : manifest_size);
    uint8_t *memory = psopack_arena_allocate(&layout.arena, &options->allocator, diag);
    if (!memory)
        return PSOPACK_E_NOMEM;
    memset(memory, 0, layout.manifest);
    *ret_archive = (psopack_archive *)(void *)(memory + layout.archive);
    (*ret_archive)->size = layout.arena.size;
    *ret_pages = (psopack_page_state *)(void *)(memory + layout.pages);
    *ret_manifest = memory + layout.manifest;
    return PSOPACK_OK;
}

static psopack_status check_limits(const psopack_archive *archive, psopack_diag *diag)
{
    const psopack_view *view = &archive->view;
    const psopack_open_limits *limits = &archive->limits;
    const struct {
        const char *what;
        uint64_t value, limit;
    } rows[] = {
        {"PSOs", view->layer.depth ? view->layer.psos : view->psos, limits->psos},
        {"components", view->component_end, limits->components},
        {"bytes in a block", view->block_raw_max, limits->block_size},
        {"stored bytes in a block", view->block_stored_max, limits->block_size},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].value > rows[i].limit)
            return psopack_fail(diag, PSOPACK_E_LIMIT,
                                "%s: the archive has up to %llu, the limit is %llu: raise it in "
                                "psopack_open_options",
                                rows[i].what, (unsigned long long)rows[i].value,
                                (unsigned long long)rows[i].limit);
    }
    return PSOPACK_OK;
}

static psopack_status check_staleness(const psopack_view *view, const psopack_open_options *options,
                                      psopack_diag *diag)
{
    if (options->target && strcmp(options->target, view->target) != 0)
        return psopack_fail(diag, PSOPACK_E_STALE_TARGET,
                            "built for target '%.150s', not for '%.150s'", view->target,
                            options->target);
    if (options->content_version && *options->content_version != view->content_version)
        return psopack_fail(diag, PSOPACK_E_STALE_CONTENT, "content version %llu, wanted is %llu",
                            (unsigned long long)view->content_version,
                            (unsigned long long)*options->content_version);
    return PSOPACK_OK;
}

/* ---- allocation 2 --------------------------------------------------------------------------- */

static psopack_status allocate_second(psopack_archive *archive, uint16_t **ret_base_slots,
                                      psopack_diag *diag)
{
    psopack_view *view = &archive->view;
    PSOPACK_TRY(psopack_bases_measure(view, &archive->limits, archive->origin.memory == NULL,
                                      &archive->base_memory, diag));
    psopack_second_layout layout = psopack_lay_out_second(
        view->slots, view->bases, view->layer.depth != 0,
        view->name_section ? psopack_dictionary_size() : 0, archive->base_memory);
    uint8_t *memory = psopack_arena_allocate(&layout.arena, &archive->allocator, diag);
    if (!memory)
        return PSOPACK_E_NOMEM;
    memset(memory, 0, layout.names_room);
    archive->second = memory;
    archive->second_size = layout.arena.size;
    archive->bases = (psopack_base *)(void *)(memory + layout.bases);
    if (view->name_section) {
        archive->names = (psopack_names *)(void *)(memory + layout.names);
        archive->names->dictionary_room = memory + layout.names_room;
    }
    *ret_base_slots = (uint16_t *)(void *)(memory + layout.base_slots);
    psopack_bases_place(archive, memory + layout.base_memory);
    return psopack_view_open_columns(view, (psopack_column *)(void *)(memory + layout.columns),
                                     diag);
}

/* ---- open, close ---------------------------------------------------------------------------- */

static void free_archive(psopack_archive *archive)
{
    psopack_allocator allocator = archive->allocator;
    if (archive->second)
        allocator.release(allocator.user, archive->second, archive->second_size);
    if (archive->origin.close)
        archive->origin.close(&archive->origin, &allocator);
    allocator.release(allocator.user, archive, archive->size);
}

/* Everything after allocation 1. `archive` owns the origin by now. */
static psopack_status fill_archive(psopack_archive *archive, const psopack_ends *ends,
                                   const uint8_t *manifest, uint64_t manifest_offset,
                                   psopack_page_state *pages, const psopack_open_options *options,
                                   psopack_diag *diag)
{
    uint16_t *base_slots = NULL;
    PSOPACK_TRY(psopack_view_open(ends, manifest, manifest_offset, pages, &archive->view, diag));
    PSOPACK_TRY(check_limits(archive, diag));
    PSOPACK_TRY(allocate_second(archive, &base_slots, diag));
    if ((options->flags & PSOPACK_OPEN_CHECK_ALL) != 0)
        PSOPACK_TRY(psopack_view_check_all(&archive->view, diag));
    PSOPACK_TRY(check_staleness(&archive->view, options, diag));
    return psopack_layer_attach(archive, options, base_slots, diag);
}

/* Up to allocation 1; the origin stays the caller's when this fails. */
static psopack_status begin_archive(psopack_origin *origin, const psopack_open_options *options,
                                    psopack_archive **ret_archive, psopack_diag *diag)
{
    psopack_tail tail;
    psopack_ends ends;
    uint64_t manifest_offset, page_count;
    psopack_page_state *pages = NULL;
    psopack_archive *archive = NULL;
    uint8_t *copy = NULL;
    PSOPACK_TRY(psopack_tail_read(origin, &options->allocator, &tail, &ends, diag));
    PSOPACK_TRY(psopack_table_check(&ends, psopack_tail_table(&tail, &ends), &manifest_offset,
                                    &page_count, diag));
    uint64_t manifest_size = origin->size - manifest_offset;
    if (origin->expect)
        origin->expect(origin, manifest_offset,
                       manifest_size < EXPECTED_MAX ? manifest_size : EXPECTED_MAX);
    PSOPACK_TRY(allocate_archive(origin, options, page_count, manifest_size, &archive, &pages,
                                 &copy, diag));
    archive->allocator = options->allocator;
    archive->limits = options->limits;
    archive->wait = (psopack_wait){options->wait, options->wait_user};

    const uint8_t *manifest = origin->memory ? origin->memory + (size_t)manifest_offset : copy;
    psopack_status status = PSOPACK_OK;
    if (!origin->memory)
        status = psopack_origin_read(origin, manifest_offset, copy, (size_t)manifest_size, diag);
    archive->origin = *origin;
    if (status == PSOPACK_OK)
        status = fill_archive(archive, &ends, manifest, manifest_offset, pages, options, diag);
    if (status != PSOPACK_OK) {
        archive->origin.close = NULL;
        free_archive(archive);
        return status;
    }
    *ret_archive = archive;
    return PSOPACK_OK;
}

psopack_status psopack_archive_open_origin(psopack_origin *origin,
                                           const psopack_open_options *options,
                                           psopack_archive **ret_archive, psopack_diag *diag)
{
    psopack_status status = begin_archive(origin, options, ret_archive, diag);
    if (status != PSOPACK_OK && origin->close)
        origin->close(origin, &options->allocator);
    return status;
}

void psopack_archive_close(psopack_archive **archive)
{
    if (!archive || !*archive)
        return;
    free_archive(*archive);
    *archive = NULL;
}
