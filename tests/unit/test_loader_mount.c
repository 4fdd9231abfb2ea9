/* SPDX-License-Identifier: MIT */
/* Mounts: the first archive that has a name wins; what archives share is loaded once. */
#define _GNU_SOURCE
#include "loader_fixture.h"

#include <psopack/mount.h>
#include <stdlib.h>
#include <string.h>

#define GAME 0u
#define EXTRA 1u
#define LOOSE 2u /* without content hashes */
#define ARCHIVES 3u

/* The extra archive holds all of the game's PSOs and a hundred more, which share some parts. */
static int make_all(void **state)
{
    static fixture all[ARCHIVES];
    all[GAME] = (fixture){.psos = 200, .code_size = 700, .hashes = true};
    all[EXTRA] =
        (fixture){.psos = 300, .code_size = 700, .hashes = true, .profile = PSOPACK_PROFILE_FAST};
    all[LOOSE] = (fixture){.psos = 350, .code_size = 700, .profile = PSOPACK_PROFILE_STORED};
    for (uint32_t i = 0; i < ARCHIVES; i++)
        fixture_make(&all[i]);
    *state = all;
    return 0;
}

static int free_all(void **state)
{
    fixture *all = *state;
    for (uint32_t i = 0; i < ARCHIVES; i++)
        fixture_free(&all[i]);
    return 0;
}

typedef struct bench {
    psopack_archive *archives[ARCHIVES];
    psopack_context *contexts[ARCHIVES];
    psopack_mount *mount;
} bench;

static void set_up(bench *b, const fixture *all, uint32_t count)
{
    psopack_diag diag;
    for (uint32_t i = 0; i < ARCHIVES; i++) {
        assert_int_equal(
            psopack_archive_open_memory(all[i].bytes, all[i].size, NULL, &b->archives[i], NULL),
            PSOPACK_OK);
        assert_int_equal(psopack_context_create(b->archives[i], NULL, &b->contexts[i]), PSOPACK_OK);
    }
    assert_int_equal(psopack_mount_create((const psopack_archive *const *)b->archives, count, NULL,
                                          &b->mount, &diag),
                     PSOPACK_OK);
}

static void tear_down(bench *b)
{
    psopack_mount_destroy(&b->mount);
    assert_null(b->mount);
    for (uint32_t i = 0; i < ARCHIVES; i++) {
        psopack_context_destroy(&b->contexts[i]);
        psopack_archive_close(&b->archives[i]);
    }
}

static psopack_mounted find(const bench *b, uint32_t pso)
{
    char name[64];
    psopack_mounted found = {99, 99};
    fixture_pso_name(pso, name);
    assert_int_equal(psopack_mount_find(b->mount, b->contexts, name, strlen(name), &found, NULL),
                     PSOPACK_OK);
    assert_int_equal(found.index, pso);
    return found;
}

static void test_find(void **state)
{
    bench b;
    psopack_mounted found;
    set_up(&b, *state, ARCHIVES);
    assert_int_equal(find(&b, 0).archive, GAME);
    assert_int_equal(find(&b, 199).archive, GAME);
    assert_int_equal(find(&b, 200).archive, EXTRA);
    assert_int_equal(find(&b, 299).archive, EXTRA);
    assert_int_equal(find(&b, 300).archive, LOOSE);
    assert_int_equal(psopack_mount_find(b.mount, b.contexts, "none", 4, &found, NULL),
                     PSOPACK_E_NOT_FOUND);
    tear_down(&b);
}

static void test_homes(void **state)
{
    bench b;
    psopack_mount_info info;
    psopack_info archives[ARCHIVES];
    uint64_t guests = 0, guest_bytes = 0;
    set_up(&b, *state, ARCHIVES);
    psopack_mount_get_info(b.mount, &info);
    for (uint32_t a = 0; a < ARCHIVES; a++) {
        psopack_archive_info(b.archives[a], &archives[a]);
        for (uint32_t c = 0; c < archives[a].components; c++) {
            psopack_mounted home;
            uint8_t own_hash[16], home_hash[16];
            psopack_component_info component;
            assert_int_equal(psopack_mount_home(b.mount, (psopack_mounted){a, c}, &home),
                             PSOPACK_OK);
            if (home.archive == a) {
                assert_int_equal(home.index, c);
                continue;
            }
            assert_int_equal(a, EXTRA); /* the loose one has no hashes to share by */
            assert_int_equal(home.archive, GAME);
            psopack_component_hash(b.archives[a], c, own_hash, NULL);
            psopack_component_hash(b.archives[home.archive], home.index, home_hash, NULL);
            assert_memory_equal(own_hash, home_hash, 16);
            psopack_component_get(b.archives[a], c, &component, NULL);
            guests++;
            guest_bytes += component.size;
        }
    }
    /* Every component of the game is in the extra archive as well. */
    assert_int_equal(guests, archives[GAME].components);
    assert_int_equal(info.shared_components, guests);
    assert_int_equal(info.shared_bytes, guest_bytes);
    assert_int_equal(info.components,
                     archives[0].components + archives[1].components + archives[2].components);
    psopack_mounted home;
    assert_int_equal(psopack_mount_home(b.mount, (psopack_mounted){ARCHIVES, 0}, &home),
                     PSOPACK_E_NOT_FOUND);
    assert_int_equal(
        psopack_mount_home(b.mount, (psopack_mounted){0, archives[0].components}, &home),
        PSOPACK_E_NOT_FOUND);
    tear_down(&b);
}

static uint8_t code_apart(void *user, uint32_t archive, const char *slot)
{
    (void)user;
    (void)archive;
    return strstr(slot, "instructions") ? 1 : 0;
}

static void check_parts(const fixture *all, psopack_mounted pso, const psopack_part *parts)
{
    for (uint32_t slot = 0; slot < FIXTURE_SLOTS; slot++) {
        fixture_part wanted = fixture_get(&all[pso.archive], pso.index, slot);
        assert_int_equal(parts[slot].bytes != NULL, wanted.present);
        assert_int_equal(parts[slot].size, wanted.size);
        if (wanted.size != 0)
            assert_memory_equal(parts[slot].bytes, wanted.bytes, wanted.size);
        free(wanted.bytes);
    }
}

static void test_plan(void **state)
{
    const fixture *all = *state;
    psopack_mounted psos[350];
    void *heaps[ARCHIVES][PSOPACK_LOAD_PLAN_HEAPS_MAX] = {{NULL}};
    void *const *tables[ARCHIVES];
    uint64_t loaded = 0, extra = 0;
    psopack_mount_plan *plan;
    psopack_diag diag;
    bench b;
    set_up(&b, all, ARCHIVES);
    for (uint32_t i = 0; i < 350; i++)
        psos[i] = find(&b, i);
    if (psopack_mount_plan_create(b.mount, psos, 350, code_apart, NULL, &plan, &diag) != PSOPACK_OK)
        fail_msg("plan: %s", diag.text);
    for (uint32_t a = 0; a < ARCHIVES; a++) {
        psopack_load_plan *part = psopack_mount_plan_of(plan, a);
        psopack_load_plan_info info;
        psopack_load_plan_get_info(part, &info);
        for (uint32_t h = 0; h < PSOPACK_LOAD_PLAN_HEAPS_MAX; h++) {
            if (info.heap_bytes[h] != 0)
                assert_int_equal(posix_memalign(&heaps[a][h], 65536, info.heap_bytes[h]), 0);
        }
        assert_int_equal(psopack_load_plan_execute(part, b.contexts[a], heaps[a], NULL, &diag),
                         PSOPACK_OK);
        tables[a] = heaps[a];
        loaded += info.component_bytes;
        extra += a == EXTRA ? info.items : 0;
    }
    assert_null(psopack_mount_plan_of(plan, ARCHIVES));
    psopack_info game, whole;
    psopack_archive_info(b.archives[GAME], &game);
    psopack_archive_info(b.archives[EXTRA], &whole);
    assert_true(extra > 0 && extra <= whole.components - game.components);
    assert_true(loaded > game.component_bytes);
    for (uint32_t i = 0; i < 350; i++) {
        psopack_part parts[FIXTURE_SLOTS];
        if (psopack_mount_plan_parts(plan, psos[i], tables, parts, &diag) != PSOPACK_OK)
            fail_msg("parts: %s", diag.text);
        check_parts(all, psos[i], parts);
    }
    psopack_mount_plan_destroy(&plan);
    assert_null(plan);
    for (uint32_t a = 0; a < ARCHIVES; a++) {
        for (uint32_t h = 0; h < PSOPACK_LOAD_PLAN_HEAPS_MAX; h++)
            free(heaps[a][h]);
    }
    tear_down(&b);
}

static void test_arguments(void **state)
{
    bench b;
    psopack_mount *mount = NULL;
    psopack_mount_plan *plan = NULL;
    const psopack_archive *archives[] = {NULL};
    const psopack_mounted bad[] = {{ARCHIVES, 0}}, missing[] = {{GAME, 200}};
    set_up(&b, *state, ARCHIVES);
    assert_int_equal(psopack_mount_create(archives, 0, NULL, &mount, NULL), PSOPACK_E_ARGUMENT);
    assert_int_equal(psopack_mount_create(archives, 1, NULL, &mount, NULL), PSOPACK_E_ARGUMENT);
    assert_int_equal(psopack_mount_plan_create(b.mount, bad, 1, NULL, NULL, &plan, NULL),
                     PSOPACK_E_NOT_FOUND);
    assert_int_equal(psopack_mount_plan_create(b.mount, missing, 1, NULL, NULL, &plan, NULL),
                     PSOPACK_E_NOT_FOUND);
    assert_null(mount);
    assert_null(plan);
    tear_down(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_find), cmocka_unit_test(test_homes),
                                       cmocka_unit_test(test_plan),
                                       cmocka_unit_test(test_arguments)};
    return cmocka_run_group_tests(tests, make_all, free_all);
}
