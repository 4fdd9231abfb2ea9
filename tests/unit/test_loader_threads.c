/* SPDX-License-Identifier: MIT */
/* Eight threads on one archive: they race for bases and pages, and read the same bytes. */
#include "loader_fixture.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#define THREADS 8
#define ROUNDS 20

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

typedef struct worker {
    const fixture *made;
    const psopack_archive *archive;
    atomic_int *ready;
    uint32_t number;
    uint64_t failed;
} worker;

static void *read_components(void *argument)
{
    worker *self = argument;
    psopack_context *context;
    psopack_info info;
    uint8_t *buffer = malloc(1 << 16);
    psopack_archive_info(self->archive, &info);
    self->failed += psopack_context_create(self->archive, NULL, &context) != PSOPACK_OK;
    atomic_fetch_add(self->ready, 1);
    while (atomic_load(self->ready) != THREADS) {
    }
    for (uint32_t i = 0; i < info.components; i++) {
        uint32_t component = (i * 7 + self->number * 31) % info.components;
        self->failed += psopack_component_read(self->archive, context, component, buffer, 1 << 16,
                                               NULL, NULL) != PSOPACK_OK;
    }
    for (uint32_t pso = self->number; pso < info.psos; pso += THREADS) {
        char name[64];
        self->failed += psopack_pso_name(self->archive, context, pso, name, sizeof name, NULL,
                                         NULL) != PSOPACK_OK;
    }
    psopack_context_destroy(&context);
    free(buffer);
    return NULL;
}

static void test_race(void **state)
{
    const fixture *made = *state;
    for (int round = 0; round < ROUNDS; round++) {
        psopack_open_options options = PSOPACK_OPEN_OPTIONS_INIT;
        psopack_archive *archive;
        pthread_t threads[THREADS];
        worker workers[THREADS];
        atomic_int ready = 0;
        options.flags = round % 2 ? PSOPACK_OPEN_NO_MAP : 0;
        assert_int_equal(psopack_archive_open(made->path, &options, &archive, NULL), PSOPACK_OK);
        for (uint32_t i = 0; i < THREADS; i++) {
            workers[i] = (worker){made, archive, &ready, i, 0};
            assert_int_equal(pthread_create(&threads[i], NULL, read_components, &workers[i]), 0);
        }
        for (uint32_t i = 0; i < THREADS; i++) {
            pthread_join(threads[i], NULL);
            assert_int_equal(workers[i].failed, 0);
        }
        assert_int_equal(fixture_read_all(made, archive), 0);
        psopack_archive_close(&archive);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_race)};
    return cmocka_run_group_tests(tests, make_one, free_one);
}
