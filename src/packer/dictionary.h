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

/* No header is larger (ZDICT's own bound is 256 bytes; the format allows this much). */
#define PSOPACK_DICTIONARY_HEADER_MAX 1024

typedef struct psopack_dictionary_header {
    size_t size; /* 0: no tables, use the content as ZSTD_dct_rawContent */
    uint8_t bytes[PSOPACK_DICTIONARY_HEADER_MAX];
} psopack_dictionary_header;

/*
 * Makes entropy tables for `content` from `samples`, the raw blocks that will be compressed with it
 * (a part of them is enough: a few hundred). `level` is the zstd level whose parses are counted.
 *
 * zstd can decline: content below 128 bytes, too few or too uniform samples. That is no error: the
 * header then has size 0, PSOPACK_OK is returned, and *diag (unless NULL) tells why in its text.
 * Errors: PSOPACK_E_NOMEM.
 */
psopack_status psopack_dictionary_finalize(psopack_dictionary_header *ret_header,
                                           const uint8_t *content, size_t content_size,
                                           const psopack_item *samples, size_t sample_count,
                                           int level, psopack_diag *diag);

#endif
