/* SPDX-License-Identifier: MIT */
/*
 * The one way that blocks are compressed: ZSTD_compress2 with pledged size and, with a base, a
 * referenced CDict in attach or copy mode as zstd's parameters say, everything that could vary
 * pinned. So equal input gives equal output whatever thread and context it meets.
 */
#ifndef PSOPACK_PACKER_CODEC_H
#define PSOPACK_PACKER_CODEC_H

#include <stddef.h>

#include "format/error.h"
#include "packer/profile.h"

typedef struct psopack_codec psopack_codec;           /* one worker's compression context */
typedef struct psopack_codec_base psopack_codec_base; /* a base made ready; shared by workers */

psopack_status psopack_codec_create(psopack_codec **ret_codec, psopack_diag *diag);
void psopack_codec_destroy(psopack_codec **codec);

/*
 * Makes a base ready: `content` is entropy tables, if any, then decoded bytes; it must outlive the
 * result. `raw_size_hint` is the size of the blocks it is for.
 */
psopack_status psopack_codec_base_create(const void *content, size_t size, bool has_tables,
                                         const psopack_codec_params *params,
                                         psopack_codec_base **ret_base, psopack_diag *diag);
void psopack_codec_base_destroy(psopack_codec_base **base);

size_t psopack_codec_bound(size_t size);

/*
 * Compresses `size` bytes into one frame of *ret_size bytes, which may be larger than the input but
 * not than psopack_codec_bound(size). `base` may be NULL; with a base its parameters are used.
 * `plain_frame`: with magic and content size.
 */
psopack_status psopack_codec_compress(psopack_codec *codec, const psopack_codec_params *params,
                                      const psopack_codec_base *base, bool plain_frame,
                                      const void *bytes, size_t size, void *out, size_t capacity,
                                      size_t *ret_size, psopack_diag *diag);

#endif
