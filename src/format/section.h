/* SPDX-License-Identifier: MIT */
/*
 * A section in memory whose pages are checked on first touch.
 *
 * Nothing of a section may be used before psopack_section_touch() said that the bytes are good. The
 * first touch of a page computes its CRC32C; threads that race compute it twice, which is harmless
 * and needs no lock.
 */
#ifndef PSOPACK_FORMAT_SECTION_H
#define PSOPACK_FORMAT_SECTION_H

#include <stdatomic.h>
#include <stdbool.h>

#include "format/error.h"
#include "format/layout.h"

typedef _Atomic(uint8_t) psopack_page_state; /* 0 not checked yet, else psopack_page_* */
enum { PSOPACK_PAGE_UNKNOWN = 0, PSOPACK_PAGE_GOOD = 1, PSOPACK_PAGE_BAD = 2 };

typedef struct psopack_section {
    uint32_t id; /* 0: the archive has no such section */
    uint32_t flags;
    uint32_t number; /* row in the section table */
    uint32_t crc;
    uint64_t offset; /* in the file */
    uint64_t size;
    const uint8_t *bytes; /* `size` bytes, then the page table if there is more than one page */
    psopack_page_state *pages;
} psopack_section;

static inline uint64_t psopack_section_pages(uint64_t size)
{
    return size / PSOPACK_SECTION_PAGE + (size % PSOPACK_SECTION_PAGE != 0);
}

/* Bytes behind the section that its page table and the padding in front of it take. */
static inline uint64_t psopack_section_table_size(uint64_t size)
{
    uint64_t pages = psopack_section_pages(size);
    return pages > 1 ? ((4 - (size & 3)) & 3) + pages * 4 : 0;
}

/* The page table of a section with more than one page. */
static inline const uint8_t *psopack_section_table(const psopack_section *section)
{
    return section->bytes + section->size + ((4 - (section->size & 3)) & 3);
}

/* The page table against the section's `crc`; only for sections of more than one page. */
bool psopack_section_table_is_good(const psopack_section *section);

/* Checks one page that is not known to be good. Slow path of psopack_section_touch(). */
bool psopack_section_check_page(const psopack_section *section, uint64_t page);

/* True when bytes [first, last] of the section are good. `last` must be below `size`. */
static inline bool psopack_section_touch(const psopack_section *section, uint64_t first,
                                         uint64_t last)
{
    for (uint64_t page = first / PSOPACK_SECTION_PAGE; page <= last / PSOPACK_SECTION_PAGE;
         page++) {
        if (atomic_load_explicit(&section->pages[page], memory_order_relaxed) !=
                PSOPACK_PAGE_GOOD &&
            !psopack_section_check_page(section, page))
            return false;
    }
    return true;
}

/* Touches [offset, offset + size); on failure says which page of which section is damaged. */
psopack_status psopack_section_require(const psopack_section *section, uint64_t offset,
                                       uint64_t size, psopack_diag *diag);

/* The id as four printable characters and a zero; others become '?'. */
void psopack_section_name(uint32_t id, char ret_name[5]);

#endif
