/* SPDX-License-Identifier: MIT */
/* The DXBC container: four-letter parts behind one header. Input is untrusted. */
#ifndef PSOPACK_LINT_DXBC_H
#define PSOPACK_LINT_DXBC_H

#include <psopack/status.h>

#include <stdbool.h>

typedef struct psopack_dxbc_part {
    const uint8_t *bytes; /* inside the container */
    size_t size;
    size_t offset; /* of `bytes` in the container */
} psopack_dxbc_part;

/* True when the bytes begin as a DXBC container does; a cut container still does. */
bool psopack_dxbc_is(const uint8_t *bytes, size_t size);

/*
 * Finds the only part named by four characters. Every part's place is checked, also those of other
 * names. The container's hash is not verified: it is a digest against accidents, made by a variant
 * of MD5, and files without one exist.
 * TRUNCATED, EXTENDED, CORRUPT, VERSION, NOT_FOUND (no such part); offsets are in the container.
 */
psopack_status psopack_dxbc_find(const uint8_t *bytes, size_t size, const char name[4],
                                 psopack_dxbc_part *ret_part, psopack_diag *diag);

#endif
