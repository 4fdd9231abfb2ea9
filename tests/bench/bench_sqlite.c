/* SPDX-License-Identifier: MIT */
/*
 * The peer that is a database: one row per unique component, keyed by integer, zstd -19 each.
 *
 *   bench_sqlite make FRAMES DATABASE   stores the members of a set of frames, in order
 *   bench_sqlite read DATABASE          times query plus decode into memory
 *
 * It holds no PSO names, no table of slots and no checks.
 */
#include "bench_common.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#define OPENS 200
#define QUERY "SELECT bytes FROM component WHERE id = ?"

static void check(int code, int wanted, sqlite3 *database)
{
    if (code == wanted)
        return;
    fprintf(stderr, "bench_sqlite: %s\n", sqlite3_errmsg(database));
    exit(1);
}

static void run(sqlite3 *database, const char *statement)
{
    check(sqlite3_exec(database, statement, NULL, NULL, NULL), SQLITE_OK, database);
}

static sqlite3_stmt *prepare(sqlite3 *database, const char *text)
{
    sqlite3_stmt *statement = NULL;
    check(sqlite3_prepare_v2(database, text, -1, &statement, NULL), SQLITE_OK, database);
    return statement;
}

static void make(const char *name, const char *path)
{
    bench_set frames = bench_set_read(name);
    sqlite3 *database = NULL;
    remove(path);
    check(sqlite3_open(path, &database), SQLITE_OK, database);
    run(database, "CREATE TABLE component(id INTEGER PRIMARY KEY, bytes BLOB)");
    run(database, "BEGIN");
    sqlite3_stmt *insert = prepare(database, "INSERT INTO component VALUES(?, ?)");
    for (size_t i = 0; i < frames.count; i++) {
        sqlite3_bind_int64(insert, 1, (sqlite3_int64)i);
        sqlite3_bind_blob64(insert, 2, frames.bytes + frames.offsets[i], frames.sizes[i],
                            SQLITE_STATIC);
        check(sqlite3_step(insert), SQLITE_DONE, database);
        sqlite3_reset(insert);
    }
    sqlite3_finalize(insert);
    run(database, "COMMIT");
    check(sqlite3_close(database), SQLITE_OK, database);
    bench_set_free(&frames);
}

typedef struct reader {
    sqlite3 *database;
    sqlite3_stmt *query;
    ZSTD_DCtx *context;
    unsigned char *memory;
    size_t capacity;
} reader;

/* Ready for the first query, the schema read. */
static void open_reader(reader *r, const char *path)
{
    check(sqlite3_open_v2(path, &r->database, SQLITE_OPEN_READONLY, NULL), SQLITE_OK, r->database);
    r->query = prepare(r->database, QUERY);
}

static void close_reader(reader *r)
{
    sqlite3_finalize(r->query);
    check(sqlite3_close(r->database), SQLITE_OK, r->database);
}

static uint64_t time_opens(reader *r, const char *path)
{
    uint64_t times[OPENS];
    for (size_t i = 0; i < OPENS; i++) {
        uint64_t begin = bench_now();
        open_reader(r, path);
        times[i] = bench_now() - begin;
        close_reader(r);
    }
    return bench_percentile(times, OPENS, 50);
}

static size_t read_row(void *state, size_t row)
{
    reader *r = state;
    sqlite3_bind_int64(r->query, 1, (sqlite3_int64)row);
    check(sqlite3_step(r->query), SQLITE_ROW, r->database);
    const void *bytes = sqlite3_column_blob(r->query, 0);
    size_t size = (size_t)sqlite3_column_bytes(r->query, 0);
    size_t got = ZSTD_decompressDCtx(r->context, r->memory, r->capacity, bytes, size);
    bench_require(!ZSTD_isError(got), "decoding");
    sqlite3_reset(r->query);
    return got;
}

/* Rows, and memory for the largest component. */
static size_t count_rows(reader *r)
{
    sqlite3_stmt *query = prepare(r->database, "SELECT bytes FROM component");
    size_t rows = 0;
    for (; sqlite3_step(query) == SQLITE_ROW; rows++) {
        unsigned long long size = ZSTD_getFrameContentSize(sqlite3_column_blob(query, 0),
                                                           (size_t)sqlite3_column_bytes(query, 0));
        bench_require(size < ZSTD_CONTENTSIZE_ERROR, "reading a frame's size");
        if (size > r->capacity)
            r->capacity = (size_t)size;
    }
    sqlite3_finalize(query);
    r->memory = bench_allocate(r->capacity);
    return rows;
}

static void time_reads(const char *path)
{
    reader r = {.context = ZSTD_createDCtx()};
    bench_require(r.context != NULL, "an allocation");
    uint64_t open_ns = time_opens(&r, path);
    open_reader(&r, path);
    run(r.database, "BEGIN"); /* else every query locks the file anew */
    size_t rows = count_rows(&r);
    bench_reads(rows, read_row, &r, open_ns);
    run(r.database, "COMMIT");
    close_reader(&r);
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
        fprintf(stderr, "usage: bench_sqlite make FRAMES DATABASE | read DATABASE\n");
        return 2;
    }
    return 0;
}
