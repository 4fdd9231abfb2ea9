/* SPDX-License-Identifier: MIT */
/*
 * DXBC container. Header of 32 bytes: "DXBC", 16 bytes of hash, version 1, total size, part count;
 * then one offset per part. A part is its name, its size, its bytes. All words little-endian.
 */
#include "lint/dxbc.h"

#include "format/error.h"
#include "lint/words.h"

#include <string.h>

#define HEADER_SIZE 32u
#define VERSION_AT 20u
#define TOTAL_SIZE_AT 24u
#define PART_COUNT_AT 28u
#define PART_HEADER_SIZE 8u

bool psopack_dxbc_is(const uint8_t *bytes, size_t size)
{
    return memcmp(bytes, "DXBC", size < 4 ? size : 4) == 0;
}

static psopack_status fail(psopack_diag *diag, psopack_status code, size_t offset, const char *text)
{
    return psopack_fail_at(diag, code, PSOPACK_OBJECT_NONE, 0, offset, "DXBC container: %s", text);
}

static psopack_status check_header(const uint8_t *bytes, size_t size, psopack_diag *diag)
{
    if (size < HEADER_SIZE)
        return fail(diag, PSOPACK_E_TRUNCATED, size, "the header of 32 bytes is cut");
    if (memcmp(bytes, "DXBC", 4) != 0)
        return fail(diag, PSOPACK_E_CORRUPT, 0, "the magic is missing");
    if (psopack_lint_load32(bytes + VERSION_AT) != 1)
        return fail(diag, PSOPACK_E_VERSION, VERSION_AT, "the version is not 1");
    uint32_t total = psopack_lint_load32(bytes + TOTAL_SIZE_AT);
    if (total > size)
        return fail(diag, PSOPACK_E_TRUNCATED, size, "it ends before its stated size");
    if (total < size)
        return fail(diag, PSOPACK_E_EXTENDED, total, "bytes follow its stated size");
    if (psopack_lint_load32(bytes + PART_COUNT_AT) > (size - HEADER_SIZE) / 4)
        return fail(diag, PSOPACK_E_CORRUPT, PART_COUNT_AT, "more parts than the file can hold");
    return PSOPACK_OK;
}

static psopack_status check_part(const uint8_t *bytes, size_t size, size_t entry, size_t parts_at,
                                 psopack_dxbc_part *ret_part, psopack_diag *diag)
{
    size_t offset = psopack_lint_load32(bytes + entry);
    if (offset < parts_at || offset > size || size - offset < PART_HEADER_SIZE)
        return fail(diag, PSOPACK_E_CORRUPT, entry, "a part lies outside");
    size_t part_size = psopack_lint_load32(bytes + offset + 4);
    if (part_size > size - offset - PART_HEADER_SIZE)
        return fail(diag, PSOPACK_E_CORRUPT, offset + 4, "a part is larger than its container");
    size_t start = offset + PART_HEADER_SIZE;
    *ret_part = (psopack_dxbc_part){bytes + start, part_size, start};
    return PSOPACK_OK;
}

psopack_status psopack_dxbc_find(const uint8_t *bytes, size_t size, const char name[4],
                                 psopack_dxbc_part *ret_part, psopack_diag *diag)
{
    PSOPACK_TRY(check_header(bytes, size, diag));
    size_t count = psopack_lint_load32(bytes + PART_COUNT_AT);
    size_t parts_at = HEADER_SIZE + 4 * count;
    bool found = false;
    psopack_dxbc_part named = {0};
    for (size_t i = 0; i < count; i++) {
        psopack_dxbc_part part;
        PSOPACK_TRY(check_part(bytes, size, HEADER_SIZE + 4 * i, parts_at, &part, diag));
        if (memcmp(part.bytes - PART_HEADER_SIZE, name, 4) != 0)
            continue;
        if (found)
            return psopack_fail_at(diag, PSOPACK_E_CORRUPT, PSOPACK_OBJECT_NONE, 0, part.offset,
                                   "DXBC container: two %.4s parts", name);
        found = true;
        named = part;
    }
    if (!found)
        return psopack_fail_at(diag, PSOPACK_E_NOT_FOUND, PSOPACK_OBJECT_NONE, 0, PART_COUNT_AT,
                               "DXBC container: none of its %zu parts is %.4s", count, name);
    *ret_part = named;
    return PSOPACK_OK;
}
