/* SPDX-License-Identifier: MIT */
/* The root signatures of a collection, each decoded once, and each counted once per stage mask. */
#ifndef PSOPACK_LINT_ROOTSIG_SET_H
#define PSOPACK_LINT_ROOTSIG_SET_H

#include "lint/checks.h"

typedef enum psopack_rootsig_state {
    PSOPACK_ROOTSIG_NONE = 0, /* the component is no root signature of any PSO */
    PSOPACK_ROOTSIG_READ,
    PSOPACK_ROOTSIG_FOREIGN, /* another container, by its magic */
    PSOPACK_ROOTSIG_BAD      /* D3D12's container, unreadable */
} psopack_rootsig_state;

typedef struct psopack_rootsig_entry {
    psopack_rootsig_state state;
    psopack_rootsig rootsig;  /* when READ */
    uint32_t problems;        /* when READ */
    psopack_diag diag;        /* when BAD */
    psopack_finding *finding; /* about BAD, or about `problems`; NULL until there is one */
    bool live;                /* a PSO of the live set uses it */
} psopack_rootsig_entry;

/* What one root signature binds for PSOs with the same stages. */
typedef struct psopack_binding_entry {
    uint32_t component;
    uint32_t stages;
    psopack_binding binding;
    psopack_pso_tier tier;
    psopack_misfit misfits[PSOPACK_MISFITS_MAX]; /* of the target, or of every tier */
    size_t misfit_count;
    psopack_finding *findings[PSOPACK_MISFITS_MAX];
} psopack_binding_entry;

typedef struct psopack_rootsig_set {
    psopack_rootsig_entry **entries; /* by component; NULL when it is none */
    size_t component_count;
    psopack_interner keys; /* (component, stages); numbers index `bindings` */
    psopack_binding_entry *bindings;
    size_t binding_capacity;
} psopack_rootsig_set;

/* NOMEM. Free it also after a failure. */
psopack_status psopack_rootsig_set_init(psopack_rootsig_set *set,
                                        const psopack_collection *collection);

/* Decodes the component unless that was done. */
psopack_status psopack_rootsig_set_entry(psopack_rootsig_set *set,
                                         const psopack_collection *collection, uint32_t component,
                                         psopack_rootsig_entry **ret_entry);

/* Counts and judges a component whose entry is READ; valid until the next call. */
psopack_status psopack_rootsig_set_binding(psopack_rootsig_set *set, uint32_t component,
                                           uint32_t stages, const psopack_lint_options *options,
                                           psopack_binding_entry **ret_binding);

void psopack_rootsig_set_free(psopack_rootsig_set *set);

#endif
