/* SPDX-License-Identifier: MIT */
/* The chained look-up in front of a real archive: shipped, met, and a miss with what is nearest. */
#include "session_test.h"

#include <stdio.h>
#include <string.h>

#include <psopack/build.h>
#include <psopack/session_pso.h>

#define SHIPPED_VERSION 7u

static test_place place;
static psopack_session_host *host;
static psopack_session *session;
static psopack_chain_loader loader;
static psopack_chain_archive shipped;
static psopack_archive *archive;
static psopack_context *context;

/* The archive has "wall" and "floor" of content version 7. */
static void make_archive(const char *path)
{
    psopack_build_options options = PSOPACK_BUILD_OPTIONS_INIT;
    psopack_build *build = NULL;
    options.content_version = SHIPPED_VERSION;
    assert_int_equal(psopack_build_create(&options, &build, NULL), PSOPACK_OK);
    assert_int_equal(psopack_build_add_memory(build, "wall", 4, "vs", "shipped wall", 12, NULL),
                     PSOPACK_OK);
    assert_int_equal(psopack_build_add_memory(build, "floor", 5, "vs", "shipped floor", 13, NULL),
                     PSOPACK_OK);
    assert_int_equal(psopack_build_write(build, path, NULL, NULL), PSOPACK_OK);
    psopack_build_destroy(&build);
}

static int setup(void **state)
{
    (void)state;
    char path[600];
    place_make(&place);
    snprintf(path, sizeof path, "%s/shipped.psopack", place.root);
    make_archive(path);
    assert_int_equal(psopack_archive_open(path, NULL, &archive, NULL), PSOPACK_OK);
    assert_int_equal(psopack_context_create(archive, NULL, &context), PSOPACK_OK);
    loader = (psopack_chain_loader){archive, context};
    shipped = psopack_chain_archive_of(&loader);
    host = host_on(&place);
    psopack_session_desc desc = disk_desc(62);
    session = open_session(host, &desc);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    psopack_session_host_destroy(&host);
    psopack_context_destroy(&context);
    psopack_archive_close(&archive);
    place_remove(&place);
    return 0;
}

static psopack_session_pso_name named(const char *name, uint64_t version)
{
    return (psopack_session_pso_name){name, strlen(name), version};
}

static psopack_status note_nearest(void *user, const psopack_session_pso_name *name,
                                   const psopack_chain_place *nearest)
{
    (void)name;
    *(psopack_chain_place *)user = *nearest;
    return PSOPACK_E_NOT_FOUND;
}

static psopack_chain chain_of(psopack_chain_place *nearest)
{
    return (psopack_chain){.struct_size = sizeof(psopack_chain),
                           .archives = &shipped,
                           .archive_count = 1,
                           .session = session,
                           .miss = note_nearest,
                           .user = nearest};
}

static void what_was_shipped_is_found_and_read_in_the_archive(void **state)
{
    (void)state;
    psopack_chain_place nearest, found;
    psopack_chain chain = chain_of(&nearest);
    psopack_session_pso_name name = named("wall", SHIPPED_VERSION);
    char bytes[12];
    uint32_t component, crc;
    assert_int_equal(psopack_chain_find(&chain, &name, &found), PSOPACK_OK);
    assert_int_equal(found.source, PSOPACK_CHAIN_ARCHIVE);
    assert_int_equal(found.content_version, SHIPPED_VERSION);
    assert_int_equal(psopack_pso_components(archive, found.pso, &component, NULL), PSOPACK_OK);
    assert_int_equal(
        psopack_component_read(archive, context, component, bytes, sizeof bytes, &crc, NULL),
        PSOPACK_OK);
    assert_memory_equal(bytes, "shipped wall", sizeof bytes);
}

static void what_was_met_is_found_in_the_session(void **state)
{
    (void)state;
    psopack_chain_place nearest, found;
    psopack_chain chain = chain_of(&nearest);
    psopack_session_pso_name name = named("door", SHIPPED_VERSION);
    psopack_session_part part = {"vs", "met door", 8};
    uint8_t value[200];
    size_t count = 1;
    assert_int_equal(psopack_session_store_pso(session, &name, &part, 1), PSOPACK_OK);
    assert_int_equal(psopack_chain_find(&chain, &name, &found), PSOPACK_OK);
    assert_int_equal(found.source, PSOPACK_CHAIN_SESSION);
    size_t size = found.value_size;
    assert_in_range(size, 1, sizeof value);
    assert_int_equal(psopack_session_find_pso(session, &name, value, &size), PSOPACK_OK);
    assert_int_equal(psopack_session_pso_parts(value, size, &part, &count), PSOPACK_OK);
    assert_int_equal(part.size, 8);
    assert_memory_equal(part.bytes, "met door", 8);
}

static void a_miss_names_the_shipped_pso_of_another_version(void **state)
{
    (void)state;
    psopack_chain_place nearest = {0}, found;
    psopack_chain chain = chain_of(&nearest);
    psopack_session_pso_name newer = named("floor", SHIPPED_VERSION + 1);
    psopack_session_pso_name unknown = named("roof", SHIPPED_VERSION);
    uint32_t pso;
    assert_int_equal(psopack_chain_find(&chain, &newer, &found), PSOPACK_E_NOT_FOUND);
    assert_int_equal(nearest.source, PSOPACK_CHAIN_ARCHIVE);
    assert_int_equal(nearest.content_version, SHIPPED_VERSION);
    assert_int_equal(psopack_pso_find(archive, context, "floor", 5, &pso, NULL), PSOPACK_OK);
    assert_int_equal(nearest.pso, pso);
    assert_int_equal(psopack_chain_find(&chain, &unknown, &found), PSOPACK_E_NOT_FOUND);
    assert_int_equal(nearest.source, PSOPACK_CHAIN_NOWHERE);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(what_was_shipped_is_found_and_read_in_the_archive),
        CASE(what_was_met_is_found_in_the_session),
        CASE(a_miss_names_the_shipped_pso_of_another_version),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
