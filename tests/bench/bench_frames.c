/* SPDX-License-Identifier: MIT */
/*
 * One zstd -19 frame per component, or per block of N bytes: what psopack's reads are held against.
 *
 *   bench_frames make SET FRAMES [N]   compresses the members of a set, or pieces of N bytes
 *   bench_frames read FRAMES           times decoding from memory into memory
 *   bench_frames stream FILE           times one streamed decode of a .zst file held in memory
 */
#include "bench_common.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#define LEVEL 19
#define STREAM_WINDOW_LOG 27 /* zstd --long=27 */
#define STREAM_ROUNDS 3

/* ---- make ------------------------------------------------------------------------------------ */

/* Forgets where members begin: pieces of `piece` bytes, the last one shorter. */
static void cut(bench_set *set, size_t piece)
{
    size_t count = (set->size + piece - 1) / piece;
    free(set->sizes);
    free(set->offsets);
    set->sizes = bench_allocate(count * sizeof *set->sizes);
    set->offsets = bench_allocate(count * sizeof *set->offsets);
    for (size_t i = 0; i < count; i++) {
        size_t rest = set->size - i * piece;
        set->offsets[i] = i * piece;
        set->sizes[i] = rest < piece ? rest : piece;
    }
    set->count = count;
    set->largest = piece;
}

static void make(const char *name, const char *frames_name, size_t piece)
{
    bench_set raw = bench_set_read(name);
    if (piece > 0)
        cut(&raw, piece);
    bench_set frames = {.count = raw.count};
    size_t capacity = 0;
    for (size_t i = 0; i < raw.count; i++)
        capacity += ZSTD_compressBound((size_t)raw.sizes[i]);
    frames.sizes = bench_allocate(raw.count * sizeof *frames.sizes);
    frames.bytes = bench_allocate(capacity);
    ZSTD_CCtx *context = ZSTD_createCCtx();
    bench_require(context != NULL, "an allocation");
    for (size_t i = 0; i < raw.count; i++) {
        size_t size = ZSTD_compressCCtx(context, frames.bytes + frames.size, capacity - frames.size,
                                        raw.bytes + raw.offsets[i], (size_t)raw.sizes[i], LEVEL);
        bench_require(!ZSTD_isError(size), "compressing");
        frames.sizes[i] = size;
        frames.size += size;
    }
    bench_set_write(frames_name, &frames);
    ZSTD_freeCCtx(context);
    bench_set_free(&frames);
    bench_set_free(&raw);
}

/* ---- read ------------------------------------------------------------------------------------ */

typedef struct reader {
    bench_set frames;
    uint64_t *places; /* offset of each decoded member; one more for the end */
    unsigned char *memory;
    ZSTD_DCtx *context;
} reader;

static size_t read_member(void *state, size_t member)
{
    reader *r = state;
    const bench_set *frames = &r->frames;
    size_t size = (size_t)(r->places[member + 1] - r->places[member]);
    size_t got =
        ZSTD_decompressDCtx(r->context, r->memory + r->places[member], size,
                            frames->bytes + frames->offsets[member], (size_t)frames->sizes[member]);
    bench_require(got == size, "decoding");
    return got;
}

static void time_reads(const char *name)
{
    reader r = {.frames = bench_set_read(name), .context = ZSTD_createDCtx()};
    bench_require(r.context != NULL, "an allocation");
    r.places = bench_allocate((r.frames.count + 1) * sizeof *r.places);
    r.places[0] = 0;
    for (size_t i = 0; i < r.frames.count; i++) {
        unsigned long long size = ZSTD_getFrameContentSize(r.frames.bytes + r.frames.offsets[i],
                                                           (size_t)r.frames.sizes[i]);
        bench_require(size < ZSTD_CONTENTSIZE_ERROR, "reading a frame's size");
        r.places[i + 1] = r.places[i] + size;
    }
    r.memory = bench_allocate((size_t)r.places[r.frames.count]);
    bench_reads(r.frames.count, read_member, &r, 0);
    ZSTD_freeDCtx(r.context);
    free(r.memory);
    free(r.places);
    bench_set_free(&r.frames);
}

/* ---- stream ---------------------------------------------------------------------------------- */

static size_t decode_stream(ZSTD_DCtx *context, const unsigned char *bytes, size_t size,
                            ZSTD_outBuffer output)
{
    ZSTD_inBuffer input = {bytes, size, 0};
    size_t left = 1;
    size_t decoded = 0;
    ZSTD_DCtx_reset(context, ZSTD_reset_session_only);
    while (left != 0) {
        output.pos = 0;
        left = ZSTD_decompressStream(context, &output, &input);
        bench_require(!ZSTD_isError(left), "decoding");
        bench_require(left == 0 || output.pos > 0 || input.pos < size, "reaching a frame's end");
        decoded += output.pos;
    }
    return decoded;
}

static void time_stream(const char *path)
{
    size_t size = 0;
    unsigned char *bytes = bench_file_read(path, &size);
    ZSTD_DCtx *context = ZSTD_createDCtx();
    bench_require(context != NULL, "an allocation");
    ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, STREAM_WINDOW_LOG);
    ZSTD_outBuffer output = {bench_allocate(ZSTD_DStreamOutSize()), ZSTD_DStreamOutSize(), 0};
    uint64_t rounds[STREAM_ROUNDS];
    size_t decoded = decode_stream(context, bytes, size, output); /* untimed: the window's pages */
    for (size_t i = 0; i < STREAM_ROUNDS; i++) {
        uint64_t begin = bench_now();
        decode_stream(context, bytes, size, output);
        rounds[i] = bench_now() - begin;
    }
    printf("{\"bytes\": %zu, \"ns\": %" PRIu64 "}\n", decoded,
           bench_percentile(rounds, STREAM_ROUNDS, 50));
    free(output.dst);
    ZSTD_freeDCtx(context);
    free(bytes);
}

int main(int argc, char **argv)
{
    if ((argc == 4 || argc == 5) && strcmp(argv[1], "make") == 0) {
        make(argv[2], argv[3], argc == 5 ? strtoul(argv[4], NULL, 10) : 0);
    } else if (argc == 3 && strcmp(argv[1], "read") == 0) {
        time_reads(argv[2]);
    } else if (argc == 3 && strcmp(argv[1], "stream") == 0) {
        time_stream(argv[2]);
    } else {
        fprintf(stderr, "usage: bench_frames make SET FRAMES [N] | read FRAMES | stream FILE\n");
        return 2;
    }
    return 0;
}
