/* SPDX-License-Identifier: MIT */
/*
 * Mounts: several archives as one, e.g. a game, its patch and its downloads.
 *
 * A PSO is found in the first archive that has its name. Components that archives have in common
 * (by content hash: pack with --hashes) have one home, the first archive that holds them, so that
 * they are loaded once. An archive without hashes works too, it just shares nothing.
 *
 * The archives stay the caller's and must outlive the mount. A mount is constant: any number of
 * threads may use it. A content hash (XXH3-128) is no proof against forgery; the tuple CRC of each
 * PSO still says whether its parts are right.
 */
#ifndef PSOPACK_MOUNT_H
#define PSOPACK_MOUNT_H

#include <psopack/load_plan.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct psopack_mount psopack_mount;
typedef struct psopack_mount_plan psopack_mount_plan;

#define PSOPACK_MOUNT_ARCHIVES_MAX 64u

/* A PSO or component of a mount: which archive, and its index there. */
typedef struct psopack_mounted {
    uint32_t archive;
    uint32_t index;
} psopack_mounted;

/*
 * Mounts `count` archives, the one to be asked first in front. Allocates 4 bytes per component of
 * all archives, and 8 more while it works. `allocator` NULL: the first archive's. Reads all content
 * hashes: some 30 ns a component.
 */
PSOPACK_API psopack_status psopack_mount_create(const psopack_archive *const *archives,
                                                uint32_t count, const psopack_allocator *allocator,
                                                psopack_mount **ret_mount, psopack_diag *diag);
PSOPACK_API void psopack_mount_destroy(psopack_mount **mount);

typedef struct psopack_mount_info {
    uint32_t archives;
    uint32_t components;        /* of all archives */
    uint32_t shared_components; /* of these, the ones whose home is another archive */
    uint64_t shared_bytes;      /* what they have, as delivered */
} psopack_mount_info;

PSOPACK_API void psopack_mount_get_info(const psopack_mount *mount, psopack_mount_info *ret_info);

/*
 * Finds a PSO by name, first archive first. `contexts` has one context for each archive.
 * PSOPACK_E_NOT_FOUND when none has it. An archive without names answers PSOPACK_E_NO_NAMES.
 */
PSOPACK_API psopack_status psopack_mount_find(const psopack_mount *mount,
                                              psopack_context *const *contexts, const void *name,
                                              size_t size, psopack_mounted *ret_pso,
                                              psopack_diag *diag);

/* Where a component is loaded from. PSOPACK_E_NOT_FOUND out of range. */
PSOPACK_API psopack_status psopack_mount_home(const psopack_mount *mount, psopack_mounted component,
                                              psopack_mounted *ret_home);

/*
 * A load plan for PSOs of a mount: one psopack_load_plan for each archive, each component in the
 * plan of its home only. `heap` says which heap a slot's components go to (PSOPACK_LOAD_PLAN_SKIP:
 * none), NULL: all to heap 0. Execute each archive's plan with contexts and heaps of its own.
 */
typedef uint8_t psopack_mount_heap_fn(void *user, uint32_t archive, const char *slot);

PSOPACK_API psopack_status psopack_mount_plan_create(const psopack_mount *mount,
                                                     const psopack_mounted *psos, uint32_t count,
                                                     psopack_mount_heap_fn *heap, void *user,
                                                     psopack_mount_plan **ret_plan,
                                                     psopack_diag *diag);
PSOPACK_API void psopack_mount_plan_destroy(psopack_mount_plan **plan);

/* The plan of one archive, maybe an empty one. It belongs to the mount's plan. NULL out of range.
 */
PSOPACK_API psopack_load_plan *psopack_mount_plan_of(psopack_mount_plan *plan, uint32_t archive);

/*
 * The parts of a PSO of the plan, in the slot order of its archive: see psopack_pso_parts().
 * `heaps[archive]` are the heaps that the archive's plan was executed with.
 */
PSOPACK_API psopack_status psopack_mount_plan_parts(const psopack_mount_plan *plan,
                                                    psopack_mounted pso, void *const *const *heaps,
                                                    psopack_part *ret_parts, psopack_diag *diag);

#ifdef __cplusplus
}
#endif

#endif
