/* SPDX-License-Identifier: MIT */
/* Layers: base and layer as one archive, in every call; what is refused, and why. */
#include "layer_set.h"

#include <psopack/load_plan.h>
#include <psopack/mount.h>
#include <psopack/residency.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/view.h"

/* A base, a layer on it, and what the layer makes of it. */
typedef struct pair {
    set old, whole;
    packed base_file, layer_file;
    psopack_archive *base, *layer;
    psopack_info base_info, info;
} pair;

static pair make_pair(uint32_t psos)
{
    pair made = {.old = set_like_a_game(psos)};
    made.whole = changed_set(&made.old);
    made.base_file = pack_set(&made.old, PSOPACK_PROFILE_BALANCED);
    made.base = open_on(&made.base_file, NULL);
    made.layer_file = pack_layer(made.base, &made.old, &made.whole);
    made.layer = open_on(&made.layer_file, made.base);
    psopack_archive_info(made.base, &made.base_info);
    psopack_archive_info(made.layer, &made.info);
    return made;
}

static void free_pair(pair *made)
{
    psopack_archive_close(&made->layer);
    psopack_archive_close(&made->base);
    free(made->base_file.bytes);
    free(made->layer_file.bytes);
    set_free(&made->old);
    set_free(&made->whole);
}

static void test_reads_as_one(void **state)
{
    (void)state;
    pair made = make_pair(60);
    psopack_layer_info layer;
    test_archive_holds(made.layer, &made.whole);
    test_archive_holds(made.base, &made.old);
    assert_int_equal(psopack_archive_layer(made.layer, &layer), PSOPACK_OK);
    assert_int_equal(layer.depth, 1);
    assert_memory_equal(layer.base_archive_id, made.base_info.archive_id, 16);
    assert_memory_equal(layer.base_content_id, made.base_info.content_id, 16);
    assert_int_equal(made.info.components, layer.own_components + made.base_info.components);
    assert_int_equal(made.info.psos, made.base_info.psos - layer.gone_psos + layer.own_psos);
    assert_ptr_equal(psopack_archive_base(made.layer), made.base);
    assert_null(psopack_archive_base(made.base));
    assert_int_equal(psopack_archive_layer(made.base, &layer), PSOPACK_E_NOT_FOUND);
    free_pair(&made);
}

/* Names in order, keys that lead to them, and nothing left of what was removed. */
static void test_psos(void **state)
{
    (void)state;
    pair made = make_pair(60);
    psopack_context *context;
    char name[200], previous[200] = "";
    uint32_t found, removed = 0;
    psopack_context_create(made.layer, NULL, &context);
    for (uint32_t pso = 0; pso < made.info.psos; pso++) {
        size_t size;
        assert_int_equal(psopack_pso_name(made.layer, context, pso, name, sizeof name, &size, NULL),
                         PSOPACK_OK);
        assert_true(strcmp(previous, name) < 0);
        uint64_t key = psopack_pso_key(made.layer, name, size);
        assert_int_equal(psopack_pso_find_key(made.layer, context, key, &found), PSOPACK_OK);
        assert_int_equal(found, pso);
        strcpy(previous, name);
    }
    for (uint32_t pso = 0; pso < made.base_info.psos; pso++) {
        size_t size;
        assert_int_equal(psopack_pso_name(made.base, context, pso, name, sizeof name, &size, NULL),
                         PSOPACK_OK);
        psopack_status by_name = psopack_pso_find(made.layer, context, name, size, &found, NULL);
        psopack_status by_key = psopack_pso_find_key(
            made.layer, context, psopack_pso_key(made.layer, name, size), &found);
        assert_int_equal(by_name, by_key);
        removed += by_name == PSOPACK_E_NOT_FOUND;
    }
    assert_true(removed > 3);
    assert_int_equal(psopack_pso_components(made.layer, made.info.psos, &found, NULL),
                     PSOPACK_E_NOT_FOUND);
    psopack_context_destroy(&context);
    free_pair(&made);
}

/* Component c of the base is c + own, wherever it is asked for. */
static void test_components(void **state)
{
    (void)state;
    pair made = make_pair(40);
    uint32_t own = made.info.components - made.base_info.components;
    psopack_component_info shown, there;
    for (uint32_t i = 0; i < made.base_info.components; i++) {
        assert_int_equal(psopack_component_get(made.layer, own + i, &shown, NULL), PSOPACK_OK);
        assert_int_equal(psopack_component_get(made.base, i, &there, NULL), PSOPACK_OK);
        assert_int_equal(shown.crc, there.crc);
        assert_int_equal(shown.block, there.block);
        assert_int_equal(shown.level, 1);
        assert_int_equal(there.level, 0);
    }
    assert_int_equal(psopack_component_get(made.layer, own - 1, &shown, NULL), PSOPACK_OK);
    assert_int_equal(shown.level, 0);
    assert_int_equal(psopack_component_get(made.layer, made.info.components, &shown, NULL),
                     PSOPACK_E_NOT_FOUND);
    free_pair(&made);
}

/* ---- loading --------------------------------------------------------------------------------- */

/* The parts of every PSO, as the plan has put them, give the tuple CRC that was packed. */
static void check_plan(const psopack_archive *archive, psopack_load_plan *plan, void *const *heaps)
{
    psopack_info info;
    psopack_part parts[PSOPACK_SLOTS_MAX];
    psopack_diag diag;
    psopack_archive_info(archive, &info);
    for (uint32_t pso = 0; pso < info.psos; pso++) {
        if (psopack_load_plan_parts(plan, pso, heaps, parts, &diag) != PSOPACK_OK)
            fail_msg("parts: %s", diag.text);
    }
}

static psopack_load_plan *plan_all(const psopack_archive *archive, void **ret_heap)
{
    psopack_load_plan_options options = PSOPACK_LOAD_PLAN_OPTIONS_INIT;
    psopack_load_plan_info info;
    psopack_load_plan *plan;
    psopack_diag diag;
    options.all_psos = 1;
    if (psopack_load_plan_create(archive, &options, &plan, &diag) != PSOPACK_OK)
        fail_msg("plan: %s", diag.text);
    psopack_load_plan_get_info(plan, &info);
    *ret_heap = malloc((size_t)info.heap_bytes[0]);
    return plan;
}

static void test_load_plan(void **state)
{
    (void)state;
    pair made = make_pair(60);
    void *heaps[PSOPACK_LOAD_PLAN_HEAPS_MAX] = {NULL};
    psopack_context *context;
    psopack_diag diag;
    psopack_load_plan *plan = plan_all(made.layer, &heaps[0]);
    psopack_context_create(made.layer, NULL, &context);
    if (psopack_load_plan_execute(plan, context, heaps, NULL, &diag) != PSOPACK_OK)
        fail_msg("execute: %s", diag.text);
    check_plan(made.layer, plan, heaps);
    psopack_load_plan_destroy(&plan);
    psopack_context_destroy(&context);
    free(heaps[0]);
    free_pair(&made);
}

/* The files of a chain, for reads that say whose file they are from. */
typedef struct chain_files {
    const pair *made;
    uint32_t ticket, reads[2];
} chain_files;

static psopack_status read_now(void *user, uint32_t ticket, const psopack_archive *archive,
                               uint64_t offset, void *buffer, size_t size)
{
    chain_files *all = user;
    bool of_base = archive == all->made->base;
    const packed *file = of_base ? &all->made->base_file : &all->made->layer_file;
    assert_true(of_base || archive == all->made->layer);
    assert_true(offset <= file->size && size <= file->size - offset);
    memcpy(buffer, file->bytes + offset, size);
    all->ticket = ticket;
    all->reads[of_base]++;
    return PSOPACK_OK;
}

static psopack_status end_read(void *user, uint32_t *ret_ticket, psopack_status *ret_status)
{
    *ret_ticket = ((chain_files *)user)->ticket;
    *ret_status = PSOPACK_OK;
    return PSOPACK_OK;
}

static void test_async(void **state)
{
    (void)state;
    pair made = make_pair(60);
    chain_files all = {.made = &made};
    void *heaps[PSOPACK_LOAD_PLAN_HEAPS_MAX] = {NULL};
    psopack_load_plan_info info;
    psopack_context *context;
    psopack_load_plan *plan = plan_all(made.layer, &heaps[0]);
    psopack_load_plan_get_info(plan, &info);
    size_t room = (size_t)info.largest_read;
    psopack_async async = {read_now, end_read, &all, 1, malloc(room), room, NULL};
    psopack_context_create(made.layer, NULL, &context);
    assert_int_equal(psopack_load_plan_execute_async(plan, context, heaps, &async, NULL),
                     PSOPACK_OK);
    assert_true(all.reads[0] != 0 && all.reads[1] != 0);
    check_plan(made.layer, plan, heaps);
    psopack_load_plan_destroy(&plan);
    psopack_context_destroy(&context);
    free(heaps[0]);
    free(async.buffer);
    free_pair(&made);
}

static void test_residency(void **state)
{
    (void)state;
    pair made = make_pair(60);
    psopack_residency *residency;
    psopack_context *context;
    psopack_residency_options options = PSOPACK_RESIDENCY_OPTIONS_INIT;
    options.byte_budget = 100000; /* so that some are evicted on the way */
    assert_int_equal(psopack_residency_create(made.layer, &options, &residency, NULL), PSOPACK_OK);
    psopack_context_create(made.layer, NULL, &context);
    for (uint32_t pso = 0; pso < made.info.psos; pso++) {
        assert_int_equal(psopack_residency_acquire(residency, context, pso, NULL), PSOPACK_OK);
        assert_int_equal(psopack_residency_release(residency, pso), PSOPACK_OK);
    }
    psopack_context_destroy(&context);
    psopack_residency_destroy(&residency);
    free_pair(&made);
}

/* ---- base blocks ----------------------------------------------------------------------------- */

static void test_external_bases(void **state)
{
    (void)state;
    set all = set_like_a_game(60);
    packed base_file = pack_set(&all, PSOPACK_PROFILE_BALANCED);
    psopack_archive *base = open_on(&base_file, NULL);
    packed layer_file = pack_external_layer(base, &base_file);
    psopack_archive *layer = open_on(&layer_file, base);
    void *heaps[PSOPACK_LOAD_PLAN_HEAPS_MAX] = {NULL};
    psopack_context *context;
    psopack_info info, base_info;
    psopack_archive_info(base, &base_info);
    psopack_archive_info(layer, &info);
    assert_true(base_info.bases != 0 && base_info.base_memory != 0);
    assert_int_equal(info.base_memory, 0); /* decoded in the base's memory */
    test_archive_holds(layer, &all);
    psopack_load_plan *plan = plan_all(layer, &heaps[0]);
    psopack_context_create(layer, NULL, &context);
    assert_int_equal(psopack_load_plan_execute(plan, context, heaps, NULL, NULL), PSOPACK_OK);
    check_plan(layer, plan, heaps);
    psopack_load_plan_destroy(&plan);
    psopack_context_destroy(&context);
    free(heaps[0]);
    psopack_archive_close(&layer);
    psopack_archive_close(&base);
    free(base_file.bytes);
    free(layer_file.bytes);
    set_free(&all);
}

/* ---- chains ---------------------------------------------------------------------------------- */

static void set_tiny(set *all, uint32_t generation)
{
    char text[40];
    for (uint32_t pso = 0; pso < 4; pso++) {
        char name[8] = {'p', (char)('0' + pso), '\0'};
        uint32_t changed = pso <= generation % 4 && pso != 0 ? generation : 0;
        snprintf(text, sizeof text, "first slot of %u, made by %u", pso, changed);
        set_add(all, name, "a", text, strlen(text));
        set_add(all, name, "b", text + pso, strlen(text) - pso);
    }
}

static void test_chain(void **state)
{
    (void)state;
    set sets[PSOPACK_LAYER_DEPTH_MAX + 2] = {{0}};
    packed files[PSOPACK_LAYER_DEPTH_MAX + 2];
    psopack_archive *chain[PSOPACK_LAYER_DEPTH_MAX + 2];
    psopack_open_options options = PSOPACK_OPEN_OPTIONS_INIT;
    for (uint32_t i = 0; i < PSOPACK_LAYER_DEPTH_MAX + 2; i++) {
        psopack_layer_info layer;
        set_tiny(&sets[i], i);
        files[i] = i == 0 ? pack_set(&sets[i], PSOPACK_PROFILE_BALANCED)
                          : pack_layer(chain[i - 1], &sets[i - 1], &sets[i]);
        if (i > PSOPACK_LAYER_DEPTH_MAX)
            break;
        chain[i] = open_on(&files[i], i ? chain[i - 1] : NULL);
        test_archive_holds(chain[i], &sets[i]);
        assert_int_equal(psopack_archive_layer(chain[i], &layer),
                         i ? PSOPACK_OK : PSOPACK_E_NOT_FOUND);
        if (i)
            assert_int_equal(layer.depth, i);
    }
    options.base = chain[PSOPACK_LAYER_DEPTH_MAX];
    psopack_archive *ninth = NULL;
    assert_int_equal(psopack_archive_open_memory(files[PSOPACK_LAYER_DEPTH_MAX + 1].bytes,
                                                 files[PSOPACK_LAYER_DEPTH_MAX + 1].size, &options,
                                                 &ninth, NULL),
                     PSOPACK_E_CORRUPT);
    for (uint32_t i = PSOPACK_LAYER_DEPTH_MAX + 2; i-- > 0;) {
        if (i <= PSOPACK_LAYER_DEPTH_MAX)
            psopack_archive_close(&chain[i]);
        free(files[i].bytes);
        set_free(&sets[i]);
    }
}

/* ---- what is refused ------------------------------------------------------------------------- */

static psopack_status try_open(const packed *file, const psopack_archive *base, uint32_t flags,
                               psopack_diag *diag)
{
    psopack_open_options options = PSOPACK_OPEN_OPTIONS_INIT;
    psopack_archive *archive = NULL;
    options.base = base;
    options.flags = flags;
    psopack_status status =
        psopack_archive_open_memory(file->bytes, file->size, &options, &archive, diag);
    psopack_archive_close(&archive);
    return status;
}

static void test_wrong_bases(void **state)
{
    (void)state;
    pair made = make_pair(40);
    psopack_diag diag;
    packed repacked_file = pack_set(&made.old, PSOPACK_PROFILE_STORED);
    packed other_file = pack_set(&made.whole, PSOPACK_PROFILE_BALANCED);
    psopack_archive *repacked = open_on(&repacked_file, NULL), *other = open_on(&other_file, NULL);
    char id[33];
    for (int i = 0; i < 16; i++)
        snprintf(id + 2 * i, 3, "%02x", made.base_info.archive_id[i]);
    assert_int_equal(try_open(&made.layer_file, NULL, 0, &diag), PSOPACK_E_BASE_MISSING);
    assert_non_null(strstr(diag.text, id));
    assert_int_equal(try_open(&made.layer_file, repacked, 0, &diag), PSOPACK_E_BASE_REPACKED);
    assert_non_null(strstr(diag.text, "packed differently"));
    assert_int_equal(try_open(&made.layer_file, other, 0, &diag), PSOPACK_E_BASE_WRONG);
    assert_non_null(strstr(diag.text, id));
    assert_int_equal(try_open(&made.base_file, other, 0, &diag), PSOPACK_E_ARGUMENT);
    assert_int_equal(try_open(&made.layer_file, made.base, PSOPACK_OPEN_ALONE, &diag),
                     PSOPACK_E_ARGUMENT);
    assert_int_equal(try_open(&made.base_file, NULL, PSOPACK_OPEN_ALONE, &diag), PSOPACK_OK);
    psopack_archive_close(&repacked);
    psopack_archive_close(&other);
    free(repacked_file.bytes);
    free(other_file.bytes);
    free_pair(&made);
}

static void test_alone(void **state)
{
    (void)state;
    pair made = make_pair(60);
    psopack_open_options options = PSOPACK_OPEN_OPTIONS_INIT;
    psopack_archive *alone;
    psopack_info info;
    psopack_layer_info layer;
    psopack_context *context;
    uint8_t bytes[4096];
    options.flags = PSOPACK_OPEN_ALONE;
    assert_int_equal(psopack_archive_open_memory(made.layer_file.bytes, made.layer_file.size,
                                                 &options, &alone, NULL),
                     PSOPACK_OK);
    psopack_archive_info(alone, &info);
    assert_int_equal(psopack_archive_layer(alone, &layer), PSOPACK_OK);
    assert_int_equal(info.psos, layer.own_psos);
    assert_int_equal(info.components, made.info.components);
    psopack_context_create(alone, NULL, &context);
    uint32_t missing = 0;
    for (uint32_t i = 0; i < info.components; i++) {
        psopack_status status =
            psopack_component_read(alone, context, i, bytes, sizeof bytes, NULL, NULL);
        assert_int_equal(status, i < layer.own_components ? PSOPACK_OK : PSOPACK_E_BASE_MISSING);
        missing += status != PSOPACK_OK;
    }
    assert_int_equal(missing, made.base_info.components);
    assert_int_equal(psopack_archive_verify(alone, 0, NULL, NULL, NULL, NULL),
                     PSOPACK_E_BASE_MISSING);
    assert_int_equal(try_open(&made.layer_file, alone, 0, NULL), PSOPACK_E_BASE_MISSING);
    psopack_context_destroy(&context);
    psopack_archive_close(&alone);
    free_pair(&made);
}

/* Damage in the base is found through the layer, and the message says whose it is. */
static void test_damaged_base(void **state)
{
    (void)state;
    pair made = make_pair(40);
    psopack_diag diag;
    psopack_block_info block;
    char prefix[20];
    assert_int_equal(psopack_block_get(made.base, 0, &block, NULL), PSOPACK_OK);
    made.base_file.bytes[block.offset + block.stored_size / 2] ^= 0x10;
    psopack_archive_close(&made.layer);
    psopack_archive_close(&made.base);
    made.base = open_on(&made.base_file, NULL);
    made.layer = open_on(&made.layer_file, made.base);
    snprintf(prefix, sizeof prefix, "base %02x%02x%02x%02x: ", made.base_info.archive_id[0],
             made.base_info.archive_id[1], made.base_info.archive_id[2],
             made.base_info.archive_id[3]);
    assert_int_equal(psopack_archive_verify(made.layer, 0, NULL, NULL, NULL, &diag),
                     PSOPACK_E_CHECKSUM);
    assert_int_equal(strncmp(diag.text, prefix, strlen(prefix)), 0);
    free_pair(&made);
}

static void test_memory_needed(void **state)
{
    (void)state;
    pair made = make_pair(40);
    char *folder = test_folder_make(), *path = test_path(folder, "layer.psopack");
    psopack_open_options options = PSOPACK_OPEN_OPTIONS_INIT;
    psopack_memory memory;
    psopack_archive *layer;
    psopack_info info;
    test_write_file(path, made.layer_file.bytes, made.layer_file.size);
    options.base = made.base;
    for (int pass = 0; pass < 2; pass++) {
        options.flags = pass ? PSOPACK_OPEN_NO_MAP : 0;
        assert_int_equal(psopack_archive_memory_needed(path, &options, &memory, NULL), PSOPACK_OK);
        assert_int_equal(psopack_archive_open(path, &options, &layer, NULL), PSOPACK_OK);
        psopack_archive_info(layer, &info);
        assert_true(memory.archive >= info.archive_memory &&
                    memory.archive < info.archive_memory + 64);
        assert_int_equal(memory.context, info.context_memory);
        test_archive_holds(layer, &made.whole);
        psopack_archive_close(&layer);
    }
    free(path);
    test_folder_remove(folder);
    free_pair(&made);
}

/* ---- forged ---------------------------------------------------------------------------------- */

/* Asks for all there is; answers may be anything. */
static void read_blindly(const psopack_archive *archive)
{
    psopack_info info;
    psopack_context *context;
    psopack_load_plan_options options = PSOPACK_LOAD_PLAN_OPTIONS_INIT;
    psopack_load_plan *plan = NULL;
    uint32_t components[PSOPACK_SLOTS_MAX], found;
    uint8_t bytes[4096];
    psopack_archive_info(archive, &info);
    assert_int_equal(psopack_context_create(archive, NULL, &context), PSOPACK_OK);
    for (uint32_t pso = 0; pso < info.psos && pso < 100; pso++) {
        char name[200];
        size_t size;
        psopack_pso_components(archive, pso, components, NULL);
        if (psopack_pso_name(archive, context, pso, name, sizeof name, &size, NULL) == PSOPACK_OK &&
            psopack_pso_find(archive, context, name, size, &found, NULL) == PSOPACK_OK)
            assert_true(found < info.psos);
    }
    for (uint32_t i = 0; i < info.components && i < 400; i++)
        psopack_component_read(archive, context, i, bytes, sizeof bytes, NULL, NULL);
    options.all_psos = 1;
    psopack_load_plan_create(archive, &options, &plan, NULL);
    psopack_load_plan_destroy(&plan);
    psopack_archive_verify(archive, 0, NULL, NULL, NULL, NULL);
    psopack_context_destroy(&context);
}

static uint32_t next_random(uint32_t *random)
{
    *random = *random * 1664525u + 1013904223u;
    return *random >> 8;
}

/* Changes a few bytes of one section, seals, and reads what still opens on the base. */
static uint32_t try_forged(const packed *layer, const psopack_archive *base, uint32_t id,
                           uint32_t rounds)
{
    uint32_t opened = 0, random = id;
    for (uint32_t round = 0; round < rounds; round++) {
        packed copy = {malloc(layer->size), layer->size};
        psopack_open_options options = PSOPACK_OPEN_OPTIONS_INIT;
        psopack_archive *archive = NULL;
        size_t size;
        memcpy(copy.bytes, layer->bytes, layer->size);
        uint8_t *section = forge_section(copy.bytes, copy.size, id, &size);
        for (uint32_t changes = 1 + round % 3; changes != 0; changes--)
            section[next_random(&random) % size] = (uint8_t)next_random(&random);
        forge_seal(copy.bytes, copy.size);
        options.base = base;
        if (psopack_archive_open_memory(copy.bytes, copy.size, &options, &archive, NULL) ==
            PSOPACK_OK) {
            read_blindly(archive);
            opened++;
        }
        psopack_archive_close(&archive);
        free(copy.bytes);
    }
    return opened;
}

static void test_forged(void **state)
{
    static const uint32_t ids[] = {PSOPACK_SECTION_LAYR, PSOPACK_SECTION_LPSO,
                                   PSOPACK_SECTION_REFS, PSOPACK_SECTION_BASE,
                                   PSOPACK_SECTION_BLCK, PSOPACK_SECTION_SLOT};
    (void)state;
    pair made = make_pair(20);
    packed external = pack_external_layer(made.base, &made.base_file);
    uint32_t opened = 0;
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++) {
        opened += try_forged(&made.layer_file, made.base, ids[i], 60);
        opened += try_forged(&external, made.base, ids[i], 60);
    }
    assert_true(opened > 100); /* most changes must get past open to be worth anything */
    free(external.bytes);
    free_pair(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reads_as_one),   cmocka_unit_test(test_psos),
        cmocka_unit_test(test_components),     cmocka_unit_test(test_load_plan),
        cmocka_unit_test(test_async),          cmocka_unit_test(test_residency),
        cmocka_unit_test(test_external_bases), cmocka_unit_test(test_chain),
        cmocka_unit_test(test_wrong_bases),    cmocka_unit_test(test_alone),
        cmocka_unit_test(test_damaged_base),   cmocka_unit_test(test_memory_needed),
        cmocka_unit_test(test_forged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
