/* SPDX-License-Identifier: MIT */
/* Accessors of an open view. Each proves what it answers; see view.h. */
#include "format/view.h"

#include <string.h>
#include <xxhash.h>

#include "format/transform.h"
#include "format/tuple.h"

static const uint8_t *row_at(const psopack_section *section, uint32_t index, size_t row_size)
{
    return section->bytes + sizeof(psopack_disk_count) + index * row_size;
}

bool psopack_view_slot(const psopack_view *view, uint32_t slot, psopack_slot_row *ret_row)
{
    if (slot >= view->slots)
        return false;
    psopack_disk_slot disk;
    memcpy(&disk, row_at(view->slot_section, slot, sizeof disk), sizeof disk);
    ret_row->name = (const char *)view->slot_section->bytes + psopack_load32(disk.name_offset);
    ret_row->name_size = psopack_load16(disk.name_size);
    ret_row->align_log2 = disk.align_log2;
    ret_row->references = psopack_load64(disk.references);
    return true;
}

bool psopack_view_kind(const psopack_view *view, uint32_t kind, psopack_kind_row *ret_row)
{
    if (kind >= view->kinds)
        return false;
    psopack_disk_kind disk;
    memcpy(&disk, row_at(view->kind_section, kind, sizeof disk), sizeof disk);
    ret_row->name = (const char *)view->kind_section->bytes + psopack_load32(disk.name_offset);
    ret_row->name_size = psopack_load16(disk.name_size);
    ret_row->transform = psopack_load16(disk.transform);
    ret_row->strip_word = psopack_load32(disk.strip_word);
    ret_row->base = psopack_load32(disk.base);
    ret_row->components = psopack_load64(disk.components);
    ret_row->component_bytes = psopack_load64(disk.component_bytes);
    ret_row->stored_bytes = psopack_load64(disk.stored_bytes);
    return true;
}

bool psopack_view_base(const psopack_view *view, uint32_t base, psopack_base_row *ret_row)
{
    if (base >= view->bases)
        return false;
    psopack_disk_base disk;
    memcpy(&disk, row_at(view->base_section, base, sizeof disk), sizeof disk);
    ret_row->block = psopack_load32(disk.block);
    ret_row->raw_size = psopack_load32(disk.raw_size);
    ret_row->tables = view->base_section->bytes + psopack_load32(disk.tables_offset);
    ret_row->tables_size = psopack_load32(disk.tables_size);
    memcpy(ret_row->hash, disk.hash, sizeof ret_row->hash);
    return true;
}

/* ---- blocks -----------------------------------------------------------------------------------
 */

static psopack_status block_corrupt(psopack_diag *diag, uint32_t block, uint64_t offset,
                                    const char *what)
{
    return psopack_fail_at(diag, PSOPACK_E_CORRUPT, PSOPACK_OBJECT_BLOCK, block, offset,
                           "block %u: %s", block, what);
}

/* The first component of the block behind `block`: where this one's end. */
static psopack_status next_first(const psopack_view *view, uint32_t block, uint64_t *ret_first,
                                 psopack_diag *diag)
{
    if (block + 1 < view->blocks)
        return psopack_column_read(&view->block_columns[PSOPACK_COLUMN_BLOCK_FIRST],
                                   (uint64_t)block + 1, ret_first, diag);
    *ret_first = view->components;
    return PSOPACK_OK;
}

/* The base of a block must be one, decode under the same transform and come before it. */
static psopack_status check_block_base(const psopack_view *view, uint32_t block,
                                       const psopack_block_row *row, psopack_diag *diag)
{
    psopack_base_row base;
    uint64_t transform, flags;
    if (row->base == 0)
        return PSOPACK_OK;
    if (!psopack_view_base(view, row->base - 1, &base) || base.block == block)
        return block_corrupt(diag, block, row->offset, "it names a base that does not exist");
    if (base.block == PSOPACK_BASE_EXTERNAL)
        return PSOPACK_OK;
    PSOPACK_TRY(psopack_column_read(&view->block_columns[PSOPACK_COLUMN_BLOCK_TRANSFORM],
                                    base.block, &transform, diag));
    PSOPACK_TRY(psopack_column_read(&view->block_columns[PSOPACK_COLUMN_BLOCK_FLAGS], base.block,
                                    &flags, diag));
    if (transform != row->transform || (flags & PSOPACK_BLOCK_BASE) == 0)
        return block_corrupt(diag, block, row->offset, "its base has another transform");
    return PSOPACK_OK;
}

static psopack_status check_block(const psopack_view *view, uint32_t block, const uint64_t *values,
                                  uint64_t next, psopack_diag *diag)
{
    uint64_t offset = values[PSOPACK_COLUMN_BLOCK_OFFSET];
    uint64_t stored = values[PSOPACK_COLUMN_BLOCK_STORED], raw = values[PSOPACK_COLUMN_BLOCK_RAW];
    uint64_t first = values[PSOPACK_COLUMN_BLOCK_FIRST], flags = values[PSOPACK_COLUMN_BLOCK_FLAGS];
    bool is_base = (flags & PSOPACK_BLOCK_BASE) != 0;
    if (offset < sizeof(psopack_disk_header) || offset > view->manifest_offset ||
        stored > view->manifest_offset - offset)
        return block_corrupt(diag, block, offset, "it lies outside of the block area");
    if (raw > (is_base ? PSOPACK_BLOCK_SIZE_MAX : view->block_raw_max) ||
        stored > PSOPACK_BLOCK_SIZE_MAX || (!is_base && stored > view->block_stored_max))
        return block_corrupt(diag, block, offset, "its size passes the archive's limit");
    if ((flags & ~(uint64_t)PSOPACK_BLOCK_KNOWN_FLAGS) != 0 ||
        ((flags & PSOPACK_BLOCK_RAW) != 0 && stored != raw))
        return block_corrupt(diag, block, offset, "its flags are impossible");
    if (first > next || next > view->components)
        return block_corrupt(diag, block, offset, "its components are out of order");
    uint64_t transform = values[PSOPACK_COLUMN_BLOCK_TRANSFORM];
    if (transform != PSOPACK_TRANSFORM_NONE &&
        (transform > UINT32_MAX || !psopack_transform_find((uint32_t)transform)))
        return psopack_fail_at(diag, PSOPACK_E_FEATURE, PSOPACK_OBJECT_BLOCK, block, offset,
                               "block %u: transform %llu is unknown: update this library", block,
                               (unsigned long long)transform);
    if (values[PSOPACK_COLUMN_BLOCK_BASE] > view->bases ||
        values[PSOPACK_COLUMN_BLOCK_KIND] >= view->kinds)
        return block_corrupt(diag, block, offset, "its base or kind does not exist");
    return PSOPACK_OK;
}

psopack_status psopack_view_block(const psopack_view *view, uint32_t block,
                                  psopack_block_row *ret_row, psopack_diag *diag)
{
    if (block >= view->blocks)
        return psopack_fail(diag, PSOPACK_E_NOT_FOUND, "block %u: there are %u", block,
                            view->blocks);
    uint64_t values[PSOPACK_BLOCK_COLUMNS], next;
    for (uint32_t i = 0; i < PSOPACK_BLOCK_COLUMNS; i++)
        PSOPACK_TRY(psopack_column_read(&view->block_columns[i], block, &values[i], diag));
    PSOPACK_TRY(next_first(view, block, &next, diag));
    PSOPACK_TRY(check_block(view, block, values, next, diag));

    psopack_kind_row kind = {0};
    psopack_view_kind(view, (uint32_t)values[PSOPACK_COLUMN_BLOCK_KIND], &kind);
    psopack_block_row row = {
        .offset = values[PSOPACK_COLUMN_BLOCK_OFFSET],
        .check = values[PSOPACK_COLUMN_BLOCK_CHECK],
        .stored_size = (uint32_t)values[PSOPACK_COLUMN_BLOCK_STORED],
        .raw_size = (uint32_t)values[PSOPACK_COLUMN_BLOCK_RAW],
        .first = (uint32_t)values[PSOPACK_COLUMN_BLOCK_FIRST],
        .count = (uint32_t)(next - values[PSOPACK_COLUMN_BLOCK_FIRST]),
        .transform = (uint32_t)values[PSOPACK_COLUMN_BLOCK_TRANSFORM],
        .base = (uint32_t)values[PSOPACK_COLUMN_BLOCK_BASE],
        .kind = (uint32_t)values[PSOPACK_COLUMN_BLOCK_KIND],
        .strip_word = kind.strip_word,
        .flags = (uint32_t)values[PSOPACK_COLUMN_BLOCK_FLAGS],
    };
    PSOPACK_TRY(check_block_base(view, block, &row, diag));
    *ret_row = row;
    return PSOPACK_OK;
}

uint64_t psopack_block_check(const void *stored, uint64_t stored_size, uint64_t raw_size,
                             uint32_t transform, const uint8_t base_hash[16])
{
    uint8_t context[8 + 8 + 8 + 4 + 16] = {0};
    psopack_u64le bytes_hash = psopack_store64(XXH3_64bits(stored, stored_size));
    psopack_u64le raw_le = psopack_store64(raw_size), stored_le = psopack_store64(stored_size);
    psopack_u32le transform_le = psopack_store32(transform);
    memcpy(context, &bytes_hash, 8);
    memcpy(context + 8, &raw_le, 8);
    memcpy(context + 16, &stored_le, 8);
    memcpy(context + 24, &transform_le, 4);
    if (base_hash)
        memcpy(context + 28, base_hash, 16);
    return XXH3_64bits(context, sizeof context);
}

/* ---- components -------------------------------------------------------------------------------
 */

psopack_status psopack_view_component(const psopack_view *view, uint32_t component,
                                      psopack_component_row *ret_row, psopack_diag *diag)
{
    if (component >= view->components)
        return psopack_fail(diag, PSOPACK_E_NOT_FOUND, "component %u: there are %u", component,
                            view->components);
    uint64_t values[PSOPACK_COMPONENT_COLUMNS];
    for (uint32_t i = 0; i < PSOPACK_COMPONENT_COLUMNS; i++)
        PSOPACK_TRY(psopack_column_read(&view->component_columns[i], component, &values[i], diag));
    if (values[PSOPACK_COLUMN_COMPONENT_RECODE] != 0)
        return psopack_fail_at(
            diag, PSOPACK_E_FEATURE, PSOPACK_OBJECT_COMPONENT, component, PSOPACK_NO_OFFSET,
            "component %u: recode recipe %llu is unknown: update this library", component,
            (unsigned long long)values[PSOPACK_COLUMN_COMPONENT_RECODE]);
    uint64_t size = values[PSOPACK_COLUMN_COMPONENT_SIZE];
    if (size > UINT32_MAX || values[PSOPACK_COLUMN_COMPONENT_CRC] > UINT32_MAX ||
        values[PSOPACK_COLUMN_COMPONENT_ALIGN] > PSOPACK_ALIGN_LOG2_MAX ||
        values[PSOPACK_COLUMN_COMPONENT_STRIP] > size / 4 ||
        values[PSOPACK_COLUMN_COMPONENT_STRIP] > PSOPACK_STRIP_WORDS_MAX ||
        values[PSOPACK_COLUMN_COMPONENT_DEAD] > 1)
        return psopack_fail_at(diag, PSOPACK_E_CORRUPT, PSOPACK_OBJECT_COMPONENT, component,
                               PSOPACK_NO_OFFSET, "component %u: its row is impossible", component);
    *ret_row = (psopack_component_row){
        .size = size,
        .crc = (uint32_t)values[PSOPACK_COLUMN_COMPONENT_CRC],
        .align_log2 = (uint32_t)values[PSOPACK_COLUMN_COMPONENT_ALIGN],
        .strip = (uint32_t)values[PSOPACK_COLUMN_COMPONENT_STRIP],
        .recode = 0,
        .dead = values[PSOPACK_COLUMN_COMPONENT_DEAD] != 0,
    };
    return PSOPACK_OK;
}

/* The last block whose first component is not behind `component`, pieces included. */
static psopack_status search_block(const psopack_view *view, uint32_t component,
                                   uint32_t *ret_block, psopack_diag *diag)
{
    uint32_t low = 0, high = view->blocks; /* the answer + 1 lies in [low, high] */
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        uint64_t first;
        PSOPACK_TRY(psopack_column_read(&view->block_columns[PSOPACK_COLUMN_BLOCK_FIRST], middle,
                                        &first, diag));
        if (first <= component)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return psopack_fail_at(diag, PSOPACK_E_CORRUPT, PSOPACK_OBJECT_COMPONENT, component,
                               PSOPACK_NO_OFFSET, "component %u: no block holds it", component);
    *ret_block = low - 1;
    return PSOPACK_OK;
}

/* A large component: `block` is the last block of equal first component, so count back. */
static psopack_status locate_pieces(const psopack_view *view, uint32_t component, uint64_t size,
                                    uint32_t block, psopack_place *ret_place,
                                    psopack_block_row *ret_block, psopack_diag *diag)
{
    uint64_t pieces = (size + view->split_size - 1) / view->split_size;
    psopack_block_row row, first_row = {0};
    if (pieces > (uint64_t)block + 1)
        return block_corrupt(diag, block, PSOPACK_NO_OFFSET, "pieces of a component are missing");
    uint32_t first_block = block + 1 - (uint32_t)pieces;
    uint64_t left = size;
    for (uint32_t at = first_block; at <= block; at++) {
        PSOPACK_TRY(psopack_view_block(view, at, &row, diag));
        uint64_t expected = left < view->split_size ? left : view->split_size;
        bool is_piece = (row.flags & PSOPACK_BLOCK_PIECE) != 0;
        if (row.first != component || row.raw_size != expected || is_piece != (at != first_block) ||
            row.transform != PSOPACK_TRANSFORM_NONE || row.count != (at == block ? 1u : 0u))
            return block_corrupt(diag, at, row.offset, "a piece of a component does not fit");
        left -= expected;
        if (at == first_block)
            first_row = row;
    }
    *ret_block = first_row;
    *ret_place = (psopack_place){first_block, (uint32_t)pieces, 0};
    return PSOPACK_OK;
}

psopack_status psopack_view_stored_bytes(const psopack_view *view, uint32_t first, uint32_t end,
                                         uint64_t *ret_bytes, psopack_diag *diag)
{
    const psopack_column *sizes = &view->component_columns[PSOPACK_COLUMN_COMPONENT_SIZE];
    const psopack_column *strips = &view->component_columns[PSOPACK_COLUMN_COMPONENT_STRIP];
    uint64_t size, words;
    if (!psopack_column_sum(sizes, first, end, &size))
        return psopack_column_explain(sizes, end, diag);
    if (!psopack_column_sum(strips, first, end, &words))
        return psopack_column_explain(strips, end, diag);
    *ret_bytes = size - words * 4;
    return PSOPACK_OK;
}

psopack_status psopack_view_locate(const psopack_view *view, uint32_t component,
                                   const psopack_component_row *row, psopack_place *ret_place,
                                   psopack_block_row *ret_block, psopack_diag *diag)
{
    if (row->size == 0) {
        *ret_place = (psopack_place){UINT32_MAX, 0, 0};
        *ret_block = (psopack_block_row){0};
        return PSOPACK_OK;
    }
    uint32_t block;
    psopack_block_row block_row;
    PSOPACK_TRY(search_block(view, component, &block, diag));
    PSOPACK_TRY(psopack_view_block(view, block, &block_row, diag));
    bool is_base = (block_row.flags & PSOPACK_BLOCK_BASE) != 0;
    if (row->size > view->split_size && !is_base)
        return locate_pieces(view, component, row->size, block, ret_place, ret_block, diag);
    uint64_t offset = 0;
    PSOPACK_TRY(psopack_view_stored_bytes(view, block_row.first, component, &offset, diag));
    uint64_t stored = psopack_component_stored(row);
    if (component - block_row.first >= block_row.count ||
        (block_row.flags & PSOPACK_BLOCK_PIECE) != 0 || offset > block_row.raw_size ||
        stored > block_row.raw_size - offset)
        return block_corrupt(diag, block, block_row.offset, "a component passes its end");
    *ret_place = (psopack_place){block, 1, offset};
    *ret_block = block_row;
    return PSOPACK_OK;
}

psopack_status psopack_view_hash(const psopack_view *view, uint32_t component, uint8_t ret_hash[16],
                                 psopack_diag *diag)
{
    if (component >= view->components)
        return psopack_fail(diag, PSOPACK_E_NOT_FOUND, "component %u: there are %u", component,
                            view->components);
    if (!view->hash_section)
        return psopack_fail(diag, PSOPACK_E_NO_HASHES,
                            "content hashes not present: pack with --hashes");
    uint64_t at = (uint64_t)component * 16;
    PSOPACK_TRY(psopack_section_require(view->hash_section, at, 16, diag));
    memcpy(ret_hash, view->hash_section->bytes + at, 16);
    return PSOPACK_OK;
}

/* ---- PSOs -------------------------------------------------------------------------------------
 */

static psopack_status bad_value(psopack_diag *diag, uint32_t pso, uint32_t slot)
{
    return psopack_fail_at(diag, PSOPACK_E_CORRUPT, PSOPACK_OBJECT_PSO, pso, PSOPACK_NO_OFFSET,
                           "PSO %u: slot %u names a component that does not exist", pso, slot);
}

/* The value of a slot that has no guess column: reference number + 1, 0 absent. */
static psopack_status plain_value(const psopack_view *view, uint32_t pso, uint32_t slot,
                                  uint64_t *ret_value, psopack_diag *diag)
{
    PSOPACK_TRY(psopack_column_read(&view->slot_columns[slot], pso, ret_value, diag));
    return *ret_value <= view->live_components ? PSOPACK_OK : bad_value(diag, pso, slot);
}

static psopack_status slot_value(const psopack_view *view, uint32_t pso, uint32_t slot,
                                 uint64_t *ret_value, psopack_diag *diag)
{
    const psopack_column *guess = &view->guess_columns[slot];
    if (!guess->section)
        return plain_value(view, pso, slot, ret_value, diag);
    uint64_t code, leader;
    PSOPACK_TRY(psopack_column_read(&view->slot_columns[slot], pso, &code, diag));
    if (code == 0) {
        PSOPACK_TRY(plain_value(view, pso, guess->link, &leader, diag));
        code = 1;
        if (leader != 0) {
            PSOPACK_TRY(psopack_column_read(guess, leader - 1, &code, diag));
            code++;
        }
    }
    if (code - 1 > view->live_components)
        return bad_value(diag, pso, slot);
    *ret_value = code - 1;
    return PSOPACK_OK;
}

psopack_status psopack_view_pso_slot(const psopack_view *view, uint32_t pso, uint32_t slot,
                                     uint32_t *ret_component, psopack_diag *diag)
{
    if (pso >= view->psos || slot >= view->slots)
        return psopack_fail(diag, PSOPACK_E_NOT_FOUND, "PSO %u, slot %u: there are %u and %u", pso,
                            slot, view->psos, view->slots);
    uint64_t value, component;
    PSOPACK_TRY(slot_value(view, pso, slot, &value, diag));
    if (value == 0)
        return PSOPACK_E_ABSENT;
    PSOPACK_TRY(psopack_column_read(&view->reference_column, value - 1, &component, diag));
    if (component >= view->component_end)
        return bad_value(diag, pso, slot);
    *ret_component = (uint32_t)component;
    return PSOPACK_OK;
}

psopack_status psopack_view_pso(const psopack_view *view, uint32_t pso, uint32_t *ret_components,
                                psopack_diag *diag)
{
    if (pso >= view->psos)
        return psopack_fail(diag, PSOPACK_E_NOT_FOUND, "PSO %u: there are %u", pso, view->psos);
    for (uint32_t slot = 0; slot < view->slots; slot++) {
        psopack_status status = psopack_view_pso_slot(view, pso, slot, &ret_components[slot], diag);
        if (status == PSOPACK_E_ABSENT)
            ret_components[slot] = UINT32_MAX;
        else if (status != PSOPACK_OK)
            return status;
    }
    return PSOPACK_OK;
}

/* The tuple CRC that the row's stored component CRCs give. */
static psopack_status derived_tuple(const psopack_view *view, uint32_t pso, uint32_t *ret_crc,
                                    psopack_diag *diag)
{
    uint32_t tuple = 0;
    for (uint32_t slot = 0; slot < view->slots; slot++) {
        uint32_t component;
        psopack_component_row row;
        psopack_slot_row slot_row = {0};
        psopack_status status = psopack_view_pso_slot(view, pso, slot, &component, diag);
        if (status == PSOPACK_E_ABSENT)
            continue;
        PSOPACK_TRY(status);
        PSOPACK_TRY(psopack_view_component(view, component, &row, diag));
        psopack_view_slot(view, slot, &slot_row);
        tuple = psopack_tuple_add(tuple, slot_row.name, slot_row.name_size, row.size, row.crc);
    }
    *ret_crc = tuple;
    return PSOPACK_OK;
}

psopack_status psopack_view_tuple(const psopack_view *view, uint32_t pso, uint32_t *ret_crc,
                                  psopack_diag *diag)
{
    if (pso >= view->psos)
        return psopack_fail(diag, PSOPACK_E_NOT_FOUND, "PSO %u: there are %u", pso, view->psos);
    uint64_t stored;
    uint32_t derived = 0;
    PSOPACK_TRY(psopack_column_read(&view->tuple_column, pso, &stored, diag));
    if (stored > UINT32_MAX)
        return bad_value(diag, pso, 0);
    if ((view->meta_flags & PSOPACK_META_TUPLE_DELTA) != 0)
        PSOPACK_TRY(derived_tuple(view, pso, &derived, diag));
    *ret_crc = (uint32_t)stored ^ derived;
    return PSOPACK_OK;
}
