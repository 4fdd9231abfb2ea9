/* SPDX-License-Identifier: MIT */
/* A load plan, as its files see it: items sorted by component, jobs that cover them. */
#ifndef PSOPACK_LOADER_LOAD_PLAN_H
#define PSOPACK_LOADER_LOAD_PLAN_H

#include <psopack/load_plan.h>

#include "loader/base.h"
#include "loader/component.h"
#include "loader/layer.h"

typedef enum plan_item_state {
    PLAN_ITEM_WAITING = 0,
    PLAN_ITEM_LOADED,
    PLAN_ITEM_FAILED
} plan_item_state;

/* One component in one heap. Written by the thread whose job it is. */
typedef struct plan_item {
    uint64_t offset; /* in the heap */
    uint32_t component;
    uint32_t size;
    uint32_t crc;
    uint8_t heap;
    uint8_t state; /* plan_item_state */
} plan_item;

/*
 * A base block of any archive of the plan's chain, as one number: the archive's depth, the base's
 * number there.
 */
#define PLAN_CHAIN_MAX (PSOPACK_LAYER_DEPTH_MAX + 1)
#define PLAN_BASES_MAX (PLAN_CHAIN_MAX * 256)

static inline uint32_t plan_base(const psopack_archive *archive, uint32_t index)
{
    return archive->depth << 8 | index;
}

static inline psopack_base_place plan_base_place(const psopack_archive *archive, uint32_t base)
{
    return (psopack_base_place){psopack_archive_at_depth(archive, base >> 8), base & 0xff};
}

/* A run of items in one block, or a base to decode (no items). */
typedef struct plan_job {
    uint32_t block; /* of the archive that holds the first item; with no items: a plan_base() */
    uint32_t first_item;
    uint32_t item_count;
    uint32_t first_offset; /* of the first item's bytes in the decoded block */
    uint64_t bytes;        /* delivered */
} plan_job;

struct psopack_load_plan {
    const psopack_archive *archive;
    psopack_allocator allocator;
    size_t size;
    psopack_load_plan_info info;
    plan_item *items;
    plan_job *jobs; /* an allocation of its own: counted after the items are placed */
    size_t jobs_size;
    uint32_t largest_base; /* plan_base() + 1; 0: none is needed */
    uint32_t late_at;      /* the first job of a block that needs it */
    uint32_t in_base_at;   /* the first job of what lies in bases */
    uint8_t slot_heaps[PSOPACK_SLOTS_MAX];

    _Atomic(uint32_t) next_job;
    _Atomic(uint32_t) jobs_done;
    _Atomic(uint64_t) bytes_done;
};

/*
 * Cuts the items into jobs, twice: with `jobs` NULL it only counts. Fills info: jobs, base_jobs,
 * blocks, read_bytes, largest_read.
 */
psopack_status psopack_load_plan_cut(psopack_load_plan *plan, plan_job *jobs, psopack_diag *diag);

/* The archive of the plan's chain whose file a job reads, and where its components begin. */
psopack_local psopack_load_plan_job_place(const psopack_load_plan *plan, const plan_job *job);

/* The next job that nobody has taken; false: none is left. */
bool psopack_load_plan_take(psopack_load_plan *plan, uint32_t *ret_job);

/* Counts a job as ended, run or given up. */
void psopack_load_plan_end(psopack_load_plan *plan, uint32_t job);

#endif
