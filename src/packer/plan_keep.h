/* SPDX-License-Identifier: MIT */
/* Inside of psopack_plan_keep(): what is decided about older archives, and the rows that follow. */
#ifndef PSOPACK_PACKER_PLAN_KEEP_H
#define PSOPACK_PACKER_PLAN_KEEP_H

#include "packer/plan.h"

/* Of an old block. */
typedef enum psopack_fate { PSOPACK_DROP, PSOPACK_KEEP, PSOPACK_KEEP_DEAD } psopack_fate;

/* One old archive's numbers in the plan. */
typedef struct psopack_old_map {
    uint32_t *kind;      /* by old kind */
    uint32_t *base;      /* by old base: the plan's, or PSOPACK_NO_BASE */
    bool *strip_differs; /* by old kind: the plan has another strip word for it */
    bool *strips;        /* by old kind */
    uint8_t *fate;       /* by block */
    bool *claims;        /* by component: its place there is the one that counts */
} psopack_old_map;

typedef struct psopack_keeper {
    psopack_planner *planner;
    const psopack_keep *keep;
    uint32_t *of_item;     /* by store item: model component, or PSOPACK_NO_COMPONENT */
    bool *taken;           /* by model component: it has a place */
    psopack_old_map *maps; /* by archive */
} psopack_keeper;

/* The build's component with the bytes of an old one, or PSOPACK_NO_COMPONENT. */
static inline uint32_t psopack_keeper_component(const psopack_keeper *keeper, uint32_t archive,
                                                uint32_t old_component)
{
    uint32_t item = keeper->keep->olds[archive]->item[old_component];
    return item == PSOPACK_NO_ITEM ? PSOPACK_NO_COMPONENT : keeper->of_item[item];
}

static inline bool psopack_old_is_base(const psopack_old *old, uint32_t block)
{
    return (old->blocks[block].flags & PSOPACK_BLOCK_BASE) != 0;
}

/* Writes the kept blocks and their components into the plan: all of one archive, or what stays of
 * several, bases first. */
psopack_status psopack_keep_in_place(psopack_keeper *keeper, psopack_diag *diag);
psopack_status psopack_keep_moved(psopack_keeper *keeper, psopack_diag *diag);

#endif
