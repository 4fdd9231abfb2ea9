/* SPDX-License-Identifier: MIT */
/* Opening and closing: ends, section table, manifest, then room for what is decoded lazily. */
#include "loader/archive.h"

#include <string.h>

#include "loader/arena.h"
#include "loader/base.h"

#define HEADER_SIZE sizeof(psopack_disk_header)
#define TABLE_MAX (PSOPACK_SECTIONS_MAX * sizeof(psopack_disk_section))
#define TAIL_SIZE (TABLE_MAX + sizeof(psopack_disk_footer))
#define SEARCH_SIZE UINT64_C(65536) /* where a footer is looked for when it is not at the end */

/* ---- header, footer, section table ---------------------------------------------------------- */

typedef struct tail {
    uint8_t bytes[TAIL_SIZE]; /* the end of the file; the section table lies in it */
    size_t size;
} tail;

/* A footer is missing: look farther back, so that "extended" is told from "truncated". */
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

static psopack_status read_ends(const psopack_origin *origin, const psopack_allocator *allocator,
                                tail *ret_tail, psopack_ends *ret_ends, psopack_diag *diag)
{
    uint8_t header[HEADER_SIZE];
    size_t header_size = origin->size < HEADER_SIZE ? (size_t)origin->size : HEADER_SIZE;
    ret_tail->size = origin->size < TAIL_SIZE ? (size_t)origin->size : TAIL_SIZE;
    PSOPACK_TRY(psopack_origin_read(origin, 0, header, header_size, diag));
    PSOPACK_TRY(psopack_origin_read(origin, origin->size - ret_tail->size, ret_tail->bytes,
                                    ret_tail->size, diag));
    psopack_status status = psopack_ends_check(header, header_size, ret_tail->bytes, ret_tail->size,
                                               origin->size, ret_ends, NULL);
    if (status == PSOPACK_OK)
        return PSOPACK_OK;
    return explain_ends(origin, allocator, header, header_size, ret_ends, diag);
}

/* psopack_ends_check() proved that the table lies right in front of the footer. */
static const uint8_t *table_in(const tail *end, const psopack_ends *ends)
{
    return end->bytes + end->size - (size_t)(ends->file_size - ends->repeat_offset);
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
    psopack_arena arena = {0};
    size_t archive_at = psopack_arena_add(&arena, sizeof(psopack_archive));
    size_t pages_at = psopack_arena_add(&arena, pages * sizeof(psopack_page_state));
    size_t manifest_at = psopack_arena_add(&arena, origin->memory ? 0 : manifest_size);
    uint8_t *memory = psopack_arena_allocate(&arena, &options->allocator, diag);
    if (!memory)
        return PSOPACK_E_NOMEM;
    memset(memory, 0, manifest_at);
    *ret_archive = (psopack_archive *)(void *)(memory + archive_at);
    (*ret_archive)->size = arena.size;
    *ret_pages = (psopack_page_state *)(void *)(memory + pages_at);
    *ret_manifest = memory + manifest_at;
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
        {"PSOs", view->psos, limits->psos},
        {"components", view->components, limits->components},
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

static psopack_status allocate_second(psopack_archive *archive, psopack_diag *diag)
{
    psopack_view *view = &archive->view;
    psopack_arena arena = {0};
    size_t columns_at = psopack_arena_add(&arena, 2 * view->slots * sizeof(psopack_column));
    size_t bases_at = psopack_arena_add(&arena, view->bases * sizeof(psopack_base));
    size_t names_at = psopack_arena_add(&arena, view->name_section ? sizeof(psopack_names) : 0);
    size_t names_room_at =
        psopack_arena_add(&arena, view->name_section ? psopack_dictionary_size() : 0);
    size_t base_memory_at = arena.size;
    PSOPACK_TRY(psopack_bases_measure(view, &archive->limits, archive->origin.memory == NULL,
                                      &archive->base_memory, diag));
    psopack_arena_add(&arena, archive->base_memory);

    uint8_t *memory = psopack_arena_allocate(&arena, &archive->allocator, diag);
    if (!memory)
        return PSOPACK_E_NOMEM;
    memset(memory, 0, names_room_at);
    archive->second = memory;
    archive->second_size = arena.size;
    archive->bases = (psopack_base *)(void *)(memory + bases_at);
    if (view->name_section) {
        archive->names = (psopack_names *)(void *)(memory + names_at);
        archive->names->dictionary_room = memory + names_room_at;
    }
    psopack_bases_place(archive, memory + base_memory_at);
    return psopack_view_open_columns(view, (psopack_column *)(void *)(memory + columns_at), diag);
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
    PSOPACK_TRY(psopack_view_open(ends, manifest, manifest_offset, pages, &archive->view, diag));
    PSOPACK_TRY(check_limits(archive, diag));
    PSOPACK_TRY(allocate_second(archive, diag));
    if ((options->flags & PSOPACK_OPEN_CHECK_ALL) != 0)
        PSOPACK_TRY(psopack_view_check_all(&archive->view, diag));
    return check_staleness(&archive->view, options, diag);
}

/* Up to allocation 1; the origin stays the caller's when this fails. */
static psopack_status begin_archive(psopack_origin *origin, const psopack_open_options *options,
                                    psopack_archive **ret_archive, psopack_diag *diag)
{
    tail end;
    psopack_ends ends;
    uint64_t manifest_offset, page_count;
    psopack_page_state *pages = NULL;
    psopack_archive *archive = NULL;
    uint8_t *copy = NULL;
    PSOPACK_TRY(read_ends(origin, &options->allocator, &end, &ends, diag));
    PSOPACK_TRY(
        psopack_table_check(&ends, table_in(&end, &ends), &manifest_offset, &page_count, diag));
    uint64_t manifest_size = origin->size - manifest_offset;
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
