/* SPDX-License-Identifier: MIT */
/*
 * Two processes store and two find until all are killed at a random moment; every second run also
 * loses power: what was not flushed is cut off or partly zeroed. Then: open succeeds, nothing that
 * was stored (after power loss: flushed) is missing, and no find has ever given a wrong value.
 *
 *   test_session_crash [RUNS [SEED]]      default 50 runs, seed 1
 */
#include "session_test.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "session/session_layout.h"

#define STORERS 2u
#define FINDERS 2u
#define RUNS_PER_PLACE 8u
#define NUMBERS_EACH 1000000u /* storer w stores w * NUMBERS_EACH + 0, 1, 2, ... */

/* In memory that all processes share; it survives those that are killed. */
typedef struct crash_board {
    atomic_uint stored[STORERS];  /* numbers stored by each storer, as store has answered OK */
    atomic_uint flushed[STORERS]; /* of them flushed */
    atomic_uint wrong_values;
    atomic_uint lost_values; /* stored, yet not found while all was well */
    atomic_uint failures;    /* open, store or flush said no */
    atomic_uint finds;
    atomic_uint opens;
} crash_board;

static crash_board *board;
static test_place place;
static unsigned runs = 50;
static uint64_t seed = 1;

static uint32_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

static size_t size_of(uint32_t number)
{
    return number * 2654435761u % 4000u;
}

static psopack_session *open_again(psopack_session_host *host)
{
    psopack_session_desc desc = disk_desc(99);
    desc.maximum_memory_bytes = 64 << 10;
    desc.maximum_value_file_bytes = UINT64_C(4) << 30;
    psopack_session *session = NULL;
    psopack_diag diag;
    psopack_status status = psopack_session_open(host, &desc, &session, &diag);
    if (status != PSOPACK_OK || state_of(session).degraded != PSOPACK_OK) {
        fprintf(stderr, "open: %s\n", session ? state_of(session).text : diag.text);
        atomic_fetch_add(&board->failures, 1);
    }
    atomic_fetch_add(&board->opens, 1);
    return session;
}

static bool is_right(uint32_t number, const uint8_t *value, size_t size)
{
    uint8_t wanted[4096];
    if (size != size_of(number))
        return false;
    number_value(number, wanted, size);
    return memcmp(value, wanted, size) == 0;
}

/* True unless the number is missing. */
static bool check_number(psopack_session *session, uint32_t number)
{
    char key[32];
    uint8_t value[4096];
    size_t size = sizeof value;
    size_t key_size = number_key(number, key);
    psopack_status status = psopack_session_find(session, key, key_size, value, &size);
    atomic_fetch_add(&board->finds, 1);
    if (status == PSOPACK_OK && !is_right(number, value, size))
        atomic_fetch_add(&board->wrong_values, 1);
    return status == PSOPACK_OK;
}

static void note_failure(psopack_session *session, const char *what, psopack_status status)
{
    fprintf(stderr, "%s: %s: %s\n", what, psopack_status_name(status), state_of(session).text);
    atomic_fetch_add(&board->failures, 1);
}

static void flush_and_tell(psopack_session *session, uint32_t storer)
{
    uint32_t stored = atomic_load(&board->stored[storer]);
    psopack_status status = psopack_session_flush(session, NULL);
    if (status == PSOPACK_OK)
        atomic_store(&board->flushed[storer], stored);
    else
        note_failure(session, "flush", status);
}

static void run_storer(uint32_t storer, uint64_t random)
{
    psopack_session_host *host = host_on(&place);
    psopack_session *session = open_again(host);
    while (session) {
        uint32_t count = atomic_load(&board->stored[storer]);
        uint32_t number = storer * NUMBERS_EACH + count;
        psopack_status status = store_number(session, number, size_of(number));
        /* Killed between the store and the note of it: then it exists. */
        if (status != PSOPACK_OK && status != PSOPACK_E_EXISTS)
            note_failure(session, "store", status);
        atomic_store(&board->stored[storer], count + 1);
        uint32_t dice = next_random(&random) % 512;
        if (dice < 4)
            flush_and_tell(session, storer);
        if (dice == 4) {
            psopack_session_close(&session);
            session = open_again(host);
        }
    }
}

static void run_finder(uint64_t random)
{
    psopack_session_host *host = host_on(&place);
    psopack_session *session = open_again(host);
    while (session) {
        uint32_t storer = next_random(&random) % STORERS;
        uint32_t count = atomic_load(&board->stored[storer]);
        if (count == 0)
            continue;
        uint32_t number = storer * NUMBERS_EACH + next_random(&random) % count;
        if (!check_number(session, number))
            atomic_fetch_add(&board->lost_values, 1);
        if (next_random(&random) % 2048 == 0) {
            psopack_session_close(&session);
            session = open_again(host);
        }
    }
}

static void kill_at_random(uint64_t *random)
{
    pid_t children[STORERS + FINDERS];
    for (uint32_t i = 0; i < STORERS + FINDERS; i++) {
        uint64_t own = *random + i * 77777;
        children[i] = fork();
        assert_true(children[i] >= 0);
        if (children[i] == 0) {
            if (i < STORERS)
                run_storer(i, own);
            else
                run_finder(own);
            _exit(1);
        }
    }
    for (uint32_t left = STORERS + FINDERS; left > 0; left--) {
        struct timespec pause = {0, (long)(next_random(random) % 20000) * 1000};
        nanosleep(&pause, NULL);
        uint32_t victim = next_random(random) % left;
        kill(children[victim], SIGKILL);
        waitpid(children[victim], NULL, 0);
        children[victim] = children[left - 1];
    }
}

static bool is_flushed(const uint8_t *key, size_t key_size)
{
    char text[32] = {0};
    memcpy(text, key, key_size < 31 ? key_size : 31);
    uint32_t number = (uint32_t)strtoul(text + strlen("key-"), NULL, 10);
    return number % NUMBERS_EACH < atomic_load(&board->flushed[number / NUMBERS_EACH]);
}

/* End of what power loss may not take: behind the last flushed record of the file. */
static size_t safe_end(const uint8_t *bytes, size_t size)
{
    size_t end = 0;
    size_t at = PSOPACK_VALUE_RECORDS_AT;
    while (at + sizeof(psopack_disk_record) < size) {
        psopack_disk_record head;
        memcpy(&head, bytes + at, sizeof head);
        size_t key_size = psopack_load32(head.key_size);
        size_t record_size = sizeof head + key_size + psopack_load32(head.value_size);
        if (psopack_load32(head.magic) != PSOPACK_RECORD_MAGIC || record_size > size - at) {
            at++; /* a stretch that an earlier run has zeroed */
            continue;
        }
        if (is_flushed(bytes + at + sizeof head, key_size))
            end = at + record_size;
        at += record_size;
    }
    return end;
}

static void lose_power(uint64_t *random)
{
    for (uint32_t slot = 0; slot < STORERS + FINDERS; slot++) {
        char ending[16];
        char path[600];
        snprintf(ending, sizeof ending, ".%u.val", (unsigned)slot);
        if (!place_has(place.directory, ending))
            continue;
        place_find(place.directory, ending, path);
        size_t size;
        uint8_t *bytes = read_whole(path, &size);
        size_t safe = safe_end(bytes, size);
        if (safe < size && safe > 0) {
            size_t cut = safe + next_random(random) % (size - safe + 1);
            for (size_t at = safe + next_random(random) % 4096; at + 512 < cut;
                 at += 512 + next_random(random) % 65536)
                memset(bytes + at, 0, 512);
            write_whole(path, bytes, cut);
        }
        free(bytes);
    }
}

static void check_after(bool power_lost)
{
    psopack_session_host *host = host_on(&place);
    psopack_session *session = open_again(host);
    for (uint32_t storer = 0; storer < STORERS; storer++) {
        uint32_t kept = atomic_load(power_lost ? &board->flushed[storer] : &board->stored[storer]);
        uint32_t stored = atomic_load(&board->stored[storer]);
        for (uint32_t i = 0; i < stored; i++) {
            if (!check_number(session, storer * NUMBERS_EACH + i) && i < kept)
                atomic_fetch_add(&board->lost_values, 1);
        }
        /* What is gone is stored again under its old number. */
        if (power_lost)
            atomic_store(&board->stored[storer], kept);
    }
    psopack_session_host_destroy(&host);
}

static void killed_processes_lose_nothing_and_never_lie(void **state)
{
    (void)state;
    uint64_t random = seed;
    unsigned total_stored = 0;
    for (unsigned run = 0; run < runs; run++) {
        if (run % RUNS_PER_PLACE == 0) {
            place_make(&place);
            for (uint32_t i = 0; i < STORERS; i++) {
                atomic_store(&board->stored[i], 0);
                atomic_store(&board->flushed[i], 0);
            }
        }
        bool power_lost = run % 2 != 0;
        kill_at_random(&random);
        if (power_lost)
            lose_power(&random);
        check_after(power_lost);
        assert_int_equal(atomic_load(&board->wrong_values), 0);
        assert_int_equal(atomic_load(&board->lost_values), 0);
        assert_int_equal(atomic_load(&board->failures), 0);
        if (run % RUNS_PER_PLACE == RUNS_PER_PLACE - 1 || run + 1 == runs) {
            total_stored += atomic_load(&board->stored[0]) + atomic_load(&board->stored[1]);
            place_remove(&place);
        }
    }
    print_message("%u runs: %u values stored, %u found, %u opens; none wrong, none lost\n", runs,
                  total_stored, atomic_load(&board->finds), atomic_load(&board->opens));
}

int main(int argc, char **argv)
{
    if (argc > 1)
        runs = (unsigned)strtoul(argv[1], NULL, 10);
    if (argc > 2)
        seed = strtoull(argv[2], NULL, 10);
    board = mmap(NULL, sizeof *board, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (board == MAP_FAILED)
        return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(killed_processes_lose_nothing_and_never_lie),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
