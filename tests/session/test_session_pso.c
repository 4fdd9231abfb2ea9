/* SPDX-License-Identifier: MIT */
/* Whole PSOs as values, and the chained look-up. */
#include "session_test.h"

#include <string.h>

#include <psopack/session_pso.h>

#include "format/crc32c.h"
#include "format/tuple.h"

static test_place place;
static psopack_session_host *host;
static psopack_session *session;

static int setup(void **state)
{
    (void)state;
    place_make(&place);
    host = host_on(&place);
    psopack_session_desc desc = disk_desc(60);
    session = open_session(host, &desc);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    psopack_session_host_destroy(&host);
    place_remove(&place);
    return 0;
}

static psopack_session_pso_name named(const char *name, uint64_t version)
{
    return (psopack_session_pso_name){name, strlen(name), version};
}

static const psopack_session_part three_parts[] = {
    {"vs.instructions", "0123456789abcdef0", 17},
    {"ps.metadata", "", 0},
    {"state", "xyz", 3},
};

static uint8_t *stored_value(const psopack_session_pso_name *name, size_t *ret_size)
{
    assert_int_equal(psopack_session_find_pso(session, name, NULL, ret_size), PSOPACK_OK);
    uint8_t *value = malloc(*ret_size);
    assert_non_null(value);
    assert_int_equal(psopack_session_find_pso(session, name, value, ret_size), PSOPACK_OK);
    return value;
}

static void a_pso_comes_back_part_by_part(void **state)
{
    (void)state;
    psopack_session_pso_name name = named("opaque/wall", 7);
    assert_int_equal(psopack_session_store_pso(session, &name, three_parts, 3), PSOPACK_OK);
    assert_int_equal(psopack_session_store_pso(session, &name, three_parts, 3), PSOPACK_E_EXISTS);
    size_t size;
    uint8_t *value = stored_value(&name, &size);
    psopack_session_part parts[3];
    size_t count = 3;
    assert_int_equal(psopack_session_pso_parts(value, size, parts, &count), PSOPACK_OK);
    assert_int_equal(count, 3);
    assert_string_equal(parts[0].slot, "ps.metadata");
    assert_int_equal(parts[0].size, 0);
    assert_non_null(parts[0].bytes);
    assert_string_equal(parts[1].slot, "state");
    assert_memory_equal(parts[1].bytes, "xyz", 3);
    assert_string_equal(parts[2].slot, "vs.instructions");
    assert_memory_equal(parts[2].bytes, "0123456789abcdef0", 17);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(((const uint8_t *)parts[i].bytes - value) % 16, 0);
    uint32_t tuple = 0;
    uint32_t wanted = 0;
    for (size_t i = 0; i < 3; i++)
        wanted = psopack_tuple_add(wanted, parts[i].slot, (uint32_t)strlen(parts[i].slot),
                                   parts[i].size, psopack_crc32c(0, parts[i].bytes, parts[i].size));
    assert_int_equal(psopack_session_pso_tuple_crc(value, size, &tuple), PSOPACK_OK);
    assert_int_equal(tuple, wanted);
    count = 2;
    assert_int_equal(psopack_session_pso_parts(value, size, parts, &count), PSOPACK_E_BUFFER);
    assert_int_equal(count, 3);
    free(value);
}

static void names_and_content_versions_tell_psos_apart(void **state)
{
    (void)state;
    psopack_session_pso_name one = named("a", 1);
    psopack_session_pso_name two = named("a", 2);
    psopack_session_pso_name other = named("b", 1);
    size_t size;
    assert_int_equal(psopack_session_store_pso(session, &one, NULL, 0), PSOPACK_OK);
    assert_int_equal(psopack_session_find_pso(session, &two, NULL, &size), PSOPACK_E_NOT_FOUND);
    assert_int_equal(psopack_session_find_pso(session, &other, NULL, &size), PSOPACK_E_NOT_FOUND);
    uint8_t *value = stored_value(&one, &size);
    size_t count = 0;
    assert_int_equal(psopack_session_pso_parts(value, size, NULL, &count), PSOPACK_OK);
    assert_int_equal(count, 0);
    free(value);
}

static void wrong_psos_are_refused(void **state)
{
    (void)state;
    psopack_session_pso_name name = named("a", 1);
    psopack_session_pso_name empty = named("", 1);
    psopack_session_part twice[] = {{"x", "1", 1}, {"y", "1", 1}, {"x", "2", 1}};
    psopack_session_part no_name[] = {{"", "1", 1}};
    psopack_session_part no_bytes[] = {{"x", NULL, 1}};
    assert_int_equal(psopack_session_store_pso(session, &empty, NULL, 0), PSOPACK_E_NAME);
    assert_int_equal(psopack_session_store_pso(session, &name, twice, 3), PSOPACK_E_DUPLICATE);
    assert_int_equal(psopack_session_store_pso(session, &name, no_name, 1), PSOPACK_E_NAME);
    assert_int_equal(psopack_session_store_pso(session, &name, no_bytes, 1), PSOPACK_E_ARGUMENT);
    psopack_session_part many[PSOPACK_SESSION_SLOTS_MAX + 1];
    for (size_t i = 0; i <= PSOPACK_SESSION_SLOTS_MAX; i++)
        many[i] = three_parts[0];
    assert_int_equal(psopack_session_store_pso(session, &name, many, PSOPACK_SESSION_SLOTS_MAX + 1),
                     PSOPACK_E_LIMIT);
}

static void every_cut_and_flipped_byte_of_a_value_is_noticed(void **state)
{
    (void)state;
    psopack_session_pso_name name = named("opaque/wall", 7);
    assert_int_equal(psopack_session_store_pso(session, &name, three_parts, 3), PSOPACK_OK);
    size_t size;
    uint8_t *value = stored_value(&name, &size);
    psopack_session_part parts[3];
    for (size_t at = 0; at <= size; at++) {
        uint8_t *copy = malloc(at < size ? at + 1 : size);
        assert_non_null(copy);
        memcpy(copy, value, at);
        size_t count = 3;
        uint8_t *exact = realloc(copy, at > 0 ? at : 1);
        if (at < size)
            assert_int_not_equal(psopack_session_pso_parts(exact, at, parts, &count), PSOPACK_OK);
        free(exact);
        if (at == size)
            continue;
        value[at] ^= 0x10;
        count = 3;
        assert_int_not_equal(psopack_session_pso_parts(value, size, parts, &count), PSOPACK_OK);
        value[at] ^= 0x10;
    }
    free(value);
}

static void keys_of_psos_can_be_told_from_others(void **state)
{
    (void)state;
    psopack_session_pso_name name;
    const char key[] = "PSO\1\5\0\0\0\0\0\0\0wall";
    assert_int_equal(psopack_session_pso_name_of(key, sizeof key - 1, &name), PSOPACK_OK);
    assert_int_equal(name.content_version, 5);
    assert_int_equal(name.size, 4);
    assert_memory_equal(name.name, "wall", 4);
    assert_int_equal(psopack_session_pso_name_of(key, 12, &name), PSOPACK_E_NOT_FOUND);
    assert_int_equal(psopack_session_pso_name_of("PSO2............", 16, &name),
                     PSOPACK_E_NOT_FOUND);
}

/* Chain ---------------------------------------------------------------------------------------- */

/* An archive that has the one PSO that `user` names. */
static psopack_status find_one(void *user, const void *name, size_t size, uint32_t *ret_pso)
{
    if (strlen(user) != size || memcmp(user, name, size) != 0)
        return PSOPACK_E_NOT_FOUND;
    *ret_pso = 3;
    return PSOPACK_OK;
}

static char wall[] = "wall";
static char floor_name[] = "floor";

typedef struct miss_note {
    unsigned calls;
    psopack_chain_place nearest;
    bool make;
} miss_note;

static psopack_status on_miss(void *user, const psopack_session_pso_name *name,
                              const psopack_chain_place *nearest)
{
    miss_note *note = user;
    note->calls++;
    note->nearest = *nearest;
    if (!note->make)
        return PSOPACK_E_CANCELLED;
    return psopack_session_store_pso(session, name, three_parts, 3);
}

static void archives_come_before_the_session_and_the_top_layer_first(void **state)
{
    (void)state;
    psopack_chain_archive archives[] = {
        {find_one, floor_name, 2}, {find_one, wall, 2}, {find_one, wall, 2}};
    psopack_chain chain = {
        .struct_size = sizeof chain, .archives = archives, .archive_count = 3, .session = session};
    psopack_session_pso_name name = named("wall", 2);
    psopack_chain_place found;
    assert_int_equal(psopack_session_store_pso(session, &name, three_parts, 3), PSOPACK_OK);
    assert_int_equal(psopack_chain_find(&chain, &name, &found), PSOPACK_OK);
    assert_int_equal(found.source, PSOPACK_CHAIN_ARCHIVE);
    assert_int_equal(found.archive, 1);
    assert_int_equal(found.pso, 3);
    chain.archive_count = 1;
    assert_int_equal(psopack_chain_find(&chain, &name, &found), PSOPACK_OK);
    assert_int_equal(found.source, PSOPACK_CHAIN_SESSION);
    size_t size;
    assert_int_equal(psopack_session_find_pso(session, &name, NULL, &size), PSOPACK_OK);
    assert_int_equal(found.value_size, size);
}

static void a_miss_names_the_nearest_of_another_content_version(void **state)
{
    (void)state;
    psopack_chain_archive archives[] = {{find_one, floor_name, 2}, {find_one, wall, 1}};
    const uint64_t others[] = {9, 8};
    miss_note note = {0};
    psopack_chain chain = {.struct_size = sizeof chain,
                           .archives = archives,
                           .archive_count = 2,
                           .session = session,
                           .other_versions = others,
                           .other_version_count = 2,
                           .miss = on_miss,
                           .user = &note};
    psopack_session_pso_name name = named("wall", 2);
    psopack_session_pso_name old = named("wall", 8);
    psopack_session_pso_name unknown = named("door", 2);
    psopack_chain_place found;
    assert_int_equal(psopack_chain_find(&chain, &unknown, &found), PSOPACK_E_CANCELLED);
    assert_int_equal(note.nearest.source, PSOPACK_CHAIN_NOWHERE);
    assert_int_equal(psopack_chain_find(&chain, &name, &found), PSOPACK_E_CANCELLED);
    assert_int_equal(note.nearest.source, PSOPACK_CHAIN_ARCHIVE);
    assert_int_equal(note.nearest.archive, 1);
    assert_int_equal(note.nearest.content_version, 1);
    assert_int_equal(psopack_session_store_pso(session, &old, three_parts, 3), PSOPACK_OK);
    assert_int_equal(psopack_chain_find(&chain, &name, &found), PSOPACK_E_CANCELLED);
    assert_int_equal(note.nearest.source, PSOPACK_CHAIN_SESSION);
    assert_int_equal(note.nearest.content_version, 8);
    note.make = true;
    assert_int_equal(psopack_chain_find(&chain, &name, &found), PSOPACK_OK);
    assert_int_equal(found.source, PSOPACK_CHAIN_SESSION);
    assert_int_equal(found.content_version, 2);
    assert_int_equal(note.calls, 4);
    assert_int_equal(psopack_chain_find(&chain, &name, &found), PSOPACK_OK);
    assert_int_equal(note.calls, 4);
    chain.miss = NULL;
    assert_int_equal(psopack_chain_find(&chain, &unknown, &found), PSOPACK_E_NOT_FOUND);
    chain.session = NULL;
    assert_int_equal(psopack_chain_find(&chain, &name, &found), PSOPACK_E_NOT_FOUND);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_pso_comes_back_part_by_part),
        CASE(names_and_content_versions_tell_psos_apart),
        CASE(wrong_psos_are_refused),
        CASE(every_cut_and_flipped_byte_of_a_value_is_noticed),
        CASE(keys_of_psos_can_be_told_from_others),
        CASE(archives_come_before_the_session_and_the_top_layer_first),
        CASE(a_miss_names_the_nearest_of_another_content_version),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
