/* SPDX-License-Identifier: MIT */
/* What was packed is what is read: every profile, every source, every way to ask. */
#include "loader_fixture.h"

#include <stdlib.h>
#include <string.h>

static const psopack_profile profiles[] = {PSOPACK_PROFILE_BALANCED, PSOPACK_PROFILE_FAST,
                                           PSOPACK_PROFILE_SMALL, PSOPACK_PROFILE_STORED,
                                           PSOPACK_PROFILE_DIRECTSTORAGE};
#define PROFILES (sizeof profiles / sizeof profiles[0])

typedef struct suite {
    fixture made[PROFILES];
} suite;

static int make_suite(void **state)
{
    static suite all;
    for (size_t i = 0; i < PROFILES; i++) {
        all.made[i] = (fixture){.profile = profiles[i],
                                .psos = 300,
                                .code_size = 700,
                                .large_size = 600 * 1024,
                                .hashes = i % 2 == 0};
        fixture_make(&all.made[i]);
    }
    *state = &all;
    return 0;
}

static int free_suite(void **state)
{
    suite *all = *state;
    for (size_t i = 0; i < PROFILES; i++)
        fixture_free(&all->made[i]);
    return 0;
}

static void check_archive(const fixture *made, psopack_archive *archive)
{
    psopack_diag diag = {0};
    psopack_verify_result result;
    assert_int_equal(fixture_read_all(made, archive), 0);
    psopack_status status = psopack_archive_verify(archive, 0, NULL, NULL, &result, &diag);
    if (status != PSOPACK_OK)
        fail_msg("verify: %s", diag.text);
    assert_int_equal(result.findings, 0);
    assert_int_equal(result.psos_checked, made->psos);
    assert_int_equal(
        psopack_archive_verify(archive, PSOPACK_VERIFY_QUICK, NULL, NULL, &result, &diag),
        PSOPACK_OK);
    psopack_archive_close(&archive);
    assert_null(archive);
}

static void test_memory(void **state)
{
    const suite *all = *state;
    for (size_t i = 0; i < PROFILES; i++) {
        psopack_archive *archive;
        psopack_diag diag;
        psopack_status status = psopack_archive_open_memory(all->made[i].bytes, all->made[i].size,
                                                            NULL, &archive, &diag);
        if (status != PSOPACK_OK)
            fail_msg("open: %s", diag.text);
        check_archive(&all->made[i], archive);
    }
}

static void test_file(void **state)
{
    const suite *all = *state;
    for (size_t i = 0; i < PROFILES; i++) {
        for (uint32_t flags = 0; flags < 4; flags++) {
            psopack_open_options options = PSOPACK_OPEN_OPTIONS_INIT;
            psopack_archive *archive;
            options.flags = flags; /* all of mapped or not, checked now or later */
            assert_int_equal(psopack_archive_open(all->made[i].path, &options, &archive, NULL),
                             PSOPACK_OK);
            check_archive(&all->made[i], archive);
        }
    }
}

static psopack_status read_memory(void *user, uint64_t offset, void *buffer, size_t size)
{
    const fixture *made = user;
    assert_true(offset <= made->size && size <= made->size - offset);
    memcpy(buffer, made->bytes + offset, size);
    return PSOPACK_OK;
}

static void test_callbacks(void **state)
{
    suite *all = *state;
    for (size_t i = 0; i < PROFILES; i++) {
        psopack_source source = {read_memory, &all->made[i], all->made[i].size};
        psopack_archive *archive;
        assert_int_equal(psopack_archive_open_source(&source, NULL, &archive, NULL), PSOPACK_OK);
        check_archive(&all->made[i], archive);
    }
}

static psopack_status fail_late(void *user, uint64_t offset, void *buffer, size_t size)
{
    const fixture *made = user;
    /* The manifest can be read, no block can. */
    if (offset >= 64 && size != 0 && offset < made->size / 8)
        return PSOPACK_E_UNAVAILABLE;
    return read_memory(user, offset, buffer, size);
}

/* A failed read is no damage: the same component reads well once the source does. */
static void test_failing_source(void **state)
{
    suite *all = *state;
    fixture *made = &all->made[0];
    psopack_source source = {fail_late, made, made->size};
    psopack_archive *archive;
    psopack_context *context;
    psopack_diag diag;
    assert_int_equal(psopack_archive_open_source(&source, NULL, &archive, &diag), PSOPACK_OK);
    assert_int_equal(psopack_context_create(archive, NULL, &context), PSOPACK_OK);
    uint8_t *buffer = malloc(1 << 20);
    uint32_t refused = 0;
    psopack_info info;
    psopack_archive_info(archive, &info);
    for (uint32_t i = 0; i < info.components; i++) {
        psopack_status status =
            psopack_component_read(archive, context, i, buffer, 1 << 20, NULL, &diag);
        if (status == PSOPACK_E_UNAVAILABLE)
            refused++;
        else
            assert_int_equal(status, PSOPACK_OK);
    }
    assert_true(refused != 0);
    free(buffer);
    psopack_context_destroy(&context);
    psopack_archive_close(&archive);
}

static void test_keys(void **state)
{
    const suite *all = *state;
    for (size_t i = 0; i < PROFILES; i++) {
        psopack_archive *archive;
        psopack_context *context;
        assert_int_equal(psopack_archive_open_memory(all->made[i].bytes, all->made[i].size, NULL,
                                                     &archive, NULL),
                         PSOPACK_OK);
        assert_int_equal(psopack_context_create(archive, NULL, &context), PSOPACK_OK);
        for (uint32_t pso = 0; pso < all->made[i].psos; pso++) {
            char name[64];
            uint32_t found;
            fixture_pso_name(pso, name);
            uint64_t key = psopack_pso_key(archive, name, strlen(name));
            assert_int_equal(psopack_pso_find_key(archive, context, key, &found), PSOPACK_OK);
            assert_int_equal(found, pso);
            assert_int_equal(psopack_pso_find_key(archive, context, key ^ 1, &found),
                             PSOPACK_E_NOT_FOUND);
        }
        uint32_t found;
        assert_int_equal(psopack_pso_find(archive, context, "none", 4, &found, NULL),
                         PSOPACK_E_NOT_FOUND);
        assert_int_equal(psopack_pso_find(archive, context, "", 0, &found, NULL),
                         PSOPACK_E_NOT_FOUND);
        psopack_context_destroy(&context);
        psopack_archive_close(&archive);
    }
}

/* The parts of each PSO give its tuple CRC; one wrong part does not. */
static void test_tuple(void **state)
{
    const suite *all = *state;
    for (size_t i = 0; i < PROFILES; i++) {
        psopack_archive *archive;
        psopack_context *context;
        uint8_t *buffer = malloc(1 << 20);
        assert_int_equal(psopack_archive_open_memory(all->made[i].bytes, all->made[i].size, NULL,
                                                     &archive, NULL),
                         PSOPACK_OK);
        assert_int_equal(psopack_context_create(archive, NULL, &context), PSOPACK_OK);
        for (uint32_t pso = 0; pso < all->made[i].psos; pso++) {
            uint32_t components[FIXTURE_SLOTS], crcs[FIXTURE_SLOTS] = {0};
            uint64_t sizes[FIXTURE_SLOTS] = {0};
            assert_int_equal(psopack_pso_components(archive, pso, components, NULL), PSOPACK_OK);
            for (uint32_t slot = 0; slot < FIXTURE_SLOTS; slot++) {
                psopack_component_info info;
                if (components[slot] == PSOPACK_ABSENT)
                    continue;
                assert_int_equal(psopack_component_get(archive, components[slot], &info, NULL),
                                 PSOPACK_OK);
                sizes[slot] = info.size;
                assert_int_equal(psopack_component_read(archive, context, components[slot], buffer,
                                                        1 << 20, &crcs[slot], NULL),
                                 PSOPACK_OK);
            }
            assert_int_equal(psopack_pso_check(archive, pso, components, sizes, crcs, NULL),
                             PSOPACK_OK);
            crcs[2] ^= 1; /* the root signature is in every PSO */
            assert_int_equal(psopack_pso_check(archive, pso, components, sizes, crcs, NULL),
                             PSOPACK_E_TUPLE);
        }
        free(buffer);
        psopack_context_destroy(&context);
        psopack_archive_close(&archive);
    }
}

static void test_pointers(void **state)
{
    const suite *all = *state;
    for (size_t i = 0; i < PROFILES; i++) {
        psopack_archive *archive;
        psopack_context *context;
        psopack_info info;
        uint8_t *buffer = malloc(1 << 20);
        uint32_t pointers = 0;
        assert_int_equal(psopack_archive_open(all->made[i].path, NULL, &archive, NULL), PSOPACK_OK);
        assert_int_equal(psopack_context_create(archive, NULL, &context), PSOPACK_OK);
        psopack_archive_info(archive, &info);
        for (uint32_t c = 0; c < info.components; c++) {
            const void *bytes;
            uint64_t size;
            psopack_component_info component;
            psopack_status status = psopack_component_pointer(archive, c, &bytes, &size, NULL);
            if (status == PSOPACK_E_NOT_MAPPED)
                continue;
            assert_int_equal(status, PSOPACK_OK);
            assert_int_equal(psopack_component_get(archive, c, &component, NULL), PSOPACK_OK);
            assert_int_equal(component.size, size);
            assert_int_equal((uintptr_t)bytes % component.alignment, 0);
            assert_int_equal(
                psopack_component_read(archive, context, c, buffer, 1 << 20, NULL, NULL),
                PSOPACK_OK);
            assert_memory_equal(bytes, buffer, size);
            pointers++;
        }
        if (profiles[i] == PSOPACK_PROFILE_STORED)
            assert_int_equal(pointers, info.components);
        free(buffer);
        psopack_context_destroy(&context);
        psopack_archive_close(&archive);
    }
}

/* Answers that are no damage. */
static void test_refusals(void **state)
{
    const suite *all = *state;
    const fixture *made = &all->made[0];
    psopack_archive *archive, *other;
    psopack_context *context;
    psopack_component_info component;
    psopack_diag diag;
    uint32_t value;
    uint8_t byte[1];
    assert_int_equal(psopack_archive_open_memory(made->bytes, made->size, NULL, &archive, NULL),
                     PSOPACK_OK);
    assert_int_equal(psopack_archive_open_memory(made->bytes, made->size, NULL, &other, NULL),
                     PSOPACK_OK);
    assert_int_equal(psopack_context_create(archive, NULL, &context), PSOPACK_OK);
    assert_int_equal(psopack_pso_component(archive, 4, 0, &value, &diag), PSOPACK_E_ABSENT);
    assert_int_equal(diag.object, PSOPACK_OBJECT_PSO);
    assert_int_equal(psopack_pso_component(archive, made->psos, 0, &value, &diag),
                     PSOPACK_E_NOT_FOUND);
    assert_int_equal(psopack_pso_component(archive, 0, FIXTURE_SLOTS, &value, &diag),
                     PSOPACK_E_NOT_FOUND);
    assert_int_equal(psopack_component_get(archive, UINT32_MAX, &component, &diag),
                     PSOPACK_E_NOT_FOUND);
    assert_int_equal(psopack_pso_component(archive, 1, 3, &value, &diag), PSOPACK_OK);
    assert_int_equal(psopack_component_read(archive, context, value, byte, 1, NULL, &diag),
                     PSOPACK_E_BUFFER);
    assert_int_equal(psopack_component_read(other, context, value, byte, 1, NULL, &diag),
                     PSOPACK_E_ARGUMENT);
    assert_int_equal(psopack_component_read(archive, NULL, value, byte, 1, NULL, &diag),
                     PSOPACK_E_ARGUMENT);
    assert_null(psopack_slot_name(archive, FIXTURE_SLOTS));
    assert_int_equal(psopack_slot_find(archive, "State", &value), PSOPACK_E_NOT_FOUND);
    assert_int_equal(psopack_slot_find(archive, "state", &value), PSOPACK_OK);
    assert_int_equal(value, 3);
    char name[8];
    size_t size;
    assert_int_equal(psopack_pso_name(archive, context, 0, name, sizeof name, &size, &diag),
                     PSOPACK_E_BUFFER);
    assert_int_equal(size, 29);
    assert_string_equal(name, "materia");
    psopack_context_destroy(&context);
    psopack_archive_close(&archive);
    psopack_archive_close(&other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory),    cmocka_unit_test(test_file),
        cmocka_unit_test(test_callbacks), cmocka_unit_test(test_failing_source),
        cmocka_unit_test(test_keys),      cmocka_unit_test(test_tuple),
        cmocka_unit_test(test_pointers),  cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, make_suite, free_suite);
}
