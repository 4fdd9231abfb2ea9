/* SPDX-License-Identifier: MIT */
/*
 * Shared entropy tables: what zstd calls a dictionary header.
 *
 * A zstd dictionary is a header (magic, id, Huffman and FSE tables, three repeat offsets) and
 * content. Here the content is a base block that is stored anyway, so the header is made and kept
 * apart from it. Header and content, in one piece, are what ZSTD_dct_fullDict wants.
 */
#ifndef PSOPACK_PACKER_DICTIONARY_H
#define PSOPACK_PACKER_DICTIONARY_H

#include "packer/item.h"

#define PSOPACK_DICTIONARY_HEADER_MAX 256 /* bytes; zstd builds its header in as many */

typedef struct psopack_dictionary_header {
    size_t size; /* 0: no tables, use the content as ZSTD_dct_rawContent */
    uint8_t bytes[PSOPACK_DICTIONARY_HEADER_MAX];
    const char *declined; /* why there are no tables: a static text; NULL when there are */
} psopack_dictionary_header;

/*
 * Makes entropy tables for `content` from `samples`, the raw blocks that will be compressed with it
 * (some hundreds of them are enough). `level` is the zstd level whose parses are counted.
 *
 * zstd may decline: content below 128 bytes, samples too few or too uniform. That is no error: the
 * answer is PSOPACK_OK with a header of size 0 that says why.
 * Errors: PSOPACK_E_NOMEM. Cost: one zstd match finder over content and samples; two copies of the
 * content and one of the samples in memory meanwhile.
 */
psopack_status psopack_dictionary_finalize(psopack_dictionary_header *ret_header,
                                           const psopack_item *content, const psopack_item *samples,
                                           size_t sample_count, int level, psopack_diag *diag);

#endif
