/* SPDX-License-Identifier: MIT */
/*
 * Byte transforms that make near-equal components equal before compression.
 *
 * A transform is length-preserving and invertible on any input: a wrong choice costs ratio, never
 * bytes. The packer chooses one per kind by trial, records its id per block and proves each
 * component by inverting it. Each component is transformed alone, so a read inverts only the bytes
 * it wants.
 */
#ifndef PSOPACK_FORMAT_TRANSFORM_H
#define PSOPACK_FORMAT_TRANSFORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* On-disk ids: pinned. An archive with an id that is not here is refused. */
typedef enum psopack_transform_id {
    PSOPACK_TRANSFORM_NONE = 0,
    PSOPACK_TRANSFORM_AMDGPU_GFX8 = 1,  /* GCN3 to GCN5 machine code */
    PSOPACK_TRANSFORM_AMDGPU_GFX10 = 2, /* RDNA, RDNA 2 machine code */
    PSOPACK_TRANSFORM_SPIRV = 3         /* SPIR-V modules: result ids made relative */
} psopack_transform_id;

/*
 * `dst` and `src` hold `size` bytes each and do not overlap. Both directions are total: they
 * succeed on any bytes, never read or write past `size`, use no heap, no global state, and less
 * than 8 KiB of stack each. inverse(forward(x)) == x for every x (property-tested); a hostile `src`
 * given to `inverse` yields some bytes, nothing worse.
 *
 * `scratch` is PSOPACK_TRANSFORM_SCRATCH bytes of 8-byte aligned memory, contents irrelevant.
 */
#define PSOPACK_TRANSFORM_SCRATCH 16384

typedef void psopack_transform_fn(uint8_t *dst, const uint8_t *src, size_t size, void *scratch);

typedef struct psopack_transform {
    psopack_transform_id id;
    const char *name; /* as `info` and `report` print it, e.g. "amdgpu-gfx10" */
    psopack_transform_fn *forward;
    psopack_transform_fn *inverse;
} psopack_transform;

/* NULL for an id that is unknown, and for PSOPACK_TRANSFORM_NONE: nothing to do there. */
const psopack_transform *psopack_transform_find(uint32_t id);

/* All transforms, in the order they are tried; *ret_count of them. */
const psopack_transform *psopack_transform_all(size_t *ret_count);

#endif
