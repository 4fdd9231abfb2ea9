/* SPDX-License-Identifier: MIT */
/*
 * Damage of value files and indexes: cut at every length, every byte flipped, pages of zeros. After
 * each: open succeeds, no find gives a wrong value, what the damage did not touch is there, and the
 * cache takes new values.
 */
#include "session_test.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "format/crc32c.h"
#include "session/session_layout.h"

#define ENTRIES 4u
#define VALUE_SIZE 24u

static test_place place;
static char values_path[600];
static char index_path[600];
static uint8_t *values;
static uint8_t *indexes;
static size_t values_size;
static size_t indexes_size;

static psopack_session_desc small_desc(void)
{
    return disk_desc(77);
}

static int setup(void **state)
{
    (void)state;
    place_make(&place);
    psopack_session_desc desc = small_desc();
    psopack_session_host *host = host_on(&place);
    psopack_session *session = open_session(host, &desc);
    for (uint32_t i = 0; i < ENTRIES; i++)
        assert_int_equal(store_number(session, i, VALUE_SIZE), PSOPACK_OK);
    psopack_session_host_destroy(&host);
    place_find(place.directory, ".0.val", values_path);
    place_find(place.directory, ".0.idx", index_path);
    values = read_whole(values_path, &values_size);
    indexes = read_whole(index_path, &indexes_size);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    free(values);
    free(indexes);
    place_remove(&place);
    return 0;
}

/* Offset of record `number`, and for ENTRIES the size of the file. */
static size_t record_at(uint32_t number)
{
    return PSOPACK_VALUE_RECORDS_AT +
           number * (sizeof(psopack_disk_record) + strlen("key-0") + VALUE_SIZE);
}

/* Opens what lies there and answers which entries are found, a bit each. */
static uint32_t found_entries(psopack_session_state *ret_state)
{
    psopack_session_desc desc = small_desc();
    psopack_session_host *host = host_on(&place);
    psopack_session *session = open_session(host, &desc);
    uint32_t found = 0;
    for (uint32_t i = 0; i < ENTRIES; i++) {
        psopack_status status = find_number(session, i, VALUE_SIZE);
        assert_true(status == PSOPACK_OK || status == PSOPACK_E_NOT_FOUND);
        found |= (uint32_t)(status == PSOPACK_OK) << i;
    }
    for (uint32_t i = 0; i < ENTRIES; i++) {
        psopack_status status = store_number(session, i, VALUE_SIZE);
        assert_int_equal(status, found & 1u << i ? PSOPACK_E_EXISTS : PSOPACK_OK);
    }
    assert_int_equal(store_number(session, 100, VALUE_SIZE), PSOPACK_OK);
    *ret_state = state_of(session);
    assert_int_equal(ret_state->degraded, PSOPACK_OK);
    psopack_session_set_delete_on_destroy(session); /* spares the flush */
    psopack_session_host_destroy(&host);
    return found;
}

static void put_values(const uint8_t *bytes, size_t size, bool with_index)
{
    write_whole(values_path, bytes, size);
    if (with_index)
        write_whole(index_path, indexes, indexes_size);
    else
        unlink(index_path);
}

static const uint32_t all_entries = (1u << ENTRIES) - 1;

static void a_cut_at_every_length_loses_only_what_was_cut(void **state)
{
    (void)state;
    assert_int_equal(record_at(ENTRIES), values_size);
    for (size_t size = 0; size <= values_size; size++) {
        uint32_t whole = 0;
        for (uint32_t i = 0; i < ENTRIES; i++)
            whole |= (uint32_t)(record_at(i + 1) <= size) << i;
        for (int with_index = 0; with_index < 2; with_index++) {
            psopack_session_state health;
            put_values(values, size, with_index != 0);
            assert_int_equal(found_entries(&health), whole);
        }
    }
}

static void every_flipped_byte_loses_at_most_its_record(void **state)
{
    (void)state;
    uint8_t *copy = malloc(values_size);
    assert_non_null(copy);
    for (size_t at = 0; at < values_size; at++) {
        memcpy(copy, values, values_size);
        copy[at] ^= (uint8_t)(1u << (at % 8));
        uint32_t wanted = all_entries;
        for (uint32_t i = 0; i < ENTRIES; i++) {
            if (at >= record_at(i) && at < record_at(i + 1))
                wanted &= ~(1u << i);
        }
        for (int with_index = 0; with_index < 2; with_index++) {
            psopack_session_state health;
            put_values(copy, values_size, with_index != 0);
            assert_int_equal(found_entries(&health), wanted);
            /* At the very end it cannot be told from an unfinished write. */
            if (wanted != all_entries && (with_index || at < record_at(ENTRIES - 1)))
                assert_int_equal(health.damaged_records, 1);
        }
    }
    free(copy);
}

static void every_flipped_or_missing_byte_of_an_index_loses_nothing(void **state)
{
    (void)state;
    psopack_session_state health;
    for (size_t at = 0; at < indexes_size; at++) {
        put_values(values, values_size, true);
        uint8_t *copy = malloc(indexes_size);
        assert_non_null(copy);
        memcpy(copy, indexes, indexes_size);
        copy[at] ^= (uint8_t)(1u << (at % 8));
        write_whole(index_path, copy, indexes_size);
        assert_int_equal(found_entries(&health), all_entries);
        put_values(values, values_size, true);
        write_whole(index_path, indexes, at);
        assert_int_equal(found_entries(&health), all_entries);
        free(copy);
    }
}

static void zeros_at_the_end_are_no_entries(void **state)
{
    (void)state;
    for (size_t zeros = 1; zeros < 20000; zeros = zeros * 3 + 1) {
        uint8_t *copy = calloc(values_size + zeros, 1);
        assert_non_null(copy);
        memcpy(copy, values, values_size);
        psopack_session_state health;
        put_values(copy, values_size + zeros, false);
        assert_int_equal(found_entries(&health), all_entries);
        assert_int_equal(health.entries, ENTRIES + 1);
        free(copy);
    }
}

static void a_lost_stretch_costs_the_records_it_touches(void **state)
{
    (void)state;
    uint8_t *copy = malloc(values_size);
    assert_non_null(copy);
    for (size_t at = record_at(0); at + 16 <= record_at(3); at++) {
        memcpy(copy, values, values_size);
        memset(copy + at, 0, 16);
        uint32_t wanted = all_entries;
        for (uint32_t i = 0; i < ENTRIES; i++) {
            if (at < record_at(i + 1) && at + 16 > record_at(i) &&
                memcmp(copy + record_at(i), values + record_at(i),
                       record_at(i + 1) - record_at(i)) != 0)
                wanted &= ~(1u << i);
        }
        psopack_session_state health;
        put_values(copy, values_size, false);
        assert_int_equal(found_entries(&health), wanted);
    }
    free(copy);
}

static void swapped_records_are_found_by_neither_key(void **state)
{
    (void)state;
    size_t size = record_at(1) - record_at(0);
    uint8_t *copy = malloc(values_size);
    assert_non_null(copy);
    memcpy(copy, values, values_size);
    memcpy(copy + record_at(0), values + record_at(1), size);
    memcpy(copy + record_at(1), values + record_at(0), size);
    for (int with_index = 0; with_index < 2; with_index++) {
        psopack_session_state health;
        put_values(copy, values_size, with_index != 0);
        assert_int_equal(found_entries(&health), all_entries & ~3u);
    }
    free(copy);
}

static void a_stored_value_file_inside_a_value_stays_a_value(void **state)
{
    (void)state;
    psopack_session_desc desc = small_desc();
    psopack_session_host *host = host_on(&place);
    psopack_session *session = open_session(host, &desc);
    assert_int_equal(psopack_session_store(session, "file", 4, values, values_size), PSOPACK_OK);
    psopack_session_host_destroy(&host);
    size_t size;
    uint8_t *bytes = read_whole(values_path, &size);
    bytes[record_at(ENTRIES)] ^= 1; /* the head that would have led over it */
    write_whole(values_path, bytes, size);
    unlink(index_path);
    host = host_on(&place);
    session = open_session(host, &desc);
    assert_int_equal(state_of(session).entries, ENTRIES);
    psopack_session_host_destroy(&host);
    free(bytes);
}

/* A sound header of format version 2: the file belongs to a library that knows more. */
static void a_newer_format_is_left_alone(void **state)
{
    (void)state;
    psopack_disk_value_header header[2];
    memcpy(header, values, sizeof header);
    for (size_t i = 0; i < 2; i++) {
        header[i].version = psopack_store32(PSOPACK_SESSION_VERSION + 1);
        header[i].crc = psopack_store32(0);
        header[i].crc = psopack_store32(psopack_crc32c(0, &header[i], sizeof header[i]));
    }
    memcpy(values, header, sizeof header);
    put_values(values, values_size, true);
    psopack_session_desc desc = small_desc();
    psopack_session_host *host = host_on(&place);
    psopack_session *session = open_session(host, &desc);
    assert_int_equal(state_of(session).degraded, PSOPACK_E_VERSION);
    assert_int_equal(store_number(session, 0, VALUE_SIZE), PSOPACK_OK);
    psopack_session_host_destroy(&host);
    size_t size;
    uint8_t *bytes = read_whole(values_path, &size);
    assert_int_equal(size, values_size);
    assert_memory_equal(bytes, values, size);
    free(bytes);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_cut_at_every_length_loses_only_what_was_cut),
        CASE(every_flipped_byte_loses_at_most_its_record),
        CASE(every_flipped_or_missing_byte_of_an_index_loses_nothing),
        CASE(zeros_at_the_end_are_no_entries),
        CASE(a_lost_stretch_costs_the_records_it_touches),
        CASE(swapped_records_are_found_by_neither_key),
        CASE(a_stored_value_file_inside_a_value_stays_a_value),
        CASE(a_newer_format_is_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
