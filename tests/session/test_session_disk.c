/* SPDX-License-Identifier: MIT */
/* The disk form: collisions, indexes, several processes, merging, eviction, disks that say no. */
#include "session_test.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "session/session_host.h"

static test_place place;

static int setup(void **state)
{
    (void)state;
    place_make(&place);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    place_remove(&place);
    return 0;
}

/* Collisions ----------------------------------------------------------------------------------- */

static uint64_t weak_hash(const void *key, size_t size)
{
    (void)key;
    return size;
}

static void check_collision(psopack_session *session)
{
    char value[4];
    size_t size = sizeof value;
    assert_int_equal(psopack_session_find(session, "aa", 2, value, &size), PSOPACK_OK);
    assert_memory_equal(value, "1", 1);
    size = sizeof value;
    assert_int_equal(psopack_session_find(session, "bb", 2, value, &size), PSOPACK_E_COLLISION);
    assert_int_equal(psopack_session_find(session, "bb", 2, NULL, &size), PSOPACK_E_COLLISION);
    assert_int_equal(psopack_session_find(session, "ccc", 3, NULL, &size), PSOPACK_E_NOT_FOUND);
    assert_int_equal(psopack_session_store(session, "bb", 2, "2", 1), PSOPACK_E_COLLISION);
    assert_int_equal(psopack_session_store(session, "aa", 2, "2", 1), PSOPACK_E_EXISTS);
}

static void same_hash_other_key_is_a_collision_for_find_and_store(void **state)
{
    (void)state;
    psopack_session_host *host = host_on(&place);
    psopack_session_host_set_hash(host, weak_hash);
    psopack_session_desc descs[] = {disk_desc(1), memory_desc(1), disk_desc(2)};
    descs[2].maximum_memory_bytes = 1; /* every look reads the file */
    for (size_t i = 0; i < 3; i++) {
        psopack_session *session = open_session(host, &descs[i]);
        assert_int_equal(psopack_session_store(session, "aa", 2, "1", 1), PSOPACK_OK);
        check_collision(session);
        psopack_session_close(&session);
        if (descs[i].mode == PSOPACK_SESSION_DISK) {
            session = open_session(host, &descs[i]);
            check_collision(session);
            psopack_session_close(&session);
        }
    }
    psopack_session_host_destroy(&host);
}

static void an_index_of_another_hash_function_is_made_anew(void **state)
{
    (void)state;
    psopack_session_desc desc = disk_desc(3);
    psopack_session_host *host = host_on(&place);
    psopack_session_host_set_hash(host, weak_hash);
    psopack_session *session = open_session(host, &desc);
    assert_int_equal(store_number(session, 1, 100), PSOPACK_OK);
    assert_int_equal(store_number(session, 10, 100), PSOPACK_OK);
    psopack_session_host_destroy(&host);
    host = host_on(&place);
    session = open_session(host, &desc);
    assert_int_equal(find_number(session, 1, 100), PSOPACK_OK);
    assert_int_equal(find_number(session, 10, 100), PSOPACK_OK);
    assert_int_equal(store_number(session, 2, 100), PSOPACK_OK);
    psopack_session_host_destroy(&host);
}

/* Several processes ---------------------------------------------------------------------------- */

static void processes_see_what_the_others_store(void **state)
{
    (void)state;
    psopack_session_desc desc = disk_desc(4);
    psopack_session_host *hosts[3];
    psopack_session *sessions[3];
    for (uint32_t i = 0; i < 3; i++) {
        hosts[i] = host_on(&place);
        sessions[i] = open_session(hosts[i], &desc);
    }
    for (uint32_t round = 0; round < 10; round++) {
        for (uint32_t i = 0; i < 3; i++)
            assert_int_equal(store_number(sessions[i], round * 3 + i, 500), PSOPACK_OK);
        for (uint32_t i = 0; i < 3; i++) {
            for (uint32_t number = round * 3; number < round * 3 + 3; number++)
                assert_int_equal(find_number(sessions[i], number, 500), PSOPACK_OK);
        }
    }
    assert_int_equal(store_number(sessions[2], 0, 500), PSOPACK_E_EXISTS);
    assert_true(place_has(place.directory, ".2.val"));
    for (uint32_t i = 0; i < 3; i++)
        psopack_session_host_destroy(&hosts[i]);
}

static void side_files_are_merged_at_the_next_open(void **state)
{
    (void)state;
    psopack_session_desc desc = disk_desc(5);
    psopack_session_host *a = host_on(&place);
    psopack_session_host *b = host_on(&place);
    psopack_session *session_a = open_session(a, &desc);
    psopack_session *session_b = open_session(b, &desc);
    for (uint32_t i = 0; i < 50; i++) {
        assert_int_equal(store_number(session_a, i, 300), PSOPACK_OK);
        assert_int_equal(store_number(session_b, 1000 + i, 300), PSOPACK_OK);
    }
    psopack_session_host_destroy(&b);
    assert_true(place_has(place.directory, ".1.val"));
    psopack_session_host_destroy(&a);
    a = host_on(&place);
    session_a = open_session(a, &desc);
    assert_int_equal(state_of(session_a).merged_entries, 50);
    assert_int_equal(state_of(session_a).entries, 100);
    assert_false(place_has(place.directory, ".1.val"));
    assert_false(place_has(place.directory, ".1.idx"));
    for (uint32_t i = 0; i < 50; i++) {
        assert_int_equal(find_number(session_a, i, 300), PSOPACK_OK);
        assert_int_equal(find_number(session_a, 1000 + i, 300), PSOPACK_OK);
    }
    psopack_session_host_destroy(&a);
}

static void side_files_of_another_version_are_removed_not_merged(void **state)
{
    (void)state;
    psopack_session_desc desc = disk_desc(6);
    psopack_session_host *a = host_on(&place);
    psopack_session_host *b = host_on(&place);
    psopack_session *session_a = open_session(a, &desc);
    psopack_session *session_b = open_session(b, &desc);
    assert_int_equal(store_number(session_a, 1, 30), PSOPACK_OK);
    assert_int_equal(store_number(session_b, 2, 30), PSOPACK_OK);
    psopack_session_host_destroy(&a);
    psopack_session_host_destroy(&b);
    desc.version = 2;
    a = host_on(&place);
    session_a = open_session(a, &desc);
    assert_int_equal(find_number(session_a, 1, 30), PSOPACK_E_NOT_FOUND);
    assert_int_equal(find_number(session_a, 2, 30), PSOPACK_E_NOT_FOUND);
    assert_false(place_has(place.directory, ".1.val"));
    psopack_session_host_destroy(&a);
}

static void the_seventeenth_writer_is_degraded_and_says_busy(void **state)
{
    (void)state;
    psopack_session_desc desc = disk_desc(7);
    psopack_session_host *hosts[PSOPACK_SESSION_WRITERS_MAX + 1];
    psopack_session *session = NULL;
    for (uint32_t i = 0; i <= PSOPACK_SESSION_WRITERS_MAX; i++) {
        hosts[i] = host_on(&place);
        session = open_session(hosts[i], &desc);
        assert_int_equal(store_number(session, i, 20), PSOPACK_OK);
    }
    assert_int_equal(state_of(session).degraded, PSOPACK_E_BUSY);
    assert_int_equal(state_of(session).memory_only_stores, 1);
    for (uint32_t i = 0; i <= PSOPACK_SESSION_WRITERS_MAX; i++)
        assert_int_equal(find_number(session, i, 20), PSOPACK_OK);
    for (uint32_t i = 0; i <= PSOPACK_SESSION_WRITERS_MAX; i++)
        psopack_session_host_destroy(&hosts[i]);
}

static bool child_opens_other_version(void *argument)
{
    psopack_session_desc *desc = argument;
    psopack_session_host *host = host_on(&place);
    psopack_session *session = NULL;
    psopack_session_desc newer = *desc;
    newer.version++;
    bool busy = psopack_session_open(host, &newer, &session, NULL) == PSOPACK_E_EXISTS;
    session = open_session(host, desc);
    bool good = busy && find_number(session, 1, 30) == PSOPACK_OK &&
                store_number(session, 2, 30) == PSOPACK_OK;
    psopack_session_host_destroy(&host);
    return good;
}

static void another_version_in_a_real_other_process_already_exists(void **state)
{
    (void)state;
    psopack_session_desc desc = disk_desc(8);
    psopack_session_host *host = host_on(&place);
    psopack_session *session = open_session(host, &desc);
    assert_int_equal(store_number(session, 1, 30), PSOPACK_OK);
    assert_int_equal(run_child(child_opens_other_version, &desc), 0);
    assert_int_equal(find_number(session, 2, 30), PSOPACK_OK);
    psopack_session_host_destroy(&host);
}

static bool child_stores_and_is_killed(void *argument)
{
    psopack_session_desc *desc = argument;
    psopack_session_host *host = host_on(&place);
    psopack_session *session = open_session(host, desc);
    for (uint32_t i = 0; i < 100; i++)
        assert_int_equal(store_number(session, i, 200), PSOPACK_OK);
    raise(SIGKILL);
    return false;
}

static void kill_9_loses_nothing_that_was_stored(void **state)
{
    (void)state;
    psopack_session_desc desc = disk_desc(9);
    assert_int_equal(run_child(child_stores_and_is_killed, &desc), 128);
    assert_false(place_has(place.directory, ".0.idx"));
    psopack_session_host *host = host_on(&place);
    psopack_session *session = open_session(host, &desc);
    for (uint32_t i = 0; i < 100; i++)
        assert_int_equal(find_number(session, i, 200), PSOPACK_OK);
    assert_int_equal(state_of(session).damaged_records, 0);
    psopack_session_host_destroy(&host);
}

/* Eviction ------------------------------------------------------------------------------------- */

static void oldest_first_drops_the_oldest_and_keeps_the_newest(void **state)
{
    (void)state;
    psopack_session_desc desc = disk_desc(10);
    desc.flags = PSOPACK_SESSION_OLDEST_FIRST;
    desc.maximum_value_file_bytes = 100000;
    psopack_session_host *host = host_on(&place);
    psopack_session *session = open_session(host, &desc);
    for (uint32_t i = 0; i < 1000; i++) {
        assert_int_equal(store_number(session, i, 1000), PSOPACK_OK);
        assert_int_equal(find_number(session, i, 1000), PSOPACK_OK);
        assert_in_range(state_of(session).value_file_bytes, 0, 100000);
    }
    uint64_t entries = state_of(session).entries;
    assert_in_range(entries, 60, 99);
    assert_int_equal(state_of(session).evicted_entries, 1000 - entries);
    for (uint32_t round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < 1000; i++)
            assert_int_equal(find_number(session, i, 1000),
                             i < 1000 - entries ? PSOPACK_E_NOT_FOUND : PSOPACK_OK);
        psopack_session_host_destroy(&host);
        host = host_on(&place);
        session = open_session(host, &desc);
    }
    assert_int_equal(store_number(session, 5000, 99500), PSOPACK_E_FULL);
    psopack_session_host_destroy(&host);
}

static void oldest_first_beside_another_process_is_full(void **state)
{
    (void)state;
    psopack_session_desc desc = disk_desc(11);
    desc.flags = PSOPACK_SESSION_OLDEST_FIRST;
    desc.maximum_value_file_bytes = 10000;
    psopack_session_host *a = host_on(&place);
    psopack_session_host *b = host_on(&place);
    psopack_session *session = open_session(a, &desc);
    psopack_session *other = open_session(b, &desc);
    uint32_t stored = 0;
    while (store_number(session, stored, 1000) == PSOPACK_OK)
        stored++;
    assert_in_range(stored, 8, 9);
    assert_int_equal(find_number(other, 0, 1000), PSOPACK_OK);
    psopack_session_host_destroy(&b);
    assert_int_equal(store_number(session, stored, 1000), PSOPACK_OK);
    assert_int_equal(find_number(session, 0, 1000), PSOPACK_E_NOT_FOUND);
    psopack_session_host_destroy(&a);
}

/* Disks that say no ---------------------------------------------------------------------------- */

static void no_directory_degrades_with_a_reason(void **state)
{
    (void)state;
    psopack_session_host_options options = PSOPACK_SESSION_HOST_OPTIONS_INIT;
    char missing[600];
    snprintf(missing, sizeof missing, "%s/missing/deeper", place.root);
    options.directory = missing;
    psopack_session_host *host = NULL;
    assert_int_equal(psopack_session_host_create(&options, &host, NULL), PSOPACK_OK);
    psopack_session_desc desc = disk_desc(12);
    desc.maximum_memory_bytes = 1000;
    psopack_session *session = open_session(host, &desc);
    psopack_session_state health = state_of(session);
    assert_int_equal(health.degraded, PSOPACK_E_NO_ENTRY);
    assert_non_null(strstr(health.text, "missing"));
    assert_int_equal(store_number(session, 1, 500), PSOPACK_OK);
    assert_int_equal(find_number(session, 1, 500), PSOPACK_OK);
    assert_int_equal(store_number(session, 2, 5000), PSOPACK_E_NO_ENTRY);
    assert_int_equal(psopack_session_flush(session, NULL), PSOPACK_E_NO_ENTRY);
    psopack_session_host_destroy(&host);
}

/* The superuser may write anywhere, so the child gives that up first. */
static bool child_reads_read_only_files(void *argument)
{
    psopack_session_desc *desc = argument;
    if (geteuid() == 0 && seteuid(65534) != 0)
        return false;
    psopack_session_host *host = host_on(&place);
    psopack_session *session = open_session(host, desc);
    assert_int_equal(state_of(session).degraded, PSOPACK_E_ACCESS);
    assert_int_equal(find_number(session, 1, 100), PSOPACK_OK);
    assert_int_equal(store_number(session, 1, 100), PSOPACK_E_EXISTS);
    assert_int_equal(store_number(session, 2, 100), PSOPACK_OK);
    assert_int_equal(find_number(session, 2, 100), PSOPACK_OK);
    assert_int_equal(psopack_session_flush(session, NULL), PSOPACK_E_ACCESS);
    psopack_session_host_destroy(&host);
    return true;
}

static void read_only_files_are_read_and_new_values_stay_in_memory(void **state)
{
    (void)state;
    psopack_session_desc desc = disk_desc(13);
    psopack_session_host *host = host_on(&place);
    psopack_session *session = open_session(host, &desc);
    assert_int_equal(store_number(session, 1, 100), PSOPACK_OK);
    psopack_session_host_destroy(&host);
    char folder[400];
    snprintf(folder, sizeof folder, "%s/psopack-sessions", place.directory);
    assert_int_equal(chmod(place.root, 0755), 0);
    assert_int_equal(chmod(folder, 0555), 0);
    const char *endings[] = {".lock", ".open", ".0.val", ".0.idx"};
    for (size_t i = 0; i < 4; i++) {
        char path[600];
        place_find(place.directory, endings[i], path);
        assert_int_equal(chmod(path, 0444), 0);
    }
    assert_int_equal(run_child(child_reads_read_only_files, &desc), 0);
    assert_int_equal(chmod(folder, 0755), 0);
}

/* A limit on the size of files stands for the full disk: the write that meets it fails in part. */
static bool child_meets_the_limit(void *argument)
{
    psopack_session_desc *desc = argument;
    signal(SIGXFSZ, SIG_IGN);
    psopack_session_host *host = host_on(&place);
    psopack_session *session = open_session(host, desc);
    struct rlimit limit = {20000, 20000};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    for (uint32_t i = 0; i < 40; i++)
        assert_int_equal(store_number(session, i, 1000), PSOPACK_OK);
    psopack_session_state health = state_of(session);
    assert_int_not_equal(health.degraded, PSOPACK_OK);
    assert_in_range(health.memory_only_stores, 20, 22);
    assert_in_range(health.value_file_bytes, 18000, 20000);
    for (uint32_t i = 0; i < 40; i++)
        assert_int_equal(find_number(session, i, 1000), PSOPACK_OK);
    psopack_session_host_destroy(&host);
    return true;
}

static void a_full_disk_degrades_and_keeps_what_was_written(void **state)
{
    (void)state;
    psopack_session_desc desc = disk_desc(14);
    assert_int_equal(run_child(child_meets_the_limit, &desc), 0);
    psopack_session_host *host = host_on(&place);
    psopack_session *session = open_session(host, &desc);
    for (uint32_t i = 0; i < 18; i++)
        assert_int_equal(find_number(session, i, 1000), PSOPACK_OK);
    assert_int_equal(find_number(session, 25, 1000), PSOPACK_E_NOT_FOUND);
    assert_int_equal(store_number(session, 25, 1000), PSOPACK_OK);
    assert_int_equal(state_of(session).damaged_records, 0);
    psopack_session_host_destroy(&host);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(same_hash_other_key_is_a_collision_for_find_and_store),
        CASE(an_index_of_another_hash_function_is_made_anew),
        CASE(processes_see_what_the_others_store),
        CASE(side_files_are_merged_at_the_next_open),
        CASE(side_files_of_another_version_are_removed_not_merged),
        CASE(the_seventeenth_writer_is_degraded_and_says_busy),
        CASE(another_version_in_a_real_other_process_already_exists),
        CASE(kill_9_loses_nothing_that_was_stored),
        CASE(oldest_first_drops_the_oldest_and_keeps_the_newest),
        CASE(oldest_first_beside_another_process_is_full),
        CASE(no_directory_degrades_with_a_reason),
        CASE(read_only_files_are_read_and_new_values_stay_in_memory),
        CASE(a_full_disk_degrades_and_keeps_what_was_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
