/* SPDX-License-Identifier: MIT */
/*
 * Many threads on one cache: stores, finds, flushes, clears, evictions, opens and closes at once,
 * beside a second host that writes the same cache. No find gives a wrong value, nothing hangs. Runs
 * under the thread sanitizer.
 */
#include "session_test.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#define THREADS 4u
#define ROUNDS 1500u
#define NUMBERS 300u

static test_place place;

typedef struct thread_work {
    psopack_session_host *host;
    psopack_session_desc desc;
    uint32_t number;
    bool clears;
    atomic_uint *wrong;
    atomic_uint *found;
} thread_work;

static size_t size_of(uint32_t number)
{
    return number * 7u % 900u;
}

static uint32_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

/* cmocka's asserts belong to the main thread: here everything is counted. */
static void find_one(thread_work *work, psopack_session *session, uint32_t number)
{
    char key[32];
    uint8_t value[1024];
    uint8_t wanted[1024];
    size_t size = sizeof value;
    size_t key_size = number_key(number, key);
    psopack_status status = psopack_session_find(session, key, key_size, value, &size);
    if (status == PSOPACK_E_NOT_FOUND)
        return;
    number_value(number, wanted, size_of(number));
    bool right =
        status == PSOPACK_OK && size == size_of(number) && memcmp(value, wanted, size) == 0;
    atomic_fetch_add(right ? work->found : work->wrong, 1);
}

static void store_one(thread_work *work, psopack_session *session, uint32_t number)
{
    char key[32];
    uint8_t value[1024];
    size_t key_size = number_key(number, key);
    number_value(number, value, size_of(number));
    psopack_status status = psopack_session_store(session, key, key_size, value, size_of(number));
    if (status != PSOPACK_OK && status != PSOPACK_E_EXISTS && status != PSOPACK_E_FULL)
        atomic_fetch_add(work->wrong, 1);
}

static void *run_thread(void *argument)
{
    thread_work *work = argument;
    uint64_t random = work->number;
    psopack_session *session = NULL;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        if (!session && psopack_session_open(work->host, &work->desc, &session, NULL) != PSOPACK_OK)
            atomic_fetch_add(work->wrong, 1);
        uint32_t number = next_random(&random) % NUMBERS;
        uint32_t dice = next_random(&random) % 256;
        if (dice < 100)
            store_one(work, session, number);
        else
            find_one(work, session, number);
        if (dice == 100)
            psopack_session_flush(session, NULL);
        if (dice == 101)
            psopack_session_close(&session);
        if (dice == 102 && work->clears)
            psopack_session_host_control(work->host, PSOPACK_SESSION_KIND_APPLICATION_MANAGED,
                                         PSOPACK_SESSION_CLEAR, NULL);
    }
    psopack_session_close(&session);
    return NULL;
}

static void run_threads(psopack_session_desc desc, uint32_t hosts, bool clears)
{
    place_make(&place);
    atomic_uint wrong = 0;
    atomic_uint found = 0;
    psopack_session_host *host[2] = {host_on(&place), host_on(&place)};
    pthread_t threads[THREADS];
    thread_work work[THREADS];
    for (uint32_t i = 0; i < THREADS; i++) {
        work[i] = (thread_work){host[i % hosts], desc, i, clears, &wrong, &found};
        assert_int_equal(pthread_create(&threads[i], NULL, run_thread, &work[i]), 0);
    }
    for (uint32_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    psopack_session_host_destroy(&host[0]);
    psopack_session_host_destroy(&host[1]);
    place_remove(&place);
    assert_int_equal(wrong, 0);
    assert_in_range(found, 100, THREADS * ROUNDS);
}

static void threads_share_a_disk_cache(void **state)
{
    (void)state;
    psopack_session_desc desc = disk_desc(70);
    desc.maximum_memory_bytes = 4096;
    run_threads(desc, 1, false);
}

static void threads_share_a_memory_cache(void **state)
{
    (void)state;
    psopack_session_desc desc = memory_desc(71);
    desc.maximum_memory_bytes = 20000;
    run_threads(desc, 1, true);
}

static void threads_of_two_hosts_share_the_files(void **state)
{
    (void)state;
    psopack_session_desc desc = disk_desc(72);
    desc.maximum_memory_entries = 20;
    run_threads(desc, 2, false);
}

static void clears_come_in_between(void **state)
{
    (void)state;
    psopack_session_desc desc = disk_desc(73);
    desc.maximum_memory_bytes = 4096;
    run_threads(desc, 2, true);
}

static void evictions_come_in_between(void **state)
{
    (void)state;
    psopack_session_desc desc = disk_desc(74);
    desc.flags = PSOPACK_SESSION_OLDEST_FIRST;
    desc.maximum_memory_bytes = 4096;
    desc.maximum_value_file_bytes = 60000;
    run_threads(desc, 1, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_share_a_disk_cache),
        cmocka_unit_test(threads_share_a_memory_cache),
        cmocka_unit_test(threads_of_two_hosts_share_the_files),
        cmocka_unit_test(clears_come_in_between),
        cmocka_unit_test(evictions_come_in_between),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
