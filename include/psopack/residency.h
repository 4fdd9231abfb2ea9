/* SPDX-License-Identifier: MIT */
/*
 * Residency: which components are in memory, for as long as a PSO that is in use needs them.
 *
 * Components are shared, so their lifetime is counted: acquiring a PSO loads what of it is not
 * there, releasing it lets go. A PSO that nobody holds stays in memory until room is needed, a
 * budget is passed or the caller trims; the one released longest ago goes first, and with it those
 * components that no other PSO in memory has.
 *
 * Every call but create and destroy may run on any thread at any time. Acquiring a PSO that is in
 * memory, and releasing one, is one atomic addition each; everything else takes a short lock, under
 * which nothing is decoded. A component that two threads want is decoded by one of them.
 */
#ifndef PSOPACK_RESIDENCY_H
#define PSOPACK_RESIDENCY_H

#include <psopack/psopack.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct psopack_residency psopack_residency;

typedef struct psopack_residency_options {
    size_t struct_size;    /* sizeof(psopack_residency_options) */
    uint64_t byte_budget;  /* of components, as delivered; 0: none */
    uint32_t entry_budget; /* number of components; 0: none */
    /* Memory for one component: any heap, by what the component is for. NULL when there is none.
     * Called under the lock: do not call back. `size` is at least 1. Both NULL: the archive's. */
    void *(*allocate)(void *user, uint32_t component, size_t size, size_t alignment);
    void (*release)(void *user, uint32_t component, void *memory, size_t size);
    void *user;
    psopack_allocator tables; /* 21 bytes a PSO, 18 a component, once. NULLs: the archive's */
} psopack_residency_options;

#define PSOPACK_RESIDENCY_OPTIONS_INIT                                                             \
    {                                                                                              \
        sizeof(psopack_residency_options), 0, 0, NULL, NULL, NULL,                                 \
        {                                                                                          \
            NULL, NULL, NULL                                                                       \
        }                                                                                          \
    }

/* `options` may be NULL: no budgets, memory from the archive's allocator. */
PSOPACK_API psopack_status psopack_residency_create(const psopack_archive *archive,
                                                    const psopack_residency_options *options,
                                                    psopack_residency **ret_residency,
                                                    psopack_diag *diag);

/* Frees every component, held or not. */
PSOPACK_API void psopack_residency_destroy(psopack_residency **residency);

/*
 * Takes one reference to a PSO, loading what is missing; its tuple CRC is checked when it is
 * loaded. `context` is used only then. PSOPACK_E_FULL when the budget is taken up by PSOs that are
 * held; PSOPACK_E_NOMEM; damage, which leaves nothing behind and is met again at the next try.
 */
PSOPACK_API psopack_status psopack_residency_acquire(psopack_residency *residency,
                                                     psopack_context *context, uint32_t pso,
                                                     psopack_diag *diag);

/*
 * The same for many PSOs, one reference each time one is named; loads in file order, so that each
 * block is decoded once. All or nothing: on failure no reference is taken. Allocates a load plan
 * from the residency's tables allocator and frees it again.
 */
PSOPACK_API psopack_status psopack_residency_acquire_many(psopack_residency *residency,
                                                          psopack_context *context,
                                                          const uint32_t *psos, uint32_t count,
                                                          psopack_diag *diag);

/* Gives one reference back. PSOPACK_E_ARGUMENT when the PSO has none. */
PSOPACK_API psopack_status psopack_residency_release(psopack_residency *residency, uint32_t pso);

/* The parts of a PSO that the caller holds, as psopack_pso_parts() gives them; they stay where they
 * are while it is held. PSOPACK_E_NOT_FOUND when nobody holds it. */
PSOPACK_API psopack_status psopack_residency_parts(const psopack_residency *residency, uint32_t pso,
                                                   psopack_part *ret_parts, psopack_diag *diag);

/* A pinned PSO stays when its last reference goes. It must be held when it is pinned
 * (PSOPACK_E_ARGUMENT); unpinning drops nothing by itself. */
PSOPACK_API psopack_status psopack_residency_pin(psopack_residency *residency, uint32_t pso);
PSOPACK_API psopack_status psopack_residency_unpin(psopack_residency *residency, uint32_t pso);

/* A new moment for "released longest ago": call it once a frame. Loads count as moments too. */
PSOPACK_API void psopack_residency_tick(psopack_residency *residency);

/* Drops PSOs that nobody holds, longest released first, until at most `bytes` of components are in
 * memory (0: all such PSOs). Answers how many bytes went. */
PSOPACK_API uint64_t psopack_residency_trim(psopack_residency *residency, uint64_t bytes);

/* Non-zero when the component is in memory now: psopack_load_plan_options.is_resident. */
PSOPACK_API int psopack_residency_is_resident(void *residency, uint32_t component);

typedef struct psopack_residency_gain {
    uint32_t psos;       /* that nobody would hold any more */
    uint32_t components; /* that only those use */
    uint64_t bytes;
} psopack_residency_gain;

/*
 * What trimming could free if these references were given back ("what do I gain by dropping level
 * A?"), without doing it. Name a PSO once for each reference. Components that only PSOs nobody
 * holds use count as well. Walks all PSOs in memory, under the lock: some hundred nanoseconds each.
 */
PSOPACK_API psopack_status psopack_residency_would_free(psopack_residency *residency,
                                                        const uint32_t *psos, uint32_t count,
                                                        psopack_residency_gain *ret_gain,
                                                        psopack_diag *diag);

typedef struct psopack_residency_stats {
    uint32_t psos; /* in memory */
    uint32_t components;
    uint64_t bytes;
    uint64_t peak_bytes;
    uint64_t pso_loads; /* since creation, as the rest */
    uint64_t component_loads;
    uint64_t evicted_psos;
    uint64_t evicted_bytes;
    uint64_t failures;   /* loads that ended with a status */
    uint64_t lock_waits; /* times a thread found the lock taken */
} psopack_residency_stats;

PSOPACK_API void psopack_residency_get_stats(psopack_residency *residency,
                                             psopack_residency_stats *ret_stats);

#ifdef __cplusplus
}
#endif

#endif
