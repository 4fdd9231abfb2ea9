/* SPDX-License-Identifier: MIT */
/* Hand-made root signatures, and a lint object over memory. */
#include "fixture.h"

#include "lint/words.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define PART_AT 44u /* DXBC header 32, one offset 4, part header 8 */

void add_table(made_rootsig *made, uint32_t visibility)
{
    assert_in_range(made->table_count, 0, 63);
    made->tables[made->table_count++] = (made_table){visibility, made->range_count, 0};
}

void add_range(made_rootsig *made, uint32_t type, uint32_t count, uint32_t base, uint32_t space,
               uint32_t offset)
{
    made->ranges = realloc(made->ranges, (made->range_count + 1) * sizeof *made->ranges);
    assert_non_null(made->ranges);
    made->ranges[made->range_count++] = (made_range){type, count, base, space, offset};
    made->tables[made->table_count - 1].range_count++;
}

void add_sampler(made_rootsig *made, uint32_t state, uint32_t shader_register, uint32_t visibility,
                 uint32_t flags)
{
    made->samplers = realloc(made->samplers, (made->sampler_count + 1) * sizeof *made->samplers);
    assert_non_null(made->samplers);
    made_sampler *sampler = &made->samplers[made->sampler_count++];
    *sampler = (made_sampler){.state = {[4] = state},
                              .shader_register = shader_register,
                              .visibility = visibility,
                              .flags = flags};
}

typedef struct writer {
    uint8_t *bytes; /* of the part, NULL while only measuring */
    size_t used;
} writer;

static void put(writer *out, uint32_t value)
{
    if (out->bytes)
        psopack_lint_store32(out->bytes + out->used, value);
    out->used += 4;
}

static void put_ranges(writer *out, const made_rootsig *made, const made_table *table)
{
    for (uint32_t i = 0; i < table->range_count; i++) {
        const made_range *range = &made->ranges[table->first_range + i];
        put(out, range->type);
        put(out, range->count);
        put(out, range->base);
        put(out, range->space);
        if (made->version > 1)
            put(out, 0); /* flags */
        put(out, range->offset);
    }
}

static void put_tables(writer *out, const made_rootsig *made, uint32_t parameters)
{
    uint32_t payload = 24 + 12 * parameters;
    uint32_t range_size = made->version > 1 ? 24 : 20;
    for (uint32_t i = 0; i < made->table_count; i++) {
        put(out, 0);
        put(out, made->tables[i].visibility);
        put(out, payload);
        payload += 8 + range_size * made->tables[i].range_count;
    }
    for (uint32_t i = 0; i < made->constants; i++) {
        put(out, 1 + i % 2); /* constants, then a root CBV */
        put(out, SEE_ALL);
        put(out, payload);
        payload += 12;
    }
    for (uint32_t i = 0; i < made->table_count; i++) {
        put(out, made->tables[i].range_count);
        put(out, (uint32_t)out->used + 4);
        put_ranges(out, made, &made->tables[i]);
    }
    for (uint32_t i = 0; i < 3 * made->constants; i++)
        put(out, i);
}

static void put_rts0(writer *out, const made_rootsig *made, uint32_t samplers_at)
{
    uint32_t parameters = made->table_count + made->constants;
    put(out, made->version);
    put(out, parameters);
    put(out, 24);
    put(out, made->sampler_count);
    put(out, samplers_at);
    put(out, made->flags);
    put_tables(out, made, parameters);
    for (uint32_t i = 0; i < made->sampler_count; i++) {
        for (unsigned w = 0; w < 10; w++)
            put(out, made->samplers[i].state[w]);
        put(out, made->samplers[i].shader_register);
        put(out, made->samplers[i].space);
        put(out, made->samplers[i].visibility);
        if (made->version == 3)
            put(out, made->samplers[i].flags);
    }
}

uint8_t *make_rootsig(const made_rootsig *made, size_t *ret_size)
{
    writer measure = {NULL, 0};
    put_rts0(&measure, made, 0);
    size_t sampler_bytes = made->sampler_count * (made->version == 3 ? 56u : 52u);
    size_t size = PART_AT + measure.used;
    uint8_t *bytes = calloc(1, size);
    assert_non_null(bytes);
    memcpy(bytes, "DXBC", 4);
    psopack_lint_store32(bytes + 20, 1);
    psopack_lint_store32(bytes + 24, (uint32_t)size);
    psopack_lint_store32(bytes + 28, 1);
    psopack_lint_store32(bytes + 32, 36);
    memcpy(bytes + 36, "RTS0", 4);
    psopack_lint_store32(bytes + 40, (uint32_t)measure.used);
    writer out = {bytes + PART_AT, 0};
    put_rts0(&out, made, (uint32_t)(measure.used - sampler_bytes));
    *ret_size = size;
    return bytes;
}

void free_made(made_rootsig *made)
{
    free(made->ranges);
    free(made->samplers);
}

static psopack_status fetch(void *context, uint64_t component, void *ret_bytes, size_t size,
                            psopack_diag *diag)
{
    (void)diag;
    lint_shelf *shelf = context;
    assert_in_range(component, 0, shelf->count - 1);
    assert_int_equal(shelf->items[component].size, size);
    assert_true(shelf->last_fetched == UINT64_MAX || shelf->last_fetched < component);
    shelf->last_fetched = component;
    shelf->items[component].fetches++;
    if (size)
        memcpy(ret_bytes, shelf->items[component].bytes, size);
    return PSOPACK_OK;
}

void shelf_init(lint_shelf *shelf)
{
    memset(shelf, 0, sizeof *shelf);
    shelf->options = (psopack_lint_options)PSOPACK_LINT_OPTIONS_INIT;
    shelf->options.fetch = fetch;
    shelf->options.fetch_context = shelf;
    shelf->last_fetched = UINT64_MAX;
}

void shelf_begin(lint_shelf *shelf)
{
    assert_int_equal(psopack_lint_create(&shelf->lint, &shelf->options, NULL), PSOPACK_OK);
}

uint64_t shelf_put(lint_shelf *shelf, uint8_t *bytes, size_t size)
{
    shelf->items = realloc(shelf->items, (shelf->count + 1) * sizeof *shelf->items);
    assert_non_null(shelf->items);
    shelf->items[shelf->count] = (shelf_item){bytes, size, 0};
    return shelf->count++;
}

uint64_t shelf_copy(lint_shelf *shelf, const void *bytes, size_t size)
{
    uint8_t *copy = malloc(size ? size : 1);
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    return shelf_put(shelf, copy, size);
}

uint64_t shelf_limits(lint_shelf *shelf, const psopack_limits *limits)
{
    uint8_t blob[PSOPACK_LIMITS_SIZE];
    psopack_limits_encode(limits, blob);
    return shelf_copy(shelf, blob, sizeof blob);
}

void shelf_pso(lint_shelf *shelf, const char *name, ...)
{
    psopack_lint_part parts[16];
    size_t count = 0;
    va_list arguments;
    va_start(arguments, name);
    for (const char *slot; (slot = va_arg(arguments, const char *)) != NULL; count++) {
        uint64_t component = va_arg(arguments, uint64_t);
        assert_in_range(count, 0, 15);
        assert_in_range(component, 0, shelf->count - 1);
        parts[count] = (psopack_lint_part){slot, component, shelf->items[component].size};
    }
    va_end(arguments);
    assert_int_equal(psopack_lint_add_pso(shelf->lint, name, parts, count, NULL), PSOPACK_OK);
}

void shelf_finish(lint_shelf *shelf)
{
    psopack_diag diag = {0};
    psopack_status status = psopack_lint_finish(shelf->lint, &diag);
    if (status != PSOPACK_OK)
        fail_msg("psopack_lint_finish: %s", diag.text);
}

void shelf_end(lint_shelf *shelf)
{
    psopack_lint_destroy(&shelf->lint);
    for (size_t i = 0; i < shelf->count; i++)
        free(shelf->items[i].bytes);
    free(shelf->items);
}

const psopack_lint_finding *find_finding(const psopack_lint *lint, const char *rule)
{
    for (size_t i = 0; i < psopack_lint_finding_count(lint); i++) {
        const psopack_lint_finding *finding = psopack_lint_finding_at(lint, i);
        if (!strcmp(finding->rule->id, rule))
            return finding;
    }
    return NULL;
}

size_t count_findings(const psopack_lint *lint, const char *rule)
{
    size_t count = 0;
    for (size_t i = 0; i < psopack_lint_finding_count(lint); i++)
        count += !strcmp(psopack_lint_finding_at(lint, i)->rule->id, rule);
    return count;
}
