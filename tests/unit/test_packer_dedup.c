/* SPDX-License-Identifier: MIT */
/*
 * Dedup: what is equal is kept once, across slots; a hash that collides loses nothing; a packer
 * whose comparison is wrong on purpose is caught by the tuple CRC.
 */
#define _GNU_SOURCE
#include "test_packer_set.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "packer/build.h"

static char *folder, *out, *other;

static int make_folder(void **state)
{
    (void)state;
    folder = test_folder_make();
    out = test_path(folder, "out.psopack");
    other = test_path(folder, "other.psopack");
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    free(out);
    free(other);
    test_folder_remove(folder);
    return 0;
}

/* ---- hashes that collide ----------------------------------------------------------------------
 */

static XXH128_hash_t one_hash(XXH128_hash_t hash)
{
    (void)hash;
    return (XXH128_hash_t){7, 7};
}

/* Four values, so that some components collide and some do not. */
static XXH128_hash_t two_bits(XXH128_hash_t hash)
{
    return (XXH128_hash_t){hash.low64 & 3, 0};
}

static void check_collisions(const psopack_hooks *hooks)
{
    set all = set_like_a_game(40);
    psopack_build_options plain = test_options(NULL);
    psopack_build *build = test_build(&plain);
    test_add_memory(build, &all);
    psopack_build_result honest = test_finish(build, other);
    assert_int_equal(honest.collisions, 0);
    for (unsigned threads = 1; threads <= 7; threads += 3) {
        heard messages = {0};
        psopack_build_options options = test_options(&messages);
        options.threads = threads;
        build = test_build(&options);
        psopack_build_set_hooks(build, hooks);
        if (threads == 4)
            psopack_build_set_store_budget(build, 0);
        test_add_memory(build, &all);
        psopack_build_result result = test_finish(build, out);
        assert_int_equal(result.components, honest.components);
        assert_int_equal(result.component_bytes, honest.component_bytes);
        assert_true(result.collisions > 50);
        assert_int_equal(messages.warnings, 1);
        assert_non_null(strstr(messages.text, "all were kept"));
        test_holds(out, &all);
        unlink(out);
    }
    unlink(other);
    set_free(&all);
}

static void test_one_hash(void **state)
{
    (void)state;
    check_collisions(&(psopack_hooks){.weaken = one_hash});
}

static void test_weak_hash(void **state)
{
    (void)state;
    check_collisions(&(psopack_hooks){.weaken = two_bits});
}

/* ---- a packer that dedups wrongly -------------------------------------------------------------
 */

static bool always_equal(const void *a, const void *b, size_t size)
{
    (void)a, (void)b, (void)size;
    return true;
}

static int count(void *user, const psopack_diag *diag)
{
    uint32_t *psos = user;
    *psos += diag->object == PSOPACK_OBJECT_PSO && diag->code == PSOPACK_E_TUPLE;
    return 0;
}

/* Reads every part of a PSO and checks the tuple: what a game does. */
static psopack_status read_pso(const psopack_archive *archive, psopack_context *context,
                               uint32_t pso, uint32_t slots)
{
    uint32_t components[8], crcs[8] = {0};
    uint64_t sizes[8] = {0};
    uint8_t bytes[64];
    assert_true(slots <= 8);
    assert_int_equal(psopack_pso_components(archive, pso, components, NULL), PSOPACK_OK);
    for (uint32_t slot = 0; slot < slots; slot++) {
        psopack_component_info info;
        if (components[slot] == PSOPACK_ABSENT)
            continue;
        assert_int_equal(psopack_component_get(archive, components[slot], &info, NULL), PSOPACK_OK);
        assert_int_equal(psopack_component_read(archive, context, components[slot], bytes,
                                                sizeof bytes, &crcs[slot], NULL),
                         PSOPACK_OK);
        sizes[slot] = info.size;
    }
    return psopack_pso_check(archive, pso, components, sizes, crcs, NULL);
}

/* "a" and "b" differ in one byte; "c" has a size of its own, so dedup leaves it alone. */
static void test_wrong_equal(void **state)
{
    (void)state;
    static const psopack_hooks hooks = {.weaken = one_hash, .equal = always_equal};
    for (psopack_profile profile = PSOPACK_PROFILE_BALANCED;
         profile <= PSOPACK_PROFILE_DIRECTSTORAGE; profile++) {
        psopack_build_options options = test_options(NULL);
        psopack_archive *archive;
        psopack_context *context;
        uint32_t damaged = 0;
        set all = {0};
        set_add(&all, "a", "code", "0123456789", 10);
        set_add(&all, "b", "code", "0123456780", 10);
        set_add(&all, "c", "code", "012345678", 9);
        options.profile = profile;
        psopack_build *build = test_build(&options);
        psopack_build_set_hooks(build, &hooks);
        test_add_memory(build, &all);
        psopack_build_result result = test_finish(build, out);
        assert_int_equal(result.components, 2);
        assert_int_equal(psopack_archive_open(out, NULL, &archive, NULL), PSOPACK_OK);
        assert_int_equal(psopack_context_create(archive, NULL, &context), PSOPACK_OK);
        assert_int_equal(read_pso(archive, context, 0, 1), PSOPACK_OK);
        assert_int_equal(read_pso(archive, context, 1, 1), PSOPACK_E_TUPLE);
        assert_int_equal(read_pso(archive, context, 2, 1), PSOPACK_OK);
        assert_int_equal(psopack_archive_verify(archive, 0, count, &damaged, NULL, NULL),
                         PSOPACK_E_TUPLE);
        assert_int_equal(damaged, 1);
        psopack_context_destroy(&context);
        psopack_archive_close(&archive);
        unlink(out);
        set_free(&all);
    }
}

/* ---- absent, empty, none ----------------------------------------------------------------------
 */

static void test_absent_and_empty(void **state)
{
    (void)state;
    for (psopack_profile profile = PSOPACK_PROFILE_BALANCED;
         profile <= PSOPACK_PROFILE_DIRECTSTORAGE; profile++) {
        set all = {0};
        set_add(&all, "both", "s", "x", 1);
        set_add(&all, "both", "t", "y", 1);
        set_add(&all, "absent", "s", "x", 1);
        set_add(&all, "empty", "s", "x", 1);
        set_add(&all, "empty", "t", "", 0);
        set_add(&all, "only empty", "t", "", 0);
        psopack_build_options options = test_options(NULL);
        options.profile = profile;
        psopack_build *build = test_build(&options);
        test_add_memory(build, &all);
        psopack_build_result result = test_finish(build, out);
        assert_int_equal(result.components, 3);
        test_holds(out, &all);
        psopack_archive *archive;
        uint32_t absent, empty, component;
        assert_int_equal(psopack_archive_open(out, NULL, &archive, NULL), PSOPACK_OK);
        assert_int_equal(psopack_pso_tuple_crc(archive, 0, &absent, NULL), PSOPACK_OK);
        assert_int_equal(psopack_pso_tuple_crc(archive, 2, &empty, NULL), PSOPACK_OK);
        assert_int_not_equal(absent, empty);
        assert_int_equal(psopack_pso_component(archive, 0, 1, &component, NULL), PSOPACK_E_ABSENT);
        assert_int_equal(psopack_pso_component(archive, 2, 1, &component, NULL), PSOPACK_OK);
        psopack_archive_close(&archive);
        unlink(out);
        set_free(&all);
    }
}

static void check_empty_build(bool with_psos)
{
    for (psopack_profile profile = PSOPACK_PROFILE_BALANCED;
         profile <= PSOPACK_PROFILE_DIRECTSTORAGE; profile++) {
        psopack_build_options options = test_options(NULL);
        options.profile = profile;
        options.hashes = profile == PSOPACK_PROFILE_FAST;
        psopack_build *build = test_build(&options);
        if (with_psos) {
            assert_int_equal(psopack_build_add_pso(build, "none/a", 6, NULL), PSOPACK_OK);
            assert_int_equal(psopack_build_add_pso(build, "none/b", 6, NULL), PSOPACK_OK);
        }
        psopack_build_result result = test_finish(build, out);
        assert_int_equal(result.psos, with_psos ? 2 : 0);
        assert_int_equal(result.components, 0);
        psopack_archive *archive;
        psopack_context *context;
        uint32_t crc = 1, pso = 7;
        assert_int_equal(psopack_archive_open(out, NULL, &archive, NULL), PSOPACK_OK);
        assert_int_equal(psopack_context_create(archive, NULL, &context), PSOPACK_OK);
        assert_int_equal(psopack_archive_verify(archive, 0, NULL, NULL, NULL, NULL), PSOPACK_OK);
        assert_int_equal(psopack_pso_find(archive, context, "none/b", 6, &pso, NULL),
                         with_psos ? PSOPACK_OK : PSOPACK_E_NOT_FOUND);
        if (with_psos) {
            assert_int_equal(pso, 1);
            assert_int_equal(psopack_pso_tuple_crc(archive, pso, &crc, NULL), PSOPACK_OK);
            assert_int_equal(crc, 0);
            assert_int_equal(psopack_pso_check(archive, pso, NULL, NULL, NULL, NULL), PSOPACK_OK);
        }
        psopack_context_destroy(&context);
        psopack_archive_close(&archive);
        unlink(out);
    }
}

static void test_nothing(void **state)
{
    (void)state;
    check_empty_build(false);
}

static void test_psos_without_slots(void **state)
{
    (void)state;
    check_empty_build(true);
}

/* Equal bytes in different slots of different PSOs: one component. */
static void test_across_slots(void **state)
{
    (void)state;
    set all = {0};
    char name[16];
    for (int i = 0; i < 20; i++) {
        snprintf(name, sizeof name, "pso%d", i);
        set_add(&all, name, i % 2 ? "vs" : "ps", "the same bytes", 14);
        set_add(&all, name, i % 2 ? "ps" : "vs", "the same bytes", 14);
    }
    psopack_build *build = test_build(NULL);
    test_add_memory(build, &all);
    psopack_build_result result = test_finish(build, out);
    assert_int_equal(result.components, 1);
    assert_int_equal(result.references, 40);
    assert_int_equal(result.reference_bytes, 40 * 14);
    assert_int_equal(result.component_bytes, 14);
    test_holds(out, &all);
    unlink(out);
    set_free(&all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_hash),     cmocka_unit_test(test_weak_hash),
        cmocka_unit_test(test_wrong_equal),  cmocka_unit_test(test_absent_and_empty),
        cmocka_unit_test(test_nothing),      cmocka_unit_test(test_psos_without_slots),
        cmocka_unit_test(test_across_slots),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
