/* SPDX-License-Identifier: MIT */
/*
 * Load plans: from a set of PSOs to their components in the caller's memory, each decoded once.
 *
 * A plan lists the unique components of the PSOs, says how much memory they take in each heap and
 * where each one goes, and which blocks must be read. Executing it reads every block once: bases
 * first, then the others in at most two sweeps in file order, on one thread or on as many as the
 * caller has; the library starts none.
 *
 *     psopack_load_plan_create(archive, &options, &plan, &diag);
 *     psopack_load_plan_get_info(plan, &info);
 *     heaps[i] = ... info.heap_bytes[i], aligned to info.heap_alignment[i] ...
 *     psopack_load_plan_execute(plan, context, heaps, NULL, &diag);
 *     psopack_load_plan_parts(plan, pso, heaps, parts, &diag);
 */
#ifndef PSOPACK_LOAD_PLAN_H
#define PSOPACK_LOAD_PLAN_H

#include <psopack/psopack.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct psopack_load_plan psopack_load_plan;

#define PSOPACK_LOAD_PLAN_HEAPS_MAX 8u
#define PSOPACK_LOAD_PLAN_SKIP 0xffu /* as the heap of a slot: its components are not loaded */

typedef struct psopack_load_plan_options {
    size_t struct_size;   /* sizeof(psopack_load_plan_options) */
    const uint32_t *psos; /* `pso_count` indexes, in any order, repeated or not */
    uint32_t pso_count;
    int all_psos;               /* non-zero: every PSO; the two above are not looked at */
    const uint8_t *slot_heaps;  /* the heap of each slot's components, or PSOPACK_LOAD_PLAN_SKIP; as
                                   many as the archive has slots. NULL: all in heap 0 */
    const uint32_t *components; /* more to load, whatever uses them: `component_count`, */
    const uint8_t *component_heaps; /* each in its heap (NULL: all in heap 0) */
    uint32_t component_count;
    uint32_t alignment; /* a power of two up to 64 KiB: of every component at least; 0: 1 */
    int (*is_resident)(void *user, uint32_t component); /* non-zero: leave it out. NULL: none is */
    void *resident_user;
    psopack_allocator allocator; /* NULLs: the archive's */
} psopack_load_plan_options;

#define PSOPACK_LOAD_PLAN_OPTIONS_INIT                                                             \
    {                                                                                              \
        sizeof(psopack_load_plan_options), NULL, 0, 0, NULL, NULL, NULL, 0, 0, NULL, NULL,         \
        {                                                                                          \
            NULL, NULL, NULL                                                                       \
        }                                                                                          \
    }

/*
 * Makes a plan. Reads the manifest only; allocates 24 bytes a component and 24 a job, and while it
 * works a bit per component of the archive and heap, and 11 KiB. The archive must outlive the plan.
 *
 * A component that slots of two heaps use gets a place in each. PSOPACK_E_NOT_FOUND for a PSO index
 * out of range, PSOPACK_E_ARGUMENT, PSOPACK_E_NOMEM, or damage to the manifest.
 */
PSOPACK_API psopack_status psopack_load_plan_create(const psopack_archive *archive,
                                                    const psopack_load_plan_options *options,
                                                    psopack_load_plan **ret_plan,
                                                    psopack_diag *diag);
PSOPACK_API void psopack_load_plan_destroy(psopack_load_plan **plan);

typedef struct psopack_load_plan_info {
    uint32_t items;           /* places: components, counted once for each heap they go to */
    uint32_t jobs;            /* independent pieces of work */
    uint32_t base_jobs;       /* of them, the first: each decodes a base that others need */
    uint32_t blocks;          /* to be read, bases included */
    uint32_t left_out;        /* components that were resident */
    uint64_t read_bytes;      /* stored bytes of those blocks */
    uint64_t largest_read;    /* bytes of the largest psopack_load_plan_read */
    uint64_t component_bytes; /* delivered, without the gaps that alignment makes */
    uint64_t heap_bytes[PSOPACK_LOAD_PLAN_HEAPS_MAX];
    uint32_t heap_alignment[PSOPACK_LOAD_PLAN_HEAPS_MAX]; /* 1 for a heap that holds nothing */
} psopack_load_plan_info;

PSOPACK_API void psopack_load_plan_get_info(const psopack_load_plan *plan,
                                            psopack_load_plan_info *ret_info);

typedef struct psopack_load_plan_item {
    uint32_t component;
    uint32_t heap;
    uint64_t offset; /* in the heap */
    uint64_t size;
    uint32_t crc; /* CRC32C of the bytes put there; 0 before */
    int is_loaded;
} psopack_load_plan_item;

/* Items are sorted by component, then heap. PSOPACK_E_NOT_FOUND out of range. */
PSOPACK_API psopack_status psopack_load_plan_get_item(const psopack_load_plan *plan, uint32_t index,
                                                      psopack_load_plan_item *ret_item);

/* The place of a component in a heap, by bisection. PSOPACK_E_NOT_FOUND. */
PSOPACK_API psopack_status psopack_load_plan_find(const psopack_load_plan *plan, uint32_t component,
                                                  uint32_t heap, psopack_load_plan_item *ret_item);

/* ---- executing ------------------------------------------------------------------------------ */

/* After each job: bytes delivered so far, by all threads. Non-zero: stop, to go on later or never.
 */
typedef int psopack_load_plan_progress_fn(void *user, uint64_t done, uint64_t total);

typedef struct psopack_load_plan_run {
    uint64_t byte_budget; /* stop once this call has delivered so many bytes; 0: no budget */
    psopack_load_plan_progress_fn *progress; /* on the calling thread; may be NULL. A budget in time
                                           is a clock looked at here */
    void *user;
} psopack_load_plan_run;

/*
 * Works on the plan until no job is left. Call it from any number of threads at once, each with a
 * context of its own; each takes the next job. `heaps[h]` is the caller's memory for heap h (NULL
 * for a heap that holds nothing), the same in every call. It is written, and read back for the
 * check: use ordinary memory and copy from there to where reads are slow. `run` may be NULL.
 *
 * PSOPACK_OK also when the byte budget ended the call, see psopack_load_plan_jobs_left();
 * PSOPACK_E_CANCELLED when `progress` did. Damage does not stop a plan: it loads what can be loaded
 * and answers the status of the first failure; the PSOs concerned fail in
 * psopack_load_plan_parts().
 */
PSOPACK_API psopack_status psopack_load_plan_execute(psopack_load_plan *plan,
                                                     psopack_context *context, void *const *heaps,
                                                     const psopack_load_plan_run *run,
                                                     psopack_diag *diag);

/* One job (below psopack_load_plan_info.jobs), for a job system of the caller's: any order, any
 * thread, each once. Jobs with small numbers decode bases that others wait for: start them first.
 */
PSOPACK_API psopack_status psopack_load_plan_execute_job(psopack_load_plan *plan,
                                                         psopack_context *context, uint32_t job,
                                                         void *const *heaps, psopack_diag *diag);

/* What a job needs: one range of one file. Size 0: nothing, its base is decoded. */
typedef struct psopack_load_plan_read {
    uint64_t offset;
    uint64_t size;
    const psopack_archive
        *archive; /* whose file: the plan's, or one that it builds on as a layer */
} psopack_load_plan_read;

/*
 * For an I/O layer of the caller's that reads by itself: ask what a job reads, read it by any
 * means, and execute the job with the bytes, which are checked as ever. Execute the jobs that
 * decode bases (the first psopack_load_plan_info.base_jobs) before the others, or these read them
 * again through the archive's source.
 */
PSOPACK_API psopack_status psopack_load_plan_get_read(const psopack_load_plan *plan, uint32_t job,
                                                      psopack_load_plan_read *ret_read,
                                                      psopack_diag *diag);
PSOPACK_API psopack_status psopack_load_plan_execute_read(psopack_load_plan *plan,
                                                          psopack_context *context, uint32_t job,
                                                          const void *bytes, void *const *heaps,
                                                          psopack_diag *diag);

/* Reads in pairs of submit and complete. */
typedef struct psopack_async {
    /* Begins to read and returns at once. Anything but PSOPACK_OK: it was not begun. */
    psopack_status (*submit)(void *user, uint32_t ticket, const psopack_archive *archive,
                             uint64_t offset, void *buffer, size_t size);
    /* Waits until any read has ended, in any order: its ticket and how it ended. */
    psopack_status (*complete)(void *user, uint32_t *ret_ticket, psopack_status *ret_status);
    void *user;
    uint32_t depth; /* reads in flight, at most 64 */
    void *buffer;   /* where they go: at least depth * psopack_load_plan_info.largest_read bytes, */
    size_t buffer_size;                      /* else fewer are in flight; room for one is needed */
    psopack_load_plan_progress_fn *progress; /* asked after each read begun; may be NULL */
} psopack_async;

/*
 * The whole plan on the calling thread: keeps reads in flight and decodes what has arrived. Answers
 * as psopack_load_plan_execute() does; a failed read costs the components of that job. When it is
 * told to stop, the reads in flight are waited for and used; another call goes on. When
 * `complete` itself fails, the call ends with that status and buffers must be taken as still in
 * use.
 */
PSOPACK_API psopack_status psopack_load_plan_execute_async(psopack_load_plan *plan,
                                                           psopack_context *context,
                                                           void *const *heaps,
                                                           const psopack_async *async,
                                                           psopack_diag *diag);

/* Jobs that have not ended. Nothing in the heaps may be used by other threads before it is 0 (or
 * before they are told by other means). */
PSOPACK_API uint32_t psopack_load_plan_jobs_left(const psopack_load_plan *plan);

/*
 * The parts of a PSO of the plan, in slot order, their tuple CRC checked: see psopack_pso_parts().
 * PSOPACK_E_NOT_FOUND when a component is not in the plan (left out as resident, or its slot was
 * skipped) or not loaded.
 */
PSOPACK_API psopack_status psopack_load_plan_parts(const psopack_load_plan *plan, uint32_t pso,
                                                   void *const *heaps, psopack_part *ret_parts,
                                                   psopack_diag *diag);

#ifdef __cplusplus
}
#endif

#endif
