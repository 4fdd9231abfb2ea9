/* SPDX-License-Identifier: MIT */
/*
 * Names lie in pages of 64, front-coded. A decoded page is three runs, so that like stands beside
 * like for the compressor: for each name how many bytes it shares with the one before it (varint),
 * for each how many of its own follow (varint), then those bytes of all names. The first name of a
 * page shares none.
 */
#include <string.h>

#include "format/view.h"

#define HEAD_SIZE sizeof(psopack_disk_names)

static psopack_status load_head(const psopack_view *view, psopack_disk_names *ret_head,
                                psopack_diag *diag)
{
    const psopack_section *section = view->name_section;
    if (!section)
        return psopack_fail(diag, PSOPACK_E_NO_NAMES, "names not present: they were stripped");
    PSOPACK_TRY(psopack_section_require(section, 0, HEAD_SIZE, diag));
    memcpy(ret_head, section->bytes, HEAD_SIZE);
    uint64_t pages = psopack_load32(ret_head->page_count);
    uint64_t dictionary = psopack_load32(ret_head->dictionary_size);
    uint64_t expected =
        ((uint64_t)view->psos + PSOPACK_NAMES_PER_PAGE - 1) / PSOPACK_NAMES_PER_PAGE;
    if (pages != expected || psopack_load32(ret_head->page_raw_max) > PSOPACK_NAMES_PAGE_MAX ||
        psopack_load32(ret_head->reserved) != 0 || dictionary > section->size - HEAD_SIZE ||
        (pages + 1) * sizeof(psopack_u32le) > section->size - HEAD_SIZE - dictionary)
        return psopack_fail_at(diag, PSOPACK_E_CORRUPT, PSOPACK_OBJECT_SECTION, section->number,
                               section->offset, "section NAME does not fit its own head");
    return PSOPACK_OK;
}

psopack_status psopack_view_name_dictionary(const psopack_view *view, const uint8_t **ret_bytes,
                                            size_t *ret_size, size_t *ret_page_raw_max,
                                            psopack_diag *diag)
{
    psopack_disk_names head;
    PSOPACK_TRY(load_head(view, &head, diag));
    size_t size = psopack_load32(head.dictionary_size);
    PSOPACK_TRY(psopack_section_require(view->name_section, HEAD_SIZE, size, diag));
    *ret_bytes = view->name_section->bytes + HEAD_SIZE;
    *ret_size = size;
    *ret_page_raw_max = psopack_load32(head.page_raw_max);
    return PSOPACK_OK;
}

psopack_status psopack_view_name_page(const psopack_view *view, uint32_t page,
                                      psopack_name_page *ret_page, psopack_diag *diag)
{
    psopack_disk_names head;
    PSOPACK_TRY(load_head(view, &head, diag));
    const psopack_section *section = view->name_section;
    if (page >= psopack_load32(head.page_count))
        return psopack_fail(diag, PSOPACK_E_NOT_FOUND, "name page %u: there are %u", page,
                            psopack_load32(head.page_count));
    uint64_t at =
        HEAD_SIZE + psopack_load32(head.dictionary_size) + (uint64_t)page * sizeof(psopack_u32le);
    psopack_u32le offsets[2];
    PSOPACK_TRY(psopack_section_require(section, at, sizeof offsets, diag));
    memcpy(offsets, section->bytes + at, sizeof offsets);
    uint32_t start = psopack_load32(offsets[0]), end = psopack_load32(offsets[1]);
    if (start > end || end > section->size)
        return psopack_fail_at(diag, PSOPACK_E_CORRUPT, PSOPACK_OBJECT_SECTION, section->number,
                               section->offset + at, "name page %u is out of place", page);
    PSOPACK_TRY(psopack_section_require(section, start, end - start, diag));
    uint32_t first = page * PSOPACK_NAMES_PER_PAGE;
    uint32_t names = view->psos - first;
    *ret_page = (psopack_name_page){
        .frame = section->bytes + start,
        .frame_size = end - start,
        .first_pso = first,
        .names = names < PSOPACK_NAMES_PER_PAGE ? names : PSOPACK_NAMES_PER_PAGE,
    };
    return PSOPACK_OK;
}

/* Reads one varint below 2^14: enough for sizes up to PSOPACK_PSO_NAME_MAX. */
static bool load_varint(const uint8_t *page, size_t page_size, size_t *at, uint32_t *ret_value)
{
    if (*at >= page_size)
        return false;
    uint32_t value = page[(*at)++];
    if (value >= 0x80) {
        if (*at >= page_size || page[*at] >= 0x80)
            return false;
        value = (value & 0x7f) | (uint32_t)page[(*at)++] << 7;
    }
    *ret_value = value;
    return true;
}

static psopack_status malformed(psopack_diag *diag)
{
    return psopack_fail(diag, PSOPACK_E_CORRUPT, "a page of names is malformed");
}

psopack_status psopack_names_begin(psopack_names_walk *walk, const uint8_t *page, size_t page_size,
                                   uint32_t names, psopack_diag *diag)
{
    size_t at = 0, sizes_at = 0;
    uint32_t ignored;
    for (uint32_t i = 0; i < 2 * names; i++) {
        if (i == names)
            sizes_at = at;
        if (!load_varint(page, page_size, &at, &ignored))
            return malformed(diag);
    }
    *walk = (psopack_names_walk){
        .page = page, .page_size = page_size, .own_at = sizes_at, .bytes_at = at, .left = names};
    return PSOPACK_OK;
}

psopack_status psopack_names_next(psopack_names_walk *walk, uint8_t *buffer, psopack_diag *diag)
{
    uint32_t shared, own;
    if (walk->left == 0 || !load_varint(walk->page, walk->page_size, &walk->shared_at, &shared) ||
        !load_varint(walk->page, walk->page_size, &walk->own_at, &own) || shared > walk->size ||
        own > PSOPACK_PSO_NAME_MAX - shared || own > walk->page_size - walk->bytes_at)
        return malformed(diag);
    memcpy(buffer + shared, walk->page + walk->bytes_at, own);
    walk->bytes_at += own;
    walk->size = shared + own;
    walk->left--;
    return PSOPACK_OK;
}

psopack_status psopack_name_decode(const uint8_t *page, size_t page_size, uint32_t names,
                                   uint32_t index, uint8_t *buffer, uint32_t *ret_size,
                                   psopack_diag *diag)
{
    psopack_names_walk walk;
    if (index >= names)
        return malformed(diag);
    PSOPACK_TRY(psopack_names_begin(&walk, page, page_size, names, diag));
    for (uint32_t i = 0; i <= index; i++)
        PSOPACK_TRY(psopack_names_next(&walk, buffer, diag));
    *ret_size = walk.size;
    return PSOPACK_OK;
}
