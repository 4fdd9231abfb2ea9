/* SPDX-License-Identifier: MIT */
/*
 * A decode context: everything that a read writes to besides the caller's memory. One allocation:
 * this struct, the zstd decoder, one decoded block, one stored block where those can't be used in
 * place, one decoded page of names. A context of a layer serves every archive below it too, so it
 * has room for the largest and remembers whose block and page it holds.
 */
#ifndef PSOPACK_LOADER_CONTEXT_H
#define PSOPACK_LOADER_CONTEXT_H

#include "format/transform.h"
#include "loader/archive.h"

/* From zstd.h, which only the files that decode include. */
struct ZSTD_DCtx_s;

#define PSOPACK_NO_BLOCK UINT32_MAX
#define PSOPACK_NO_PAGE UINT32_MAX

/* The block last looked at, and where a component of it begins: psopack_component_find_near(). */
typedef struct psopack_cursor {
    const psopack_archive *archive; /* NULL: none yet */
    uint32_t block;
    uint32_t component; /* behind the one last found, so it may be the next block's */
    uint64_t offset;    /* of its bytes in the decoded block */
    psopack_block_row row;
} psopack_cursor;

struct psopack_context {
    const psopack_archive *archive;
    psopack_allocator allocator;
    size_t size;
    struct ZSTD_DCtx_s *decoder;

    uint32_t block; /* whose decoded bytes lie in `raw`; PSOPACK_NO_BLOCK: none */
    const psopack_archive *block_archive;
    uint8_t *raw;
    uint8_t *stored; /* room for stored bytes that can't be used in place */

    psopack_cursor cursor;

    uint32_t page; /* of names, decoded in `names`; PSOPACK_NO_PAGE: none */
    const psopack_archive *page_archive;
    uint32_t page_size;
    uint32_t page_names;
    uint8_t *names;
    size_t names_max;

    const uint8_t *supplied; /* stored bytes that the caller read: of the file from here on */
    const psopack_archive *supplied_archive;
    uint64_t supplied_offset;
    uint64_t supplied_size;

    uint8_t *transform_scratch;         /* PSOPACK_TRANSFORM_SCRATCH bytes */
    uint8_t name[PSOPACK_PSO_NAME_MAX]; /* the last name taken from a page */
};

/* The largest things of all archives that a context serves. */
typedef struct psopack_context_sizes {
    uint32_t raw_max;
    uint32_t stored_max; /* 0 where stored bytes are used in place */
    size_t names_max;
} psopack_context_sizes;

/* Takes in an archive and all that it builds on; NULL is fine. */
void psopack_context_sizes_add(psopack_context_sizes *sizes, const psopack_archive *archive);

/* True when the context was made for this archive or for a layer on it. NULL serves none. */
bool psopack_context_serves(const psopack_context *context, const psopack_archive *archive);

/* The stored bytes of a block where they can be used in place: supplied, or in the archive's
 * memory. NULL: they must be read. */
const uint8_t *psopack_context_stored(const psopack_context *context,
                                      const psopack_archive *archive, const psopack_block_row *row);

/* Memory of the zstd decoder in it. */
size_t psopack_decoder_size(void);

/* What psopack_context_create() allocates. */
uint64_t psopack_context_size(const psopack_archive *archive);

#endif
