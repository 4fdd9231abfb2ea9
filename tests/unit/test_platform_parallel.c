/* SPDX-License-Identifier: MIT */
/* Both parallel loops: every item once, order, bounds, and errors that do not depend on timing. */
#define _GNU_SOURCE 1
#include "test_platform_scratch.h"

#include "format/error.h"
#include "platform/clock.h"
#include "platform/cpu.h"
#include "platform/parallel.h"
#include "platform/thread.h"

#include <sched.h>
#include <signal.h>

#define N_ITEMS 2000
#define WORKERS_MAX 16

typedef struct trial {
    atomic_uint runs[N_ITEMS];
    atomic_bool worker_busy[WORKERS_MAX];
    atomic_uint workers_seen;
    unsigned n_threads;
    pthread_t caller;
    bool fails[N_ITEMS];
    unsigned slow_item; /* fails late, so that higher items fail first */
    atomic_bool cancel;
    unsigned cancel_at;

    unsigned window;
    uint64_t slots[WORKERS_MAX * 4];
    atomic_uint in_flight;
    uint64_t used;
    atomic_bool using;
    unsigned use_fails_at;
    bool broken; /* a promise was not kept; set without a lock, read after the loop */
} trial;

static trial *new_trial(unsigned n_threads)
{
    trial *self = calloc(1, sizeof *self);
    assert_non_null(self);
    self->n_threads = n_threads;
    self->caller = pthread_self();
    self->slow_item = self->cancel_at = self->use_fails_at = UINT32_MAX;
    return self;
}

static psopack_status run_item(void *context, unsigned worker, uint64_t item, psopack_diag *diag)
{
    trial *self = context;
    if (worker >= self->n_threads || atomic_exchange(&self->worker_busy[worker], true))
        self->broken = true;
    if ((worker == 0) != (pthread_equal(pthread_self(), self->caller) != 0))
        self->broken = true;
    atomic_fetch_or(&self->workers_seen, 1u << worker);
    atomic_fetch_add(&self->runs[item], 1);
    if (item == self->slow_item)
        usleep(4000);
    if (item == self->cancel_at)
        atomic_store(&self->cancel, true);
    if (item % 64 == 0)
        sched_yield();
    atomic_store(&self->worker_busy[worker], false);
    if (self->fails[item])
        return psopack_fail(diag, PSOPACK_E_CORRUPT, "item %u", (unsigned)item);
    return PSOPACK_OK;
}

static void every_item_runs_once(void **state)
{
    (void)state;
    for (unsigned n_threads = 1; n_threads <= WORKERS_MAX; n_threads *= 2) {
        trial *self = new_trial(n_threads);
        assert_int_equal(psopack_parallel_for(N_ITEMS, n_threads, run_item, self, NULL, NULL),
                         PSOPACK_OK);
        for (size_t i = 0; i < N_ITEMS; i++)
            assert_int_equal(self->runs[i], 1);
        assert_false(self->broken);
        if (n_threads == 1)
            assert_int_equal(self->workers_seen, 1);
        free(self);
    }
    trial *self = new_trial(4);
    assert_int_equal(psopack_parallel_for(0, 4, run_item, self, NULL, NULL), PSOPACK_OK);
    assert_int_equal(psopack_parallel_for(1, 4, run_item, self, NULL, NULL), PSOPACK_OK);
    assert_int_equal(self->workers_seen, 1); /* one item needs no second thread */
    free(self);
}

static void the_lowest_failure_is_reported(void **state)
{
    (void)state;
    for (unsigned n_threads = 1; n_threads <= 8; n_threads *= 2) {
        for (int round = 0; round < 20; round++) {
            trial *self = new_trial(n_threads);
            psopack_diag diag = {0};
            for (size_t i = 100; i < N_ITEMS; i++)
                self->fails[i] = true;
            self->slow_item = 100;
            assert_int_equal(psopack_parallel_for(N_ITEMS, n_threads, run_item, self, NULL, &diag),
                             PSOPACK_E_CORRUPT);
            assert_string_equal(diag.text, "item 100");
            assert_int_equal(self->runs[N_ITEMS - 1], 0);
            for (size_t i = 0; i <= 100; i++)
                assert_int_equal(self->runs[i], 1);
            free(self);
        }
    }
}

static void cancelling(void **state)
{
    (void)state;
    for (unsigned n_threads = 1; n_threads <= 4; n_threads *= 2) {
        trial *self = new_trial(n_threads);
        psopack_diag diag = {0};
        self->cancel_at = 300;
        assert_int_equal(
            psopack_parallel_for(N_ITEMS, n_threads, run_item, self, &self->cancel, &diag),
            PSOPACK_E_CANCELLED);
        assert_int_equal(diag.code, PSOPACK_E_CANCELLED);
        assert_int_equal(self->runs[N_ITEMS - 1], 0);

        memset(self->runs, 0, sizeof self->runs); /* cancelled from the start: nothing runs */
        assert_int_equal(
            psopack_parallel_for(N_ITEMS, n_threads, run_item, self, &self->cancel, &diag),
            PSOPACK_E_CANCELLED);
        assert_int_equal(self->runs[0], 0);
        free(self);
    }
}

static psopack_status make_item(void *context, unsigned worker, uint64_t item, unsigned slot,
                                psopack_diag *diag)
{
    trial *self = context;
    if (slot >= self->window || atomic_fetch_add(&self->in_flight, 1) >= self->window)
        self->broken = true;
    self->slots[slot] = item * 3; /* plain memory: the thread sanitizer checks the hand-over */
    return run_item(context, worker, item, diag);
}

static psopack_status use_item(void *context, uint64_t item, unsigned slot, psopack_diag *diag)
{
    trial *self = context;
    if (atomic_exchange(&self->using, true) || item != self->used ||
        self->slots[slot] != item * 3 || self->runs[item] != 1)
        self->broken = true;
    self->used++;
    atomic_fetch_sub(&self->in_flight, 1);
    atomic_store(&self->using, false);
    if (item == self->use_fails_at)
        return psopack_fail(diag, PSOPACK_E_NO_SPACE, "used %u", (unsigned)item);
    return PSOPACK_OK;
}

static psopack_status run_ordered(trial *self, unsigned window, psopack_diag *diag)
{
    const psopack_ordered work = {
        .make = make_item, .use = use_item, .context = self, .window = window};
    self->window = window;
    return psopack_ordered_for(N_ITEMS, self->n_threads, &work, &self->cancel, diag);
}

static void items_are_used_in_order(void **state)
{
    (void)state;
    const unsigned windows[] = {1, 2, 3, 8, WORKERS_MAX * 4};
    for (unsigned n_threads = 1; n_threads <= WORKERS_MAX; n_threads *= 2) {
        for (size_t i = 0; i < sizeof windows / sizeof windows[0]; i++) {
            trial *self = new_trial(n_threads);
            self->slow_item = 50; /* the others must wait for the window */
            assert_int_equal(run_ordered(self, windows[i], NULL), PSOPACK_OK);
            assert_int_equal(self->used, N_ITEMS);
            assert_false(self->broken);
            if (n_threads == 1)
                assert_int_equal(self->workers_seen, 1);
            free(self);
        }
    }
}

static void exactly_the_items_before_a_failure_are_used(void **state)
{
    (void)state;
    for (unsigned n_threads = 1; n_threads <= 8; n_threads *= 2) {
        for (int round = 0; round < 20; round++) {
            psopack_diag diag = {0};
            trial *self = new_trial(n_threads);
            self->fails[200] = self->fails[201] = self->fails[205] = true;
            self->slow_item = 200;
            assert_int_equal(run_ordered(self, 16, &diag), PSOPACK_E_CORRUPT);
            assert_string_equal(diag.text, "item 200");
            assert_int_equal(self->used, 200);
            free(self);

            self = new_trial(n_threads);
            self->fails[205] = true;
            self->use_fails_at = 199; /* noted in use, after 205 has failed in make */
            self->slow_item = 150;
            assert_int_equal(run_ordered(self, 64, &diag), PSOPACK_E_NO_SPACE);
            assert_string_equal(diag.text, "used 199");
            assert_int_equal(self->used, 200);
            assert_false(self->broken);
            free(self);
        }
    }
}

static void cancelling_in_order(void **state)
{
    (void)state;
    for (unsigned n_threads = 1; n_threads <= 8; n_threads *= 2) {
        trial *self = new_trial(n_threads);
        self->cancel_at = 300;
        assert_int_equal(run_ordered(self, 8, NULL), PSOPACK_E_CANCELLED);
        assert_true(self->used <= 300);
        assert_int_equal(self->runs[N_ITEMS - 1], 0);
        assert_false(self->broken);
        free(self);
    }
    trial *self = new_trial(2);
    assert_int_equal(run_ordered(self, 0, NULL), PSOPACK_E_ARGUMENT);
    free(self);
}

static psopack_status signal_mask_is_full(void *context, unsigned worker, uint64_t item,
                                          psopack_diag *diag)
{
    sigset_t mask;
    (void)item, (void)diag;
    pthread_sigmask(SIG_SETMASK, NULL, &mask);
    if (worker > 0 && (!sigismember(&mask, SIGINT) || !sigismember(&mask, SIGTERM)))
        atomic_store((atomic_bool *)context, true);
    if (worker == 0 && sigismember(&mask, SIGINT))
        atomic_store((atomic_bool *)context, true);
    usleep(1000);
    return PSOPACK_OK;
}

static void only_the_callers_thread_gets_signals(void **state)
{
    (void)state;
    atomic_bool wrong = false;
    assert_int_equal(psopack_parallel_for(20, 4, signal_mask_is_full, &wrong, NULL, NULL),
                     PSOPACK_OK);
    assert_false(wrong);
}

static void processors(void **state)
{
    (void)state;
    unsigned count = psopack_cpu_count();
    assert_true(count >= 1 && count <= (unsigned)sysconf(_SC_NPROCESSORS_CONF));
    cpu_set_t before, one;
    assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
    CPU_ZERO(&one);
    for (int i = 0; i < CPU_SETSIZE; i++) {
        if (CPU_ISSET(i, &before)) {
            CPU_SET(i, &one);
            break;
        }
    }
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    assert_int_equal(psopack_cpu_count(), 1);
    assert_int_equal(sched_setaffinity(0, sizeof before, &before), 0);
    assert_int_equal(psopack_cpu_count(), count);
}

static unsigned quota(const char *membership)
{
    put_text("membership", membership);
    return psopack_cpu_quota("membership", "mount");
}

static void quotas_of_control_groups(void **state)
{
    (void)state;
    assert_int_equal(psopack_cpu_quota("none", "mount"), 0);
    assert_int_equal(mkdir("mount", 0777) | mkdir("mount/a", 0777) | mkdir("mount/a/b", 0777) |
                         mkdir("mount/cpu,cpuacct", 0777) | mkdir("mount/cpu,cpuacct/d", 0777) |
                         mkdir("mount/cpuset", 0777),
                     0);
    assert_int_equal(quota("0::/a/b\n"), 0); /* no files */
    put_text("mount/a/b/cpu.max", "max 100000\n");
    assert_int_equal(quota("0::/a/b\n"), 0);
    put_text("mount/a/b/cpu.max", "150000 100000\n");
    assert_int_equal(quota("0::/a/b\n"), 2); /* one and a half */
    assert_int_equal(quota("0::/a\n"), 0);
    put_text("mount/a/cpu.max", "100000 100000\n"); /* an ancestor allows less */
    assert_int_equal(quota("0::/a/b\n"), 1);
    put_text("mount/cpu.max", "300000 100000\n"); /* all that a container sees */
    assert_int_equal(quota("0::/"), 3);
    assert_int_equal(quota("0::/not/seen/from/here\n"), 3);
    assert_int_equal(quota("0::/a/b\n"), 1);

    put_text("mount/cpu,cpuacct/d/cpu.cfs_quota_us", "50000\n");
    put_text("mount/cpu,cpuacct/d/cpu.cfs_period_us", "10000\n");
    put_text("mount/cpuset/cpu.cfs_quota_us", "1\n");
    put_text("mount/cpuset/cpu.cfs_period_us", "1\n");
    assert_int_equal(quota("9:cpuset:/\n4:cpu,cpuacct:/d\n1:name=systemd:/\n"), 5);
    put_text("mount/cpu,cpuacct/d/cpu.cfs_quota_us", "-1\n");
    assert_int_equal(quota("4:cpu,cpuacct:/d\n"), 0);
    put_text("mount/a/b/cpu.max", "rubbish");
    put_text("mount/a/cpu.max", "5 0");
    assert_int_equal(quota("0::/a/b\nnonsense\n:\n::"), 3);
}

static void the_clock_goes_forward(void **state)
{
    (void)state;
    uint64_t before = psopack_clock_ns();
    usleep(2000);
    psopack_clock_yield();
    uint64_t after = psopack_clock_ns();
    assert_true(after - before >= 2000000 && after - before < UINT64_C(60000000000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_item_runs_once),
        cmocka_unit_test(the_lowest_failure_is_reported),
        cmocka_unit_test(cancelling),
        cmocka_unit_test(items_are_used_in_order),
        cmocka_unit_test(exactly_the_items_before_a_failure_are_used),
        cmocka_unit_test(cancelling_in_order),
        cmocka_unit_test(only_the_callers_thread_gets_signals),
        cmocka_unit_test(processors),
        SCRATCH_TEST(quotas_of_control_groups),
        cmocka_unit_test(the_clock_goes_forward),
    };
    return cmocka_run_group_tests_name("platform parallel", tests, NULL, NULL);
}
