/* SPDX-License-Identifier: MIT */
/*
 * How much memory an archive will take, before it is opened and without any: for a title that gives
 * the library one piece of its own. A few reads of counts; what they say is bounded here and proved
 * when the archive is opened.
 */
#include <string.h>

#include "loader/base.h"
#include "loader/memory_layout.h"
#include "loader/open.h"

typedef struct needs {
    const psopack_origin *origin;
    const psopack_open_options *options;
    bool in_place; /* stored bytes and manifest are used where they lie */
    uint64_t pages;
    uint64_t manifest_size;
    bool is_layer;
    psopack_context_sizes context;
    uint32_t slots, bases;
    uint64_t base_memory;
    bool has_names;
} needs;

static psopack_status too_much(psopack_diag *diag, const char *what)
{
    return psopack_fail(diag, PSOPACK_E_LIMIT,
                        "%s: more than the limits allow, or the archive is damaged; open it to see",
                        what);
}

/* Reads `size` bytes at `at` of a section. */
static psopack_status read_section(const needs *n, const psopack_disk_section *row, uint64_t at,
                                   void *buffer, size_t size, psopack_diag *diag)
{
    if (size > psopack_load64(row->size) || at > psopack_load64(row->size) - size)
        return too_much(diag, "a section is shorter than its head");
    return psopack_origin_read(n->origin, psopack_load64(row->offset) + at, buffer, size, diag);
}

static psopack_status see_bases(needs *n, const psopack_disk_section *row, psopack_diag *diag)
{
    psopack_disk_count head;
    PSOPACK_TRY(read_section(n, row, 0, &head, sizeof head, diag));
    n->bases = psopack_load32(head.count);
    if (n->bases > PSOPACK_BASES_MAX)
        return too_much(diag, "bases");
    for (uint32_t i = 0; i < n->bases; i++) {
        psopack_disk_base base;
        PSOPACK_TRY(read_section(n, row, sizeof head + i * sizeof base, &base, sizeof base, diag));
        if (psopack_load32(base.block) != PSOPACK_BASE_EXTERNAL)
            n->base_memory += psopack_base_size(psopack_load32(base.tables_size),
                                                psopack_load32(base.raw_size), !n->in_place);
    }
    return n->base_memory > n->options->limits.base_memory ? too_much(diag, "memory of bases")
                                                           : PSOPACK_OK;
}

static psopack_status see_section(needs *n, const psopack_disk_section *row, psopack_diag *diag)
{
    psopack_disk_meta meta;
    psopack_disk_count count;
    psopack_disk_names names;
    switch (psopack_load32(row->id)) {
    case PSOPACK_SECTION_META:
        PSOPACK_TRY(read_section(n, row, 0, &meta, sizeof meta, diag));
        n->context.raw_max = psopack_load32(meta.block_raw_max);
        n->context.stored_max = psopack_load32(meta.block_stored_max);
        break;
    case PSOPACK_SECTION_SLOT:
        PSOPACK_TRY(read_section(n, row, 0, &count, sizeof count, diag));
        n->slots = psopack_load32(count.count);
        break;
    case PSOPACK_SECTION_BASE:
        return see_bases(n, row, diag);
    case PSOPACK_SECTION_NAME:
        PSOPACK_TRY(read_section(n, row, 0, &names, sizeof names, diag));
        n->has_names = true;
        n->context.names_max = psopack_load32(names.page_raw_max);
        break;
    default:
        break;
    }
    return PSOPACK_OK;
}

static psopack_status see_archive(needs *n, psopack_diag *diag)
{
    psopack_tail tail;
    psopack_ends ends;
    uint64_t manifest_offset;
    const psopack_open_limits *limits = &n->options->limits;
    PSOPACK_TRY(psopack_tail_read(n->origin, NULL, &tail, &ends, diag));
    const uint8_t *table = psopack_tail_table(&tail, &ends);
    PSOPACK_TRY(psopack_table_check(&ends, table, &manifest_offset, &n->pages, diag));
    n->is_layer = (ends.must_refuse & PSOPACK_FEATURE_LAYER) != 0;
    n->manifest_size = n->origin->size - manifest_offset;
    for (uint32_t i = 0; i < ends.section_count; i++) {
        psopack_disk_section row;
        memcpy(&row, table + i * sizeof row, sizeof row);
        PSOPACK_TRY(see_section(n, &row, diag));
    }
    if (n->context.raw_max > limits->block_size || n->context.stored_max > limits->block_size)
        return too_much(diag, "bytes in a block");
    if (!n->in_place && n->manifest_size > limits->manifest_size)
        return too_much(diag, "bytes of the manifest");
    if (n->slots > PSOPACK_SLOTS_MAX || n->context.names_max > PSOPACK_NAMES_PAGE_MAX)
        return too_much(diag, "slots or names");
    return PSOPACK_OK;
}

psopack_status psopack_origin_memory_needed(const psopack_origin *origin,
                                            const psopack_open_options *options, bool in_place,
                                            psopack_memory *ret_memory, psopack_diag *diag)
{
    needs n = {.origin = origin, .options = options, .in_place = in_place};
    PSOPACK_TRY(see_archive(&n, diag));
    psopack_first_layout first = psopack_lay_out_first(n.pages, in_place ? 0 : n.manifest_size);
    psopack_second_layout second = psopack_lay_out_second(
        n.slots, n.bases, n.is_layer, n.has_names ? psopack_dictionary_size() : 0, n.base_memory);
    if (in_place)
        n.context.stored_max = 0;
    psopack_context_sizes_add(&n.context, options->base);
    psopack_context_layout context = psopack_lay_out_context(psopack_decoder_size(), &n.context);
    if (first.arena.overflow || second.arena.overflow || context.arena.overflow)
        return too_much(diag, "memory");
    ret_memory->archive = psopack_align_up(origin->state_size, PSOPACK_ALLOCATION_ALIGNMENT) +
                          (uint64_t)first.arena.size + second.arena.size;
    ret_memory->context = context.arena.size;
    return PSOPACK_OK;
}

psopack_status psopack_source_memory_needed(const psopack_source *source,
                                            const psopack_open_options *options,
                                            psopack_memory *ret_memory, psopack_diag *diag)
{
    if (!source || !source->read || !ret_memory)
        return psopack_fail(diag, PSOPACK_E_ARGUMENT,
                            "source, its read and ret_memory must not be NULL");
    psopack_open_options own;
    PSOPACK_TRY(psopack_options_load(options, &own, diag));
    psopack_origin origin = psopack_origin_of_callbacks(source);
    return psopack_origin_memory_needed(&origin, &own, false, ret_memory, diag);
}
