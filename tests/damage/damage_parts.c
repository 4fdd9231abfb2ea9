/* SPDX-License-Identifier: MIT */
/* Which byte of a sound archive belongs to what, as the format page says; and what befalls it. */
#include "damage.h"

#include <stdio.h>
#include <string.h>

#include "format/section.h"

typedef struct finder {
    const uint8_t *bytes;
    damage_part *parts;
    size_t count;
} finder;

static void add(finder *all, damage_class class, uint32_t section, uint64_t offset, uint64_t size)
{
    if (size == 0)
        return;
    assert_true(all->count < DAMAGE_PARTS_MAX);
    all->parts[all->count++] = (damage_part){class, section, (size_t)offset, (size_t)size};
}

/* Pieces share their first component; all but the last say that they hold none. */
static damage_class class_of(const psopack_block_info *block, const psopack_block_info *before)
{
    if (block->is_base)
        return DAMAGE_BASE_BLOCK;
    bool follows = before->components == 0 && before->first_component == block->first_component;
    return block->components == 0 || follows ? DAMAGE_PIECE : DAMAGE_BLOCK;
}

/* Blocks, and the zeros between them. Returns where the last one ends. */
static uint64_t add_blocks(finder *all, const psopack_archive *archive)
{
    psopack_block_info block, before = {.components = 1};
    uint64_t at = sizeof(psopack_disk_header);
    for (uint32_t i = 0; psopack_block_get(archive, i, &block, NULL) == PSOPACK_OK; i++) {
        add(all, DAMAGE_PADDING, 0, at, block.offset - at);
        add(all, class_of(&block, &before), 0, block.offset, block.stored_size);
        at = block.offset + block.stored_size;
        before = block;
    }
    return at;
}

static void add_section(finder *all, const psopack_disk_section *row, uint64_t next)
{
    uint64_t offset = psopack_load64(row->offset), size = psopack_load64(row->size);
    uint64_t end = offset + size, table = psopack_section_table_size(size);
    add(all, DAMAGE_SECTION, psopack_load32(row->id), offset, size);
    add(all, DAMAGE_PAGE_TABLE, 0, end, table);
    add(all, DAMAGE_PADDING, 0, end + table, next - end - table);
}

size_t damage_find_parts(const uint8_t *bytes, size_t size, damage_part *ret_parts)
{
    finder all = {.bytes = bytes, .parts = ret_parts};
    psopack_archive *archive;
    assert_int_equal(psopack_archive_open_memory(bytes, size, NULL, &archive, NULL), PSOPACK_OK);
    psopack_disk_footer footer;
    memcpy(&footer, bytes + size - sizeof footer, sizeof footer);
    uint64_t table = psopack_load64(footer.table_offset);
    uint64_t repeat = psopack_load64(footer.repeat_offset);
    const psopack_disk_section *rows = (const void *)(bytes + table);
    uint32_t count = psopack_load32(footer.section_count);

    add(&all, DAMAGE_HEADER, 0, 0, sizeof(psopack_disk_header));
    uint64_t end = add_blocks(&all, archive);
    add(&all, DAMAGE_PADDING, 0, end, psopack_load64(rows[0].offset) - end);
    for (uint32_t i = 0; i < count; i++)
        add_section(&all, &rows[i], i + 1 < count ? psopack_load64(rows[i + 1].offset) : table);
    add(&all, DAMAGE_TABLE, 0, table, repeat - table);
    add(&all, DAMAGE_REPEAT, 0, repeat, size - sizeof footer - repeat);
    add(&all, DAMAGE_FOOTER, 0, size - sizeof footer, sizeof footer);
    psopack_archive_close(&archive);
    return all.count;
}

void damage_part_name(const damage_part *part, char ret_name[32])
{
    static const char *const names[] = {
        "header",   "base block", "block",      "piece of a component",
        "padding",  "section",    "page table", "section table",
        "its copy", "footer"};
    char id[5];
    psopack_section_name(part->section, id);
    snprintf(ret_name, 32, "%s%s%s", names[part->class], part->section ? " " : "",
             part->section ? id : "");
}

/* ---- what befalls a part -------------------------------------------------------------------- */

#define FLIPS 96u  /* spread evenly, each bit of a byte in turn */
#define WINDOWS 8u /* equal shares of a part */

static bool flip(uint8_t *bytes, const damage_part *part, unsigned n)
{
    if (n == FLIPS)
        return false;
    bytes[part->offset + n * part->size / FLIPS] ^= (uint8_t)(1u << n % 8);
    return true;
}

/* The nth share; behind them, the whole. */
static uint8_t *window(uint8_t *bytes, const damage_part *part, unsigned n, size_t *ret_size)
{
    size_t from = n < WINDOWS ? n * part->size / WINDOWS : 0;
    size_t to = n < WINDOWS ? (n + 1) * part->size / WINDOWS : part->size;
    *ret_size = to - from;
    return bytes + part->offset + from;
}

static bool zero(uint8_t *bytes, const damage_part *part, unsigned n)
{
    size_t size;
    uint8_t *at = window(bytes, part, n, &size);
    memset(at, 0, size);
    return n <= WINDOWS;
}

static bool scribble(uint8_t *bytes, const damage_part *part, unsigned n)
{
    size_t size;
    uint8_t *at = window(bytes, part, n, &size);
    uint32_t random = 2463534242u + n;
    for (size_t i = 0; i < size; i++) {
        random ^= random << 13;
        random ^= random >> 17;
        random ^= random << 5;
        at[i] = (uint8_t)random;
    }
    return n <= WINDOWS;
}

/* Rows, words or bytes change places: what is there is all there, only elsewhere. */
static bool swap_halves(uint8_t *bytes, const damage_part *part, unsigned n)
{
    size_t size;
    uint8_t *at = window(bytes, part, n, &size);
    for (size_t i = 0; i < size / 2; i++) {
        uint8_t byte = at[i];
        at[i] = at[size / 2 + i];
        at[size / 2 + i] = byte;
    }
    return n <= WINDOWS;
}

const damage_kind damage_part_kinds[DAMAGE_PART_KINDS] = {
    {"bit flips", flip},
    {"zeros", zero},
    {"junk", scribble},
    {"swapped halves", swap_halves},
};
