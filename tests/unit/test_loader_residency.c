/* SPDX-License-Identifier: MIT */
/* Residency: components live as long as a PSO needs them, go in order, and never under a holder. */
#include "loader_fixture.h"

#include <psopack/residency.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static int make_one(void **state)
{
    static fixture made;
    made = (fixture){.profile = PSOPACK_PROFILE_BALANCED, .psos = 300, .code_size = 1500};
    fixture_make(&made);
    *state = &made;
    return 0;
}

static int free_one(void **state)
{
    fixture_free(*state);
    return 0;
}

/* Component memory that is counted, and overwritten when it goes. */
typedef struct heap {
    atomic_size_t bytes;
    atomic_size_t entries;
    size_t fail_at; /* the allocation that answers NULL; 0: none */
    size_t calls;
} heap;

static void *heap_allocate(void *user, uint32_t component, size_t size, size_t alignment)
{
    heap *h = user;
    (void)component;
    assert_true(size != 0);
    if (++h->calls == h->fail_at)
        return NULL;
    if (alignment < 16)
        alignment = 16;
    void *memory = aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
    assert_non_null(memory);
    atomic_fetch_add(&h->bytes, size);
    atomic_fetch_add(&h->entries, 1);
    return memory;
}

static void heap_release(void *user, uint32_t component, void *memory, size_t size)
{
    heap *h = user;
    (void)component;
    memset(memory, 0xdd, size);
    atomic_fetch_sub(&h->bytes, size);
    atomic_fetch_sub(&h->entries, 1);
    free(memory);
}

typedef struct bench {
    const fixture *made;
    heap heap;
    psopack_archive *archive;
    psopack_context *context;
    psopack_residency *residency;
} bench;

static void set_up(bench *b, const fixture *made, uint64_t byte_budget, uint32_t entry_budget)
{
    psopack_residency_options options = PSOPACK_RESIDENCY_OPTIONS_INIT;
    *b = (bench){.made = made};
    assert_int_equal(psopack_archive_open_memory(made->bytes, made->size, NULL, &b->archive, NULL),
                     PSOPACK_OK);
    assert_int_equal(psopack_context_create(b->archive, NULL, &b->context), PSOPACK_OK);
    options.byte_budget = byte_budget;
    options.entry_budget = entry_budget;
    options.allocate = heap_allocate;
    options.release = heap_release;
    options.user = &b->heap;
    assert_int_equal(psopack_residency_create(b->archive, &options, &b->residency, NULL),
                     PSOPACK_OK);
}

static void tear_down(bench *b)
{
    psopack_residency_destroy(&b->residency);
    assert_null(b->residency);
    assert_int_equal(b->heap.bytes, 0);
    assert_int_equal(b->heap.entries, 0);
    psopack_context_destroy(&b->context);
    psopack_archive_close(&b->archive);
}

static void acquire(bench *b, uint32_t pso)
{
    psopack_diag diag;
    if (psopack_residency_acquire(b->residency, b->context, pso, &diag) != PSOPACK_OK)
        fail_msg("acquire %u: %s", pso, diag.text);
}

static void release(bench *b, uint32_t pso)
{
    assert_int_equal(psopack_residency_release(b->residency, pso), PSOPACK_OK);
}

static psopack_residency_stats stats_of(const bench *b)
{
    psopack_residency_stats stats;
    psopack_residency_get_stats(b->residency, &stats);
    return stats;
}

/* Nonzero when a part of the PSO is not as packed. */
static int parts_differ(const fixture *made, const psopack_residency *residency, uint32_t pso)
{
    psopack_part parts[FIXTURE_SLOTS];
    int differ = psopack_residency_parts(residency, pso, parts, NULL) != PSOPACK_OK;
    for (uint32_t slot = 0; slot < FIXTURE_SLOTS && !differ; slot++) {
        fixture_part wanted = fixture_get(made, pso, slot);
        differ = (parts[slot].bytes != NULL) != wanted.present || parts[slot].size != wanted.size ||
                 (wanted.size != 0 && memcmp(parts[slot].bytes, wanted.bytes, wanted.size) != 0);
        free(wanted.bytes);
    }
    return differ;
}

static bool is_in(const bench *b, uint32_t pso)
{
    psopack_part parts[FIXTURE_SLOTS];
    return psopack_residency_parts(b->residency, pso, parts, NULL) == PSOPACK_OK;
}

static void test_acquire(void **state)
{
    const fixture *made = *state;
    bench b;
    psopack_diag diag;
    set_up(&b, made, 0, 0);
    for (uint32_t pso = 0; pso < made->psos; pso++) {
        acquire(&b, pso);
        assert_int_equal(parts_differ(made, b.residency, pso), 0);
    }
    psopack_info info;
    psopack_archive_info(b.archive, &info);
    psopack_residency_stats stats = stats_of(&b);
    assert_int_equal(stats.psos, made->psos);
    assert_int_equal(stats.components, info.live_components);
    assert_int_equal(stats.bytes, info.component_bytes);
    assert_int_equal(stats.component_loads, info.live_components); /* each once */
    assert_int_equal(b.heap.entries, info.live_components);

    for (uint32_t pso = 0; pso < made->psos; pso++)
        release(&b, pso);
    assert_int_equal(stats_of(&b).bytes, info.component_bytes); /* nobody asked for room */
    for (uint32_t pso = 0; pso < made->psos; pso++)
        acquire(&b, pso);
    assert_int_equal(stats_of(&b).component_loads, info.live_components);
    for (uint32_t pso = 0; pso < made->psos; pso += 2)
        release(&b, pso);
    assert_int_equal(psopack_residency_release(b.residency, 0), PSOPACK_E_ARGUMENT);
    assert_int_equal(psopack_residency_release(b.residency, made->psos), PSOPACK_E_NOT_FOUND);
    assert_int_equal(psopack_residency_acquire(b.residency, b.context, made->psos, &diag),
                     PSOPACK_E_NOT_FOUND);

    uint64_t freed = psopack_residency_trim(b.residency, 0);
    assert_int_equal(freed, info.component_bytes - stats_of(&b).bytes);
    assert_true(freed != 0);
    assert_int_equal(stats_of(&b).psos, made->psos / 2);
    for (uint32_t pso = 1; pso < made->psos; pso += 2)
        assert_int_equal(parts_differ(made, b.residency, pso), 0);
    assert_false(is_in(&b, 0));
    tear_down(&b);
}

/* The one released longest ago goes first, whatever the order of loading. */
static void test_order(void **state)
{
    const fixture *made = *state;
    const uint32_t psos[] = {40, 90, 10, 200};
    bench b;
    set_up(&b, made, 0, 0);
    for (int i = 0; i < 4; i++)
        acquire(&b, psos[i]);
    const uint32_t releases[] = {90, 200, 40, 10};
    for (int i = 0; i < 4; i++) {
        release(&b, releases[i]);
        psopack_residency_tick(b.residency);
    }
    acquire(&b, 90); /* used again, so it is not the oldest any more */
    release(&b, 90);
    const uint32_t order[] = {200, 40, 10, 90};
    for (int i = 0; i < 4; i++) {
        uint64_t before = stats_of(&b).bytes;
        psopack_residency_trim(b.residency, before - 1);
        for (int k = 0; k < 4; k++)
            assert_int_equal(is_in(&b, order[k]), k > i);
    }
    assert_int_equal(stats_of(&b).bytes, 0);
    tear_down(&b);
}

static void test_budget(void **state)
{
    const fixture *made = *state;
    for (int by_entries = 0; by_entries < 2; by_entries++) {
        const uint64_t bytes = by_entries ? 0 : 20000;
        const uint32_t entries = by_entries ? 24 : 0;
        bench b;
        psopack_diag diag;
        set_up(&b, made, bytes, entries);
        for (uint32_t pso = 0; pso < made->psos; pso++) {
            acquire(&b, pso);
            assert_int_equal(parts_differ(made, b.residency, pso), 0);
            assert_true(!bytes || b.heap.bytes <= bytes + entries + 64); /* empty ones take 1 */
            assert_true(!entries || b.heap.entries <= entries);
            release(&b, pso);
        }
        assert_true(stats_of(&b).evicted_psos != 0);

        uint32_t held = 0;
        while (psopack_residency_acquire(b.residency, b.context, held, &diag) == PSOPACK_OK)
            held++;
        assert_int_equal(diag.code, PSOPACK_E_FULL);
        assert_true(held > 3 && held < 100);
        for (uint32_t pso = 0; pso < held; pso++)
            assert_int_equal(parts_differ(made, b.residency, pso), 0);
        /* Eviction found them held and took them out of the order; now they are back. */
        release(&b, 1);
        release(&b, 2);
        assert_true(psopack_residency_trim(b.residency, 0) != 0);
        for (uint32_t pso = 0; pso < held; pso++)
            assert_int_equal(is_in(&b, pso), pso != 1 && pso != 2);
        tear_down(&b);
    }
}

static void test_pin(void **state)
{
    const fixture *made = *state;
    bench b;
    set_up(&b, made, 0, 0);
    assert_int_equal(psopack_residency_pin(b.residency, 7), PSOPACK_E_ARGUMENT);
    acquire(&b, 7);
    acquire(&b, 8);
    assert_int_equal(psopack_residency_pin(b.residency, 7), PSOPACK_OK);
    release(&b, 7);
    release(&b, 8);
    psopack_residency_trim(b.residency, 0);
    assert_true(is_in(&b, 7) && !is_in(&b, 8));
    assert_int_equal(parts_differ(made, b.residency, 7), 0);
    assert_int_equal(psopack_residency_unpin(b.residency, 7), PSOPACK_OK);
    assert_true(is_in(&b, 7));
    psopack_residency_trim(b.residency, 0);
    assert_false(is_in(&b, 7));
    assert_int_equal(b.heap.entries, 0);
    tear_down(&b);
}

/* The forecast is what trimming then frees. */
static void test_would_free(void **state)
{
    const fixture *made = *state;
    bench b;
    uint32_t level[60];
    psopack_residency_gain gain, none;
    set_up(&b, made, 0, 0);
    for (uint32_t pso = 0; pso < 100; pso++)
        acquire(&b, pso);
    acquire(&b, 3); /* held twice: giving one back is not enough */
    for (uint32_t i = 0; i < 60; i++)
        level[i] = i;
    assert_int_equal(psopack_residency_would_free(b.residency, level, 0, &none, NULL), PSOPACK_OK);
    assert_int_equal(none.psos + none.components + none.bytes, 0);
    assert_int_equal(psopack_residency_would_free(b.residency, level, 60, &gain, NULL), PSOPACK_OK);
    assert_int_equal(gain.psos, 59);
    assert_true(gain.components > 0);
    for (uint32_t i = 0; i < 60; i++)
        release(&b, level[i]);
    uint32_t before = stats_of(&b).components;
    assert_int_equal(psopack_residency_trim(b.residency, 0), gain.bytes);
    assert_int_equal(before - stats_of(&b).components, gain.components);
    assert_true(is_in(&b, 3));
    level[0] = made->psos;
    assert_int_equal(psopack_residency_would_free(b.residency, level, 1, &gain, NULL),
                     PSOPACK_E_NOT_FOUND);
    tear_down(&b);
}

static void test_many(void **state)
{
    const fixture *made = *state;
    bench b;
    uint32_t psos[80];
    psopack_diag diag;
    set_up(&b, made, 0, 0);
    for (uint32_t i = 0; i < 80; i++)
        psos[i] = (i * 37) % 60; /* some twice */
    assert_int_equal(psopack_residency_acquire_many(b.residency, b.context, psos, 80, &diag),
                     PSOPACK_OK);
    assert_int_equal(stats_of(&b).psos, 60);
    for (uint32_t i = 0; i < 80; i++)
        assert_int_equal(parts_differ(made, b.residency, psos[i]), 0);
    for (uint32_t i = 0; i < 80; i++)
        release(&b, psos[i]);
    assert_int_equal(psopack_residency_release(b.residency, psos[0]), PSOPACK_E_ARGUMENT);
    psopack_residency_trim(b.residency, 0);
    assert_int_equal(b.heap.entries, 0);

    psos[50] = made->psos; /* all or nothing */
    assert_int_equal(psopack_residency_acquire_many(b.residency, b.context, psos, 80, &diag),
                     PSOPACK_E_NOT_FOUND);
    psopack_residency_trim(b.residency, 0);
    assert_int_equal(b.heap.entries, 0);
    tear_down(&b);
}

/* Without callbacks components lie in the archive's allocator, aligned as asked for. */
static void test_default_memory(void **state)
{
    const fixture *made = *state;
    psopack_archive *archive;
    psopack_context *context;
    psopack_residency *residency;
    assert_int_equal(psopack_archive_open_memory(made->bytes, made->size, NULL, &archive, NULL),
                     PSOPACK_OK);
    assert_int_equal(psopack_context_create(archive, NULL, &context), PSOPACK_OK);
    assert_int_equal(psopack_residency_create(archive, NULL, &residency, NULL), PSOPACK_OK);
    for (uint32_t pso = 0; pso < made->psos; pso++) {
        psopack_part parts[FIXTURE_SLOTS];
        assert_int_equal(psopack_residency_acquire(residency, context, pso, NULL), PSOPACK_OK);
        assert_int_equal(parts_differ(made, residency, pso), 0);
        assert_int_equal(psopack_residency_parts(residency, pso, parts, NULL), PSOPACK_OK);
        assert_int_equal((uintptr_t)parts[4].bytes % 256, 0);
        if (pso % 2 == 0)
            psopack_residency_release(residency, pso);
    }
    psopack_residency_trim(residency, 0);
    psopack_residency_destroy(&residency);
    psopack_residency_destroy(&residency);
    psopack_context_destroy(&context);
    psopack_archive_close(&archive);
}

/* A failure at any allocation leaves nothing behind, and the next try works. */
static void test_no_memory(void **state)
{
    const fixture *made = *state;
    for (size_t k = 1; k <= 5; k++) {
        bench b;
        set_up(&b, made, 0, 0);
        b.heap.fail_at = k;
        psopack_status status = psopack_residency_acquire(b.residency, b.context, 6, NULL);
        assert_int_equal(status, PSOPACK_E_NOMEM);
        assert_int_equal(b.heap.entries, 0);
        assert_int_equal(stats_of(&b).failures, 1);
        acquire(&b, 6);
        assert_int_equal(parts_differ(made, b.residency, 6), 0);
        tear_down(&b);
    }
}

static void test_damage(void **state)
{
    const fixture *made = *state;
    fixture damaged = *made;
    psopack_archive *archive;
    psopack_info info;
    psopack_block_info block;
    bench b;
    uint32_t broken = 0, whole = 0;
    damaged.bytes = fixture_copy(made->bytes, made->size);
    assert_int_equal(psopack_archive_open_memory(made->bytes, made->size, NULL, &archive, NULL),
                     PSOPACK_OK);
    psopack_archive_info(archive, &info);
    assert_int_equal(psopack_block_get(archive, info.blocks - 1, &block, NULL), PSOPACK_OK);
    psopack_archive_close(&archive);
    damaged.bytes[block.offset + block.stored_size / 2] ^= 2;
    set_up(&b, &damaged, 0, 0);
    for (uint32_t pso = 0; pso < damaged.psos; pso++) {
        psopack_status status = psopack_residency_acquire(b.residency, b.context, pso, NULL);
        if (status == PSOPACK_OK) {
            assert_int_equal(parts_differ(made, b.residency, pso), 0);
            whole++;
        } else {
            assert_int_equal(psopack_status_exit_code(status), 3);
            broken++;
        }
    }
    assert_true(broken > 0 && whole > 0);
    assert_int_equal(stats_of(&b).failures, broken);
    tear_down(&b);
    free(damaged.bytes);
}

/* ---- threads -------------------------------------------------------------------------------- */

#define THREADS 8
#define STEPS 3000

typedef struct worker {
    bench *bench;
    uint32_t number;
    uint64_t failed;
    uint64_t full;
} worker;

static uint32_t next_random(uint32_t *random)
{
    *random = *random * 1664525u + 1013904223u;
    return *random >> 8;
}

static void *churn(void *argument)
{
    worker *self = argument;
    bench *b = self->bench;
    psopack_context *context;
    uint32_t random = self->number * 7919 + 1;
    psopack_status status = psopack_context_create(b->archive, NULL, &context);
    self->failed += status != PSOPACK_OK;
    for (int i = 0; i < STEPS; i++) {
        uint32_t pso = next_random(&random) % b->made->psos;
        psopack_residency_gain gain;
        status = psopack_residency_acquire(b->residency, context, pso, NULL);
        if (status == PSOPACK_E_FULL) {
            self->full++;
            continue;
        }
        self->failed += status != PSOPACK_OK;
        if (i % 8 == 0)
            self->failed += parts_differ(b->made, b->residency, pso) != 0;
        if (i % 64 == 1 && psopack_residency_pin(b->residency, pso) == PSOPACK_OK)
            psopack_residency_unpin(b->residency, pso);
        if (i % 128 == 2)
            psopack_residency_trim(b->residency, 10000);
        if (i % 256 == 3)
            psopack_residency_would_free(b->residency, &pso, 1, &gain, NULL);
        psopack_residency_tick(b->residency);
        self->failed += psopack_residency_release(b->residency, pso) != PSOPACK_OK;
    }
    psopack_context_destroy(&context);
    return NULL;
}

static void test_threads(void **state)
{
    bench b;
    pthread_t threads[THREADS];
    worker workers[THREADS];
    uint64_t full = 0;
    set_up(&b, *state, 40000, 0);
    for (uint32_t i = 0; i < THREADS; i++) {
        workers[i] = (worker){&b, i, 0, 0};
        assert_int_equal(pthread_create(&threads[i], NULL, churn, &workers[i]), 0);
    }
    for (uint32_t i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(workers[i].failed, 0);
        full += workers[i].full;
    }
    assert_true(full < (uint64_t)THREADS * STEPS / 2);
    psopack_residency_trim(b.residency, 0);
    assert_int_equal(b.heap.entries, 0); /* nobody holds anything */
    assert_int_equal(stats_of(&b).psos, 0);
    tear_down(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_acquire),        cmocka_unit_test(test_order),
        cmocka_unit_test(test_budget),         cmocka_unit_test(test_pin),
        cmocka_unit_test(test_would_free),     cmocka_unit_test(test_many),
        cmocka_unit_test(test_default_memory), cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_damage),         cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, make_one, free_one);
}
