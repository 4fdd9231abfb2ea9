/* SPDX-License-Identifier: MIT */
/* Shared inside planning: the components of one kind, and steps that each decide one thing. */
#ifndef PSOPACK_PACKER_PLAN_H
#define PSOPACK_PACKER_PLAN_H

#include "packer/block_cut.h"
#include "packer/layout_plan.h"

/* The components of one kind that go into ordinary blocks, in order of first use. */
typedef struct psopack_kind_members {
    uint32_t *components; /* model numbers */
    uint32_t count;
    uint64_t bytes; /* after stripping */
} psopack_kind_members;

typedef struct psopack_planner {
    const psopack_model *model;
    const psopack_store *store;
    const psopack_profile_settings *settings;
    const psopack_build_events *events;
    const uint32_t *rank; /* by component: its place in the load order, see order.h; NULL: none */
    unsigned threads;
    psopack_plan *plan;
    psopack_kind_members *members; /* by kind */
    bool *inherited; /* by kind: transform, strip word and base are those of an older archive */
    bool *placed;    /* by component: where it lies was decided by an older archive; NULL: none */
    uint8_t **bytes; /* by component: as its block holds it; NULL until prepared */
    bool *in_base;   /* by component */
} psopack_planner;

/* Strip word and transform of every kind, by trial on samples; sets plan->strip of the members. */
psopack_status psopack_plan_transforms(psopack_planner *planner, psopack_diag *diag);

/* ret_group[kind]: the kind whose base it shares, itself for the largest of a group. */
psopack_status psopack_plan_groups(const psopack_planner *planner, uint32_t *ret_group,
                                   psopack_diag *diag);

/* Which kinds get which base, and what is in it. Fills plan->bases (block unset),
 * plan->kinds[].base and in_base; ret_contents[i] lists the components of base i, in order (the
 * caller frees). */
psopack_status psopack_plan_bases(psopack_planner *planner, psopack_kind_members **ret_contents,
                                  psopack_diag *diag);

/* Keeps blocks, or refers to them: begins plan->blocks, plan->order, plan->bases and plan->kept,
 * and sets what kinds inherit. */
psopack_status psopack_plan_keep(psopack_planner *planner, const psopack_keep *keep,
                                 psopack_diag *diag);

/*
 * Making an old base ready for the compressor costs by the base's bytes, however few are new, and
 * is most of a small rebuild. Bases that get fewer than half their own bytes are searched less:
 * doc/compression.md has the numbers.
 */
void psopack_plan_search_less(psopack_planner *planner);

/* Cuts items into blocks, by similarity or in the order given. */
psopack_status psopack_plan_cut(const psopack_item *items, size_t count,
                                const psopack_cut_limits *limits, bool by_similarity,
                                psopack_cut *ret_cut, psopack_diag *diag);

#endif
