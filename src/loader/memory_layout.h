/* SPDX-License-Identifier: MIT */
/*
 * What goes into each allocation, from a few numbers of the archive: so that what opening allocates
 * and what psopack_archive_memory_needed() promises are computed by the same lines.
 */
#ifndef PSOPACK_LOADER_MEMORY_LAYOUT_H
#define PSOPACK_LOADER_MEMORY_LAYOUT_H

#include "loader/arena.h"
#include "loader/context.h"

/* The archive, the page states, the manifest where it must be copied. */
typedef struct psopack_first_layout {
    psopack_arena arena;
    size_t archive, pages, manifest;
} psopack_first_layout;

static inline psopack_first_layout psopack_lay_out_first(uint64_t pages, uint64_t manifest_copy)
{
    psopack_first_layout layout = {.arena = {0, 0}};
    layout.archive = psopack_arena_add(&layout.arena, sizeof(psopack_archive));
    layout.pages = psopack_arena_add(&layout.arena, pages * sizeof(psopack_page_state));
    layout.manifest = psopack_arena_add(&layout.arena, manifest_copy);
    return layout;
}

/* Columns, base states, the table of slots, the names' dictionary, the bases. */
typedef struct psopack_second_layout {
    psopack_arena arena;
    size_t columns, bases, base_slots, names, names_room, base_memory;
} psopack_second_layout;

static inline psopack_second_layout psopack_lay_out_second(uint32_t slots, uint32_t bases,
                                                           bool is_layer, size_t names_dictionary,
                                                           uint64_t base_memory)
{
    psopack_second_layout layout = {.arena = {0, 0}};
    uint64_t names = names_dictionary ? sizeof(psopack_names) : 0;
    layout.columns = psopack_arena_add(&layout.arena, 2 * slots * (uint64_t)sizeof(psopack_column));
    layout.bases = psopack_arena_add(&layout.arena, bases * (uint64_t)sizeof(psopack_base));
    layout.base_slots =
        psopack_arena_add(&layout.arena, is_layer ? slots * (uint64_t)sizeof(uint16_t) : 0);
    layout.names = psopack_arena_add(&layout.arena, names);
    layout.names_room = psopack_arena_add(&layout.arena, names_dictionary);
    layout.base_memory = psopack_arena_add(&layout.arena, base_memory);
    return layout;
}

/* One context. */
typedef struct psopack_context_layout {
    psopack_arena arena;
    size_t scratch, decoder, raw, stored, names;
} psopack_context_layout;

static inline psopack_context_layout psopack_lay_out_context(size_t decoder_size,
                                                             const psopack_context_sizes *sizes)
{
    psopack_context_layout layout = {.arena = {0, 0}};
    psopack_arena_add(&layout.arena, sizeof(psopack_context));
    layout.scratch = psopack_arena_add(&layout.arena, PSOPACK_TRANSFORM_SCRATCH);
    layout.decoder = psopack_arena_add(&layout.arena, decoder_size);
    layout.raw = psopack_arena_add(&layout.arena, sizes->raw_max);
    layout.stored = psopack_arena_add(&layout.arena, sizes->stored_max);
    layout.names = psopack_arena_add(&layout.arena, sizes->names_max);
    return layout;
}

#endif
