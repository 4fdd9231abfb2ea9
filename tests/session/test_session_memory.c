/* SPDX-License-Identifier: MIT */
/*
 * The allocator seam: every allocation of a session's life fails once. The calls answer
 * PSOPACK_E_NOMEM or do without, what was stored stays right, and nothing leaks. Sizes handed to
 * `release` are those that were asked for.
 */
#include "session_test.h"

#include <string.h>

#include <psopack/session_files.h>
#include <psopack/session_pso.h>

static test_place place;

typedef struct meter {
    size_t calls;
    size_t fail_at; /* the call that fails, from 1; 0: none */
    size_t held;    /* bytes */
    bool wrong_size;
} meter;

static void *meter_allocate(void *user, size_t size, size_t alignment)
{
    meter *m = user;
    (void)alignment;
    if (++m->calls == m->fail_at)
        return NULL;
    size_t *block = malloc(size + 2 * sizeof *block);
    if (!block)
        return NULL;
    block[0] = size;
    m->held += size;
    return block + 2;
}

static void meter_release(void *user, void *memory, size_t size)
{
    meter *m = user;
    size_t *block = (size_t *)memory - 2;
    m->wrong_size |= block[0] != size;
    m->held -= block[0];
    free(block);
}

static psopack_status count_entry(void *user, const psopack_session_file_entry *entry)
{
    (void)entry;
    ++*(unsigned *)user;
    return PSOPACK_OK;
}

/* PSOPACK_OK, or PSOPACK_E_NOMEM as soon as a call says so; any other answer is wrong. */
static psopack_status expect(psopack_status status, psopack_status wanted)
{
    if (status != PSOPACK_E_NOMEM)
        assert_int_equal(status, wanted);
    return status == PSOPACK_E_NOMEM ? status : PSOPACK_OK;
}

#define STEP(call, wanted)                                                                         \
    do {                                                                                           \
        if (expect(call, wanted) != PSOPACK_OK)                                                    \
            return PSOPACK_E_NOMEM;                                                                \
    } while (0)

static psopack_status use_session(psopack_session *session)
{
    const psopack_session_part part = {"vs", "code", 4};
    const psopack_session_pso_name name = {"wall", 4, 1};
    STEP(store_number(session, 1, 300), PSOPACK_OK);
    STEP(store_number(session, 2, 3000), PSOPACK_OK);
    STEP(store_number(session, 1, 300), PSOPACK_E_EXISTS);
    STEP(find_number(session, 2, 3000), PSOPACK_OK);
    STEP(find_number(session, 3, 3000), PSOPACK_E_NOT_FOUND);
    STEP(psopack_session_store_pso(session, &name, &part, 1), PSOPACK_OK);
    return PSOPACK_OK;
}

static psopack_status use_host(psopack_session_host *host, bool first)
{
    psopack_session_desc desc = disk_desc(80);
    desc.maximum_memory_bytes = 2000;
    psopack_session *session = NULL;
    STEP(psopack_session_open(host, &desc, &session, NULL), PSOPACK_OK);
    psopack_status status = PSOPACK_OK;
    if (first)
        status = use_session(session);
    else if (expect(find_number(session, 1, 300), PSOPACK_OK) != PSOPACK_OK ||
             expect(find_number(session, 2, 3000), PSOPACK_OK) != PSOPACK_OK)
        status = PSOPACK_E_NOMEM;
    psopack_session_close(&session);
    return status;
}

static psopack_status read_offline(const psopack_allocator *allocator)
{
    char path[600];
    unsigned entries = 0;
    psopack_session_visitor visitor = {count_entry, NULL, &entries};
    place_find(place.directory, ".0.val", path);
    STEP(psopack_session_file_visit(path, allocator, &visitor, NULL, NULL), PSOPACK_OK);
    assert_int_equal(entries, 3);
    psopack_session_collection *collection = NULL;
    STEP(psopack_session_collection_create(allocator, &collection), PSOPACK_OK);
    psopack_status status =
        expect(psopack_session_collection_add(collection, path, NULL, NULL), PSOPACK_OK);
    psopack_session_collection_destroy(&collection);
    return status;
}

static psopack_status whole_life(meter *m)
{
    psopack_allocator allocator = {meter_allocate, meter_release, m};
    psopack_session_host_options options = PSOPACK_SESSION_HOST_OPTIONS_INIT;
    options.directory = place.directory;
    options.allocator = allocator;
    psopack_session_host *host = NULL;
    STEP(psopack_session_host_create(&options, &host, NULL), PSOPACK_OK);
    psopack_status status = use_host(host, true);
    if (status == PSOPACK_OK)
        status = use_host(host, false);
    psopack_session_host_destroy(&host);
    return status == PSOPACK_OK ? read_offline(&allocator) : status;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    size_t failed = 0;
    for (size_t fail_at = 1;; fail_at++) {
        meter m = {.fail_at = fail_at};
        place_make(&place);
        psopack_status status = whole_life(&m);
        place_remove(&place);
        assert_int_equal(m.held, 0);
        assert_false(m.wrong_size);
        if (m.calls < fail_at) {
            assert_int_equal(status, PSOPACK_OK);
            break;
        }
        failed += status == PSOPACK_E_NOMEM;
    }
    assert_in_range(failed, 10, 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
