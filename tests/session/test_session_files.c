/* SPDX-License-Identifier: MIT */
/* Value files read offline: visits, use counts, collections of many testers' files. */
#include "session_test.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <psopack/session_files.h>

#define TESTERS 4u

static test_place places[TESTERS];
static char paths[TESTERS][600];

/* Tester t meets numbers t .. t + 9, and finds number 5 t times more. */
static int setup(void **state)
{
    (void)state;
    for (uint32_t t = 0; t < TESTERS; t++) {
        place_make(&places[t]);
        psopack_session_host *host = host_on(&places[t]);
        psopack_session_desc desc = disk_desc(61);
        psopack_session *session = open_session(host, &desc);
        for (uint32_t i = t; i < t + 10; i++)
            assert_int_equal(store_number(session, i, 100 + i), PSOPACK_OK);
        for (uint32_t i = 0; i < t; i++)
            assert_int_equal(find_number(session, 5, 105), PSOPACK_OK);
        psopack_session_host_destroy(&host);
        place_find(places[t].directory, ".0.val", paths[t]);
    }
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    for (uint32_t t = 0; t < TESTERS; t++)
        place_remove(&places[t]);
    return 0;
}

typedef struct visit_note {
    uint32_t entries;
    uint32_t uses_of_5;
    uint32_t damages;
    uint64_t damage_at;
    uint64_t damage_size;
} visit_note;

static psopack_status note_entry(void *user, const psopack_session_file_entry *entry)
{
    visit_note *note = user;
    char key[32];
    uint8_t value[200];
    uint32_t number = 0;
    while (number_key(number, key) != entry->key_size ||
           memcmp(key, entry->key, entry->key_size) != 0)
        assert_in_range(number++, 0, 99);
    assert_int_equal(entry->value_size, 100 + number);
    number_value(number, value, entry->value_size);
    assert_memory_equal(entry->value, value, entry->value_size);
    if (number == 5)
        note->uses_of_5 = entry->uses;
    note->entries++;
    return PSOPACK_OK;
}

static psopack_status note_damage(void *user, uint64_t offset, uint64_t size)
{
    visit_note *note = user;
    note->damages++;
    note->damage_at = offset;
    note->damage_size = size;
    return PSOPACK_OK;
}

static void a_visit_gives_all_entries_and_their_uses(void **state)
{
    (void)state;
    for (uint32_t t = 0; t < TESTERS; t++) {
        visit_note note = {0};
        psopack_session_visitor visitor = {note_entry, note_damage, &note};
        psopack_session_file_info info;
        assert_int_equal(psopack_session_file_visit(paths[t], NULL, &visitor, &info, NULL),
                         PSOPACK_OK);
        assert_int_equal(note.entries, 10);
        assert_int_equal(note.uses_of_5, 1 + t);
        assert_int_equal(info.entries, 10);
        assert_int_equal(info.version, 1);
        assert_int_equal(info.identifier[7], 61);
        assert_true(info.has_index);
        assert_int_equal(info.damaged + info.unfinished_bytes, 0);
    }
}

static void a_visit_goes_on_behind_damage_and_tells_where_it_is(void **state)
{
    (void)state;
    size_t size;
    uint8_t *bytes = read_whole(paths[0], &size);
    size_t record = 32 + 5; /* head and "key-N"; values have 100 + N bytes */
    size_t second = 512 + record + 100;
    bytes[second + 40] ^= 1;                /* body of record 1 */
    bytes[second + record + 101 + 3] ^= 1;  /* head of record 2 */
    write_whole(paths[0], bytes, size - 1); /* record 9 is cut short */
    visit_note note = {0};
    psopack_session_visitor visitor = {note_entry, note_damage, &note};
    psopack_session_file_info info;
    assert_int_equal(psopack_session_file_visit(paths[0], NULL, &visitor, &info, NULL), PSOPACK_OK);
    assert_int_equal(note.entries, 7);
    assert_int_equal(note.damages, 1);
    assert_int_equal(note.damage_at, second);
    assert_int_equal(note.damage_size, 2 * record + 101 + 102);
    assert_int_equal(info.damaged, 2);
    assert_int_equal(info.damaged_bytes, note.damage_size);
    assert_int_equal(info.unfinished_bytes, record + 109 - 1);
    assert_false(info.has_index);
    free(bytes);
}

static void what_is_no_value_file_is_refused(void **state)
{
    (void)state;
    char path[600];
    psopack_session_file_info info;
    place_find(places[0].directory, ".0.idx", path);
    assert_int_equal(psopack_session_file_visit(path, NULL, NULL, &info, NULL), PSOPACK_E_CORRUPT);
    assert_int_equal(psopack_session_file_visit("/nowhere", NULL, NULL, NULL, NULL),
                     PSOPACK_E_NO_ENTRY);
}

static void check_collection(psopack_session_collection *collection)
{
    psopack_session_collection_sort(collection);
    assert_int_equal(psopack_session_collection_count(collection), 10 + TESTERS - 1);
    uint64_t previous = UINT64_MAX;
    for (uint64_t i = 0; i < psopack_session_collection_count(collection); i++) {
        psopack_session_collected entry;
        uint8_t value[200];
        uint8_t wanted[200];
        psopack_session_collection_get(collection, i, &entry);
        assert_true(entry.uses <= previous);
        previous = entry.uses;
        assert_int_equal(entry.conflicts, 0);
        uint32_t number = entry.value_size - 100;
        assert_int_equal(psopack_session_collection_read(collection, i, value, NULL), PSOPACK_OK);
        number_value(number, wanted, entry.value_size);
        assert_memory_equal(value, wanted, entry.value_size);
        if (i == 0) {
            assert_int_equal(number, 5);
            assert_int_equal(entry.uses, 4 + 0 + 1 + 2 + 3);
            assert_int_equal(entry.files, TESTERS);
        }
    }
}

static void a_collection_sums_up_what_testers_met(void **state)
{
    (void)state;
    for (int backwards = 0; backwards < 2; backwards++) {
        psopack_session_collection *collection;
        assert_int_equal(psopack_session_collection_create(NULL, &collection), PSOPACK_OK);
        for (uint32_t t = 0; t < TESTERS; t++) {
            const char *path = paths[backwards ? TESTERS - 1 - t : t];
            assert_int_equal(psopack_session_collection_add(collection, path, NULL, NULL),
                             PSOPACK_OK);
        }
        check_collection(collection);
        psopack_session_collection_destroy(&collection);
    }
}

static void one_key_with_two_values_is_a_conflict(void **state)
{
    (void)state;
    psopack_session_host *host = host_on(&places[1]);
    psopack_session_desc desc = disk_desc(61);
    psopack_session *session = open_session(host, &desc);
    assert_int_equal(psopack_session_store(session, "key-0", 5, "other", 5), PSOPACK_OK);
    psopack_session_host_destroy(&host);
    psopack_session_collection *collection;
    assert_int_equal(psopack_session_collection_create(NULL, &collection), PSOPACK_OK);
    for (uint32_t t = 0; t < 2; t++)
        assert_int_equal(psopack_session_collection_add(collection, paths[t], NULL, NULL),
                         PSOPACK_OK);
    uint32_t conflicts = 0;
    for (uint64_t i = 0; i < psopack_session_collection_count(collection); i++) {
        psopack_session_collected entry;
        psopack_session_collection_get(collection, i, &entry);
        if (entry.conflicts > 0) {
            assert_memory_equal(entry.key, "key-0", 5);
            assert_string_equal(entry.path, paths[0]);
            assert_string_equal(entry.conflict_path, paths[1]);
        } else {
            assert_null(entry.conflict_path);
        }
        conflicts += entry.conflicts;
    }
    assert_int_equal(conflicts, 1);
    psopack_session_collection_destroy(&collection);
}

static void files_of_another_version_do_not_join_a_collection(void **state)
{
    (void)state;
    psopack_session_host *host = host_on(&places[1]);
    psopack_session_desc desc = disk_desc(61);
    desc.version = 2;
    psopack_session *session = open_session(host, &desc);
    assert_int_equal(store_number(session, 1, 101), PSOPACK_OK);
    psopack_session_host_destroy(&host);
    psopack_session_collection *collection;
    assert_int_equal(psopack_session_collection_create(NULL, &collection), PSOPACK_OK);
    assert_int_equal(psopack_session_collection_add(collection, paths[0], NULL, NULL), PSOPACK_OK);
    assert_int_equal(psopack_session_collection_add(collection, paths[1], NULL, NULL),
                     PSOPACK_E_STALE_CONTENT);
    assert_int_equal(psopack_session_collection_count(collection), 10);
    psopack_session_collection_destroy(&collection);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_visit_gives_all_entries_and_their_uses),
        CASE(a_visit_goes_on_behind_damage_and_tells_where_it_is),
        CASE(what_is_no_value_file_is_refused),
        CASE(a_collection_sums_up_what_testers_met),
        CASE(one_key_with_two_values_is_a_conflict),
        CASE(files_of_another_version_do_not_join_a_collection),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
