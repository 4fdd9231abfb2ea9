/* SPDX-License-Identifier: MIT */
/*
 * Which component lies in which block, under which base and transform: what planning decides and
 * compression carries out. Blocks are in file order; components in the order of their blocks are
 * the archive's component numbers.
 */
#ifndef PSOPACK_PACKER_LAYOUT_PLAN_H
#define PSOPACK_PACKER_LAYOUT_PLAN_H

#include "packer/keep.h"
#include "packer/model.h"
#include "packer/profile.h"

#define PSOPACK_NO_BASE UINT32_MAX
#define PSOPACK_NO_COMPONENT UINT32_MAX

typedef struct psopack_plan_block {
    uint32_t first; /* in plan->order */
    uint32_t count; /* of components; pieces of a large one: 1 on the last piece only */
    uint64_t piece_offset;
    uint32_t raw_size;
    uint32_t base; /* in plan->bases, or PSOPACK_NO_BASE */
    uint16_t kind;
    bool is_base;
    bool is_piece;          /* of a large component, the first one too */
    bool is_dead;           /* kept for its place: nothing in it is used */
    const psopack_old *old; /* where it is copied from; NULL: it is made */
    uint32_t old_block;
} psopack_plan_block;

typedef struct psopack_plan_base {
    uint32_t block;         /* in plan->blocks; PSOPACK_BASE_EXTERNAL: in a layer's base */
    uint32_t kind;          /* what its block is filed under */
    const psopack_old *old; /* whose base it is; NULL: a new one */
    uint32_t old_base;
    uint32_t raw_size; /* decoded bytes, of an old one */
    uint8_t *tables;   /* entropy tables, may be NULL */
    uint32_t tables_size;
    psopack_codec_params params; /* of the blocks that use it */
    /* filled when it is compressed */
    uint8_t *content; /* tables, then decoded bytes */
    size_t content_size;
    uint8_t hash[16];
} psopack_plan_base;

typedef struct psopack_plan_kind {
    uint32_t transform;
    uint32_t strip_word;
    bool strips;           /* some component leaves out strip words */
    uint32_t base;         /* or PSOPACK_NO_BASE */
    uint32_t block_target; /* decoded bytes of an ordinary block */
    psopack_codec_params params;
    uint64_t stored_bytes; /* filled by compression */
} psopack_plan_kind;

typedef struct psopack_plan {
    psopack_plan_block *blocks;
    size_t block_count, block_capacity;
    psopack_plan_base *bases;
    uint32_t base_count;
    psopack_plan_kind *kinds; /* by model kind */
    uint32_t *order;          /* [row_count]: model components in storage order; in kept blocks
                                 maybe PSOPACK_NO_COMPONENT, a dead one */
    uint32_t row_count;
    uint32_t *strip; /* by model component: trailing words left out */
    uint64_t split_size;
    psopack_component_row *kept; /* [kept_count]: the first rows, of blocks that are kept */
    XXH128_hash_t *kept_hashes;
    uint32_t kept_count;
    const psopack_old *prefix; /* the file begins as this one, up to its manifest; NULL: it does not
                                */
    uint32_t *outside; /* by model component: its index in a layer's base, or PSOPACK_NO_COMPONENT;
                          NULL: no layer */
} psopack_plan;

/* Plans everything. `keep` says what is taken over from older archives, matched with `store`; NULL:
 * nothing. `rank` says which components are placed first, see order.h; NULL: none. `threads` speeds
 * it up and changes nothing. */
psopack_status psopack_plan_make(const psopack_model *model, const psopack_store *store,
                                 const psopack_profile_settings *settings, const psopack_keep *keep,
                                 const uint32_t *rank, unsigned threads,
                                 const psopack_build_events *events, psopack_plan *ret_plan,
                                 psopack_diag *diag);
void psopack_plan_free(psopack_plan *plan);

/*
 * A component as its block holds it: stripped, then transformed. `out` has room for its stripped
 * size, `scratch` for PSOPACK_TRANSFORM_SCRATCH. With `prove`, inverts it and compares: INTERNAL
 * when they differ (a bug, never data).
 */
psopack_status psopack_plan_component_bytes(const psopack_model *model, const psopack_store *store,
                                            const psopack_plan *plan, uint32_t component,
                                            psopack_read_buffer *buffer, uint8_t *out,
                                            void *scratch, psopack_diag *diag);

/* What is dead of the blocks kept. */
psopack_waste psopack_plan_waste(const psopack_plan *plan);

/* What COMP says of row `row`. */
psopack_component_row psopack_plan_row(const psopack_model *model, const psopack_plan *plan,
                                       uint32_t row);

static inline uint64_t psopack_plan_stored_size(const psopack_model *model,
                                                const psopack_plan *plan, uint32_t component)
{
    return model->components[component].size - (uint64_t)plan->strip[component] * 4;
}

#endif
