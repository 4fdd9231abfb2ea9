/* SPDX-License-Identifier: MIT */
/* A copy of a manifest with all that can be mended in it: ends, section table, pages. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/crc32c.h"
#include "packer/salvage.h"

#define HEADER_SIZE sizeof(psopack_disk_header)
#define FOOTER_SIZE sizeof(psopack_disk_footer)
#define ROW_SIZE sizeof(psopack_disk_section)

typedef struct mender {
    const uint8_t *file;
    uint64_t size; /* of the archive, once its footer is found */
    const psopack_build_events *events;
    psopack_disk_footer footer;
    psopack_disk_section rows[PSOPACK_SECTIONS_MAX];
    uint32_t count;
    uint64_t offset; /* of the manifest */
    uint8_t *manifest;
    bool believed; /* some names are not proved by a page's check */
} mender;

static void tell(const mender *m, const char *what)
{
    psopack_diag text;
    psopack_fail(&text, PSOPACK_OK, "mended: %s", what);
    if (m->events->message)
        m->events->message(m->events->user, PSOPACK_NOTE, text.text);
}

/* ---- the footer -------------------------------------------------------------------------------
 */

static bool footer_fits(const psopack_disk_footer *footer, uint64_t size)
{
    uint64_t count = psopack_load32(footer->section_count);
    return memcmp(footer->magic, PSOPACK_FOOTER_MAGIC, PSOPACK_MAGIC_SIZE) == 0 &&
           psopack_load64(footer->file_size) == size && count != 0 &&
           count <= PSOPACK_SECTIONS_MAX &&
           size >= HEADER_SIZE + 2 * count * ROW_SIZE + FOOTER_SIZE;
}

/* Where the next section begins; the same rule as format/ends.c has. */
static uint64_t section_end(const psopack_disk_section *row)
{
    uint64_t size = psopack_load64(row->size);
    uint64_t end = psopack_load64(row->offset) + size + psopack_section_table_size(size);
    return (end + 7) & ~UINT64_C(7);
}

/* Whether rows describe sections one behind the other, up to the table at `table_offset`. */
static bool rows_fit(const psopack_disk_section *rows, uint32_t count, uint64_t table_offset)
{
    for (uint32_t i = 0; i < count; i++) {
        uint64_t offset = psopack_load64(rows[i].offset), size = psopack_load64(rows[i].size);
        uint64_t next = i + 1 < count ? psopack_load64(rows[i + 1].offset) : table_offset;
        if (offset < HEADER_SIZE || offset > table_offset || size > table_offset - offset ||
            section_end(&rows[i]) != next)
            return false;
    }
    return true;
}

static bool has_section(const mender *m, uint32_t id)
{
    for (uint32_t i = 0; i < m->count; i++) {
        if (psopack_load32(m->rows[i].id) == id)
            return true;
    }
    return false;
}

/* Without a footer: a section table of some length that fits, in front of where it should be. */
static bool guess_tables(mender *m)
{
    for (uint32_t count = 1; count <= PSOPACK_SECTIONS_MAX; count++) {
        uint64_t tables = 2 * (uint64_t)count * ROW_SIZE;
        if (m->size < HEADER_SIZE + tables + FOOTER_SIZE)
            return false;
        uint64_t table = m->size - FOOTER_SIZE - tables;
        for (int copy = 0; copy < 2; copy++) {
            memcpy(m->rows, m->file + table + (uint64_t)copy * count * ROW_SIZE, count * ROW_SIZE);
            m->count = count;
            if (rows_fit(m->rows, count, table) && has_section(m, PSOPACK_SECTION_META))
                return true;
        }
    }
    return false;
}

static bool find_footer_behind(mender *m, uint64_t size)
{
    for (uint64_t at = size; at-- > FOOTER_SIZE;) {
        const uint8_t *bytes = m->file + at - FOOTER_SIZE;
        if (memcmp(bytes, PSOPACK_FOOTER_MAGIC, PSOPACK_MAGIC_SIZE) != 0)
            continue;
        memcpy(&m->footer, bytes, FOOTER_SIZE);
        m->size = at;
        if (footer_fits(&m->footer, at) &&
            psopack_crc32c(0, bytes, FOOTER_SIZE - 4) == psopack_load32(m->footer.crc))
            return true;
    }
    return false;
}

static psopack_status find_footer(mender *m, uint64_t size, bool *ret_guess, psopack_diag *diag)
{
    uint32_t crc;
    *ret_guess = false;
    m->size = size;
    if (size < HEADER_SIZE + FOOTER_SIZE)
        return psopack_fail(diag, PSOPACK_E_TRUNCATED, "%llu bytes: nothing of a manifest is left",
                            (unsigned long long)size);
    memcpy(&m->footer, m->file + size - FOOTER_SIZE, FOOTER_SIZE);
    psopack_disk_footer stored = m->footer;
    if (psopack_mend_bit((uint8_t *)&m->footer, FOOTER_SIZE - 4, psopack_load32(stored.crc),
                         &crc) &&
        footer_fits(&m->footer, size)) {
        if (memcmp(&stored, &m->footer, FOOTER_SIZE) != 0 || crc != psopack_load32(stored.crc))
            tell(m, "a bit of the footer");
        return PSOPACK_OK;
    }
    if (guess_tables(m)) {
        tell(m, "the footer, from the section table");
        *ret_guess = true;
        return PSOPACK_OK;
    }
    if (find_footer_behind(m, size)) {
        tell(m, "bytes behind the archive were left out");
        return PSOPACK_OK;
    }
    return psopack_fail(diag, PSOPACK_E_TRUNCATED,
                        "neither a footer nor a section table: the manifest is gone, and without "
                        "it nothing can be told apart");
}

/* ---- the section table ------------------------------------------------------------------------
 */

static psopack_status find_rows(mender *m, psopack_diag *diag)
{
    uint32_t crc, wanted = psopack_load32(m->footer.table_crc);
    m->count = psopack_load32(m->footer.section_count);
    size_t size = m->count * ROW_SIZE;
    uint64_t table = m->size - FOOTER_SIZE - 2 * (uint64_t)size;
    for (int attempt = 0; attempt < 4; attempt++) {
        bool second = attempt % 2 == 0;
        memcpy(m->rows, m->file + table + (second ? size : 0), size);
        bool good = attempt < 2 ? psopack_crc32c(0, m->rows, size) == wanted
                                : psopack_mend_bit((uint8_t *)m->rows, size, wanted, &crc);
        if (good && rows_fit(m->rows, m->count, table))
            return PSOPACK_OK;
    }
    return psopack_fail(diag, PSOPACK_E_CORRUPT, "both copies of the section table are damaged");
}

/* ---- pages ------------------------------------------------------------------------------------
 */

static void tell_section(const mender *m, const psopack_disk_section *row, const char *what)
{
    char name[5], text[80];
    psopack_section_name(psopack_load32(row->id), name);
    snprintf(text, sizeof text, "%s of section %s", what, name);
    tell(m, text);
}

/*
 * One page; returns the check that it is to have. A page that can't be mended is believed: most of
 * its bytes are right, and all that is taken from it is proved again by the blocks' checks, the
 * components' and tuples' CRCs, and names by their keys.
 */
static uint32_t mend_page(mender *m, const psopack_disk_section *row, uint8_t *page, size_t size,
                          uint32_t stored)
{
    uint32_t crc = psopack_crc32c(0, page, size);
    if (crc == stored)
        return crc;
    if (psopack_mend_bit(page, size, stored, &crc)) {
        tell_section(m, row, "a bit");
        return crc;
    }
    tell_section(m, row, "not a page that is damaged twice");
    m->believed |= psopack_load32(row->id) == PSOPACK_SECTION_NAME;
    return psopack_crc32c(0, page, size);
}

static void mend_section(mender *m, psopack_disk_section *row)
{
    uint64_t size = psopack_load64(row->size), pages = psopack_section_pages(size);
    uint8_t *bytes = m->manifest + (psopack_load64(row->offset) - m->offset);
    uint32_t crc = psopack_load32(row->crc);
    if (pages <= 1) {
        row->crc = psopack_store32(mend_page(m, row, bytes, (size_t)size, crc));
        return;
    }
    uint8_t *table = bytes + size + ((4 - (size & 3)) & 3);
    psopack_mend_bit(table, (size_t)pages * 4, crc, &crc);
    for (uint64_t page = 0; page < pages; page++) {
        psopack_u32le stored;
        uint64_t at = page * PSOPACK_SECTION_PAGE, left = size - at;
        size_t count = (size_t)(left < PSOPACK_SECTION_PAGE ? left : PSOPACK_SECTION_PAGE);
        memcpy(&stored, table + page * 4, sizeof stored);
        stored = psopack_store32(mend_page(m, row, bytes + at, count, psopack_load32(stored)));
        memcpy(table + page * 4, &stored, sizeof stored);
    }
    row->crc = psopack_store32(psopack_crc32c(0, table, (size_t)pages * 4));
}

/* ---- the whole --------------------------------------------------------------------------------
 */

static void write_ends(mender *m)
{
    size_t size = m->count * ROW_SIZE;
    uint64_t table = m->size - FOOTER_SIZE - 2 * (uint64_t)size;
    uint8_t *at = m->manifest + (table - m->offset);
    psopack_disk_footer *footer = &m->footer;
    footer->table_crc = psopack_store32(psopack_crc32c(0, m->rows, size));
    psopack_archive_id(footer, m->rows, size, footer->archive_id);
    footer->crc = psopack_store32(psopack_crc32c(0, footer, FOOTER_SIZE - sizeof footer->crc));
    memcpy(at, m->rows, size);
    memcpy(at + size, m->rows, size);
    memcpy(at + 2 * size, footer, FOOTER_SIZE);
}

static void make_footer(mender *m)
{
    uint64_t size = m->count * (uint64_t)ROW_SIZE;
    bool layer = has_section(m, PSOPACK_SECTION_LAYR);
    m->footer = (psopack_disk_footer){
        .footer_size = psopack_store32(FOOTER_SIZE),
        .section_count = psopack_store32(m->count),
        .file_size = psopack_store64(m->size),
        .table_offset = psopack_store64(m->size - FOOTER_SIZE - 2 * size),
        .repeat_offset = psopack_store64(m->size - FOOTER_SIZE - size),
        .version = psopack_store32(PSOPACK_FORMAT_VERSION),
        .must_refuse = psopack_store64(layer ? PSOPACK_FEATURE_LAYER : UINT64_C(0)),
    };
    memcpy(m->footer.magic, PSOPACK_FOOTER_MAGIC, PSOPACK_MAGIC_SIZE);
}

static void make_header(psopack_disk_header *header)
{
    *header = (psopack_disk_header){
        .version = psopack_store32(PSOPACK_FORMAT_VERSION),
        .header_size = psopack_store32(HEADER_SIZE),
        .footer_size = psopack_store32(FOOTER_SIZE),
    };
    memcpy(header->magic, PSOPACK_HEADER_MAGIC, PSOPACK_MAGIC_SIZE);
    header->crc = psopack_store32(psopack_crc32c(0, header, sizeof *header));
}

psopack_status psopack_mend(const uint8_t *file, uint64_t size, const psopack_build_events *events,
                            psopack_mended *ret_mended, psopack_diag *diag)
{
    mender m = {.file = file, .events = events};
    bool is_guess;
    PSOPACK_TRY(find_footer(&m, size, &is_guess, diag));
    if (is_guess)
        make_footer(&m);
    else
        PSOPACK_TRY(find_rows(&m, diag));
    m.offset = psopack_load64(m.rows[0].offset);
    PSOPACK_TRY(psopack_new_array(&m.manifest, (size_t)(m.size - m.offset), 1, diag));
    memcpy(m.manifest, file + m.offset, (size_t)(m.size - m.offset));
    for (uint32_t i = 0; i < m.count; i++)
        mend_section(&m, &m.rows[i]);
    write_ends(&m);
    psopack_mended mended = {.manifest = m.manifest,
                             .offset = m.offset,
                             .size = m.size,
                             .doubts_names = m.believed && !is_guess};
    make_header(&mended.header);
    *ret_mended = mended;
    return PSOPACK_OK;
}
