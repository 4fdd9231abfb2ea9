/* SPDX-License-Identifier: MIT */
/* The PSOs under lint: names, slots, components, and which PSO refers to what. */
#ifndef PSOPACK_LINT_COLLECTION_H
#define PSOPACK_LINT_COLLECTION_H

#include "lint/intern.h"
#include "lint/stage.h"

#include <psopack/lint.h>

/* What the rules use a slot for, as bits. */
enum {
    PSOPACK_ROLE_INSTRUCTIONS = 1, /* "vs.instructions" and the like */
    PSOPACK_ROLE_METADATA = 2,     /* "vs.metadata" and the like */
    PSOPACK_ROLE_ROOTSIG = 4,
    PSOPACK_ROLE_STATE = 8,
    PSOPACK_ROLE_LIMITS = 16,   /* the whole component is a limits blob */
    PSOPACK_ROLE_LIMITS_AT = 32 /* limits lie inside */
};

typedef struct psopack_lint_slot {
    psopack_stage stage;
    uint32_t roles;
} psopack_lint_slot;

/* Bytes; larger components are never read, and judged by their size. */
#define PSOPACK_LINT_FETCH_MAX (UINT64_C(16) << 20)

#define PSOPACK_NO_INDEX UINT32_MAX

typedef struct psopack_lint_component {
    uint64_t id;
    uint64_t size;
    uint32_t uses;  /* references over all PSOs and slots */
    uint32_t slot;  /* of its first use */
    uint32_t pso;   /* of its first use */
    uint32_t roles; /* of all slots it was used in */
    uint8_t *bytes; /* NULL until fetched, and when no rule wants them */
} psopack_lint_component;

typedef struct psopack_lint_reference {
    uint32_t slot;
    uint32_t component;
} psopack_lint_reference;

typedef struct psopack_lint_pso {
    size_t first_reference;
    uint32_t reference_count; /* sorted by slot */
    uint32_t stages;          /* bit mask */
} psopack_lint_pso;

typedef struct psopack_collection {
    psopack_interner pso_names;  /* zero-terminated; numbers are PSO indexes */
    psopack_interner slot_names; /* zero-terminated; numbers are slot indexes */
    psopack_interner component_ids;
    psopack_lint_pso *psos;
    size_t pso_capacity;
    psopack_lint_slot *slots;
    size_t slot_capacity;
    psopack_lint_component *components;
    size_t component_capacity;
    psopack_lint_reference *references;
    size_t reference_count;
    size_t reference_capacity;
    uint64_t fetched;
} psopack_collection;

psopack_status psopack_collection_add(psopack_collection *collection,
                                      const psopack_lint_options *options, const char *name,
                                      const psopack_lint_part *parts, size_t part_count,
                                      psopack_diag *diag);

/* Fetches the components whose bytes some rule wants, in ascending order of id. */
psopack_status psopack_collection_fetch(psopack_collection *collection,
                                        const psopack_lint_options *options, psopack_diag *diag);

void psopack_collection_free(psopack_collection *collection);

static inline uint32_t psopack_collection_pso_count(const psopack_collection *collection)
{
    return collection->pso_names.count;
}

static inline const char *psopack_collection_pso_name(const psopack_collection *collection,
                                                      uint32_t pso)
{
    return psopack_intern_bytes(&collection->pso_names, pso);
}

static inline const char *psopack_collection_slot_name(const psopack_collection *collection,
                                                       uint32_t slot)
{
    return psopack_intern_bytes(&collection->slot_names, slot);
}

/* The component that the PSO has in its first slot with any of the roles, or PSOPACK_NO_INDEX. */
uint32_t psopack_collection_find(const psopack_collection *collection, uint32_t pso,
                                 uint32_t roles);

#endif
