/* SPDX-License-Identifier: MIT */
/*
 * Memory is out from the first allocation on, then from the second, and so on until all is well:
 * the status says so, nothing leaks, nothing crashes. Linked with --wrap for malloc, calloc and
 * realloc.
 */
#include "fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);

static unsigned long allocations_left;
static bool armed;

static bool refuse(void)
{
    if (!armed)
        return false;
    if (allocations_left == 0)
        return true;
    allocations_left--;
    return false;
}

void *__wrap_malloc(size_t size)
{
    return refuse() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return refuse() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *block, size_t size)
{
    return refuse() ? NULL : __real_realloc(block, size);
}

static psopack_status drop(void *context, const char *bytes, size_t size)
{
    (void)context, (void)bytes, (void)size;
    return PSOPACK_OK;
}

typedef struct scenario {
    lint_shelf shelf;
    uint64_t code, metadata[2], limits[2], rootsig[3], states[2];
} scenario;

static void prepare(scenario *s)
{
    uint8_t bytes[84] = {0};
    psopack_limits limits[2] = {{{23}}, {{30, 1, [5] = 4, [10] = 9}}};
    size_t size;
    shelf_init(&s->shelf);
    s->code = shelf_copy(&s->shelf, "code", 4);
    for (size_t i = 0; i < 2; i++) {
        s->metadata[i] = shelf_copy(&s->shelf, i ? "one" : "two", 3);
        s->limits[i] = shelf_limits(&s->shelf, &limits[i]);
        bytes[50] = (uint8_t)i;
        s->states[i] = shelf_copy(&s->shelf, bytes, sizeof bytes);
    }
    made_rootsig made = {.version = 3};
    add_table(&made, SEE_ALL);
    add_range(&made, PSOPACK_RANGE_UAV, 70, 0, 0, APPEND);
    add_range(&made, PSOPACK_RANGE_CBV, 15, 0, 0, APPEND);
    for (uint32_t i = 0; i < 2033; i++)
        add_sampler(&made, i, i, SEE_ALL, 0);
    uint8_t *rootsig = make_rootsig(&made, &size);
    free_made(&made);
    s->rootsig[0] = shelf_put(&s->shelf, rootsig, size);
    s->rootsig[1] = shelf_copy(&s->shelf, "DXBC", 4);
    s->rootsig[2] = shelf_copy(&s->shelf, "RSTS", 4);
    s->shelf.options.tier = 1;
    s->shelf.options.units = 1;
}

static psopack_status add_psos(const scenario *s)
{
    psopack_status status = PSOPACK_OK;
    for (unsigned i = 0; i < 12 && status == PSOPACK_OK; i++) {
        char name[] = "pso-a";
        name[4] = (char)('a' + i);
        const psopack_lint_part parts[] = {
            {"vs.instructions", s->code, 4},
            {"vs.metadata", s->metadata[i % 2], 3},
            {"limits", s->limits[i % 2], PSOPACK_LIMITS_SIZE},
            {"rootsig", s->rootsig[i % 3], s->shelf.items[s->rootsig[i % 3]].size},
            {"state", s->states[i == 0], 84},
        };
        status = psopack_lint_add_pso(s->shelf.lint, name, parts, 5, NULL);
    }
    return status;
}

static psopack_status run(scenario *s)
{
    static const char suppressions[] = "limits-late-alloc pso-a old\nlimits-size * none\n";
    psopack_lint_report_options options = PSOPACK_LINT_REPORT_OPTIONS_INIT;
    options.write = drop;
    options.artifact = "a";
    psopack_lint **lint = &s->shelf.lint;
    psopack_status status = psopack_lint_create(lint, &s->shelf.options, NULL);
    if (status == PSOPACK_OK)
        status = psopack_lint_add_suppressions(*lint, suppressions, strlen(suppressions), NULL);
    if (status == PSOPACK_OK)
        status = psopack_lint_add_live_set(*lint, "pso-*", 5, NULL);
    if (status == PSOPACK_OK)
        status = add_psos(s);
    if (status == PSOPACK_OK)
        status = psopack_lint_finish(*lint, NULL);
    if (status == PSOPACK_OK)
        status = psopack_lint_report_text(*lint, &options);
    if (status == PSOPACK_OK)
        status = psopack_lint_report_json(*lint, &options);
    return status == PSOPACK_OK ? psopack_lint_report_sarif(*lint, &options) : status;
}

static void test_memory_out_at_each_allocation(void **state)
{
    (void)state;
    scenario s;
    psopack_status status;
    unsigned long failures = 0;
    prepare(&s);
    do {
        s.shelf.last_fetched = UINT64_MAX;
        allocations_left = failures;
        armed = true;
        status = run(&s);
        armed = false;
        assert_true(status == PSOPACK_OK || status == PSOPACK_E_NOMEM);
        if (status == PSOPACK_OK) {
            assert_int_equal(count_findings(s.shelf.lint, "binding-static-samplers"), 1);
            assert_int_equal(count_findings(s.shelf.lint, "share-state"), 1);
            assert_int_equal(count_findings(s.shelf.lint, "limits-differ"), 1);
        }
        psopack_lint_destroy(&s.shelf.lint);
        failures++;
    } while (status == PSOPACK_E_NOMEM);
    assert_true(failures > 100);
    shelf_end(&s.shelf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory_out_at_each_allocation),
    };
    return cmocka_run_group_tests_name("lint out of memory", tests, NULL, NULL);
}
