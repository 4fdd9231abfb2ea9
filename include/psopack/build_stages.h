/* SPDX-License-Identifier: MIT */
/*
 * A build in four stages, with only files between them, so that a farm can run it on any machines:
 *
 *   psopack_build_scan()       inputs       -> scan file      reads all inputs, once
 *   psopack_stage_plan()       scan         -> plan file      reads components again
 *   psopack_stage_compress()   scan, plan   -> part file k/n  reads the components of its blocks
 *   psopack_stage_assemble()   scan, plan, n parts -> archive reads no inputs
 *
 * The archive is the one that psopack_build_write() makes, byte for byte (with the same libzstd on
 * all machines). Scan files name inputs by the paths they were added with: the stages in the middle
 * need them there, unchanged (PSOPACK_E_CHANGED). Stage files belong to one version of psopack;
 * each names the files it was made from, and a wrong one is PSOPACK_E_ARGUMENT. All files appear
 * whole or not at all.
 */
#ifndef PSOPACK_BUILD_STAGES_H
#define PSOPACK_BUILD_STAGES_H

#include <psopack/build.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Of all stages but the first, which has the build's. */
typedef struct psopack_stage_options {
    size_t struct_size; /* sizeof(psopack_stage_options) */
    unsigned threads;   /* 0: as many as the processors this process may use */
    int no_sync;
    int force_write;
    psopack_build_events events;
} psopack_stage_options;

#define PSOPACK_STAGE_OPTIONS_INIT                                                                 \
    {                                                                                              \
        sizeof(psopack_stage_options), 0, 0, 0,                                                    \
        {                                                                                          \
            NULL, NULL, NULL, NULL                                                                 \
        }                                                                                          \
    }

/*
 * Reads the inputs of a build and writes the scan file `path` in place of an archive. Only files
 * can be named in one: PSOPACK_E_ARGUMENT for inputs from memory or archives, for a base or layer.
 */
PSOPACK_API psopack_status psopack_build_scan(psopack_build *build, const char *path,
                                              psopack_build_result *ret_result, psopack_diag *diag);

/* `options` may be NULL, here and below. */
PSOPACK_API psopack_status psopack_stage_plan(const char *scan, const char *path,
                                              const psopack_stage_options *options,
                                              psopack_diag *diag);

/* Part `number` of 1 .. `count`, all of about the same raw bytes. */
PSOPACK_API psopack_status psopack_stage_compress(const char *scan, const char *plan,
                                                  uint32_t number, uint32_t count, const char *path,
                                                  const psopack_stage_options *options,
                                                  psopack_diag *diag);

/* `parts`: all `count` of them, in any order. Every block's check is compared. */
PSOPACK_API psopack_status psopack_stage_assemble(
    const char *scan, const char *plan, const char *const *parts, uint32_t count, const char *path,
    const psopack_stage_options *options, psopack_build_result *ret_result, psopack_diag *diag);

#ifdef __cplusplus
}
#endif

#endif
