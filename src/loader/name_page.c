/* SPDX-License-Identifier: MIT */
/* Decoding pages of names. */
#define ZSTD_STATIC_LINKING_ONLY
#include "loader/name_page.h"

#include <zstd.h>

#include "format/keys.h"
#include "loader/base.h"
#include "loader/layer.h"

/* The dictionary is made once for all contexts: it only refers to bytes of the manifest. */
static psopack_status require_dictionary(const psopack_archive *archive, psopack_diag *diag)
{
    const uint8_t *bytes;
    size_t size, page_max;
    psopack_names *names = archive->names;
    PSOPACK_TRY(psopack_view_name_dictionary(&archive->view, &bytes, &size, &page_max, diag));
    if (psopack_once_enter(&names->once, &archive->wait) == PSOPACK_ONCE_NEW) {
        names->dictionary = ZSTD_initStaticDDict(names->dictionary_room, psopack_dictionary_size(),
                                                 bytes, size, ZSTD_dlm_byRef, ZSTD_dct_rawContent);
        psopack_once_leave(&names->once, PSOPACK_ONCE_GOOD);
    }
    if (!names->dictionary)
        return psopack_fail(diag, PSOPACK_E_INTERNAL, "zstd takes no raw dictionary");
    return PSOPACK_OK;
}

static psopack_status decode_page(psopack_context *context, const psopack_archive *archive,
                                  const psopack_name_page *page, uint32_t number, size_t *ret_size,
                                  psopack_diag *diag)
{
    size_t result = ZSTD_DCtx_setParameter(context->decoder, ZSTD_d_format, ZSTD_f_zstd1_magicless);
    if (!ZSTD_isError(result))
        result =
            ZSTD_decompress_usingDDict(context->decoder, context->names, context->names_max,
                                       page->frame, page->frame_size, archive->names->dictionary);
    if (ZSTD_isError(result))
        return psopack_fail(diag, PSOPACK_E_CORRUPT, "name page %u does not decode: %s", number,
                            ZSTD_getErrorName(result));
    *ret_size = result;
    return PSOPACK_OK;
}

static psopack_status load_page(psopack_context *context, const psopack_archive *archive,
                                uint32_t number, psopack_diag *diag)
{
    psopack_name_page page;
    size_t size = 0;
    if (context->page == number && context->page_archive == archive)
        return PSOPACK_OK;
    PSOPACK_TRY(require_dictionary(archive, diag));
    PSOPACK_TRY(psopack_view_name_page(&archive->view, number, &page, diag));
    context->page = PSOPACK_NO_PAGE;
    PSOPACK_TRY(decode_page(context, archive, &page, number, &size, diag));
    context->page = number;
    context->page_archive = archive;
    context->page_size = (uint32_t)size;
    context->page_names = page.names;
    return PSOPACK_OK;
}

psopack_status psopack_context_name(psopack_context *context, const psopack_archive *archive,
                                    uint32_t pso, uint32_t *ret_size, psopack_diag *diag)
{
    if (pso >= archive->view.psos)
        return psopack_fail(diag, PSOPACK_E_NOT_FOUND, "PSO %u: there are %u", pso,
                            archive->view.psos);
    PSOPACK_TRY(load_page(context, archive, pso / PSOPACK_NAMES_PER_PAGE, diag));
    return psopack_name_decode(context->names, context->page_size, context->page_names,
                               pso % PSOPACK_NAMES_PER_PAGE, context->name, ret_size, diag);
}

psopack_status psopack_context_find_in_page(psopack_context *context,
                                            const psopack_archive *archive, uint32_t page,
                                            uint64_t key, uint32_t *ret_pso, uint32_t *ret_size,
                                            psopack_diag *diag)
{
    psopack_names_walk walk;
    uint64_t seed = archive->view.ends.key_seed;
    PSOPACK_TRY(load_page(context, archive, page, diag));
    PSOPACK_TRY(
        psopack_names_begin(&walk, context->names, context->page_size, context->page_names, diag));
    for (uint32_t i = 0; i < context->page_names; i++) {
        PSOPACK_TRY(psopack_names_next(&walk, context->name, diag));
        if (psopack_name_key(context->name, walk.size, seed) != key)
            continue;
        *ret_pso = page * PSOPACK_NAMES_PER_PAGE + i;
        *ret_size = walk.size;
        return PSOPACK_OK;
    }
    return PSOPACK_E_NOT_FOUND;
}

psopack_status psopack_context_shown_name(psopack_context *context, const psopack_archive *archive,
                                          uint32_t pso, uint32_t *ret_size, psopack_diag *diag)
{
    psopack_local local;
    PSOPACK_TRY(psopack_local_pso(archive, pso, &local, diag));
    psopack_status status =
        psopack_context_name(context, local.archive, local.index, ret_size, diag);
    return psopack_local_explain(archive, local.archive, status, diag);
}
