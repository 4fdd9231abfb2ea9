/* SPDX-License-Identifier: MIT */
/* By number of threads: load plans, residency of what is in memory, and of what does not fit. */
#define _POSIX_C_SOURCE 200809L
#include <psopack/load_plan.h>
#include <psopack/residency.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench_common.h"
#include "bench_loader.h"

enum { THREADS_MAX = 8, HEAP_ALIGNMENT = 4096 };

/* ---- threads -------------------------------------------------------------------------------- */

typedef void work_fn(void *user, uint32_t thread, psopack_context *context);

typedef struct crew {
    work_fn *work;
    void *user;
    pthread_barrier_t start;
    atomic_uint next;
    psopack_context *contexts[THREADS_MAX];
    uint64_t begins[THREADS_MAX];
    uint64_t ends[THREADS_MAX];
} crew;

static void *run_member(void *argument)
{
    crew *self = argument;
    uint32_t thread = atomic_fetch_add(&self->next, 1);
    pthread_barrier_wait(&self->start);
    self->begins[thread] = bench_now();
    self->work(self->user, thread, self->contexts[thread]);
    self->ends[thread] = bench_now();
    return NULL;
}

/* From when the first begins, all being there, until the last is done. */
static double run_crew(const psopack_archive *archive, uint32_t threads, work_fn *work, void *user)
{
    crew self = {.work = work, .user = user};
    pthread_t handles[THREADS_MAX];
    uint64_t begin = UINT64_MAX, end = 0;
    bench_require(pthread_barrier_init(&self.start, NULL, threads) == 0, "a barrier");
    for (uint32_t i = 0; i < threads; i++) {
        psopack_status status = psopack_context_create(archive, NULL, &self.contexts[i]);
        bench_require(status == PSOPACK_OK, "a context");
        bench_require(pthread_create(&handles[i], NULL, run_member, &self) == 0, "a thread");
    }
    for (uint32_t i = 0; i < threads; i++)
        pthread_join(handles[i], NULL);
    for (uint32_t i = 0; i < threads; i++) {
        begin = self.begins[i] < begin ? self.begins[i] : begin;
        end = self.ends[i] > end ? self.ends[i] : end;
        psopack_context_destroy(&self.contexts[i]);
    }
    pthread_barrier_destroy(&self.start);
    return (double)(end - begin);
}

/* ---- load plans ----------------------------------------------------------------------------- */

typedef struct plan_run {
    psopack_archive *archive; /* opened for this run: its bases are not decoded yet */
    psopack_load_plan *plan;
    psopack_load_plan_info info;
    void *heaps[PSOPACK_LOAD_PLAN_HEAPS_MAX];
    double create_ns;
} plan_run;

static void make_plan(const bench_loader *bench, plan_run *run)
{
    psopack_load_plan_options options = PSOPACK_LOAD_PLAN_OPTIONS_INIT;
    psopack_diag diag;
    options.all_psos = 1;
    bench_check(psopack_archive_open(bench->path, NULL, &run->archive, &diag), &diag);
    uint64_t begin = bench_now();
    bench_check(psopack_load_plan_create(run->archive, &options, &run->plan, &diag), &diag);
    run->create_ns = (double)(bench_now() - begin);
    psopack_load_plan_get_info(run->plan, &run->info);
}

static void free_plan(plan_run *run)
{
    psopack_load_plan_destroy(&run->plan);
    psopack_archive_close(&run->archive);
}

static void execute(void *user, uint32_t thread, psopack_context *context)
{
    plan_run *run = user;
    psopack_diag diag;
    (void)thread;
    bench_check(psopack_load_plan_execute(run->plan, context, run->heaps, NULL, &diag), &diag);
}

/* Memory for the one heap, touched. */
static void *allocate_heap(const bench_loader *bench)
{
    plan_run run = {0};
    void *memory = NULL;
    make_plan(bench, &run);
    size_t size = (size_t)run.info.heap_bytes[0] + 1;
    bench_require(run.info.heap_alignment[0] <= HEAP_ALIGNMENT, "the heap's alignment");
    bench_require(posix_memalign(&memory, HEAP_ALIGNMENT, size) == 0, "an allocation");
    for (size_t i = 0; i < size; i += HEAP_ALIGNMENT)
        ((volatile char *)memory)[i] = 1;
    free_plan(&run);
    return memory;
}

static void count_plan_allocations(bench_loader *bench, void *heap)
{
    plan_run run = {.heaps = {heap}};
    psopack_context *context;
    make_plan(bench, &run);
    bench_require(psopack_context_create(run.archive, NULL, &context) == PSOPACK_OK, "a context");
    bench_heap_begin();
    execute(&run, 0, context);
    bench_heap_end(bench, "load_all");
    bench_number("load_all_bytes", (double)run.info.component_bytes);
    psopack_context_destroy(&context);
    free_plan(&run);
}

void bench_loader_plan(bench_loader *bench)
{
    void *heap = allocate_heap(bench);
    double best[2] = {1e18, 1e18}, create = 1e18;
    count_plan_allocations(bench, heap);
    for (int round = 0; round < (bench->quick ? 1 : 7); round++) {
        for (uint32_t threads = 1; threads <= 2; threads++) { /* in turn: noise meets both */
            plan_run run = {.heaps = {heap}};
            make_plan(bench, &run);
            double took = run_crew(run.archive, threads, execute, &run);
            best[threads - 1] = took < best[threads - 1] ? took : best[threads - 1];
            create = run.create_ns < create ? run.create_ns : create;
            free_plan(&run);
        }
    }
    bench_number("plan_create_ns", create);
    bench_number("load_all_1_thread_ns", best[0]);
    bench_number("load_all_2_threads_ns", best[1]);
    bench_number("load_all_2_threads_gain", best[0] / best[1]);
    free(heap);
}

/* ---- residency ------------------------------------------------------------------------------ */

enum { HELD_MAX = 4096 };

typedef struct churn {
    psopack_residency *residency;
    uint32_t psos; /* the first so many of the archive */
    uint32_t rounds;
} churn;

/* Takes and gives back PSOs at random. */
static void churn_work(void *user, uint32_t thread, psopack_context *context)
{
    const churn *self = user;
    uint64_t state = thread + 1;
    for (uint32_t i = 0; i < self->rounds; i++) {
        uint32_t pso = bench_random(&state, self->psos);
        psopack_diag diag;
        bench_check(psopack_residency_acquire(self->residency, context, pso, &diag), &diag);
        psopack_residency_release(self->residency, pso);
    }
}

/* Pairs of acquire and release a second, all threads together. */
static double churn_rate(const bench_loader *bench, churn *self, uint32_t threads, uint32_t pairs)
{
    self->rounds = pairs / threads;
    double took = run_crew(bench->archive, threads, churn_work, self);
    return (double)self->rounds * threads * 1e9 / took;
}

static void measure_churn(const bench_loader *bench, churn *self, uint32_t pairs, const char *name)
{
    static const uint32_t threads[3] = {1, 2, 8};
    double best[3] = {0};
    char text[64];
    for (int round = 0; round < (bench->quick ? 1 : 5); round++) {
        for (int i = 0; i < 3; i++) {
            double rate = churn_rate(bench, self, threads[i], pairs);
            best[i] = rate > best[i] ? rate : best[i];
        }
    }
    for (int i = 0; i < 3; i++) {
        snprintf(text, sizeof text, "%s_per_second_%u", name, threads[i]);
        bench_number(text, best[i]);
    }
    snprintf(text, sizeof text, "%s_8_over_2", name);
    bench_number(text, best[2] / best[1]);
}

static void make_residency(const bench_loader *bench, uint64_t byte_budget, churn *ret_churn)
{
    psopack_residency_options options = PSOPACK_RESIDENCY_OPTIONS_INIT;
    psopack_diag diag;
    options.byte_budget = byte_budget;
    ret_churn->psos = bench->info.psos < HELD_MAX ? bench->info.psos : HELD_MAX;
    bench_check(psopack_residency_create(bench->archive, &options, &ret_churn->residency, &diag),
                &diag);
}

/* Everything stays: what an acquire costs that loads nothing. Answers the bytes it takes. */
static uint64_t measure_resident(bench_loader *bench)
{
    churn self = {0};
    psopack_residency_stats stats;
    psopack_diag diag;
    make_residency(bench, 0, &self);
    for (uint32_t pso = 0; pso < self.psos; pso++)
        bench_check(psopack_residency_acquire(self.residency, bench->context, pso, &diag), &diag);
    self.rounds = self.psos;
    bench_heap_begin();
    churn_work(&self, 0, bench->context);
    bench_heap_end(bench, "acquire");
    measure_churn(bench, &self, bench->quick ? 10000 : 4000000, "acquire");
    psopack_residency_get_stats(self.residency, &stats);
    psopack_residency_destroy(&self.residency);
    return stats.bytes;
}

void bench_loader_residency(bench_loader *bench)
{
    churn self = {0};
    psopack_residency_stats stats;
    uint64_t bytes = measure_resident(bench);
    make_residency(bench, bytes - bytes / 4, &self); /* a quarter does not fit */
    measure_churn(bench, &self, bench->quick ? 1000 : 40000, "acquire_tight");
    psopack_residency_get_stats(self.residency, &stats);
    bench_number("acquire_tight_loads", (double)stats.pso_loads);
    bench_number("acquire_tight_lock_waits", (double)stats.lock_waits);
    psopack_residency_destroy(&self.residency);
}
