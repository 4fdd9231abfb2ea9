/* SPDX-License-Identifier: MIT */
/* zstd, with every choice pinned. */
#define ZSTD_STATIC_LINKING_ONLY
#include "packer/codec.h"

#include <stdlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "packer/memory.h"

struct psopack_codec {
    ZSTD_CCtx *context;
};

struct psopack_codec_base {
    ZSTD_CDict *dictionary;
};

static psopack_status zstd_failed(size_t result, psopack_diag *diag)
{
    if (ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation)
        return psopack_no_memory(diag);
    return psopack_fail(diag, PSOPACK_E_INTERNAL, "zstd: %s", ZSTD_getErrorName(result));
}

psopack_status psopack_codec_create(psopack_codec **ret_codec, psopack_diag *diag)
{
    psopack_codec *codec;
    PSOPACK_TRY(psopack_new_array(&codec, 1, sizeof *codec, diag));
    codec->context = ZSTD_createCCtx();
    if (!codec->context) {
        free(codec);
        return psopack_no_memory(diag);
    }
    *ret_codec = codec;
    return PSOPACK_OK;
}

void psopack_codec_destroy(psopack_codec **codec)
{
    if (!*codec)
        return;
    ZSTD_freeCCtx((*codec)->context);
    free(*codec);
    *codec = NULL;
}

static void override(unsigned *field, unsigned value)
{
    if (value != 0)
        *field = value;
}

static ZSTD_compressionParameters make_parameters(const psopack_codec_params *params, size_t size,
                                                  size_t dictionary_size)
{
    ZSTD_compressionParameters made = ZSTD_getCParams(params->level, size, dictionary_size);
    override(&made.windowLog, params->window_log);
    override(&made.hashLog, params->hash_log);
    override(&made.chainLog, params->chain_log);
    override(&made.searchLog, params->search_log);
    override(&made.targetLength, params->target_length);
    return made;
}

psopack_status psopack_codec_base_create(const void *content, size_t size, bool has_tables,
                                         const psopack_codec_params *params,
                                         psopack_codec_base **ret_base, psopack_diag *diag)
{
    psopack_codec_base *base;
    PSOPACK_TRY(psopack_new_array(&base, 1, sizeof *base, diag));
    ZSTD_compressionParameters made = make_parameters(params, 0, size);
    base->dictionary = ZSTD_createCDict_advanced(
        content, size, ZSTD_dlm_byRef, has_tables ? ZSTD_dct_fullDict : ZSTD_dct_rawContent, made,
        ZSTD_defaultCMem);
    if (!base->dictionary) {
        free(base);
        return psopack_fail(diag, PSOPACK_E_NOMEM,
                            "a base of %zu bytes could not be made ready for compression", size);
    }
    *ret_base = base;
    return PSOPACK_OK;
}

void psopack_codec_base_destroy(psopack_codec_base **base)
{
    if (!*base)
        return;
    ZSTD_freeCDict((*base)->dictionary);
    free(*base);
    *base = NULL;
}

size_t psopack_codec_bound(size_t size)
{
    return ZSTD_compressBound(size);
}

typedef struct setting {
    ZSTD_cParameter parameter;
    int value;
} setting;

static psopack_status apply(ZSTD_CCtx *context, const setting *settings, size_t count,
                            psopack_diag *diag)
{
    for (size_t i = 0; i < count; i++) {
        size_t result = ZSTD_CCtx_setParameter(context, settings[i].parameter, settings[i].value);
        if (ZSTD_isError(result))
            return zstd_failed(result, diag);
    }
    return PSOPACK_OK;
}

static psopack_status apply_frame(ZSTD_CCtx *context, bool plain_frame, psopack_diag *diag)
{
    const setting settings[] = {
        {ZSTD_c_format, plain_frame ? ZSTD_f_zstd1 : ZSTD_f_zstd1_magicless},
        {ZSTD_c_contentSizeFlag, plain_frame},
        {ZSTD_c_checksumFlag, 0},
        {ZSTD_c_dictIDFlag, 0},
        /* Search a base where it lies: copying its tables per block costs twice the search. */
        {ZSTD_c_forceAttachDict, ZSTD_dictForceAttach},
    };
    return apply(context, settings, sizeof settings / sizeof settings[0], diag);
}

/* The row match finder is chosen by the processor unless it is pinned (zstd#4099). */
static psopack_status apply_parameters(ZSTD_CCtx *context, const psopack_codec_params *params,
                                       size_t size, psopack_diag *diag)
{
    ZSTD_compressionParameters made = make_parameters(params, size, 0);
    const setting settings[] = {
        {ZSTD_c_compressionLevel, params->level},      {ZSTD_c_windowLog, (int)made.windowLog},
        {ZSTD_c_hashLog, (int)made.hashLog},           {ZSTD_c_chainLog, (int)made.chainLog},
        {ZSTD_c_searchLog, (int)made.searchLog},       {ZSTD_c_minMatch, (int)made.minMatch},
        {ZSTD_c_targetLength, (int)made.targetLength}, {ZSTD_c_strategy, (int)made.strategy},
        {ZSTD_c_useRowMatchFinder, ZSTD_ps_disable},
    };
    return apply(context, settings, sizeof settings / sizeof settings[0], diag);
}

psopack_status psopack_codec_compress(psopack_codec *codec, const psopack_codec_params *params,
                                      const psopack_codec_base *base, bool plain_frame,
                                      const void *bytes, size_t size, void *out, size_t capacity,
                                      size_t *ret_size, psopack_diag *diag)
{
    ZSTD_CCtx *context = codec->context;
    ZSTD_CCtx_reset(context, ZSTD_reset_session_and_parameters);
    PSOPACK_TRY(apply_frame(context, plain_frame, diag));
    size_t result = 0;
    if (base)
        result = ZSTD_CCtx_refCDict(context, base->dictionary);
    else
        PSOPACK_TRY(apply_parameters(context, params, size, diag));
    if (!ZSTD_isError(result))
        result = ZSTD_CCtx_setPledgedSrcSize(context, size);
    if (!ZSTD_isError(result))
        result = ZSTD_compress2(context, out, capacity, bytes, size);
    if (ZSTD_isError(result))
        return zstd_failed(result, diag);
    *ret_size = result;
    return PSOPACK_OK;
}
