/* SPDX-License-Identifier: MIT */
/*
 * Header, footer and section table: is this an archive, whole, and one that we may read?
 *
 * Order of judgement: checks first (damage), then version, then features, so that a damaged file is
 * never called unsupported and an unsupported one never damaged.
 */
#include <string.h>
#include <xxhash.h>

#include "format/crc32c.h"
#include "format/view.h"

#define HEADER_SIZE sizeof(psopack_disk_header)
#define FOOTER_SIZE sizeof(psopack_disk_footer)

typedef enum part_state { PART_NONE, PART_DAMAGED, PART_GOOD } part_state;

static bool all_zero(const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (bytes[i] != 0)
            return false;
    }
    return true;
}

static part_state judge_header(const uint8_t *bytes, size_t size)
{
    if (size < PSOPACK_MAGIC_SIZE || memcmp(bytes, PSOPACK_HEADER_MAGIC, PSOPACK_MAGIC_SIZE) != 0)
        return PART_NONE;
    psopack_disk_header header;
    if (size < HEADER_SIZE)
        return PART_DAMAGED;
    memcpy(&header, bytes, HEADER_SIZE);
    uint32_t stored = psopack_load32(header.crc);
    header.crc = psopack_store32(0);
    return psopack_crc32c(0, &header, HEADER_SIZE) == stored ? PART_GOOD : PART_DAMAGED;
}

static part_state judge_footer(const uint8_t *bytes)
{
    if (memcmp(bytes, PSOPACK_FOOTER_MAGIC, PSOPACK_MAGIC_SIZE) != 0)
        return PART_NONE;
    psopack_disk_footer footer;
    memcpy(&footer, bytes, FOOTER_SIZE);
    uint32_t crc = psopack_crc32c(0, bytes, FOOTER_SIZE - sizeof footer.crc);
    return crc == psopack_load32(footer.crc) ? PART_GOOD : PART_DAMAGED;
}

/* How many bytes follow the last good footer inside `tail`; 0 when there is none to be found. */
static size_t bytes_behind_footer(const uint8_t *tail, size_t tail_size, uint64_t file_size)
{
    for (size_t behind = 1; behind + FOOTER_SIZE <= tail_size; behind++) {
        const uint8_t *at = tail + tail_size - behind - FOOTER_SIZE;
        if (judge_footer(at) != PART_GOOD)
            continue;
        psopack_disk_footer footer;
        memcpy(&footer, at, FOOTER_SIZE);
        if (psopack_load64(footer.file_size) == file_size - behind)
            return behind;
    }
    return 0;
}

static psopack_status explain_missing_footer(part_state footer, const uint8_t *tail,
                                             size_t tail_size, uint64_t file_size,
                                             psopack_diag *diag)
{
    if (footer == PART_DAMAGED)
        return psopack_fail_at(diag, PSOPACK_E_CHECKSUM, PSOPACK_OBJECT_FILE, 0,
                               file_size - FOOTER_SIZE,
                               "the footer's check does not match; get the file again or run "
                               "'psopack salvage'");
    size_t behind = bytes_behind_footer(tail, tail_size, file_size);
    if (behind != 0)
        return psopack_fail_at(diag, PSOPACK_E_EXTENDED, PSOPACK_OBJECT_FILE, 0, file_size - behind,
                               "%zu bytes follow the archive's end; cut them off", behind);
    return psopack_fail_at(diag, PSOPACK_E_TRUNCATED, PSOPACK_OBJECT_FILE, 0, file_size,
                           "no footer at the end of %llu bytes: the file was cut or its end is "
                           "damaged; get it again",
                           (unsigned long long)file_size);
}

static psopack_status judge_parts(part_state header, part_state footer, const uint8_t *tail,
                                  size_t tail_size, uint64_t file_size, psopack_diag *diag)
{
    if (header == PART_NONE && footer == PART_NONE)
        return psopack_fail_at(diag, PSOPACK_E_NOT_ARCHIVE, PSOPACK_OBJECT_FILE, 0, 0,
                               file_size == 0 ? "the file is empty"
                                              : "not a psopack archive: neither header nor footer");
    if (header == PART_GOOD && footer == PART_GOOD)
        return PSOPACK_OK;
    if (header == PART_GOOD || footer == PART_NONE)
        return explain_missing_footer(footer, tail, tail_size, file_size, diag);
    return psopack_fail_at(diag, PSOPACK_E_CHECKSUM, PSOPACK_OBJECT_FILE, 0, 0,
                           "the header is damaged; get the file again or run 'psopack salvage'");
}

static psopack_status check_version(const psopack_disk_header *header,
                                    const psopack_disk_footer *footer, psopack_diag *diag)
{
    uint32_t version = psopack_load32(header->version);
    if (version != PSOPACK_FORMAT_VERSION)
        return psopack_fail_at(diag, PSOPACK_E_VERSION, PSOPACK_OBJECT_FILE, 0, 8,
                               "format version %u; this library reads version %u: update it",
                               version, PSOPACK_FORMAT_VERSION);
    if (psopack_load32(footer->version) != version ||
        psopack_load32(header->header_size) != HEADER_SIZE ||
        psopack_load32(header->footer_size) != FOOTER_SIZE ||
        psopack_load32(footer->footer_size) != FOOTER_SIZE ||
        !all_zero(header->reserved, sizeof header->reserved) ||
        !all_zero(header->reserved_2, sizeof header->reserved_2) ||
        !all_zero(footer->reserved, sizeof footer->reserved))
        return psopack_fail_at(diag, PSOPACK_E_CORRUPT, PSOPACK_OBJECT_FILE, 0, 0,
                               "header and footer do not agree");
    uint64_t unknown = psopack_load64(footer->must_refuse) & ~PSOPACK_KNOWN_MUST_REFUSE;
    if (unknown != 0)
        return psopack_fail_at(diag, PSOPACK_E_FEATURE, PSOPACK_OBJECT_FILE, 0,
                               psopack_load64(footer->file_size) - FOOTER_SIZE,
                               "needs feature bits 0x%llx, which this library does not know: "
                               "update it",
                               (unsigned long long)unknown);
    return PSOPACK_OK;
}

static psopack_status check_extent(const psopack_ends *ends, uint64_t actual_size,
                                   psopack_diag *diag)
{
    uint64_t table = (uint64_t)ends->section_count * sizeof(psopack_disk_section);
    if (ends->file_size > actual_size)
        return psopack_fail_at(diag, PSOPACK_E_TRUNCATED, PSOPACK_OBJECT_FILE, 0, actual_size,
                               "%llu bytes, the footer says %llu: the file was cut; get it again",
                               (unsigned long long)actual_size,
                               (unsigned long long)ends->file_size);
    if (ends->file_size < actual_size)
        return psopack_fail_at(diag, PSOPACK_E_EXTENDED, PSOPACK_OBJECT_FILE, 0, ends->file_size,
                               "%llu bytes, the footer says %llu: the file was extended",
                               (unsigned long long)actual_size,
                               (unsigned long long)ends->file_size);
    if (ends->section_count == 0 || ends->section_count > PSOPACK_SECTIONS_MAX ||
        ends->file_size < HEADER_SIZE + 2 * table + FOOTER_SIZE ||
        ends->repeat_offset != ends->file_size - FOOTER_SIZE - table ||
        ends->table_offset != ends->repeat_offset - table || ends->table_offset % 8 != 0)
        return psopack_fail_at(diag, PSOPACK_E_CORRUPT, PSOPACK_OBJECT_FILE, 0,
                               actual_size - FOOTER_SIZE,
                               "the footer's section table does not fit the file");
    return PSOPACK_OK;
}

psopack_status psopack_ends_check(const uint8_t *header_bytes, size_t header_size,
                                  const uint8_t *tail, size_t tail_size, uint64_t file_size,
                                  psopack_ends *ret_ends, psopack_diag *diag)
{
    part_state header_state = judge_header(header_bytes, header_size);
    part_state footer_state =
        tail_size < FOOTER_SIZE ? PART_NONE : judge_footer(tail + tail_size - FOOTER_SIZE);
    PSOPACK_TRY(judge_parts(header_state, footer_state, tail, tail_size, file_size, diag));

    psopack_disk_header header;
    psopack_ends ends = {0};
    memcpy(&header, header_bytes, HEADER_SIZE);
    memcpy(&ends.footer, tail + tail_size - FOOTER_SIZE, FOOTER_SIZE);
    PSOPACK_TRY(check_version(&header, &ends.footer, diag));
    ends.file_size = psopack_load64(ends.footer.file_size);
    ends.table_offset = psopack_load64(ends.footer.table_offset);
    ends.repeat_offset = psopack_load64(ends.footer.repeat_offset);
    ends.table_crc = psopack_load32(ends.footer.table_crc);
    ends.section_count = psopack_load32(ends.footer.section_count);
    ends.may_ignore = psopack_load64(ends.footer.may_ignore);
    ends.may_not_append = psopack_load64(ends.footer.may_not_append);
    ends.must_refuse = psopack_load64(ends.footer.must_refuse);
    ends.key_seed = psopack_load64(ends.footer.key_seed);
    memcpy(ends.content_id, ends.footer.content_id, sizeof ends.content_id);
    memcpy(ends.archive_id, ends.footer.archive_id, sizeof ends.archive_id);
    PSOPACK_TRY(check_extent(&ends, file_size, diag));
    *ret_ends = ends;
    return PSOPACK_OK;
}

void psopack_archive_id(const psopack_disk_footer *footer, const void *table, size_t table_size,
                        uint8_t ret_id[16])
{
    psopack_disk_footer bare = *footer;
    memset(bare.archive_id, 0, sizeof bare.archive_id);
    bare.crc = psopack_store32(0);
    uint8_t joined[PSOPACK_SECTIONS_MAX * sizeof(psopack_disk_section) + sizeof bare];
    memcpy(joined, table, table_size);
    memcpy(joined + table_size, &bare, sizeof bare);
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits(joined, table_size + sizeof bare));
    memcpy(ret_id, canonical.digest, 16);
}

static bool id_is_known(uint32_t id)
{
    switch (id) {
    case PSOPACK_SECTION_META:
    case PSOPACK_SECTION_SLOT:
    case PSOPACK_SECTION_KIND:
    case PSOPACK_SECTION_BASE:
    case PSOPACK_SECTION_BLCK:
    case PSOPACK_SECTION_COMP:
    case PSOPACK_SECTION_REFS:
    case PSOPACK_SECTION_PSOS:
    case PSOPACK_SECTION_KEYS:
    case PSOPACK_SECTION_NAME:
    case PSOPACK_SECTION_HASH:
    case PSOPACK_SECTION_LAYR:
    case PSOPACK_SECTION_LPSO:
        return true;
    default:
        return false;
    }
}

/* Where the next section begins: its table lies behind it, then padding to 8. */
static uint64_t section_end(uint64_t offset, uint64_t size)
{
    return (offset + size + psopack_section_table_size(size) + 7) & ~UINT64_C(7);
}

static psopack_status check_row(const psopack_ends *ends, uint32_t number,
                                const psopack_disk_section *row, uint64_t expected,
                                psopack_diag *diag)
{
    uint64_t offset = psopack_load64(row->offset), size = psopack_load64(row->size);
    uint32_t id = psopack_load32(row->id), flags = psopack_load32(row->flags);
    char name[5];
    psopack_section_name(id, name);
    if ((number != 0 && offset != expected) || offset % 8 != 0 || offset < HEADER_SIZE ||
        offset > ends->table_offset || size > ends->table_offset - offset ||
        section_end(offset, size) > ends->table_offset || psopack_load32(row->reserved) != 0 ||
        (flags & ~PSOPACK_SECTION_REQUIRED) != 0)
        return psopack_fail_at(diag, PSOPACK_E_CORRUPT, PSOPACK_OBJECT_SECTION, number,
                               ends->repeat_offset + number * sizeof *row,
                               "section %s does not lie where the table says", name);
    if ((flags & PSOPACK_SECTION_REQUIRED) != 0 && !id_is_known(id))
        return psopack_fail_at(diag, PSOPACK_E_FEATURE, PSOPACK_OBJECT_SECTION, number, offset,
                               "needs section %s, which this library does not know: update it",
                               name);
    return PSOPACK_OK;
}

psopack_status psopack_table_check(const psopack_ends *ends, const uint8_t *table,
                                   uint64_t *ret_manifest_offset, uint64_t *ret_pages,
                                   psopack_diag *diag)
{
    size_t table_size = ends->section_count * sizeof(psopack_disk_section);
    uint8_t id[16];
    psopack_archive_id(&ends->footer, table, table_size, id);
    if (psopack_crc32c(0, table, table_size) != ends->table_crc ||
        memcmp(id, ends->archive_id, sizeof id) != 0)
        return psopack_fail_at(diag, PSOPACK_E_CHECKSUM, PSOPACK_OBJECT_FILE, 0,
                               ends->repeat_offset,
                               "the section table's check does not match; get the file again or "
                               "run 'psopack salvage'");
    uint64_t expected = 0, manifest_offset = 0, pages = 0;
    for (uint32_t i = 0; i < ends->section_count; i++) {
        psopack_disk_section row;
        memcpy(&row, table + i * sizeof row, sizeof row);
        PSOPACK_TRY(check_row(ends, i, &row, expected, diag));
        uint64_t size = psopack_load64(row.size);
        if (i == 0)
            manifest_offset = psopack_load64(row.offset);
        expected = section_end(psopack_load64(row.offset), size);
        pages += psopack_section_pages(size);
    }
    if (expected != ends->table_offset)
        return psopack_fail_at(diag, PSOPACK_E_CORRUPT, PSOPACK_OBJECT_FILE, 0, expected,
                               "bytes between the last section and the section table belong to "
                               "nothing");
    *ret_manifest_offset = manifest_offset;
    *ret_pages = pages;
    return PSOPACK_OK;
}
