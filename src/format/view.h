/* SPDX-License-Identifier: MIT */
/*
 * A validated look at an archive's manifest: the one module that turns untrusted bytes into facts.
 *
 * psopack_view_open() proves header, footer, section table and small sections. Each accessor proves
 * what it reads before it answers: that the page's check matches, that indexes exist, that ranges
 * lie in the file. After PSOPACK_OK no value it gave can lead out of bounds. Nothing here allocates
 * but through the memory the caller hands in; a view is constant after open (page states aside,
 * which are atomic), so threads share it freely.
 */
#ifndef PSOPACK_FORMAT_VIEW_H
#define PSOPACK_FORMAT_VIEW_H

#include "format/column.h"

/* What the ends of a file say, before anything else is read. */
typedef struct psopack_ends {
    uint64_t file_size;
    uint64_t table_offset;
    uint64_t repeat_offset;
    uint32_t table_crc;
    uint32_t section_count;
    uint64_t may_ignore;
    uint64_t may_not_append;
    uint64_t must_refuse;
    uint64_t key_seed;
    uint8_t content_id[16];
    uint8_t archive_id[16];
    psopack_disk_footer footer;
} psopack_ends;

/*
 * Judges header and footer. `header` holds the first 64 bytes of the file and `tail` its last
 * `tail_size` bytes (the more, the better "extended" is told from "truncated"; 64 KiB is plenty);
 * both may overlap. A file of fewer than 192 bytes passes what there is of it.
 */
psopack_status psopack_ends_check(const uint8_t *header, size_t header_size, const uint8_t *tail,
                                  size_t tail_size, uint64_t file_size, psopack_ends *ret_ends,
                                  psopack_diag *diag);

/*
 * Where the manifest begins: the offset of the first section, given the section table (`ends`
 * section_count rows at repeat_offset). Checks the table: its CRC, that rows do not overlap, fill
 * the file from there to the footer without a gap and are known or optional, and the archive id.
 */
psopack_status psopack_table_check(const psopack_ends *ends, const uint8_t *table,
                                   uint64_t *ret_manifest_offset, uint64_t *ret_pages,
                                   psopack_diag *diag);

/* The archive id of a footer and its section table: XXH3-128, canonical, of the table, then of the
 * footer with archive_id and crc as zero. `table_size` is at most what PSOPACK_SECTIONS_MAX gives.
 */
void psopack_archive_id(const psopack_disk_footer *footer, const void *table, size_t table_size,
                        uint8_t ret_id[16]);

/* What LAYR says; see psopack_disk_layer. */
typedef struct psopack_layer_row {
    uint8_t base_content_id[16];
    uint8_t base_archive_id[16];
    uint32_t depth; /* 1 .. PSOPACK_LAYER_DEPTH_MAX; 0: the archive is no layer */
    uint32_t base_psos;
    uint32_t base_components;
    uint32_t psos; /* of the whole */
    uint32_t live_components;
    uint64_t references;
    uint64_t reference_bytes;
    uint64_t component_bytes;
} psopack_layer_row;

typedef struct psopack_view {
    psopack_ends ends;
    const uint8_t *manifest; /* bytes [manifest_offset, file_size) of the file */
    uint64_t manifest_offset;
    uint32_t section_count;
    psopack_section sections[PSOPACK_SECTIONS_MAX]; /* in table order */

    const psopack_section *slot_section;
    const psopack_section *kind_section;
    const psopack_section *base_section;
    const psopack_section *name_section; /* NULL: none */
    const psopack_section *hash_section; /* NULL: none */

    /* META */
    uint64_t content_version;
    uint32_t psos;
    uint32_t components;
    uint32_t blocks;
    uint64_t references;
    uint64_t reference_bytes;
    uint64_t component_bytes;
    uint64_t split_size;
    uint32_t block_raw_max;
    uint32_t block_stored_max;
    uint32_t profile;
    uint32_t zstd_version;
    uint32_t meta_flags;
    const char *target; /* zero-terminated, inside META */
    const char *recipe;

    uint32_t slots;
    uint32_t kinds;
    uint32_t bases;
    uint32_t live_components; /* rows of REFS */
    uint32_t component_end;   /* what slots name lies below: `components`, in a layer more */
    psopack_layer_row layer;

    psopack_column block_columns[PSOPACK_BLOCK_COLUMNS];
    psopack_column component_columns[PSOPACK_COMPONENT_COLUMNS];
    psopack_column reference_column;
    psopack_column key_columns[PSOPACK_KEY_COLUMNS];
    psopack_column tuple_column;
    psopack_column layer_columns[PSOPACK_LAYER_COLUMNS]; /* of a layer */
    psopack_column *slot_columns;                        /* [slots] */
    psopack_column *guess_columns; /* [slots]; section NULL: no guess for the slot */
} psopack_view;

/*
 * Opens a view. `manifest` holds the file from `manifest_offset` to its end and must outlive the
 * view. `pages` has as many zeroed elements as psopack_table_check() counted. `ret_view` has no
 * columns yet: psopack_view_open_columns() comes next.
 */
psopack_status psopack_view_open(const psopack_ends *ends, const uint8_t *manifest,
                                 uint64_t manifest_offset, psopack_page_state *pages,
                                 psopack_view *ret_view, psopack_diag *diag);

/* Second step, once the caller made room for 2 * view->slots columns. */
psopack_status psopack_view_open_columns(psopack_view *view, psopack_column *columns,
                                         psopack_diag *diag);

/* Checks every page of every section and all padding between sections now. Reports the first. */
psopack_status psopack_view_check_all(const psopack_view *view, psopack_diag *diag);

typedef struct psopack_slot_row {
    const char *name; /* zero-terminated */
    uint32_t name_size;
    uint32_t align_log2;
    uint64_t references;
} psopack_slot_row;

typedef struct psopack_kind_row {
    const char *name; /* zero-terminated */
    uint32_t name_size;
    uint32_t transform;
    uint32_t strip_word;
    uint32_t base; /* BASE row + 1, 0 none */
    uint64_t components;
    uint64_t component_bytes;
    uint64_t stored_bytes;
} psopack_kind_row;

typedef struct psopack_base_row {
    uint32_t block; /* PSOPACK_BASE_EXTERNAL, in a layer: found in what it builds on, by its hash */
    uint32_t raw_size;
    const uint8_t *tables;
    uint32_t tables_size;
    uint8_t hash[16];
} psopack_base_row;

/* Rows of the small sections, all proved at open: these only fail for an index out of range. */
bool psopack_view_slot(const psopack_view *view, uint32_t slot, psopack_slot_row *ret_row);
bool psopack_view_kind(const psopack_view *view, uint32_t kind, psopack_kind_row *ret_row);
bool psopack_view_base(const psopack_view *view, uint32_t base, psopack_base_row *ret_row);

typedef struct psopack_block_row {
    uint64_t offset; /* [offset, offset + stored_size) lies between header and manifest */
    uint64_t check;
    uint32_t stored_size;
    uint32_t raw_size;
    uint32_t first; /* component */
    uint32_t count; /* of components; 0 for a piece that is not the first */
    uint32_t transform;
    uint32_t
        base; /* BASE row + 1, 0 none; its transform is this block's, if it lies in this file */
    uint32_t kind;
    uint32_t strip_word;
    uint32_t flags; /* PSOPACK_BLOCK_* */
} psopack_block_row;

psopack_status psopack_view_block(const psopack_view *view, uint32_t block,
                                  psopack_block_row *ret_row, psopack_diag *diag);

/* The check over a block's stored bytes and context (format rule 5). `base_hash` NULL: no base. */
uint64_t psopack_block_check(const void *stored, uint64_t stored_size, uint64_t raw_size,
                             uint32_t transform, const uint8_t base_hash[16]);

typedef struct psopack_component_row {
    uint64_t size;
    uint32_t crc;
    uint32_t align_log2;
    uint32_t strip; /* words */
    uint32_t recode;
    bool dead;
} psopack_component_row;

psopack_status psopack_view_component(const psopack_view *view, uint32_t component,
                                      psopack_component_row *ret_row, psopack_diag *diag);

/* Bytes of a component in its block: size less what strip leaves out. */
static inline uint64_t psopack_component_stored(const psopack_component_row *row)
{
    return row->size - (uint64_t)row->strip * 4;
}

/* Bytes that components [first, end) take in their blocks. Modulo 2^64 where sizes are forged:
 * whoever uses the sum as an offset proves that it lies in the block. */
psopack_status psopack_view_stored_bytes(const psopack_view *view, uint32_t first, uint32_t end,
                                         uint64_t *ret_bytes, psopack_diag *diag);

typedef struct psopack_place {
    uint32_t block;  /* first block; UINT32_MAX for size 0 */
    uint32_t blocks; /* 1, or the pieces of a large component, or 0 for size 0 */
    uint64_t offset; /* in the decoded block */
} psopack_place;

/*
 * Where a component lies: binary search over the blocks' first components, then a sum over the
 * sizes in front of it in the block. `row` is the component's. On OK the component's stored bytes
 * lie inside the block's raw size (or the pieces add up to exactly its size). `ret_block` is the
 * row of place.block, zeros for size 0: a block's row is a dozen column reads, worth doing once.
 */
psopack_status psopack_view_locate(const psopack_view *view, uint32_t component,
                                   const psopack_component_row *row, psopack_place *ret_place,
                                   psopack_block_row *ret_block, psopack_diag *diag);

/* Component of a slot, below view->component_end; ABSENT, NOT_FOUND (index out of range) or damage.
 */
psopack_status psopack_view_pso_slot(const psopack_view *view, uint32_t pso, uint32_t slot,
                                     uint32_t *ret_component, psopack_diag *diag);

/* All slots: ret_components[view->slots], UINT32_MAX for absent. */
psopack_status psopack_view_pso(const psopack_view *view, uint32_t pso, uint32_t *ret_components,
                                psopack_diag *diag);

/* The stored tuple CRC (with PSOPACK_META_TUPLE_DELTA: rebuilt from the row's stored CRCs). */
psopack_status psopack_view_tuple(const psopack_view *view, uint32_t pso, uint32_t *ret_crc,
                                  psopack_diag *diag);

/* XXH3-128, canonical, of a component's delivered bytes. NO_HASHES without the section. */
psopack_status psopack_view_hash(const psopack_view *view, uint32_t component, uint8_t ret_hash[16],
                                 psopack_diag *diag);

/* ---- keys: buckets by the top bits of a mixed key, then the rest of it in ascending order -------
 */

/* True when keys only lead to pages of names (profile `small`): find by psopack_view_key_page(). */
bool psopack_view_keys_are_paged(const psopack_view *view);

/* Part of psopack_view_open_columns(): the key columns fit the number of PSOs. */
psopack_status psopack_view_check_keys(const psopack_view *view, psopack_diag *diag);

/* The PSO with that key, or NOT_FOUND. For archives whose keys are not paged. */
psopack_status psopack_view_find_key(const psopack_view *view, uint64_t key, uint32_t *ret_pso,
                                     psopack_diag *diag);

/* The page of names that alone may hold the name with that key, or NOT_FOUND. For paged keys. */
psopack_status psopack_view_key_page(const psopack_view *view, uint64_t key, uint32_t *ret_page,
                                     psopack_diag *diag);

/* ---- layers: PSOs of the base, of the layer, and of the whole -----------------------------------
 */

/* Where PSO `pso` of the whole is: in the layer itself (*ret_own) or in its base. */
psopack_status psopack_view_layer_find(const psopack_view *view, uint32_t pso, bool *ret_own,
                                       uint32_t *ret_index, psopack_diag *diag);

/* The number in the whole of the layer's own PSO `own`. */
psopack_status psopack_view_layer_place(const psopack_view *view, uint32_t own, uint32_t *ret_pso,
                                        psopack_diag *diag);

/* The number in the whole of the base's PSO `pso`; NOT_FOUND when the layer replaces or removes it.
 */
psopack_status psopack_view_layer_keep(const psopack_view *view, uint32_t pso, uint32_t *ret_pso,
                                       psopack_diag *diag);

/* ---- names ------------------------------------------------------------------------------------
 */

typedef struct psopack_name_page {
    const uint8_t *frame; /* one magicless zstd frame, no content size, against the dictionary */
    size_t frame_size;
    uint32_t first_pso;
    uint32_t names;
} psopack_name_page;

/* The dictionary (raw content, may be empty) and the size of the largest decoded page. */
psopack_status psopack_view_name_dictionary(const psopack_view *view, const uint8_t **ret_bytes,
                                            size_t *ret_size, size_t *ret_page_raw_max,
                                            psopack_diag *diag);
psopack_status psopack_view_name_page(const psopack_view *view, uint32_t page,
                                      psopack_name_page *ret_page, psopack_diag *diag);

/* A walk over the names of a decoded page; each builds on the one before. */
typedef struct psopack_names_walk {
    const uint8_t *page;
    size_t page_size;
    size_t shared_at, own_at, bytes_at; /* where the three runs go on */
    uint32_t size;                      /* of the last name */
    uint32_t left;                      /* names to come */
} psopack_names_walk;

psopack_status psopack_names_begin(psopack_names_walk *walk, const uint8_t *page, size_t page_size,
                                   uint32_t names, psopack_diag *diag);

/* Makes the last name in `buffer`, of PSOPACK_PSO_NAME_MAX bytes, the next; there is one. */
psopack_status psopack_names_next(psopack_names_walk *walk, uint8_t *buffer, psopack_diag *diag);

/*
 * Name `index` (0 .. names - 1) of a decoded page. `buffer` has PSOPACK_PSO_NAME_MAX bytes. CORRUPT
 * when the page is malformed.
 */
psopack_status psopack_name_decode(const uint8_t *page, size_t page_size, uint32_t names,
                                   uint32_t index, uint8_t *buffer, uint32_t *ret_size,
                                   psopack_diag *diag);

#endif
