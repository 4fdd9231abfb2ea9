/* SPDX-License-Identifier: MIT */
/*
 * A cache session beside SQLite (WAL) and LMDB, doing the same job in the same run: store values of
 * 3 KiB one by one so that they survive the death of the process, find them, open again.
 *
 *   bench_session [--json] [DIRECTORY [ENTRIES]]     default: TMPDIR or /tmp, 100,000
 *
 * Times are medians over batches of 100 calls, so that other programs on the machine count little;
 * the store rate is that of the whole run.
 *
 * None of the three flushes to the disk while storing; SQLite and LMDB commit each value. SQLite
 * and LMDB check nothing when they read; the session checks key and value each time.
 */
#include <psopack/session.h>

#include <ftw.h>
#include <lmdb.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#define VALUE_SIZE 3072u
#define KEY_SIZE 32u
#define FINDS 100000u
#define WARM_ENTRIES 1000u
#define OPENS 11u
#define BATCH 100u

typedef struct bench {
    char directory[256];
    uint32_t entries;
    uint8_t value[VALUE_SIZE];
    uint8_t found[VALUE_SIZE];
} bench;

typedef struct bench_result {
    const char *name;
    double stores_per_second; /* all of them, by the clock on the wall */
    double store_ns;
    double find_warm_ns; /* the same WARM_ENTRIES again and again */
    double find_disk_ns; /* all entries at random, nothing kept in memory but the page cache */
    double miss_ns;
    double open_ms;
} bench_result;

static void require(bool good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "bench_session: %s failed\n", what);
    exit(1);
}

static double now_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static uint32_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

static void make_key(uint32_t number, uint8_t ret_key[KEY_SIZE])
{
    uint64_t state = number + 1u;
    for (uint32_t i = 0; i < KEY_SIZE; i += 4) {
        uint32_t word = next_random(&state);
        memcpy(ret_key + i, &word, 4);
    }
}

static void make_value(bench *work, uint32_t number)
{
    memcpy(work->value, &number, sizeof number);
}

static void check_found(const bench *work, uint32_t number)
{
    require(memcmp(work->found, &number, sizeof number) == 0, "the value found");
}

static int compare_doubles(const void *a, const void *b)
{
    double left = *(const double *)a;
    double right = *(const double *)b;
    return (left > right) - (left < right);
}

/* What the three have in common. */
typedef struct bench_peer {
    const char *name;
    void *(*open)(bench *work, bool warm);
    void (*store)(void *self, const uint8_t *key, const uint8_t *value);
    bool (*find)(void *self, const uint8_t *key, uint8_t *ret_value);
    void (*close)(void *self);
} bench_peer;

/* psopack -------------------------------------------------------------------------------------- */

typedef struct pso_self {
    psopack_session_host *host;
    psopack_session *session;
} pso_self;

static void *pso_open(bench *work, bool warm)
{
    pso_self *self = calloc(1, sizeof *self);
    psopack_session_host_options options = PSOPACK_SESSION_HOST_OPTIONS_INIT;
    options.directory = work->directory;
    psopack_session_desc desc = {.mode = PSOPACK_SESSION_DISK, .identifier = "bench"};
    desc.maximum_value_file_bytes = UINT64_C(8) << 30;
    desc.maximum_memory_bytes = warm ? 16u << 20 : 0;
    desc.maximum_memory_entries = warm ? 2 * WARM_ENTRIES : 0;
    psopack_session_state state = {.struct_size = sizeof state};
    require(self && psopack_session_host_create(&options, &self->host, NULL) == PSOPACK_OK &&
                psopack_session_open(self->host, &desc, &self->session, NULL) == PSOPACK_OK,
            "open");
    psopack_session_get_state(self->session, &state);
    require(state.degraded == PSOPACK_OK, state.text);
    return self;
}

static void pso_store(void *self, const uint8_t *key, const uint8_t *value)
{
    require(psopack_session_store(((pso_self *)self)->session, key, KEY_SIZE, value, VALUE_SIZE) ==
                PSOPACK_OK,
            "store");
}

static bool pso_find(void *self, const uint8_t *key, uint8_t *ret_value)
{
    size_t size = VALUE_SIZE;
    return psopack_session_find(((pso_self *)self)->session, key, KEY_SIZE, ret_value, &size) ==
           PSOPACK_OK;
}

static void pso_close(void *self)
{
    psopack_session_host_destroy(&((pso_self *)self)->host);
    free(self);
}

/* SQLite --------------------------------------------------------------------------------------- */

typedef struct sql_self {
    sqlite3 *database;
    sqlite3_stmt *insert;
    sqlite3_stmt *select;
} sql_self;

static void *sql_open(bench *work, bool warm)
{
    (void)warm;
    sql_self *self = calloc(1, sizeof *self);
    char path[300];
    snprintf(path, sizeof path, "%s/bench.sqlite", work->directory);
    require(self && sqlite3_open(path, &self->database) == SQLITE_OK, "sqlite3_open");
    const char *begin = "PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF;"
                        "CREATE TABLE IF NOT EXISTS cache(key BLOB PRIMARY KEY, value BLOB)"
                        " WITHOUT ROWID;";
    require(sqlite3_exec(self->database, begin, NULL, NULL, NULL) == SQLITE_OK, "sqlite3_exec");
    sqlite3_prepare_v2(self->database, "INSERT INTO cache VALUES(?,?)", -1, &self->insert, NULL);
    sqlite3_prepare_v2(self->database, "SELECT value FROM cache WHERE key=?", -1, &self->select,
                       NULL);
    return self;
}

static void sql_store(void *self, const uint8_t *key, const uint8_t *value)
{
    sqlite3_stmt *insert = ((sql_self *)self)->insert;
    sqlite3_bind_blob(insert, 1, key, KEY_SIZE, SQLITE_STATIC);
    sqlite3_bind_blob(insert, 2, value, VALUE_SIZE, SQLITE_STATIC);
    require(sqlite3_step(insert) == SQLITE_DONE, "sqlite3_step");
    sqlite3_reset(insert);
}

static bool sql_find(void *self, const uint8_t *key, uint8_t *ret_value)
{
    sqlite3_stmt *select = ((sql_self *)self)->select;
    sqlite3_bind_blob(select, 1, key, KEY_SIZE, SQLITE_STATIC);
    bool found = sqlite3_step(select) == SQLITE_ROW;
    if (found)
        memcpy(ret_value, sqlite3_column_blob(select, 0), VALUE_SIZE);
    sqlite3_reset(select);
    return found;
}

static void sql_close(void *self)
{
    sqlite3_finalize(((sql_self *)self)->insert);
    sqlite3_finalize(((sql_self *)self)->select);
    sqlite3_close(((sql_self *)self)->database);
    free(self);
}

/* LMDB ----------------------------------------------------------------------------------------- */

typedef struct lmdb_self {
    MDB_env *environment;
    MDB_dbi database;
} lmdb_self;

static void *lmdb_open(bench *work, bool warm)
{
    (void)warm;
    lmdb_self *self = calloc(1, sizeof *self);
    MDB_txn *transaction;
    char path[300];
    snprintf(path, sizeof path, "%s/bench.mdb", work->directory);
    require(self && mdb_env_create(&self->environment) == 0 &&
                mdb_env_set_mapsize(self->environment, (size_t)8 << 30) == 0 &&
                mdb_env_open(self->environment, path, MDB_NOSUBDIR | MDB_NOSYNC, 0666) == 0 &&
                mdb_txn_begin(self->environment, NULL, 0, &transaction) == 0 &&
                mdb_dbi_open(transaction, NULL, MDB_CREATE, &self->database) == 0 &&
                mdb_txn_commit(transaction) == 0,
            "mdb_env_open");
    return self;
}

static void lmdb_store(void *self, const uint8_t *key, const uint8_t *value)
{
    lmdb_self *db = self;
    MDB_txn *transaction;
    MDB_val mdb_key = {KEY_SIZE, (void *)(uintptr_t)key};
    MDB_val mdb_value = {VALUE_SIZE, (void *)(uintptr_t)value};
    require(mdb_txn_begin(db->environment, NULL, 0, &transaction) == 0 &&
                mdb_put(transaction, db->database, &mdb_key, &mdb_value, MDB_NOOVERWRITE) == 0 &&
                mdb_txn_commit(transaction) == 0,
            "mdb_put");
}

static bool lmdb_find(void *self, const uint8_t *key, uint8_t *ret_value)
{
    lmdb_self *db = self;
    MDB_txn *transaction;
    MDB_val mdb_key = {KEY_SIZE, (void *)(uintptr_t)key};
    MDB_val mdb_value;
    require(mdb_txn_begin(db->environment, NULL, MDB_RDONLY, &transaction) == 0, "mdb_txn");
    bool found = mdb_get(transaction, db->database, &mdb_key, &mdb_value) == 0;
    if (found)
        memcpy(ret_value, mdb_value.mv_data, VALUE_SIZE);
    mdb_txn_abort(transaction);
    return found;
}

static void lmdb_close(void *self)
{
    mdb_env_close(((lmdb_self *)self)->environment);
    free(self);
}

/* Measuring ------------------------------------------------------------------------------------ */

/* Calls are timed in batches; the median batch speaks for all. */
typedef struct batches {
    double *times;
    uint32_t count;
    double start;
} batches;

static batches begin_batches(uint32_t calls)
{
    batches timed = {malloc((calls / BATCH + 1) * sizeof *timed.times), 0, now_ns()};
    require(timed.times != NULL, "malloc");
    return timed;
}

/* After call number `call`, from 0. */
static void end_call(batches *timed, uint32_t call)
{
    if ((call + 1) % BATCH != 0)
        return;
    double now = now_ns();
    timed->times[timed->count++] = (now - timed->start) / BATCH;
    timed->start = now;
}

static double end_batches(batches *timed)
{
    qsort(timed->times, timed->count, sizeof *timed->times, compare_doubles);
    double median = timed->times[timed->count / 2];
    free(timed->times);
    return median;
}

static void time_stores(bench *work, const bench_peer *peer, void *self, bench_result *result)
{
    uint8_t key[KEY_SIZE];
    double start = now_ns();
    batches timed = begin_batches(work->entries);
    for (uint32_t i = 0; i < work->entries; i++) {
        make_key(i, key);
        make_value(work, i);
        peer->store(self, key, work->value);
        end_call(&timed, i);
    }
    result->stores_per_second = work->entries * 1e9 / (now_ns() - start);
    result->store_ns = end_batches(&timed);
}

/* Nanoseconds a find, over the first `range` entries at random. */
static double time_finds(bench *work, const bench_peer *peer, void *self, uint32_t range)
{
    uint64_t random = 42;
    uint8_t(*keys)[KEY_SIZE] = malloc(FINDS * sizeof *keys);
    uint32_t *numbers = malloc(FINDS * sizeof *numbers);
    require(keys && numbers, "malloc");
    for (uint32_t i = 0; i < FINDS; i++) {
        numbers[i] = next_random(&random) % range;
        make_key(numbers[i], keys[i]);
    }
    batches timed = begin_batches(FINDS);
    for (uint32_t i = 0; i < FINDS; i++) {
        require(peer->find(self, keys[i], work->found), "find");
        check_found(work, numbers[i]);
        end_call(&timed, i);
    }
    free(numbers);
    free(keys);
    return end_batches(&timed);
}

static double time_misses(bench *work, const bench_peer *peer, void *self)
{
    uint8_t key[KEY_SIZE];
    batches timed = begin_batches(FINDS);
    for (uint32_t i = 0; i < FINDS; i++) {
        make_key(work->entries + i, key);
        require(!peer->find(self, key, work->found), "a miss");
        end_call(&timed, i);
    }
    return end_batches(&timed);
}

/* Median of opens that end with the first find; the entries are in the page cache. */
static double time_open(bench *work, const bench_peer *peer)
{
    double times[OPENS];
    uint8_t key[KEY_SIZE];
    make_key(work->entries / 2, key);
    for (uint32_t i = 0; i < OPENS; i++) {
        double start = now_ns();
        void *self = peer->open(work, false);
        require(peer->find(self, key, work->found), "find after open");
        times[i] = (now_ns() - start) / 1e6;
        peer->close(self);
    }
    qsort(times, OPENS, sizeof times[0], compare_doubles);
    return times[OPENS / 2];
}

static bench_result measure(bench *work, const bench_peer *peer)
{
    bench_result result = {.name = peer->name};
    void *self = peer->open(work, false);
    time_stores(work, peer, self, &result);
    peer->close(self);
    result.open_ms = time_open(work, peer);
    self = peer->open(work, false);
    result.find_disk_ns = time_finds(work, peer, self, work->entries);
    result.miss_ns = time_misses(work, peer, self);
    peer->close(self);
    self = peer->open(work, true);
    time_finds(work, peer, self, WARM_ENTRIES);
    result.find_warm_ns = time_finds(work, peer, self, WARM_ENTRIES);
    peer->close(self);
    return result;
}

static void print_result(const bench_result *result, bool json, bool last)
{
    if (json)
        printf("  {\"name\": \"%s\", \"stores_per_second\": %.0f, \"store_ns\": %.0f, "
               "\"find_warm_ns\": %.0f, "
               "\"find_disk_ns\": %.0f, \"miss_ns\": %.0f, \"open_ms\": %.2f}%s\n",
               result->name, result->stores_per_second, result->store_ns, result->find_warm_ns,
               result->find_disk_ns, result->miss_ns, result->open_ms, last ? "" : ",");
    else
        printf("%-12s %10.0f/s %9.0f ns %9.0f ns %9.0f ns %9.0f ns %9.2f ms\n", result->name,
               result->stores_per_second, result->store_ns, result->find_warm_ns,
               result->find_disk_ns, result->miss_ns, result->open_ms);
    fflush(stdout);
}

static int remove_one(const char *path, const struct stat *stat, int type, struct FTW *ftw)
{
    (void)stat;
    (void)type;
    (void)ftw;
    return remove(path);
}

int main(int argc, char **argv)
{
    static const bench_peer peers[] = {
        {"psopack", pso_open, pso_store, pso_find, pso_close},
        {"SQLite WAL", sql_open, sql_store, sql_find, sql_close},
        {"LMDB", lmdb_open, lmdb_store, lmdb_find, lmdb_close},
    };
    static bench work = {.entries = 100000};
    bool json = argc > 1 && strcmp(argv[1], "--json") == 0;
    argv += json;
    argc -= json;
    const char *temp = getenv("TMPDIR");
    snprintf(work.directory, sizeof work.directory, "%s/psopack-bench-XXXXXX",
             argc > 1 ? argv[1]
             : temp   ? temp
                      : "/tmp");
    if (argc > 2)
        work.entries = (uint32_t)strtoul(argv[2], NULL, 10);
    require(work.entries >= WARM_ENTRIES, "at least 1000 entries:");
    require(mkdtemp(work.directory) != NULL, "mkdtemp");
    uint64_t random = 7;
    for (size_t i = 0; i < VALUE_SIZE; i++)
        work.value[i] = (uint8_t)next_random(&random);
    if (json)
        printf("{\"schema\": \"psopack.bench-session/1\", \"entries\": %u, \"value_bytes\": %u, "
               "\"results\": [\n",
               work.entries, VALUE_SIZE);
    else
        printf("%-12s %12s %12s %12s %12s %12s %12s\n", "", "stores", "store", "find warm",
               "find disk", "miss", "open");
    size_t count = sizeof peers / sizeof peers[0];
    for (size_t i = 0; i < count; i++) {
        bench_result one = measure(&work, &peers[i]);
        print_result(&one, json, i + 1 == count);
    }
    if (json)
        printf("]}\n");
    nftw(work.directory, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    return 0;
}
