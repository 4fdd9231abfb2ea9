/* SPDX-License-Identifier: MIT */
/*
 * The public contract of the shader cache session, a case for each sentence. The name of a case is
 * the sentence; doc/session.md maps the calls.
 */
#include "session_test.h"

#include <string.h>

static test_place place;
static psopack_session_host *host;

static int setup(void **state)
{
    (void)state;
    place_make(&place);
    host = host_on(&place);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    psopack_session_host_destroy(&host);
    place_remove(&place);
    return 0;
}

static psopack_status open_status(const psopack_session_desc *desc)
{
    psopack_session *session = NULL;
    psopack_status status = psopack_session_open(host, desc, &session, NULL);
    assert_true((status == PSOPACK_OK) == (session != NULL));
    psopack_session_close(&session);
    return status;
}

/* Description ---------------------------------------------------------------------------------- */

static void zero_in_the_description_means_the_default(void **state)
{
    (void)state;
    psopack_session_desc desc = disk_desc(1);
    desc.maximum_memory_bytes = 0;
    desc.maximum_memory_entries = 0;
    desc.maximum_value_file_bytes = 0;
    psopack_session *session = open_session(host, &desc);
    psopack_session_state limits = state_of(session);
    assert_int_equal(limits.memory_bytes_limit, 1024);
    assert_int_equal(limits.memory_entries_limit, 128);
    assert_int_equal(limits.value_file_limit, 128u << 20);
    psopack_session_close(&session);
}

static void get_desc_returns_the_description_used_to_create_the_session(void **state)
{
    (void)state;
    uint8_t tag[] = "driver 1.2, adapter 0";
    psopack_session_desc desc = disk_desc(2);
    desc.flags = PSOPACK_SESSION_DRIVER_VERSIONED | PSOPACK_SESSION_WORKING_DIRECTORY;
    desc.maximum_memory_entries = 0;
    desc.maximum_value_file_bytes = 77777;
    desc.version = UINT64_MAX;
    desc.driver_tag = tag;
    desc.driver_tag_size = sizeof tag;
    psopack_session *session = open_session(host, &desc);
    memset(tag, 0, sizeof tag);
    psopack_session_desc got;
    psopack_session_get_desc(session, &got);
    assert_memory_equal(got.identifier, desc.identifier, sizeof desc.identifier);
    assert_int_equal(got.mode, desc.mode);
    assert_int_equal(got.flags, desc.flags);
    assert_int_equal(got.maximum_memory_bytes, desc.maximum_memory_bytes);
    assert_int_equal(got.maximum_memory_entries, 0);
    assert_int_equal(got.maximum_value_file_bytes, 77777);
    assert_true(got.version == UINT64_MAX);
    assert_int_equal(got.driver_tag_size, sizeof tag);
    assert_string_equal(got.driver_tag, "driver 1.2, adapter 0");
    psopack_session_close(&session);
}

static void the_first_openers_limits_hold_and_each_session_has_its_own_desc(void **state)
{
    (void)state;
    psopack_session_desc first = disk_desc(3);
    psopack_session_desc second = disk_desc(3);
    first.maximum_memory_bytes = 4096;
    second.maximum_memory_bytes = 8192;
    psopack_session *a = open_session(host, &first);
    psopack_session *b = open_session(host, &second);
    assert_int_equal(state_of(a).memory_bytes_limit, 4096);
    assert_int_equal(state_of(b).memory_bytes_limit, 4096);
    psopack_session_desc got;
    psopack_session_get_desc(b, &got);
    assert_int_equal(got.maximum_memory_bytes, 8192);
    psopack_session_close(&a);
    psopack_session_close(&b);
}

static void an_impossible_description_is_an_argument_error(void **state)
{
    (void)state;
    psopack_session_desc desc = disk_desc(4);
    desc.mode = (psopack_session_mode)2;
    assert_int_equal(open_status(&desc), PSOPACK_E_ARGUMENT);
    desc = disk_desc(4);
    desc.flags = 1u << 9;
    assert_int_equal(open_status(&desc), PSOPACK_E_ARGUMENT);
    desc = memory_desc(4);
    desc.flags = PSOPACK_SESSION_WORKING_DIRECTORY;
    assert_int_equal(open_status(&desc), PSOPACK_E_ARGUMENT);
    desc = disk_desc(4);
    desc.flags = PSOPACK_SESSION_DRIVER_VERSIONED;
    assert_int_equal(open_status(&desc), PSOPACK_E_ARGUMENT);
    desc = disk_desc(4);
    desc.driver_tag = "x";
    desc.driver_tag_size = 1;
    assert_int_equal(open_status(&desc), PSOPACK_E_ARGUMENT);
    desc.flags = PSOPACK_SESSION_DRIVER_VERSIONED;
    desc.driver_tag_size = PSOPACK_SESSION_TAG_MAX + 1;
    assert_int_equal(open_status(&desc), PSOPACK_E_ARGUMENT);
}

/* Identity ------------------------------------------------------------------------------------- */

static void caches_with_different_identifiers_lie_side_by_side(void **state)
{
    (void)state;
    psopack_session_desc one = disk_desc(1);
    psopack_session_desc two = disk_desc(1);
    two.identifier[15] = 0;
    psopack_session *a = open_session(host, &one);
    psopack_session *b = open_session(host, &two);
    assert_int_equal(store_number(a, 1, 100), PSOPACK_OK);
    assert_int_equal(find_number(b, 1, 100), PSOPACK_E_NOT_FOUND);
    assert_int_equal(store_number(b, 1, 50), PSOPACK_OK);
    assert_int_equal(find_number(a, 1, 100), PSOPACK_OK);
    assert_int_equal(find_number(b, 1, 50), PSOPACK_OK);
    psopack_session_close(&a);
    psopack_session_close(&b);
}

static void check_sharing(psopack_session_desc desc)
{
    psopack_session *a = open_session(host, &desc);
    psopack_session *b = open_session(host, &desc);
    assert_int_equal(store_number(a, 1, 100), PSOPACK_OK);
    assert_int_equal(find_number(b, 1, 100), PSOPACK_OK);
    assert_int_equal(store_number(b, 1, 100), PSOPACK_E_EXISTS);
    assert_int_equal(state_of(b).sessions, 2);
    psopack_session_close(&a);
    assert_int_equal(find_number(b, 1, 100), PSOPACK_OK);
    psopack_session_close(&b);
}

static void sessions_with_one_identifier_in_a_process_share_one_cache(void **state)
{
    (void)state;
    check_sharing(disk_desc(5));
    check_sharing(memory_desc(6));
}

static void a_driver_versioned_cache_exists_once_per_driver_and_adapter(void **state)
{
    (void)state;
    psopack_session_desc plain = disk_desc(7);
    psopack_session_desc desc = disk_desc(7);
    desc.flags = PSOPACK_SESSION_DRIVER_VERSIONED;
    desc.driver_tag = "driver 1";
    desc.driver_tag_size = 8;
    psopack_session_desc other = desc;
    other.driver_tag = "driver 2";
    psopack_session *a = open_session(host, &plain);
    psopack_session *b = open_session(host, &desc);
    psopack_session *c = open_session(host, &other);
    assert_int_equal(store_number(b, 1, 10), PSOPACK_OK);
    assert_int_equal(find_number(a, 1, 10), PSOPACK_E_NOT_FOUND);
    assert_int_equal(find_number(c, 1, 10), PSOPACK_E_NOT_FOUND);
    psopack_session_close(&a);
    psopack_session_close(&b);
    psopack_session_close(&c);
    b = open_session(host, &desc);
    assert_int_equal(find_number(b, 1, 10), PSOPACK_OK);
    psopack_session_close(&b);
}

static void the_version_is_an_additional_constraint_beside_the_driver(void **state)
{
    (void)state;
    psopack_session_desc desc = disk_desc(8);
    desc.flags = PSOPACK_SESSION_DRIVER_VERSIONED;
    desc.driver_tag = "driver 1";
    desc.driver_tag_size = 8;
    psopack_session *session = open_session(host, &desc);
    assert_int_equal(store_number(session, 1, 10), PSOPACK_OK);
    psopack_session_close(&session);
    desc.version = 2;
    session = open_session(host, &desc);
    assert_int_equal(find_number(session, 1, 10), PSOPACK_E_NOT_FOUND);
    psopack_session_close(&session);
}

static void the_working_directory_flag_says_where_the_files_are(void **state)
{
    (void)state;
    psopack_session_desc desc = disk_desc(9);
    desc.flags = PSOPACK_SESSION_WORKING_DIRECTORY;
    psopack_session *session = open_session(host, &desc);
    assert_int_equal(store_number(session, 1, 10), PSOPACK_OK);
    assert_true(place_has(place.working, ".0.val"));
    assert_false(place_has(place.directory, ".0.val"));
    psopack_session_close(&session);
    desc.flags = 0;
    session = open_session(host, &desc);
    assert_int_equal(find_number(session, 1, 10), PSOPACK_E_NOT_FOUND);
    assert_true(place_has(place.directory, ".0.val"));
    psopack_session_close(&session);
}

/* Ours: a mode promises something, so caches of both modes lie side by side. */
static void memory_and_disk_caches_of_one_identifier_are_two(void **state)
{
    (void)state;
    psopack_session_desc disk = disk_desc(10);
    psopack_session_desc memory = memory_desc(10);
    psopack_session *a = open_session(host, &disk);
    psopack_session *b = open_session(host, &memory);
    assert_int_equal(store_number(b, 1, 10), PSOPACK_OK);
    assert_int_equal(find_number(a, 1, 10), PSOPACK_E_NOT_FOUND);
    psopack_session_close(&a);
    psopack_session_close(&b);
}

/* Version -------------------------------------------------------------------------------------- */

static void the_same_identifier_opens_an_existing_disk_cache(void **state)
{
    (void)state;
    psopack_session_desc desc = disk_desc(11);
    psopack_session *session = open_session(host, &desc);
    assert_int_equal(store_number(session, 1, 3000), PSOPACK_OK);
    psopack_session_close(&session);
    psopack_session_host_destroy(&host);
    host = host_on(&place);
    session = open_session(host, &desc);
    assert_int_equal(find_number(session, 1, 3000), PSOPACK_OK);
    psopack_session_close(&session);
}

static void another_version_clears_and_recreates_the_cache(void **state)
{
    (void)state;
    psopack_session_desc desc = disk_desc(12);
    psopack_session *session = open_session(host, &desc);
    assert_int_equal(store_number(session, 1, 10), PSOPACK_OK);
    psopack_session_close(&session);
    desc.version = 2;
    session = open_session(host, &desc);
    assert_int_equal(find_number(session, 1, 10), PSOPACK_E_NOT_FOUND);
    assert_int_equal(store_number(session, 1, 20), PSOPACK_OK);
    psopack_session_close(&session);
    desc.version = 1;
    session = open_session(host, &desc);
    assert_int_equal(find_number(session, 1, 20), PSOPACK_E_NOT_FOUND);
    psopack_session_close(&session);
}

static void check_other_version(psopack_session_desc desc)
{
    psopack_session *session = open_session(host, &desc);
    assert_int_equal(store_number(session, 1, 10), PSOPACK_OK);
    psopack_session_desc other = desc;
    other.version = desc.version + 1;
    assert_int_equal(open_status(&other), PSOPACK_E_EXISTS);
    assert_int_equal(find_number(session, 1, 10), PSOPACK_OK);
    psopack_session_close(&session);
    assert_int_equal(open_status(&other), PSOPACK_OK);
}

static void another_version_while_a_session_is_open_already_exists(void **state)
{
    (void)state;
    check_other_version(disk_desc(13));
    check_other_version(memory_desc(14));
}

static void another_version_while_another_process_has_it_open_already_exists(void **state)
{
    (void)state;
    psopack_session_host *other = host_on(&place); /* a host is a process, by contract */
    psopack_session_desc desc = disk_desc(15);
    psopack_session *session = open_session(other, &desc);
    assert_int_equal(store_number(session, 1, 10), PSOPACK_OK);
    psopack_session_desc newer = desc;
    newer.version = 2;
    assert_int_equal(open_status(&newer), PSOPACK_E_EXISTS);
    assert_int_equal(open_status(&desc), PSOPACK_OK);
    assert_int_equal(find_number(session, 1, 10), PSOPACK_OK);
    psopack_session_host_destroy(&other);
    assert_int_equal(open_status(&newer), PSOPACK_OK);
}

/* Modes and window ----------------------------------------------------------------------------- */

static void memory_stores_are_gone_when_the_session_is_destroyed(void **state)
{
    (void)state;
    psopack_session_desc desc = memory_desc(16);
    psopack_session *session = open_session(host, &desc);
    assert_int_equal(store_number(session, 1, 10), PSOPACK_OK);
    assert_int_equal(find_number(session, 1, 10), PSOPACK_OK);
    assert_false(place_has(place.directory, ".val"));
    psopack_session_close(&session);
    session = open_session(host, &desc);
    assert_int_equal(find_number(session, 1, 10), PSOPACK_E_NOT_FOUND);
    psopack_session_close(&session);
}

static void disk_files_persist_from_run_to_run(void **state)
{
    (void)state;
    for (uint32_t run = 0; run < 5; run++) {
        psopack_session_desc desc = disk_desc(17);
        psopack_session *session = open_session(host, &desc);
        for (uint32_t i = 0; i < run * 10; i++)
            assert_int_equal(find_number(session, i, 100 + i), PSOPACK_OK);
        for (uint32_t i = run * 10; i < run * 10 + 10; i++)
            assert_int_equal(store_number(session, i, 100 + i), PSOPACK_OK);
        psopack_session_host_destroy(&host);
        host = host_on(&place);
    }
}

static void in_memory_mode_newer_entries_evict_older_ones_by_entries(void **state)
{
    (void)state;
    psopack_session_desc desc = memory_desc(18);
    desc.maximum_memory_entries = 3;
    psopack_session *session = open_session(host, &desc);
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(store_number(session, i, 10), PSOPACK_OK);
    assert_int_equal(find_number(session, 0, 10), PSOPACK_OK); /* found: newest again */
    assert_int_equal(store_number(session, 3, 10), PSOPACK_OK);
    assert_int_equal(find_number(session, 1, 10), PSOPACK_E_NOT_FOUND);
    assert_int_equal(find_number(session, 0, 10), PSOPACK_OK);
    assert_int_equal(find_number(session, 2, 10), PSOPACK_OK);
    assert_int_equal(find_number(session, 3, 10), PSOPACK_OK);
    assert_int_equal(store_number(session, 1, 10), PSOPACK_OK);
    assert_int_equal(state_of(session).entries, 3);
    psopack_session_close(&session);
}

static void in_memory_mode_newer_entries_evict_older_ones_by_bytes(void **state)
{
    (void)state;
    psopack_session_desc desc = memory_desc(19);
    desc.maximum_memory_bytes = 300; /* keys are 5 bytes */
    psopack_session *session = open_session(host, &desc);
    assert_int_equal(store_number(session, 0, 95), PSOPACK_OK);
    assert_int_equal(store_number(session, 1, 95), PSOPACK_OK);
    assert_int_equal(store_number(session, 2, 95), PSOPACK_OK);
    assert_int_equal(state_of(session).memory_bytes, 300);
    assert_int_equal(store_number(session, 3, 96), PSOPACK_OK);
    assert_int_equal(find_number(session, 0, 95), PSOPACK_E_NOT_FOUND);
    assert_int_equal(find_number(session, 1, 95), PSOPACK_E_NOT_FOUND);
    assert_int_equal(find_number(session, 2, 95), PSOPACK_OK);
    psopack_session_close(&session);
}

static void a_value_larger_than_the_window_is_too_large_for_memory_mode(void **state)
{
    (void)state;
    psopack_session_desc desc = memory_desc(20);
    desc.maximum_memory_bytes = 0;
    psopack_session *session = open_session(host, &desc);
    assert_int_equal(store_number(session, 1, 1020), PSOPACK_E_LIMIT);
    assert_int_equal(store_number(session, 1, 1019), PSOPACK_OK); /* and 5 bytes of key */
    assert_int_equal(find_number(session, 1, 1019), PSOPACK_OK);
    psopack_session_close(&session);
}

static void in_disk_mode_the_window_evicts_without_losing_entries(void **state)
{
    (void)state;
    psopack_session_desc desc = disk_desc(21);
    desc.maximum_memory_entries = 2;
    psopack_session *session = open_session(host, &desc);
    for (uint32_t i = 0; i < 20; i++)
        assert_int_equal(store_number(session, i, 100), PSOPACK_OK);
    assert_int_equal(state_of(session).memory_entries, 2);
    for (uint32_t i = 0; i < 20; i++)
        assert_int_equal(find_number(session, i, 100), PSOPACK_OK);
    assert_int_equal(state_of(session).memory_entries, 2);
    psopack_session_close(&session);
}

static void found_and_stored_entries_stay_in_memory_in_disk_mode(void **state)
{
    (void)state;
    psopack_session_desc desc = disk_desc(22);
    psopack_session *session = open_session(host, &desc);
    assert_int_equal(store_number(session, 1, 100), PSOPACK_OK);
    assert_int_equal(find_number(session, 1, 100), PSOPACK_OK);
    assert_int_equal(state_of(session).finds_disk, 0);
    psopack_session_close(&session);
    session = open_session(host, &desc);
    assert_int_equal(find_number(session, 1, 100), PSOPACK_OK); /* size, then bytes */
    assert_int_equal(state_of(session).finds_disk, 1);
    assert_int_equal(state_of(session).finds_memory, 1);
    psopack_session_close(&session);
}

static void a_value_larger_than_the_window_is_fine_in_disk_mode(void **state)
{
    (void)state;
    psopack_session_desc desc = disk_desc(23);
    desc.maximum_memory_bytes = 0;
    psopack_session *session = open_session(host, &desc);
    assert_int_equal(store_number(session, 1, 3000), PSOPACK_OK);
    assert_int_equal(find_number(session, 1, 3000), PSOPACK_OK);
    assert_int_equal(state_of(session).memory_entries, 0);
    psopack_session_close(&session);
}

/* Find and store ------------------------------------------------------------------------------- */

static void find_matches_the_key_exactly(void **state)
{
    (void)state;
    psopack_session_desc desc = disk_desc(24);
    psopack_session *session = open_session(host, &desc);
    size_t size = 1;
    uint8_t value = 0;
    assert_int_equal(psopack_session_store(session, "abc", 3, "v", 1), PSOPACK_OK);
    assert_int_equal(psopack_session_store(session, "ab\0", 3, "w", 1), PSOPACK_OK);
    assert_int_equal(psopack_session_find(session, "ab", 2, &value, &size), PSOPACK_E_NOT_FOUND);
    assert_int_equal(psopack_session_find(session, "abC", 3, &value, &size), PSOPACK_E_NOT_FOUND);
    assert_int_equal(psopack_session_find(session, "abc", 4, &value, &size), PSOPACK_E_NOT_FOUND);
    assert_int_equal(psopack_session_find(session, "ab\0", 3, &value, &size), PSOPACK_OK);
    assert_int_equal(value, 'w');
    psopack_session_close(&session);
}

static void find_is_called_twice_size_first_then_data(void **state)
{
    (void)state;
    psopack_session_desc desc = disk_desc(25);
    psopack_session *session = open_session(host, &desc);
    assert_int_equal(psopack_session_store(session, "k", 1, "12345", 5), PSOPACK_OK);
    size_t size = 0;
    assert_int_equal(psopack_session_find(session, "k", 1, NULL, &size), PSOPACK_OK);
    assert_int_equal(size, 5);
    char value[8] = "xxxxxxx";
    assert_int_equal(psopack_session_find(session, "k", 1, value, &size), PSOPACK_OK);
    assert_memory_equal(value, "12345xx", 8);
    size = 8;
    assert_int_equal(psopack_session_find(session, "k", 1, value, &size), PSOPACK_OK);
    assert_int_equal(size, 5);
    psopack_session_close(&session);
}

static void a_buffer_that_is_too_small_answers_the_size_and_stays_untouched(void **state)
{
    (void)state;
    psopack_session_desc desc = disk_desc(26);
    psopack_session *session = open_session(host, &desc);
    assert_int_equal(psopack_session_store(session, "k", 1, "12345", 5), PSOPACK_OK);
    size_t size = 4;
    char value[8] = "xxxxxxx";
    assert_int_equal(psopack_session_find(session, "k", 1, value, &size), PSOPACK_E_BUFFER);
    assert_int_equal(size, 5);
    assert_memory_equal(value, "xxxxxxx", 8);
    psopack_session_close(&session);
}

static void find_of_an_absent_key_is_not_found(void **state)
{
    (void)state;
    psopack_session_desc desc = disk_desc(27);
    psopack_session *session = open_session(host, &desc);
    size_t size = 17;
    assert_int_equal(psopack_session_find(session, "k", 1, NULL, &size), PSOPACK_E_NOT_FOUND);
    assert_int_equal(size, 17);
    assert_int_equal(state_of(session).misses, 1);
    psopack_session_close(&session);
}

static void store_of_a_present_key_already_exists_and_keeps_the_value(void **state)
{
    (void)state;
    psopack_session_desc desc = disk_desc(28);
    psopack_session *session = open_session(host, &desc);
    assert_int_equal(psopack_session_store(session, "k", 1, "old", 3), PSOPACK_OK);
    assert_int_equal(psopack_session_store(session, "k", 1, "new", 3), PSOPACK_E_EXISTS);
    assert_int_equal(psopack_session_store(session, "k", 1, "old", 3), PSOPACK_E_EXISTS);
    char value[3];
    size_t size = 3;
    assert_int_equal(psopack_session_find(session, "k", 1, value, &size), PSOPACK_OK);
    assert_memory_equal(value, "old", 3);
    psopack_session_close(&session);
    session = open_session(host, &desc); /* the same from the disk */
    assert_int_equal(psopack_session_store(session, "k", 1, "new", 3), PSOPACK_E_EXISTS);
    psopack_session_close(&session);
}

static void store_that_would_pass_the_maximum_size_is_cache_full(void **state)
{
    (void)state;
    psopack_session_desc desc = disk_desc(29);
    desc.maximum_value_file_bytes = 10000;
    psopack_session *session = open_session(host, &desc);
    uint32_t stored = 0;
    psopack_status status = PSOPACK_OK;
    while (status == PSOPACK_OK && stored < 100) {
        status = store_number(session, stored, 1000);
        stored += status == PSOPACK_OK;
    }
    assert_int_equal(status, PSOPACK_E_FULL);
    assert_in_range(stored, 8, 9);
    assert_in_range(state_of(session).value_file_bytes, 8000, 10000);
    for (uint32_t i = 0; i < stored; i++)
        assert_int_equal(find_number(session, i, 1000), PSOPACK_OK);
    assert_int_equal(find_number(session, stored, 1000), PSOPACK_E_NOT_FOUND);
    psopack_session_close(&session);
    session = open_session(host, &desc);
    assert_int_equal(store_number(session, 99, 1000), PSOPACK_E_FULL);
    psopack_session_close(&session);
}

static void keys_and_values_of_any_bytes_and_an_empty_value_are_kept(void **state)
{
    (void)state;
    psopack_session_desc desc = disk_desc(30);
    desc.maximum_memory_bytes = 0;
    psopack_session *session = open_session(host, &desc);
    uint8_t *key = calloc(PSOPACK_SESSION_KEY_MAX + 1, 1);
    assert_non_null(key);
    assert_int_equal(psopack_session_store(session, key, 1, NULL, 0), PSOPACK_OK);
    assert_int_equal(psopack_session_store(session, key, PSOPACK_SESSION_KEY_MAX, "v", 1),
                     PSOPACK_OK);
    assert_int_equal(psopack_session_store(session, key, PSOPACK_SESSION_KEY_MAX + 1, "v", 1),
                     PSOPACK_E_LIMIT);
    size_t size = 9;
    assert_int_equal(psopack_session_find(session, key, 1, NULL, &size), PSOPACK_OK);
    assert_int_equal(size, 0);
    char value;
    size = 1;
    assert_int_equal(psopack_session_find(session, key, PSOPACK_SESSION_KEY_MAX, &value, &size),
                     PSOPACK_OK);
    assert_int_equal(value, 'v');
    free(key);
    psopack_session_close(&session);
}

static void wrong_arguments_are_argument_errors(void **state)
{
    (void)state;
    psopack_session_desc desc = memory_desc(31);
    psopack_session *session = open_session(host, &desc);
    size_t size = 0;
    assert_int_equal(psopack_session_store(session, "k", 0, "v", 1), PSOPACK_E_ARGUMENT);
    assert_int_equal(psopack_session_store(session, NULL, 1, "v", 1), PSOPACK_E_ARGUMENT);
    assert_int_equal(psopack_session_store(session, "k", 1, NULL, 1), PSOPACK_E_ARGUMENT);
    assert_int_equal(psopack_session_find(session, "k", 0, NULL, &size), PSOPACK_E_ARGUMENT);
    assert_int_equal(psopack_session_find(session, "k", 1, NULL, NULL), PSOPACK_E_ARGUMENT);
    assert_int_equal(psopack_session_find(NULL, "k", 1, NULL, &size), PSOPACK_E_ARGUMENT);
    psopack_session_close(&session);
    psopack_session_close(&session);
    psopack_session_close(NULL);
}

/* Delete on destroy ---------------------------------------------------------------------------- */

static void delete_on_destroy_clears_when_all_sessions_are_destroyed(void **state)
{
    (void)state;
    psopack_session_desc desc = disk_desc(32);
    psopack_session *a = open_session(host, &desc);
    psopack_session *b = open_session(host, &desc);
    assert_int_equal(store_number(a, 1, 10), PSOPACK_OK);
    psopack_session_set_delete_on_destroy(a);
    psopack_session_close(&a);
    assert_int_equal(find_number(b, 1, 10), PSOPACK_OK);
    a = open_session(host, &desc);
    psopack_session_close(&b);
    assert_int_equal(find_number(a, 1, 10), PSOPACK_OK);
    psopack_session_close(&a);
    assert_false(place_has(place.directory, ".val"));
    a = open_session(host, &desc);
    assert_int_equal(find_number(a, 1, 10), PSOPACK_E_NOT_FOUND);
    assert_int_equal(store_number(a, 1, 10), PSOPACK_OK);
    psopack_session_close(&a);
    a = open_session(host, &desc); /* the wish ended with the cache it was made for */
    assert_int_equal(find_number(a, 1, 10), PSOPACK_OK);
    psopack_session_close(&a);
}

static void delete_on_destroy_waits_for_other_processes(void **state)
{
    (void)state;
    psopack_session_host *other = host_on(&place);
    psopack_session_desc desc = disk_desc(33);
    psopack_session *mine = open_session(host, &desc);
    psopack_session *theirs = open_session(other, &desc);
    assert_int_equal(store_number(mine, 1, 10), PSOPACK_OK);
    psopack_session_set_delete_on_destroy(mine);
    psopack_session_close(&mine);
    assert_int_equal(find_number(theirs, 1, 10), PSOPACK_OK);
    psopack_session_host_destroy(&other);
    assert_false(place_has(place.directory, ".val"));
    mine = open_session(host, &desc);
    assert_int_equal(find_number(mine, 1, 10), PSOPACK_E_NOT_FOUND);
    psopack_session_close(&mine);
}

/* Control -------------------------------------------------------------------------------------- */

static psopack_status control(uint32_t controls)
{
    return psopack_session_host_control(host, PSOPACK_SESSION_KIND_APPLICATION_MANAGED, controls,
                                        NULL);
}

static void disable_makes_use_and_creation_not_available(void **state)
{
    (void)state;
    psopack_session_desc desc = disk_desc(34);
    psopack_session *session = open_session(host, &desc);
    assert_int_equal(store_number(session, 1, 10), PSOPACK_OK);
    assert_int_equal(control(PSOPACK_SESSION_DISABLE), PSOPACK_OK);
    assert_int_equal(find_number(session, 1, 10), PSOPACK_E_UNAVAILABLE);
    assert_int_equal(store_number(session, 2, 10), PSOPACK_E_UNAVAILABLE);
    assert_int_equal(psopack_session_flush(session, NULL), PSOPACK_E_UNAVAILABLE);
    assert_int_equal(open_status(&desc), PSOPACK_E_UNAVAILABLE);
    psopack_session_close(&session);
}

static void enable_makes_them_available_again(void **state)
{
    (void)state;
    psopack_session_desc desc = disk_desc(35);
    psopack_session *session = open_session(host, &desc);
    assert_int_equal(store_number(session, 1, 10), PSOPACK_OK);
    assert_int_equal(control(PSOPACK_SESSION_DISABLE), PSOPACK_OK);
    assert_int_equal(control(PSOPACK_SESSION_ENABLE), PSOPACK_OK);
    assert_int_equal(find_number(session, 1, 10), PSOPACK_OK);
    assert_int_equal(open_status(&desc), PSOPACK_OK);
    psopack_session_close(&session);
}

static void clear_empties_all_active_sessions(void **state)
{
    (void)state;
    psopack_session_desc disk = disk_desc(36);
    psopack_session_desc memory = memory_desc(37);
    psopack_session_desc working = disk_desc(38);
    working.flags = PSOPACK_SESSION_WORKING_DIRECTORY;
    psopack_session *sessions[] = {open_session(host, &disk), open_session(host, &memory),
                                   open_session(host, &working)};
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(store_number(sessions[i], 1, 10), PSOPACK_OK);
    assert_int_equal(control(PSOPACK_SESSION_CLEAR), PSOPACK_OK);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(find_number(sessions[i], 1, 10), PSOPACK_E_NOT_FOUND);
        assert_int_equal(store_number(sessions[i], 1, 11), PSOPACK_OK);
        assert_int_equal(find_number(sessions[i], 1, 11), PSOPACK_OK);
        psopack_session_close(&sessions[i]);
    }
    psopack_session *again = open_session(host, &disk);
    assert_int_equal(find_number(again, 1, 11), PSOPACK_OK);
    psopack_session_close(&again);
}

static void clear_empties_disk_caches_that_are_not_in_the_working_directory(void **state)
{
    (void)state;
    psopack_session_desc desc = disk_desc(39);
    psopack_session_desc working = disk_desc(39);
    working.flags = PSOPACK_SESSION_WORKING_DIRECTORY;
    psopack_session *a = open_session(host, &desc);
    psopack_session *b = open_session(host, &working);
    assert_int_equal(store_number(a, 1, 10), PSOPACK_OK);
    assert_int_equal(store_number(b, 1, 10), PSOPACK_OK);
    psopack_session_close(&a);
    psopack_session_close(&b);
    assert_int_equal(control(PSOPACK_SESSION_CLEAR), PSOPACK_OK);
    a = open_session(host, &desc);
    b = open_session(host, &working);
    assert_int_equal(find_number(a, 1, 10), PSOPACK_E_NOT_FOUND);
    assert_int_equal(find_number(b, 1, 10), PSOPACK_OK);
    psopack_session_close(&a);
    psopack_session_close(&b);
}

static void clear_leaves_what_another_process_has_open_and_says_busy(void **state)
{
    (void)state;
    psopack_session_host *other = host_on(&place);
    psopack_session_desc theirs = disk_desc(40);
    psopack_session_desc mine = disk_desc(41);
    psopack_session *a = open_session(other, &theirs);
    psopack_session *b = open_session(host, &mine);
    assert_int_equal(store_number(a, 1, 10), PSOPACK_OK);
    assert_int_equal(store_number(b, 1, 10), PSOPACK_OK);
    assert_int_equal(control(PSOPACK_SESSION_CLEAR), PSOPACK_E_BUSY);
    assert_int_equal(find_number(a, 1, 10), PSOPACK_OK);
    assert_int_equal(find_number(b, 1, 10), PSOPACK_E_NOT_FOUND);
    psopack_session_close(&b);
    psopack_session_host_destroy(&other);
}

static void disable_and_enable_together_or_no_control_are_invalid(void **state)
{
    (void)state;
    const uint32_t both = PSOPACK_SESSION_DISABLE | PSOPACK_SESSION_ENABLE;
    assert_int_equal(control(both), PSOPACK_E_ARGUMENT);
    assert_int_equal(control(both | PSOPACK_SESSION_CLEAR), PSOPACK_E_ARGUMENT);
    assert_int_equal(control(0), PSOPACK_E_ARGUMENT);
    assert_int_equal(control(8), PSOPACK_E_ARGUMENT);
    assert_int_equal(psopack_session_host_control(host, 0, PSOPACK_SESSION_CLEAR, NULL),
                     PSOPACK_E_ARGUMENT);
    assert_int_equal(psopack_session_host_control(host, 16, PSOPACK_SESSION_CLEAR, NULL),
                     PSOPACK_E_ARGUMENT);
    psopack_session_desc desc = memory_desc(42);
    assert_int_equal(open_status(&desc), PSOPACK_OK);
}

static void clear_goes_together_with_disable_or_enable(void **state)
{
    (void)state;
    psopack_session_desc desc = disk_desc(43);
    psopack_session *session = open_session(host, &desc);
    assert_int_equal(store_number(session, 1, 10), PSOPACK_OK);
    assert_int_equal(control(PSOPACK_SESSION_CLEAR | PSOPACK_SESSION_DISABLE), PSOPACK_OK);
    assert_int_equal(find_number(session, 1, 10), PSOPACK_E_UNAVAILABLE);
    assert_int_equal(control(PSOPACK_SESSION_CLEAR | PSOPACK_SESSION_ENABLE), PSOPACK_OK);
    assert_int_equal(find_number(session, 1, 10), PSOPACK_E_NOT_FOUND);
    psopack_session_close(&session);
}

static void control_works_on_kinds_and_only_application_managed_is_ours(void **state)
{
    (void)state;
    psopack_session_desc desc = memory_desc(44);
    psopack_session *session = open_session(host, &desc);
    assert_int_equal(store_number(session, 1, 10), PSOPACK_OK);
    const uint32_t implicit = PSOPACK_SESSION_KIND_IMPLICIT_FOR_DRIVER |
                              PSOPACK_SESSION_KIND_IMPLICIT_CONVERSIONS |
                              PSOPACK_SESSION_KIND_IMPLICIT_DRIVER_MANAGED;
    assert_int_equal(psopack_session_host_control(
                         host, implicit, PSOPACK_SESSION_CLEAR | PSOPACK_SESSION_DISABLE, NULL),
                     PSOPACK_OK);
    assert_int_equal(find_number(session, 1, 10), PSOPACK_OK);
    psopack_session_close(&session);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(zero_in_the_description_means_the_default),
        CASE(get_desc_returns_the_description_used_to_create_the_session),
        CASE(the_first_openers_limits_hold_and_each_session_has_its_own_desc),
        CASE(an_impossible_description_is_an_argument_error),
        CASE(caches_with_different_identifiers_lie_side_by_side),
        CASE(sessions_with_one_identifier_in_a_process_share_one_cache),
        CASE(a_driver_versioned_cache_exists_once_per_driver_and_adapter),
        CASE(the_version_is_an_additional_constraint_beside_the_driver),
        CASE(the_working_directory_flag_says_where_the_files_are),
        CASE(memory_and_disk_caches_of_one_identifier_are_two),
        CASE(the_same_identifier_opens_an_existing_disk_cache),
        CASE(another_version_clears_and_recreates_the_cache),
        CASE(another_version_while_a_session_is_open_already_exists),
        CASE(another_version_while_another_process_has_it_open_already_exists),
        CASE(memory_stores_are_gone_when_the_session_is_destroyed),
        CASE(disk_files_persist_from_run_to_run),
        CASE(in_memory_mode_newer_entries_evict_older_ones_by_entries),
        CASE(in_memory_mode_newer_entries_evict_older_ones_by_bytes),
        CASE(a_value_larger_than_the_window_is_too_large_for_memory_mode),
        CASE(in_disk_mode_the_window_evicts_without_losing_entries),
        CASE(found_and_stored_entries_stay_in_memory_in_disk_mode),
        CASE(a_value_larger_than_the_window_is_fine_in_disk_mode),
        CASE(find_matches_the_key_exactly),
        CASE(find_is_called_twice_size_first_then_data),
        CASE(a_buffer_that_is_too_small_answers_the_size_and_stays_untouched),
        CASE(find_of_an_absent_key_is_not_found),
        CASE(store_of_a_present_key_already_exists_and_keeps_the_value),
        CASE(store_that_would_pass_the_maximum_size_is_cache_full),
        CASE(keys_and_values_of_any_bytes_and_an_empty_value_are_kept),
        CASE(wrong_arguments_are_argument_errors),
        CASE(delete_on_destroy_clears_when_all_sessions_are_destroyed),
        CASE(delete_on_destroy_waits_for_other_processes),
        CASE(disable_makes_use_and_creation_not_available),
        CASE(enable_makes_them_available_again),
        CASE(clear_empties_all_active_sessions),
        CASE(clear_empties_disk_caches_that_are_not_in_the_working_directory),
        CASE(clear_leaves_what_another_process_has_open_and_says_busy),
        CASE(disable_and_enable_together_or_no_control_are_invalid),
        CASE(clear_goes_together_with_disable_or_enable),
        CASE(control_works_on_kinds_and_only_application_managed_is_ours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
