/* SPDX-License-Identifier: MIT */
/*
 * NAME: pages of 64 front-coded names, each a zstd frame against one dictionary made of pages
 * spread over the archive: small pages alone compress badly (1.5x on the test corpus).
 */
#include "format/layout.h"
#include "packer/codec.h"
#include "packer/manifest.h"

#define DICTIONARY_MAX ((size_t)16 << 10)
#define DICTIONARY_SHARE 16 /* at most this part of all page bytes */

static psopack_status add_varint(psopack_bytes *page, size_t value, psopack_diag *diag)
{
    uint8_t bytes[2] = {(uint8_t)(value & 0x7f), (uint8_t)(value >> 7)};
    if (value < 0x80)
        return psopack_bytes_add(page, bytes, 1, diag);
    bytes[0] |= 0x80;
    return psopack_bytes_add(page, bytes, 2, diag);
}

static size_t shared_prefix(const psopack_string *a, const psopack_string *b)
{
    size_t limit = a->size < b->size ? a->size : b->size, shared = 0;
    while (shared < limit && a->bytes[shared] == b->bytes[shared])
        shared++;
    return shared;
}

/* See format/names.c for the three runs of a page. */
static psopack_status front_code(const psopack_model *model, uint32_t first, uint32_t count,
                                 psopack_bytes *page, psopack_diag *diag)
{
    size_t shared[PSOPACK_NAMES_PER_PAGE] = {0};
    const psopack_model_pso *psos = model->psos + first;
    page->size = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (i != 0)
            shared[i] = shared_prefix(&psos[i - 1].name, &psos[i].name);
        PSOPACK_TRY(add_varint(page, shared[i], diag));
    }
    for (uint32_t i = 0; i < count; i++)
        PSOPACK_TRY(add_varint(page, psos[i].name.size - shared[i], diag));
    for (uint32_t i = 0; i < count; i++)
        PSOPACK_TRY(psopack_bytes_add(page, psos[i].name.bytes + shared[i],
                                      psos[i].name.size - shared[i], diag));
    return PSOPACK_OK;
}

typedef struct names_state {
    const psopack_manifest_input *input;
    uint32_t pages;
    psopack_bytes page;
    psopack_bytes dictionary;
    psopack_bytes frames;
    psopack_bytes frame;
    psopack_codec *codec;
    psopack_codec_base *base;
    uint32_t *ends; /* of each frame in `frames` */
    size_t raw_max;
} names_state;

static psopack_status make_page(names_state *state, uint32_t page, psopack_diag *diag)
{
    uint32_t first = page * PSOPACK_NAMES_PER_PAGE;
    uint32_t count = state->input->model->pso_count - first;
    if (count > PSOPACK_NAMES_PER_PAGE)
        count = PSOPACK_NAMES_PER_PAGE;
    return front_code(state->input->model, first, count, &state->page, diag);
}

/* Evenly spread pages, as many as fit. */
static psopack_status make_dictionary(names_state *state, psopack_diag *diag)
{
    size_t total = 0;
    for (uint32_t i = 0; i < state->pages; i++) {
        PSOPACK_TRY(make_page(state, i, diag));
        total += state->page.size;
        state->raw_max = state->page.size > state->raw_max ? state->page.size : state->raw_max;
    }
    size_t wanted = total / DICTIONARY_SHARE;
    if (wanted > DICTIONARY_MAX)
        wanted = DICTIONARY_MAX;
    size_t average = state->pages ? total / state->pages + 1 : 1, steps = wanted / average;
    for (size_t i = 0; i < steps; i++) {
        PSOPACK_TRY(make_page(state, (uint32_t)(i * state->pages / steps), diag));
        if (state->dictionary.size + state->page.size > wanted)
            break;
        PSOPACK_TRY(
            psopack_bytes_add(&state->dictionary, state->page.data, state->page.size, diag));
    }
    return PSOPACK_OK;
}

/* A page is always a frame, also when that is larger than its bytes: pages have no flags. */
static psopack_status compress_page(names_state *state, uint32_t page,
                                    const psopack_codec_params *params, psopack_diag *diag)
{
    size_t size, bound;
    PSOPACK_TRY(make_page(state, page, diag));
    bound = psopack_codec_bound(state->page.size);
    state->frame.size = 0;
    PSOPACK_TRY(psopack_bytes_add_zeros(&state->frame, bound, diag));
    PSOPACK_TRY(psopack_codec_compress(state->codec, params, state->base, false, state->page.data,
                                       state->page.size, state->frame.data, bound, &size, diag));
    PSOPACK_TRY(psopack_bytes_add(&state->frames, state->frame.data, size, diag));
    state->ends[page] = (uint32_t)state->frames.size;
    return PSOPACK_OK;
}

static psopack_status compress_pages(names_state *state, psopack_diag *diag)
{
    psopack_codec_params params = {.level = state->input->settings->name_level};
    PSOPACK_TRY(psopack_codec_create(&state->codec, diag));
    PSOPACK_TRY(make_dictionary(state, diag));
    if (state->dictionary.size != 0)
        PSOPACK_TRY(psopack_codec_base_create(state->dictionary.data, state->dictionary.size, false,
                                              &params, &state->base, diag));
    PSOPACK_TRY(psopack_new_array(&state->ends, state->pages, sizeof *state->ends, diag));
    for (uint32_t i = 0; i < state->pages; i++)
        PSOPACK_TRY(compress_page(state, i, &params, diag));
    return PSOPACK_OK;
}

static psopack_status put_together(const names_state *state, psopack_bytes *section,
                                   psopack_diag *diag)
{
    psopack_disk_names head = {
        .page_count = psopack_store32(state->pages),
        .page_raw_max = psopack_store32((uint32_t)state->raw_max),
        .dictionary_size = psopack_store32((uint32_t)state->dictionary.size),
    };
    PSOPACK_TRY(psopack_bytes_add(section, &head, sizeof head, diag));
    PSOPACK_TRY(psopack_bytes_add(section, state->dictionary.data, state->dictionary.size, diag));
    size_t start = section->size + (state->pages + (size_t)1) * sizeof(psopack_u32le);
    if (state->frames.size > UINT32_MAX - start)
        return psopack_fail(diag, PSOPACK_E_LIMIT, "names take more than 4 GiB compressed");
    for (uint32_t i = 0; i <= state->pages; i++) {
        psopack_u32le offset = psopack_store32((uint32_t)start + (i == 0 ? 0 : state->ends[i - 1]));
        PSOPACK_TRY(psopack_bytes_add(section, &offset, sizeof offset, diag));
    }
    return psopack_bytes_add(section, state->frames.data, state->frames.size, diag);
}

psopack_status psopack_section_names(const psopack_manifest_input *input, psopack_bytes *section,
                                     psopack_diag *diag)
{
    names_state state = {.input = input};
    state.pages = (input->model->pso_count + PSOPACK_NAMES_PER_PAGE - 1) / PSOPACK_NAMES_PER_PAGE;
    psopack_status status = compress_pages(&state, diag);
    if (status == PSOPACK_OK)
        status = put_together(&state, section, diag);
    psopack_codec_base_destroy(&state.base);
    psopack_codec_destroy(&state.codec);
    psopack_bytes_free(&state.page);
    psopack_bytes_free(&state.dictionary);
    psopack_bytes_free(&state.frames);
    psopack_bytes_free(&state.frame);
    free(state.ends);
    return status;
}
