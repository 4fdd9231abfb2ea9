/* SPDX-License-Identifier: MIT */
/* Checking a section's pages on first touch. */
#include "format/section.h"

#include <string.h>

#include "format/crc32c.h"

bool psopack_section_table_is_good(const psopack_section *section)
{
    uint64_t size = psopack_section_pages(section->size) * sizeof(psopack_u32le);
    return psopack_crc32c(0, psopack_section_table(section), size) == section->crc;
}

bool psopack_section_check_page(const psopack_section *section, uint64_t page)
{
    uint8_t known = atomic_load_explicit(&section->pages[page], memory_order_relaxed);
    if (known != PSOPACK_PAGE_UNKNOWN)
        return known == PSOPACK_PAGE_GOOD;

    uint64_t start = page * PSOPACK_SECTION_PAGE;
    uint64_t size = section->size - start;
    if (size > PSOPACK_SECTION_PAGE)
        size = PSOPACK_SECTION_PAGE;

    uint32_t wanted = section->crc;
    if (psopack_section_pages(section->size) > 1) {
        psopack_u32le entry;
        memcpy(&entry, psopack_section_table(section) + page * sizeof entry, sizeof entry);
        wanted = psopack_load32(entry);
    }
    bool good = psopack_crc32c(0, section->bytes + start, size) == wanted;
    atomic_store_explicit(&section->pages[page], good ? PSOPACK_PAGE_GOOD : PSOPACK_PAGE_BAD,
                          memory_order_relaxed);
    return good;
}

psopack_status psopack_section_require(const psopack_section *section, uint64_t offset,
                                       uint64_t size, psopack_diag *diag)
{
    char name[5];
    psopack_section_name(section->id, name);
    if (offset > section->size || size > section->size - offset)
        return psopack_fail_at(diag, PSOPACK_E_CORRUPT, PSOPACK_OBJECT_SECTION, section->number,
                               section->offset, "section %s: a part lies outside of it", name);
    if (size == 0)
        return PSOPACK_OK;
    for (uint64_t page = offset / PSOPACK_SECTION_PAGE;
         page <= (offset + size - 1) / PSOPACK_SECTION_PAGE; page++) {
        if (!psopack_section_check_page(section, page))
            return psopack_fail_at(diag, PSOPACK_E_CHECKSUM, PSOPACK_OBJECT_SECTION,
                                   section->number, section->offset + page * PSOPACK_SECTION_PAGE,
                                   "section %s: its check does not match its bytes; get the file "
                                   "again or run 'psopack salvage'",
                                   name);
    }
    return PSOPACK_OK;
}

void psopack_section_name(uint32_t id, char ret_name[5])
{
    for (int i = 0; i < 4; i++) {
        uint8_t byte = (uint8_t)(id >> (8 * i));
        ret_name[i] = byte >= 0x20 && byte < 0x7f ? (char)byte : '?';
    }
    ret_name[4] = '\0';
}
