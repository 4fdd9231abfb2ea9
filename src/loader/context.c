/* SPDX-License-Identifier: MIT */
/* Making contexts. */
#define ZSTD_STATIC_LINKING_ONLY
#include "loader/context.h"

#include <string.h>
#include <zstd.h>

#include "loader/memory_layout.h"

/*
 * Frames are decoded in one call, which needs no window memory, so this refuses nothing that is
 * honest: it is here so that no later streaming use can be talked into a huge window.
 */
#define WINDOW_LOG_MAX 28

size_t psopack_decoder_size(void)
{
    return ZSTD_estimateDCtxSize();
}

/* Damaged names leave a context without room for them; each look at a name says why. */
static size_t names_room(const psopack_archive *archive)
{
    const uint8_t *dictionary;
    size_t dictionary_size, names_max;
    if (psopack_view_name_dictionary(&archive->view, &dictionary, &dictionary_size, &names_max,
                                     NULL) != PSOPACK_OK)
        return 0;
    return names_max;
}

void psopack_context_sizes_add(psopack_context_sizes *sizes, const psopack_archive *archive)
{
    for (; archive; archive = archive->base) {
        const psopack_view *view = &archive->view;
        size_t names = names_room(archive);
        if (view->block_raw_max > sizes->raw_max)
            sizes->raw_max = view->block_raw_max;
        if (!archive->origin.memory && view->block_stored_max > sizes->stored_max)
            sizes->stored_max = view->block_stored_max;
        if (names > sizes->names_max)
            sizes->names_max = names;
    }
}

static psopack_context_layout lay_out(const psopack_archive *archive)
{
    psopack_context_sizes sizes = {0, 0, 0};
    psopack_context_sizes_add(&sizes, archive);
    return psopack_lay_out_context(psopack_decoder_size(), &sizes);
}

uint64_t psopack_context_size(const psopack_archive *archive)
{
    return lay_out(archive).arena.size;
}

static psopack_status make_decoder(psopack_context *context, void *memory)
{
    context->decoder = ZSTD_initStaticDCtx(memory, psopack_decoder_size());
    if (!context->decoder ||
        ZSTD_isError(ZSTD_DCtx_setParameter(context->decoder, ZSTD_d_windowLogMax, WINDOW_LOG_MAX)))
        return PSOPACK_E_INTERNAL;
    return PSOPACK_OK;
}

psopack_status psopack_context_create(const psopack_archive *archive,
                                      const psopack_allocator *allocator,
                                      psopack_context **ret_context)
{
    if (!archive || !ret_context)
        return PSOPACK_E_ARGUMENT;
    psopack_allocator own = archive->allocator;
    if (allocator)
        PSOPACK_TRY(psopack_allocator_load(allocator, &own, NULL));
    psopack_context_layout layout = lay_out(archive);
    uint8_t *memory = psopack_arena_allocate(&layout.arena, &own, NULL);
    if (!memory)
        return PSOPACK_E_NOMEM;
    psopack_context *context = (psopack_context *)(void *)memory;
    memset(context, 0, sizeof *context);
    context->archive = archive;
    context->allocator = own;
    context->size = layout.arena.size;
    context->raw = memory + layout.raw;
    context->stored = memory + layout.stored;
    context->names = memory + layout.names;
    context->names_max = layout.arena.size - layout.names;
    context->transform_scratch = memory + layout.scratch;
    psopack_context_forget(context);
    psopack_status status = make_decoder(context, memory + layout.decoder);
    if (status != PSOPACK_OK) {
        psopack_context_destroy(&context);
        return status;
    }
    *ret_context = context;
    return PSOPACK_OK;
}

void psopack_context_destroy(psopack_context **context)
{
    if (!context || !*context)
        return;
    psopack_allocator allocator = (*context)->allocator;
    allocator.release(allocator.user, *context, (*context)->size);
    *context = NULL;
}

bool psopack_context_serves(const psopack_context *context, const psopack_archive *archive)
{
    const psopack_archive *at = context ? context->archive : NULL;
    while (at && at != archive)
        at = at->base;
    return at != NULL;
}

const uint8_t *psopack_context_stored(const psopack_context *context,
                                      const psopack_archive *archive, const psopack_block_row *row)
{
    const psopack_origin *origin = &archive->origin;
    uint64_t at = row->offset - context->supplied_offset; /* huge when it lies in front */
    if (context->supplied && context->supplied_archive == archive && at <= context->supplied_size &&
        row->stored_size <= context->supplied_size - at)
        return context->supplied + (size_t)at;
    return origin->memory ? origin->memory + (size_t)row->offset : NULL;
}

void psopack_context_forget(psopack_context *context)
{
    context->block = PSOPACK_NO_BLOCK;
    context->page = PSOPACK_NO_PAGE;
    context->cursor.archive = NULL;
}
