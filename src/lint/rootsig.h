/* SPDX-License-Identifier: MIT */
/*
 * Root signatures as D3D12 serializes them (part RTS0, versions 1.0, 1.1 and 1.2), decoded into
 * what binding rules need: descriptor ranges and static samplers. Input is untrusted.
 */
#ifndef PSOPACK_LINT_ROOTSIG_H
#define PSOPACK_LINT_ROOTSIG_H

#include <psopack/status.h>

#include <stdbool.h>

/* Against hostile counts; parts of the input may be referenced many times, so size is no bound.
 * D3D12 allows 64 parameters at most, as each costs a word of the 64 a root signature has. */
#define PSOPACK_ROOTSIG_PARAMETERS_MAX 1024u
#define PSOPACK_ROOTSIG_RANGES_MAX 16384u
#define PSOPACK_ROOTSIG_SAMPLERS_MAX 16384u

/* Numbers of D3D12_DESCRIPTOR_RANGE_TYPE. */
typedef enum psopack_range_type {
    PSOPACK_RANGE_SRV = 0,
    PSOPACK_RANGE_UAV = 1,
    PSOPACK_RANGE_CBV = 2,
    PSOPACK_RANGE_SAMPLER = 3,
    PSOPACK_RANGE_TYPES = 4
} psopack_range_type;

#define PSOPACK_VISIBILITY_ALL 0u /* D3D12_SHADER_VISIBILITY: 1 to 7 are VS HS DS GS PS AS MS */
#define PSOPACK_VISIBILITY_COUNT 8u

/* D3D12_ROOT_SIGNATURE_FLAG_DENY_*_SHADER_ROOT_ACCESS */
#define PSOPACK_ROOTSIG_DENY_VS 0x2u
#define PSOPACK_ROOTSIG_DENY_HS 0x4u
#define PSOPACK_ROOTSIG_DENY_DS 0x8u
#define PSOPACK_ROOTSIG_DENY_GS 0x10u
#define PSOPACK_ROOTSIG_DENY_PS 0x20u
#define PSOPACK_ROOTSIG_DENY_AS 0x100u
#define PSOPACK_ROOTSIG_DENY_MS 0x200u

typedef struct psopack_rootsig_range {
    uint64_t offset; /* of its first descriptor in the table; appended offsets are resolved */
    uint32_t table;  /* number of its table, from 0 */
    uint32_t count;  /* descriptors; means nothing when unbounded */
    uint32_t base;   /* first shader register */
    uint32_t space;
    uint8_t type; /* psopack_range_type */
    uint8_t visibility;
    bool unbounded;
    bool after_unbounded; /* appended behind an unbounded range: has no place */
} psopack_rootsig_range;

/* The words that make two static samplers the same: filter, addresses, bias, anisotropy,
 * comparison, border, LOD range, and the flags of version 1.2 (0 before). */
#define PSOPACK_SAMPLER_STATE_WORDS 11u

typedef struct psopack_static_sampler {
    uint32_t state[PSOPACK_SAMPLER_STATE_WORDS];
    uint32_t shader_register;
    uint32_t space;
    uint32_t visibility;
} psopack_static_sampler;

typedef struct psopack_rootsig {
    uint32_t version; /* 1, 2, 3 for 1.0, 1.1, 1.2 */
    uint32_t flags;
    uint32_t parameter_count;
    uint32_t table_count;
    psopack_rootsig_range *ranges;
    size_t range_count;
    psopack_static_sampler *samplers;
    size_t sampler_count;
} psopack_rootsig;

/*
 * Decodes a DXBC container with an RTS0 part. TRUNCATED, EXTENDED, CORRUPT, VERSION, LIMIT, NOMEM,
 * NOT_FOUND (no RTS0 part); offsets are in the container. Free with psopack_rootsig_free.
 */
psopack_status psopack_rootsig_parse(const uint8_t *bytes, size_t size,
                                     psopack_rootsig *ret_rootsig, psopack_diag *diag);

void psopack_rootsig_free(psopack_rootsig *rootsig);

#endif
