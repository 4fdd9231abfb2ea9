/* SPDX-License-Identifier: MIT */
/*
 * Residency as its files see it.
 *
 * A PSO's word: the number of references in the low bits; RESIDENT once all its components are in
 * memory and its tuple CRC was checked; PINNED; UNFILED when it is not in the eviction heap. A
 * reference is taken by adding 1 and looking at what was there: without RESIDENT it is taken back
 * and the slow path begins. Eviction swaps exactly RESIDENT, no reference, for 0, so it never meets
 * one. A PSO that eviction finds held leaves the heap; whoever gives the last reference back sees
 * UNFILED and puts it in again. All else is under the lock.
 */
#ifndef PSOPACK_LOADER_RESIDENCY_H
#define PSOPACK_LOADER_RESIDENCY_H

#include <psopack/residency.h>

#include "loader/archive.h"

#define RESIDENT UINT32_C(0x80000000)
#define PINNED UINT32_C(0x40000000)
#define UNFILED UINT32_C(0x20000000)
#define REFERENCES UINT32_C(0x1fffffff)

typedef struct resident_pso {
    _Atomic(uint32_t) word;
    _Atomic(uint32_t) released; /* the moment when its last reference went */
} resident_pso;

typedef enum component_stage {
    COMPONENT_OUT = 0,
    COMPONENT_LOADING, /* by one thread; others wait */
    COMPONENT_IN
} component_stage;

typedef struct resident_component {
    void *bytes;
    uint32_t users; /* PSOs in memory or being loaded */
    uint32_t crc;
} resident_component;

/* Of the heap of PSOs in memory, the one to go first on top; `moment` may be older than the PSO's
 * own, it is brought up to date when it comes to the top. */
typedef struct eviction_entry {
    uint32_t moment;
    uint32_t pso;
} eviction_entry;

struct psopack_residency {
    const psopack_archive *archive;
    psopack_residency_options options;
    size_t size;

    _Atomic(uint8_t) lock;
    _Atomic(uint32_t) moment;
    _Atomic(uint64_t) lock_waits;

    resident_pso *psos;
    uint8_t *pso_loading; /* [psos]: 1 while one thread loads it */
    resident_component *components;
    uint8_t *stages; /* [components]: component_stage */
    eviction_entry *heap;
    uint32_t heap_count;
    uint32_t *given_back; /* [psos]: of psopack_residency_would_free(), else zeros */
    uint8_t *marks;       /* [components]: the same */
    psopack_residency_stats stats;
};

void psopack_residency_lock(psopack_residency *residency);
void psopack_residency_unlock(psopack_residency *residency);

/* Memory for one component, the caller's or the archive's. */
void *psopack_residency_allocate(const psopack_residency *residency, uint32_t component,
                                 const psopack_component_row *row);
void psopack_residency_free(const psopack_residency *residency, uint32_t component,
                            const psopack_component_row *row, void *bytes);

/* Under the lock: makes room for one more component of `size` bytes. */
psopack_status psopack_residency_make_room(psopack_residency *residency, uint64_t size,
                                           psopack_diag *diag);

/* Under the lock: puts a PSO into the eviction heap. */
void psopack_residency_file(psopack_residency *residency, uint32_t pso);

/* Under the lock: evicts the PSO that was released longest ago; false when all are held. */
bool psopack_residency_evict_one(psopack_residency *residency);

/* Under the lock: one user less; frees the component with the last one. */
void psopack_residency_drop_component(psopack_residency *residency, uint32_t component);

/*
 * Without the lock: makes a component resident and counts one user more. Waits while another thread
 * decodes it.
 */
psopack_status psopack_residency_hold_component(psopack_residency *residency,
                                                psopack_context *context, uint32_t component,
                                                psopack_diag *diag);

#endif
