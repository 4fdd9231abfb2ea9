/* SPDX-License-Identifier: MIT */
/* Load plans: each component once, at its place, aligned; by one thread, by many, in slices. */
#define _GNU_SOURCE
#include "loader_fixture.h"

#include <psopack/load_plan.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static const psopack_profile profiles[] = {PSOPACK_PROFILE_BALANCED, PSOPACK_PROFILE_FAST,
                                           PSOPACK_PROFILE_STORED, PSOPACK_PROFILE_DIRECTSTORAGE};
#define PROFILES (sizeof profiles / sizeof profiles[0])
#define CODE_HEAP 1u
#define DATA_HEAP 2u

/* Instructions go to one heap, the rest to another, the root signature nowhere. */
static const uint8_t slot_heaps[FIXTURE_SLOTS] = {CODE_HEAP, DATA_HEAP, PSOPACK_LOAD_PLAN_SKIP,
                                                  DATA_HEAP, CODE_HEAP};

static int make_all(void **state)
{
    static fixture all[PROFILES];
    for (size_t i = 0; i < PROFILES; i++) {
        all[i] = (fixture){
            .profile = profiles[i], .psos = 300, .code_size = 1500, .large_size = 600 * 1024};
        fixture_make(&all[i]);
    }
    *state = all;
    return 0;
}

static int free_all(void **state)
{
    fixture *all = *state;
    for (size_t i = 0; i < PROFILES; i++)
        fixture_free(&all[i]);
    return 0;
}

/* An archive, a context, a plan and its heaps. */
typedef struct bench {
    const fixture *made;
    psopack_archive *archive;
    psopack_context *context;
    psopack_load_plan *plan;
    psopack_load_plan_info info;
    void *heaps[PSOPACK_LOAD_PLAN_HEAPS_MAX];
} bench;

static void set_up(bench *b, const fixture *made, const psopack_load_plan_options *options)
{
    psopack_diag diag;
    *b = (bench){.made = made};
    assert_int_equal(psopack_archive_open_memory(made->bytes, made->size, NULL, &b->archive, &diag),
                     PSOPACK_OK);
    assert_int_equal(psopack_context_create(b->archive, NULL, &b->context), PSOPACK_OK);
    if (psopack_load_plan_create(b->archive, options, &b->plan, &diag) != PSOPACK_OK)
        fail_msg("plan: %s", diag.text);
    psopack_load_plan_get_info(b->plan, &b->info);
    for (uint32_t i = 0; i < PSOPACK_LOAD_PLAN_HEAPS_MAX; i++) {
        size_t size = (size_t)b->info.heap_bytes[i], alignment = b->info.heap_alignment[i];
        /* Exactly sized: a sanitizer sees one byte over. */
        if (size != 0)
            assert_int_equal(posix_memalign(&b->heaps[i], alignment < 8 ? 8 : alignment, size), 0);
    }
}

static void tear_down(bench *b)
{
    for (uint32_t i = 0; i < PSOPACK_LOAD_PLAN_HEAPS_MAX; i++)
        free(b->heaps[i]);
    psopack_load_plan_destroy(&b->plan);
    assert_null(b->plan);
    psopack_context_destroy(&b->context);
    psopack_archive_close(&b->archive);
}

static void check_part(const fixture *made, uint32_t pso, uint32_t slot, const psopack_part *part)
{
    fixture_part wanted = fixture_get(made, pso, slot);
    assert_int_equal(part->bytes != NULL, wanted.present);
    assert_int_equal(part->component != PSOPACK_ABSENT, wanted.present);
    assert_int_equal(part->size, wanted.size);
    if (wanted.size != 0)
        assert_memory_equal(part->bytes, wanted.bytes, wanted.size);
    free(wanted.bytes);
}

static void check_all_parts(const bench *b)
{
    for (uint32_t pso = 0; pso < b->made->psos; pso++) {
        psopack_part parts[FIXTURE_SLOTS];
        psopack_diag diag;
        if (psopack_load_plan_parts(b->plan, pso, b->heaps, parts, &diag) != PSOPACK_OK)
            fail_msg("parts: %s", diag.text);
        for (uint32_t slot = 0; slot < FIXTURE_SLOTS; slot++)
            check_part(b->made, pso, slot, &parts[slot]);
    }
}

static void test_all(void **state)
{
    const fixture *all = *state;
    psopack_load_plan_options options = PSOPACK_LOAD_PLAN_OPTIONS_INIT;
    options.all_psos = 1;
    for (size_t i = 0; i < PROFILES; i++) {
        bench b;
        psopack_info archive;
        psopack_diag diag;
        set_up(&b, &all[i], &options);
        psopack_archive_info(b.archive, &archive);
        assert_int_equal(b.info.items, archive.live_components);
        assert_int_equal(b.info.blocks, archive.blocks);
        assert_int_equal(b.info.read_bytes, archive.data_bytes);
        assert_int_equal(b.info.component_bytes, archive.component_bytes);
        assert_int_equal(psopack_load_plan_jobs_left(b.plan), b.info.jobs);
        assert_int_equal(psopack_load_plan_execute(b.plan, b.context, b.heaps, NULL, &diag),
                         PSOPACK_OK);
        assert_int_equal(psopack_load_plan_jobs_left(b.plan), 0);
        check_all_parts(&b);
        tear_down(&b);
    }
}

static void test_heaps(void **state)
{
    const fixture *all = *state;
    psopack_load_plan_options options = PSOPACK_LOAD_PLAN_OPTIONS_INIT;
    options.all_psos = 1;
    options.slot_heaps = slot_heaps;
    options.alignment = 16;
    for (size_t i = 0; i < PROFILES; i++) {
        bench b;
        uint64_t end[PSOPACK_LOAD_PLAN_HEAPS_MAX] = {0};
        psopack_part parts[FIXTURE_SLOTS];
        set_up(&b, &all[i], &options);
        assert_int_equal(b.info.heap_bytes[0], 0);
        assert_int_equal(b.info.heap_alignment[CODE_HEAP], 256); /* asked for when packing */
        assert_int_equal(b.info.heap_alignment[DATA_HEAP], 16);
        assert_int_equal(psopack_load_plan_execute(b.plan, b.context, b.heaps, NULL, NULL),
                         PSOPACK_OK);
        for (uint32_t k = 0; k < b.info.items; k++) {
            psopack_load_plan_item item, found;
            assert_int_equal(psopack_load_plan_get_item(b.plan, k, &item), PSOPACK_OK);
            assert_int_equal(psopack_load_plan_find(b.plan, item.component, item.heap, &found),
                             PSOPACK_OK);
            assert_int_equal(found.offset, item.offset);
            assert_int_equal(item.offset % 16, 0);
            assert_true(item.offset >= end[item.heap] && item.is_loaded);
            end[item.heap] = item.offset + item.size;
        }
        assert_int_equal(end[CODE_HEAP], b.info.heap_bytes[CODE_HEAP]);
        assert_int_equal(end[DATA_HEAP], b.info.heap_bytes[DATA_HEAP]);
        /* The root signature was skipped, so no PSO is whole. */
        assert_int_equal(psopack_load_plan_parts(b.plan, 0, b.heaps, parts, NULL),
                         PSOPACK_E_NOT_FOUND);
        tear_down(&b);
    }
}

/* A component that two heaps want is in both, and read once. */
static void test_shared_between_heaps(void **state)
{
    const fixture *all = *state;
    static const uint8_t one_each[FIXTURE_SLOTS] = {0, 1, 2, 3, 4};
    psopack_load_plan_options options = PSOPACK_LOAD_PLAN_OPTIONS_INIT;
    options.all_psos = 1;
    options.slot_heaps = one_each;
    for (size_t i = 0; i < PROFILES; i++) {
        bench b;
        set_up(&b, &all[i], &options);
        assert_int_equal(psopack_load_plan_execute(b.plan, b.context, b.heaps, NULL, NULL),
                         PSOPACK_OK);
        check_all_parts(&b);
        tear_down(&b);
    }
}

static int is_even(void *user, uint32_t component)
{
    (void)user;
    return component % 2 == 0;
}

static void test_subset(void **state)
{
    const fixture *made = *state;
    const uint32_t psos[] = {17, 3, 17, 240};
    psopack_load_plan_options options = PSOPACK_LOAD_PLAN_OPTIONS_INIT;
    bench b;
    psopack_part parts[FIXTURE_SLOTS];
    options.psos = psos;
    options.pso_count = 4;
    set_up(&b, made, &options);
    assert_true(b.info.items > FIXTURE_SLOTS && b.info.items <= 3 * FIXTURE_SLOTS);
    assert_int_equal(psopack_load_plan_execute(b.plan, b.context, b.heaps, NULL, NULL), PSOPACK_OK);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(psopack_load_plan_parts(b.plan, psos[i], b.heaps, parts, NULL),
                         PSOPACK_OK);
        for (uint32_t slot = 0; slot < FIXTURE_SLOTS; slot++)
            check_part(made, psos[i], slot, &parts[slot]);
    }
    assert_int_equal(psopack_load_plan_parts(b.plan, 4, b.heaps, parts, NULL), PSOPACK_E_NOT_FOUND);
    uint32_t items = b.info.items;
    tear_down(&b);

    options.is_resident = is_even;
    set_up(&b, made, &options);
    assert_int_equal(b.info.items + b.info.left_out, items);
    assert_true(b.info.left_out > 0);
    for (uint32_t i = 0; i < b.info.items; i++) {
        psopack_load_plan_item item;
        assert_int_equal(psopack_load_plan_get_item(b.plan, i, &item), PSOPACK_OK);
        assert_int_equal(item.component % 2, 1);
    }
    tear_down(&b);

    options.is_resident = NULL;
    options.pso_count = 0;
    set_up(&b, made, &options);
    assert_int_equal(b.info.items + b.info.jobs, 0);
    assert_int_equal(psopack_load_plan_execute(b.plan, b.context, b.heaps, NULL, NULL), PSOPACK_OK);
    tear_down(&b);
}

static int stop_each_time(void *user, uint64_t done, uint64_t total)
{
    uint64_t *last = user;
    assert_true(done >= *last && done <= total);
    *last = done;
    return 1;
}

static void test_slices(void **state)
{
    const fixture *made = *state;
    psopack_load_plan_options options = PSOPACK_LOAD_PLAN_OPTIONS_INIT;
    bench b;
    uint64_t done = 0;
    uint32_t slices = 0;
    options.all_psos = 1;
    set_up(&b, made, &options);
    while (psopack_load_plan_jobs_left(b.plan) != 0) {
        psopack_load_plan_run run = {20000, NULL, NULL};
        if (slices++ % 2 == 0)
            run = (psopack_load_plan_run){0, stop_each_time, &done};
        psopack_status status = psopack_load_plan_execute(b.plan, b.context, b.heaps, &run, NULL);
        assert_int_equal(status, run.progress ? PSOPACK_E_CANCELLED : PSOPACK_OK);
    }
    assert_true(slices > 4);
    check_all_parts(&b);
    tear_down(&b);
}

typedef struct worker {
    bench *bench;
    psopack_status status;
} worker;

static void *work(void *argument)
{
    worker *self = argument;
    psopack_context *context;
    self->status = psopack_context_create(self->bench->archive, NULL, &context);
    if (self->status == PSOPACK_OK)
        self->status =
            psopack_load_plan_execute(self->bench->plan, context, self->bench->heaps, NULL, NULL);
    psopack_context_destroy(&context);
    return NULL;
}

static void test_threads(void **state)
{
    const fixture *all = *state;
    psopack_load_plan_options options = PSOPACK_LOAD_PLAN_OPTIONS_INIT;
    options.all_psos = 1;
    for (int round = 0; round < 12; round++) {
        bench b;
        pthread_t threads[8];
        worker workers[8];
        set_up(&b, &all[(size_t)round % PROFILES], &options);
        for (int i = 0; i < 8; i++) {
            workers[i] = (worker){&b, PSOPACK_OK};
            assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
        }
        for (int i = 0; i < 8; i++) {
            pthread_join(threads[i], NULL);
            assert_int_equal(workers[i].status, PSOPACK_OK);
        }
        assert_int_equal(psopack_load_plan_jobs_left(b.plan), 0);
        check_all_parts(&b);
        tear_down(&b);
    }
}

/* Jobs in any order, as a job system would run them. */
static void test_jobs_backwards(void **state)
{
    const fixture *made = *state;
    psopack_load_plan_options options = PSOPACK_LOAD_PLAN_OPTIONS_INIT;
    bench b;
    options.all_psos = 1;
    set_up(&b, made, &options);
    for (uint32_t job = b.info.jobs; job-- != 0;)
        assert_int_equal(psopack_load_plan_execute_job(b.plan, b.context, job, b.heaps, NULL),
                         PSOPACK_OK);
    assert_int_equal(psopack_load_plan_execute_job(b.plan, b.context, b.info.jobs, b.heaps, NULL),
                     PSOPACK_E_ARGUMENT);
    check_all_parts(&b);
    tear_down(&b);
}

/* Damage costs the PSOs that use it, no others, and gives no wrong byte. */
static void test_damage(void **state)
{
    const fixture *all = *state;
    psopack_load_plan_options options = PSOPACK_LOAD_PLAN_OPTIONS_INIT;
    options.all_psos = 1;
    for (size_t i = 0; i < PROFILES; i++) {
        fixture damaged = all[i];
        uint32_t whole = 0, broken = 0;
        psopack_diag diag = {0};
        bench b;
        damaged.bytes = fixture_copy(all[i].bytes, all[i].size);
        set_up(&b, &damaged, &options);
        psopack_block_info block;
        psopack_info info;
        psopack_archive_info(b.archive, &info);
        assert_int_equal(psopack_block_get(b.archive, info.blocks - 1, &block, NULL), PSOPACK_OK);
        damaged.bytes[block.offset + block.stored_size / 2] ^= 0x10;
        psopack_status status = psopack_load_plan_execute(b.plan, b.context, b.heaps, NULL, &diag);
        assert_int_equal(psopack_status_exit_code(status), 3);
        assert_int_equal(diag.code, status);
        assert_int_equal(psopack_load_plan_jobs_left(b.plan), 0);
        for (uint32_t pso = 0; pso < damaged.psos; pso++) {
            psopack_part parts[FIXTURE_SLOTS];
            if (psopack_load_plan_parts(b.plan, pso, b.heaps, parts, NULL) != PSOPACK_OK) {
                broken++;
                continue;
            }
            for (uint32_t slot = 0; slot < FIXTURE_SLOTS; slot++)
                check_part(&damaged, pso, slot, &parts[slot]);
            whole++;
        }
        assert_true(whole > 0 && broken > 0);
        tear_down(&b);
        free(damaged.bytes);
    }
}

/* ---- reads of the caller's ------------------------------------------------------------------ */

/* A slow disk: reads end in an order of its own. */
typedef struct disk {
    const fixture *made;
    uint64_t sync_reads;
    struct {
        uint64_t offset;
        uint8_t *buffer;
        size_t size;
        bool busy;
    } reads[64];
    uint32_t in_flight, most;
    uint32_t turn;
    uint32_t fail_each; /* every so many reads one fails; 0: none */
    uint32_t submitted;
} disk;

static psopack_status disk_read(void *user, uint64_t offset, void *buffer, size_t size)
{
    disk *d = user;
    d->sync_reads++;
    memcpy(buffer, d->made->bytes + offset, size);
    return PSOPACK_OK;
}

static psopack_status disk_submit(void *user, uint32_t ticket, const psopack_archive *archive,
                                  uint64_t offset, void *buffer, size_t size)
{
    disk *d = user;
    assert_non_null(archive);
    assert_true(ticket < 64 && !d->reads[ticket].busy);
    assert_true(offset <= d->made->size && size <= d->made->size - offset);
    if (++d->submitted % 16 == 0 && d->fail_each != 0)
        return PSOPACK_E_UNAVAILABLE;
    d->reads[ticket].offset = offset;
    d->reads[ticket].buffer = buffer;
    d->reads[ticket].size = size;
    d->reads[ticket].busy = true;
    if (++d->in_flight > d->most)
        d->most = d->in_flight;
    return PSOPACK_OK;
}

static psopack_status disk_complete(void *user, uint32_t *ret_ticket, psopack_status *ret_status)
{
    disk *d = user;
    assert_true(d->in_flight != 0);
    uint32_t ticket = (d->turn * 7 + 3) % 64;
    while (!d->reads[ticket].busy)
        ticket = (ticket + 1) % 64;
    d->turn++;
    d->in_flight--;
    d->reads[ticket].busy = false;
    *ret_ticket = ticket;
    *ret_status = PSOPACK_OK;
    if (d->fail_each != 0 && d->turn % d->fail_each == 0)
        *ret_status = PSOPACK_E_IO;
    else
        memcpy(d->reads[ticket].buffer, d->made->bytes + d->reads[ticket].offset,
               d->reads[ticket].size);
    return PSOPACK_OK;
}

/* An archive that only the disk reaches, all PSOs planned. */
static void set_up_disk(bench *b, disk *d, const fixture *made)
{
    psopack_load_plan_options options = PSOPACK_LOAD_PLAN_OPTIONS_INIT;
    psopack_source source = {disk_read, d, made->size};
    *b = (bench){.made = made};
    *d = (disk){.made = made};
    options.all_psos = 1;
    assert_int_equal(psopack_archive_open_source(&source, NULL, &b->archive, NULL), PSOPACK_OK);
    assert_int_equal(psopack_context_create(b->archive, NULL, &b->context), PSOPACK_OK);
    assert_int_equal(psopack_load_plan_create(b->archive, &options, &b->plan, NULL), PSOPACK_OK);
    psopack_load_plan_get_info(b->plan, &b->info);
    size_t size = (size_t)b->info.heap_bytes[0];
    assert_int_equal(posix_memalign(&b->heaps[0], 65536, size), 0);
    d->sync_reads = 0;
}

static void test_async(void **state)
{
    const fixture *all = *state;
    for (size_t i = 0; i < PROFILES; i++) {
        for (uint32_t depth = 1; depth <= 64; depth *= 8) {
            bench b;
            disk d;
            set_up_disk(&b, &d, &all[i]);
            psopack_async async = {disk_submit, disk_complete, &d, depth, NULL, 0, NULL};
            async.buffer_size = depth * (size_t)(b.info.largest_read + 64);
            async.buffer = malloc(async.buffer_size);
            psopack_diag diag;
            if (psopack_load_plan_execute_async(b.plan, b.context, b.heaps, &async, &diag) !=
                PSOPACK_OK)
                fail_msg("async: %s", diag.text);
            assert_int_equal(psopack_load_plan_jobs_left(b.plan), 0);
            assert_int_equal(d.sync_reads, 0); /* nothing was read behind its back */
            assert_int_equal(d.in_flight, 0);
            assert_true(d.most <= depth && (depth == 1 || d.most > 1));
            check_all_parts(&b);
            free(async.buffer);
            tear_down(&b);
        }
    }
}

static void test_async_failures(void **state)
{
    const fixture *made = *state;
    bench b;
    disk d;
    uint32_t whole = 0;
    set_up_disk(&b, &d, made);
    d.fail_each = 3;
    psopack_async async = {disk_submit, disk_complete, &d, 8, NULL, 0, NULL};
    async.buffer_size = (size_t)b.info.largest_read - 1;
    async.buffer = malloc(8 * (size_t)b.info.largest_read);
    assert_int_equal(psopack_load_plan_execute_async(b.plan, b.context, b.heaps, &async, NULL),
                     PSOPACK_E_BUFFER);
    async.buffer_size = 8 * (size_t)b.info.largest_read;
    psopack_status status =
        psopack_load_plan_execute_async(b.plan, b.context, b.heaps, &async, NULL);
    assert_true(status == PSOPACK_E_IO || status == PSOPACK_E_UNAVAILABLE);
    assert_int_equal(psopack_load_plan_jobs_left(b.plan), 0);
    for (uint32_t pso = 0; pso < made->psos; pso++) {
        psopack_part parts[FIXTURE_SLOTS];
        if (psopack_load_plan_parts(b.plan, pso, b.heaps, parts, NULL) != PSOPACK_OK)
            continue;
        for (uint32_t slot = 0; slot < FIXTURE_SLOTS; slot++)
            check_part(made, pso, slot, &parts[slot]);
        whole++;
    }
    assert_true(whole < made->psos);
    free(async.buffer);
    tear_down(&b);
}

static int stop_each_read(void *user, uint64_t done, uint64_t total)
{
    disk *d = user;
    assert_true(done <= total);
    return d->submitted % 3 == 0;
}

/* Told to stop, it leaves nothing in flight; called again, it goes on to the end. */
static void test_async_cancel(void **state)
{
    const fixture *all = *state;
    for (size_t i = 0; i < PROFILES; i++) {
        bench b;
        disk d;
        psopack_status status;
        uint32_t stops = 0;
        set_up_disk(&b, &d, &all[i]);
        psopack_async async = {disk_submit, disk_complete, &d, 4, NULL, 0, stop_each_read};
        async.buffer_size = 4 * (size_t)(b.info.largest_read + 64);
        async.buffer = malloc(async.buffer_size);
        while ((status = psopack_load_plan_execute_async(b.plan, b.context, b.heaps, &async,
                                                         NULL)) == PSOPACK_E_CANCELLED) {
            assert_int_equal(d.in_flight, 0);
            stops++;
        }
        assert_int_equal(status, PSOPACK_OK);
        assert_true(stops != 0);
        assert_int_equal(psopack_load_plan_jobs_left(b.plan), 0);
        check_all_parts(&b);
        free(async.buffer);
        tear_down(&b);
    }
}

/* Wrong bytes from an I/O layer are found like damage. */
static void test_wrong_bytes(void **state)
{
    const fixture *made = *state;
    bench b;
    disk d;
    uint32_t refused = 0;
    set_up_disk(&b, &d, made);
    for (uint32_t job = 0; job < b.info.jobs; job++) {
        psopack_load_plan_read read;
        assert_int_equal(psopack_load_plan_get_read(b.plan, job, &read, NULL), PSOPACK_OK);
        uint8_t *bytes = fixture_copy(made->bytes + read.offset, (size_t)read.size);
        bool is_wrong = job % 2 == 1 && job >= b.info.base_jobs && read.size != 0;
        if (is_wrong)
            bytes[read.size / 2] ^= 1;
        psopack_status status =
            psopack_load_plan_execute_read(b.plan, b.context, job, bytes, b.heaps, NULL);
        assert_int_equal(status == PSOPACK_OK, !is_wrong);
        refused += status != PSOPACK_OK;
        free(bytes);
    }
    assert_true(refused != 0);
    tear_down(&b);
}

static void test_arguments(void **state)
{
    const fixture *made = *state;
    psopack_archive *archive;
    psopack_load_plan *plan = NULL;
    const uint32_t psos[] = {made->psos};
    const uint8_t bad_heaps[FIXTURE_SLOTS] = {PSOPACK_LOAD_PLAN_HEAPS_MAX, 0, 0, 0, 0};
    assert_int_equal(psopack_archive_open_memory(made->bytes, made->size, NULL, &archive, NULL),
                     PSOPACK_OK);
    for (int i = 0; i < 5; i++) {
        psopack_load_plan_options options = PSOPACK_LOAD_PLAN_OPTIONS_INIT;
        psopack_status wanted = PSOPACK_E_ARGUMENT;
        options.all_psos = 1;
        if (i == 0)
            options.alignment = 3;
        if (i == 1)
            options.alignment = 1u << 17;
        if (i == 2)
            options.slot_heaps = bad_heaps;
        if (i == 3)
            options.struct_size = 8;
        if (i == 4) {
            options.all_psos = 0;
            options.psos = psos;
            options.pso_count = 1;
            wanted = PSOPACK_E_NOT_FOUND;
        }
        assert_int_equal(psopack_load_plan_create(archive, &options, &plan, NULL), wanted);
        assert_null(plan);
    }
    psopack_load_plan_destroy(&plan);
    psopack_load_plan_destroy(NULL);
    psopack_archive_close(&archive);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all),
        cmocka_unit_test(test_heaps),
        cmocka_unit_test(test_shared_between_heaps),
        cmocka_unit_test(test_subset),
        cmocka_unit_test(test_slices),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_jobs_backwards),
        cmocka_unit_test(test_damage),
        cmocka_unit_test(test_async),
        cmocka_unit_test(test_async_cancel),
        cmocka_unit_test(test_async_failures),
        cmocka_unit_test(test_wrong_bytes),
        cmocka_unit_test(test_arguments),
    };
    return cmocka_run_group_tests(tests, make_all, free_all);
}
