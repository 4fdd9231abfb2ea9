/* SPDX-License-Identifier: MIT */
/*
 * Eight threads that open, read, plan, execute, acquire, evict and close, all on one file and one
 * residency with a small budget; every part that comes out is compared with what went in.
 *
 *     test_loader_stress [SECONDS]        2 by default; minutes by hand, under the thread sanitizer
 */
#define _GNU_SOURCE
#include "loader_fixture.h"

#include <psopack/load_plan.h>
#include <psopack/residency.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define THREADS 8

static int seconds = 2;

typedef struct arena {
    fixture made;
    psopack_archive *archive;
    psopack_residency *residency;
    struct timespec end;
    atomic_uint_fast64_t failed, compared, opened, full;
} arena;

typedef struct worker {
    arena *shared;
    psopack_context *context;
    uint32_t random;
} worker;

static uint32_t draw(worker *self, uint32_t below)
{
    self->random = self->random * 1664525u + 1013904223u;
    return (self->random >> 8) % below;
}

static bool time_is_up(const arena *shared)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec > shared->end.tv_sec ||
           (now.tv_sec == shared->end.tv_sec && now.tv_nsec >= shared->end.tv_nsec);
}

static void expect(worker *self, psopack_status status)
{
    atomic_fetch_add(&self->shared->failed, status != PSOPACK_OK);
}

static void compare(worker *self, uint32_t pso, const psopack_part *parts)
{
    for (uint32_t slot = 0; slot < FIXTURE_SLOTS; slot++) {
        fixture_part wanted = fixture_get(&self->shared->made, pso, slot);
        bool present = parts[slot].component != PSOPACK_ABSENT;
        bool same =
            present == wanted.present &&
            (!present ||
             (parts[slot].size == wanted.size &&
              (wanted.size == 0 || memcmp(parts[slot].bytes, wanted.bytes, wanted.size) == 0)));
        atomic_fetch_add(&self->shared->failed, !same);
        free(wanted.bytes);
    }
    atomic_fetch_add(&self->shared->compared, 1);
}

/* A budget that is taken up by what others hold is an answer, not a failure. */
static void hold_and_give_back(worker *self)
{
    psopack_residency *residency = self->shared->residency;
    psopack_part parts[FIXTURE_SLOTS];
    uint32_t pso = draw(self, self->shared->made.psos);
    psopack_status status = psopack_residency_acquire(residency, self->context, pso, NULL);
    if (status == PSOPACK_E_FULL) {
        atomic_fetch_add(&self->shared->full, 1);
        return;
    }
    expect(self, status);
    expect(self, psopack_residency_parts(residency, pso, parts, NULL));
    compare(self, pso, parts);
    expect(self, psopack_residency_release(residency, pso));
    if (draw(self, 16) == 0)
        psopack_residency_trim(residency, 0);
    psopack_residency_tick(residency);
}

static void plan_and_load(worker *self, const psopack_archive *archive, psopack_context *context)
{
    uint32_t psos[4];
    psopack_load_plan_options options = PSOPACK_LOAD_PLAN_OPTIONS_INIT;
    psopack_load_plan *plan = NULL;
    psopack_load_plan_info info;
    psopack_part parts[FIXTURE_SLOTS];
    for (uint32_t i = 0; i < 4; i++)
        psos[i] = draw(self, self->shared->made.psos);
    options.psos = psos;
    options.pso_count = 4;
    psopack_status status = psopack_load_plan_create(archive, &options, &plan, NULL);
    expect(self, status);
    if (status != PSOPACK_OK)
        return;
    psopack_load_plan_get_info(plan, &info);
    void *heap = aligned_alloc(64, (info.heap_bytes[0] / 64 + 1) * 64);
    expect(self,
           heap ? psopack_load_plan_execute(plan, context, &heap, NULL, NULL) : PSOPACK_E_NOMEM);
    for (uint32_t i = 0; i < 4; i++) {
        expect(self, psopack_load_plan_parts(plan, psos[i], &heap, parts, NULL));
        compare(self, psos[i], parts);
    }
    free(heap);
    psopack_load_plan_destroy(&plan);
}

static void open_and_close(worker *self)
{
    psopack_open_options options = PSOPACK_OPEN_OPTIONS_INIT;
    psopack_archive *archive = NULL;
    psopack_context *context = NULL;
    options.flags = draw(self, 2) ? PSOPACK_OPEN_NO_MAP : 0;
    psopack_status status = psopack_archive_open(self->shared->made.path, &options, &archive, NULL);
    if (status == PSOPACK_OK)
        status = psopack_context_create(archive, NULL, &context);
    expect(self, status);
    if (status == PSOPACK_OK)
        plan_and_load(self, archive, context);
    psopack_context_destroy(&context);
    psopack_archive_close(&archive);
    atomic_fetch_add(&self->shared->opened, 1);
}

static void *work(void *argument)
{
    worker *self = argument;
    expect(self, psopack_context_create(self->shared->archive, NULL, &self->context));
    while (!time_is_up(self->shared)) {
        switch (draw(self, 8)) {
        case 0:
            open_and_close(self);
            break;
        case 1:
        case 2:
            plan_and_load(self, self->shared->archive, self->context);
            break;
        default:
            hold_and_give_back(self);
        }
    }
    psopack_context_destroy(&self->context);
    return NULL;
}

static void test_stress(void **state)
{
    static arena shared;
    psopack_residency_options options = PSOPACK_RESIDENCY_OPTIONS_INIT;
    pthread_t threads[THREADS];
    worker workers[THREADS];
    (void)state;
    shared.made = (fixture){.profile = PSOPACK_PROFILE_BALANCED, .psos = 300, .code_size = 1500};
    fixture_make(&shared.made);
    options.byte_budget = 64 << 10; /* some PSOs: every thread evicts what others used */
    assert_int_equal(psopack_archive_open(shared.made.path, NULL, &shared.archive, NULL),
                     PSOPACK_OK);
    assert_int_equal(psopack_residency_create(shared.archive, &options, &shared.residency, NULL),
                     PSOPACK_OK);
    clock_gettime(CLOCK_MONOTONIC, &shared.end);
    shared.end.tv_sec += seconds;
    for (uint32_t i = 0; i < THREADS; i++) {
        workers[i] = (worker){.shared = &shared, .random = i};
        assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    }
    for (uint32_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    print_message("%llu PSOs compared, %llu opens, %llu times no room\n",
                  (unsigned long long)shared.compared, (unsigned long long)shared.opened,
                  (unsigned long long)shared.full);
    assert_int_equal(shared.failed, 0);
    assert_true(shared.compared != 0 && shared.opened != 0);
    psopack_residency_destroy(&shared.residency);
    psopack_archive_close(&shared.archive);
    fixture_free(&shared.made);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        seconds = atoi(argv[1]);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_stress)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
