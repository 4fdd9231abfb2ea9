/* SPDX-License-Identifier: MIT */
/*
 * Base blocks in memory: decoded once, at first need, then dictionaries for the blocks that name
 * them and the home of their own components.
 */
#ifndef PSOPACK_LOADER_BASE_H
#define PSOPACK_LOADER_BASE_H

#include "loader/archive.h"

/* Bytes that one base takes. `keep_stored`: with room for its stored bytes. */
uint64_t psopack_base_size(uint32_t tables_size, uint32_t raw_size, bool keep_stored);

/* Bytes that all bases of the archive itself take, within limits->base_memory. `keep_stored`: room
 * for stored bytes too. */
psopack_status psopack_bases_measure(const psopack_view *view, const psopack_open_limits *limits,
                                     bool keep_stored, uint64_t *ret_size, psopack_diag *diag);

/* Gives each base its part of `memory`, which has as many bytes as psopack_bases_measure() said. */
void psopack_bases_place(psopack_archive *archive, uint8_t *memory);

/*
 * After PSOPACK_OK base `base` (below view.bases) and all that it builds on are decoded and
 * checked, whichever archive of the chain they lie in. BASE_MISSING for a layer opened alone.
 * Damage is remembered and answered again; a failed read is tried again at the next call.
 */
psopack_status psopack_base_require(const psopack_archive *archive, psopack_context *context,
                                    uint32_t base, psopack_diag *diag);

/* A base block and the archive that decodes it. */
typedef struct psopack_base_place {
    const psopack_archive *archive;
    uint32_t index;
} psopack_base_place;

/* The base whose block is `block`; false when there is none. */
bool psopack_base_of_block(const psopack_archive *archive, uint32_t block, uint32_t *ret_base);

/* What the base's block, of this archive, decodes to (before the inverse transform). After
 * psopack_base_require(). */
static inline const uint8_t *psopack_base_decoded(const psopack_archive *archive, uint32_t base)
{
    return archive->bases[base].bytes + archive->bases[base].tables_size;
}

/* Memory of one ZSTD_DDict that refers to its content. */
size_t psopack_dictionary_size(void);

#endif
