/* SPDX-License-Identifier: MIT */
/*
 * The peer that is a memory-mapped tree: a value per unique component, keyed by integer, zstd -19
 * each.
 *
 *   bench_lmdb make FRAMES FILE   stores the members of a set of frames, in order
 *   bench_lmdb read FILE          times look-up plus decode into memory
 *
 * It holds no PSO names, no table of slots and no checks. Values lie in the mapping: no copy.
 */
#include "bench_common.h"

#include <lmdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

enum { OPENS = 200 };

static void check(int code)
{
    bench_require(code == 0, mdb_strerror(code));
}

typedef struct reader {
    MDB_env *environment;
    MDB_txn *transaction;
    MDB_dbi database;
    ZSTD_DCtx *context;
    unsigned char *memory;
    size_t capacity;
} reader;

static void open_map(reader *r, const char *path, unsigned flags, size_t map_size)
{
    unsigned reading = flags & MDB_RDONLY;
    check(mdb_env_create(&r->environment));
    check(mdb_env_set_mapsize(r->environment, map_size));
    check(mdb_env_open(r->environment, path, flags | MDB_NOSUBDIR | MDB_NOLOCK, 0666));
    check(mdb_txn_begin(r->environment, NULL, reading, &r->transaction));
    check(mdb_dbi_open(r->transaction, NULL, MDB_INTEGERKEY, &r->database));
}

static void close_map(reader *r)
{
    mdb_txn_abort(r->transaction);
    mdb_env_close(r->environment);
}

static void make(const char *name, const char *path)
{
    bench_set frames = bench_set_read(name);
    reader r = {0};
    unlink(path);
    /* Small values fill half a page at worst; large ones whole pages. */
    open_map(&r, path, MDB_NOSYNC, 2 * frames.size + frames.count * 4096 + ((size_t)1 << 20));
    for (size_t i = 0; i < frames.count; i++) {
        MDB_val key = {sizeof i, &i};
        MDB_val value = {(size_t)frames.sizes[i], frames.bytes + frames.offsets[i]};
        check(mdb_put(r.transaction, r.database, &key, &value, MDB_APPEND));
    }
    check(mdb_txn_commit(r.transaction));
    mdb_env_close(r.environment);
    bench_set_free(&frames);
}

static size_t read_value(void *state, size_t member)
{
    reader *r = state;
    MDB_val key = {sizeof member, &member}, value;
    check(mdb_get(r->transaction, r->database, &key, &value));
    size_t got =
        ZSTD_decompressDCtx(r->context, r->memory, r->capacity, value.mv_data, value.mv_size);
    bench_require(!ZSTD_isError(got), "decoding");
    return got;
}

static uint64_t time_opens(reader *r, const char *path, size_t map_size)
{
    uint64_t times[OPENS];
    for (size_t i = 0; i < OPENS; i++) {
        uint64_t begin = bench_now();
        open_map(r, path, MDB_RDONLY, map_size);
        times[i] = bench_now() - begin;
        close_map(r);
    }
    return bench_percentile(times, OPENS, 50);
}

/* Values, and memory for the largest component. */
static size_t count_values(reader *r)
{
    MDB_stat stat;
    check(mdb_stat(r->transaction, r->database, &stat));
    for (size_t i = 0; i < stat.ms_entries; i++) {
        MDB_val key = {sizeof i, &i}, value;
        check(mdb_get(r->transaction, r->database, &key, &value));
        unsigned long long size = ZSTD_getFrameContentSize(value.mv_data, value.mv_size);
        bench_require(size < ZSTD_CONTENTSIZE_ERROR, "reading a frame's size");
        if (size > r->capacity)
            r->capacity = (size_t)size;
    }
    r->memory = bench_allocate(r->capacity);
    return stat.ms_entries;
}

static void time_reads(const char *path)
{
    reader r = {.context = ZSTD_createDCtx()};
    bench_require(r.context != NULL, "an allocation");
    size_t map_size = 0; /* as large as the file says */
    uint64_t open_ns = time_opens(&r, path, map_size);
    open_map(&r, path, MDB_RDONLY, map_size);
    size_t values = count_values(&r);
    bench_reads(values, read_value, &r, open_ns);
    close_map(&r);
    ZSTD_freeDCtx(r.context);
    free(r.memory);
}

int main(int argc, char **argv)
{
    if (argc == 4 && strcmp(argv[1], "make") == 0) {
        make(argv[2], argv[3]);
    } else if (argc == 3 && strcmp(argv[1], "read") == 0) {
        time_reads(argv[2]);
    } else {
        fprintf(stderr, "usage: bench_lmdb make FRAMES FILE | read FILE\n");
        return 2;
    }
    return 0;
}
