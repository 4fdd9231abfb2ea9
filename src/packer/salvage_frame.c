/* SPDX-License-Identifier: MIT */
/*
 * A damaged zstd frame, block by block. A frame is a header and blocks with a head of 3 bytes each:
 * bit 0 last, bits 1 and 2 the type, then the size. So a bad block can be stepped over, by a block
 * of one repeated zero in its place; how many bytes it stood for follows from the frame's size,
 * once all others are decoded.
 */
#define ZSTD_STATIC_LINKING_ONLY
#include <string.h>
#include <zstd.h>

#include "packer/salvage.h"

#define HEAD_SIZE 3u
#define TYPE_REPEAT 1u
#define NO_BLOCK SIZE_MAX

typedef struct frame {
    ZSTD_DCtx *decoder;
    const ZSTD_DDict *dictionary;
    bool is_frame; /* with magic */
    const uint8_t *stored;
    size_t stored_size;
    uint8_t *dst;
    size_t raw_size;
    size_t failed_at; /* the block that run() ended with: its offset in the frame */
} frame;

static bool feed(ZSTD_DCtx *decoder, const void *bytes, size_t size, ZSTD_outBuffer *out)
{
    ZSTD_inBuffer in = {bytes, size, 0};
    while (in.pos < in.size) {
        size_t before = in.pos, written = out->pos;
        if (ZSTD_isError(ZSTD_decompressStream(decoder, out, &in)))
            return false;
        if (in.pos == before && out->pos == written)
            return false; /* it holds more than it should */
    }
    return true;
}

/* The bytes of a block with its head; 0 at the end or where the head makes no sense. */
static size_t block_size(const frame *f, size_t at)
{
    if (f->stored_size - at < HEAD_SIZE)
        return 0;
    uint32_t head =
        f->stored[at] | (uint32_t)f->stored[at + 1] << 8 | (uint32_t)f->stored[at + 2] << 16;
    size_t size = (head >> 1 & 3) == TYPE_REPEAT ? 1 : head >> 3;
    return size <= f->stored_size - at - HEAD_SIZE ? size + HEAD_SIZE : 0;
}

/* Decodes with block `bad` replaced by `zeros` zero bytes. *ret_failed is the first block that did
 * not decode, NO_BLOCK when all did. Returns the bytes written. */
static size_t run(frame *f, size_t bad, size_t zeros, size_t *ret_failed)
{
    ZSTD_outBuffer out = {f->dst, f->raw_size, 0};
    ZSTD_frameHeader header;
    ZSTD_format_e format = f->is_frame ? ZSTD_f_zstd1 : ZSTD_f_zstd1_magicless;
    *ret_failed = 0;
    f->failed_at = 0;
    ZSTD_DCtx_reset(f->decoder, ZSTD_reset_session_and_parameters);
    ZSTD_DCtx_setParameter(f->decoder, ZSTD_d_format, (int)format);
    ZSTD_DCtx_setParameter(f->decoder, ZSTD_d_windowLogMax, ZSTD_WINDOWLOG_MAX_32);
    ZSTD_DCtx_refDDict(f->decoder, f->dictionary);
    if (ZSTD_getFrameHeader_advanced(&header, f->stored, f->stored_size, format) != 0 ||
        !feed(f->decoder, f->stored, header.headerSize, &out))
        return 0;
    size_t at = header.headerSize, number = 0, size;
    while ((size = block_size(f, at)) != 0) {
        uint32_t head = (f->stored[at] & 1u) | TYPE_REPEAT << 1 | (uint32_t)zeros << 3;
        const uint8_t step[HEAD_SIZE + 1] = {(uint8_t)head, (uint8_t)(head >> 8),
                                             (uint8_t)(head >> 16), 0};
        bool good = number == bad ? feed(f->decoder, step, sizeof step, &out)
                                  : feed(f->decoder, f->stored + at, size, &out);
        *ret_failed = number++;
        f->failed_at = at;
        if (!good)
            return out.pos;
        at += size;
    }
    *ret_failed = NO_BLOCK;
    return out.pos;
}

bool psopack_salvage_frame(void *decoder, const void *dictionary, bool is_frame,
                           const uint8_t *stored, size_t stored_size, uint8_t *dst, size_t raw_size,
                           size_t *ret_bad, size_t *ret_bad_end)
{
    frame f = {decoder, dictionary, is_frame, stored, stored_size, dst, raw_size, 0};
    size_t bad, failed, prefix = run(&f, NO_BLOCK, 0, &bad), size = prefix;
    bool good = bad == NO_BLOCK && prefix == raw_size;
    *ret_bad = bad == NO_BLOCK ? 0 : f.failed_at;
    *ret_bad_end = *ret_bad + (bad == NO_BLOCK ? 0 : block_size(&f, f.failed_at));
    if (bad != NO_BLOCK) {
        /* With one byte in its place: the rest then says how many there were. */
        size = run(&f, bad, 1, &failed);
        size_t missing = raw_size - size + 1;
        if (failed != NO_BLOCK || missing > ZSTD_BLOCKSIZE_MAX)
            missing = ZSTD_BLOCKSIZE_MAX - prefix % ZSTD_BLOCKSIZE_MAX;
        size = run(&f, bad, missing, &failed);
    }
    if (size < raw_size)
        memset(dst + size, 0, raw_size - size);
    return good;
}
