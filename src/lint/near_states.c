/* SPDX-License-Identifier: MIT */
/*
 * Near-duplicate states. State layouts are the driver's secret, so a field is taken to be the bytes
 * between the first and the last that differ, at most 8, rounded out to whole words.
 *
 * The most used states of each size are anchors; every other state is compared with them. That is
 * quadratic in a constant only: at most ANCHORS_PER_SIZE comparisons for one state, most of which
 * end within a few words.
 */
#include "lint/near_states.h"
#include "lint/grow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ANCHORS_PER_SIZE 64u
#define ANCHOR_USES_MIN 4u
#define FIELD_BYTES_MAX 8u
#define FIELDS_REPORTED 10u

/* States that differ from an anchor in the same bytes. */
typedef struct field_row {
    size_t begin;
    size_t end;
    uint64_t bytes; /* of those states */
    uint32_t states;
    uint32_t anchor; /* component: the most used anchor among them */
    uint32_t anchor_uses;
    uint32_t example; /* component: the first state that is near that anchor */
} field_row;

typedef struct near_check {
    const psopack_check *check;
    uint32_t *states; /* components, by size, then by uses from the most */
    size_t count;
    psopack_interner fields; /* (begin, end) */
    field_row *rows;
    size_t row_capacity;
} near_check;

/* Sorting by component data needs the components: each item carries its keys. */
typedef struct state_key {
    uint64_t size;
    uint32_t uses;
    uint32_t component;
} state_key;

static int compare_states(const void *left, const void *right)
{
    const state_key *a = left;
    const state_key *b = right;
    if (a->size != b->size)
        return a->size < b->size ? -1 : 1;
    if (a->uses != b->uses)
        return a->uses > b->uses ? -1 : 1;
    return (a->component > b->component) - (a->component < b->component);
}

static psopack_status list_states(near_check *state)
{
    const psopack_collection *collection = state->check->collection;
    uint32_t all = collection->component_ids.count;
    state_key *keys = malloc(((size_t)all + 1) * sizeof *keys);
    state->states = malloc(((size_t)all + 1) * sizeof *state->states);
    if (!keys || !state->states) {
        free(keys);
        return PSOPACK_E_NOMEM;
    }
    for (uint32_t i = 0; i < all; i++) {
        const psopack_lint_component *component = &collection->components[i];
        if (component->roles & PSOPACK_ROLE_STATE && component->bytes)
            keys[state->count++] = (state_key){component->size, component->uses, i};
    }
    qsort(keys, state->count, sizeof *keys, compare_states);
    for (size_t i = 0; i < state->count; i++)
        state->states[i] = keys[i].component;
    free(keys);
    return PSOPACK_OK;
}

/* True when all differences of two unequal blobs lie within one field, given in whole words. */
static bool one_field(const uint8_t *a, const uint8_t *b, size_t size, size_t *ret_begin,
                      size_t *ret_end)
{
    size_t first = 0;
    while (first + 64 <= size && !memcmp(a + first, b + first, 64))
        first += 64;
    while (first < size && a[first] == b[first])
        first++;
    size_t last = size - first < FIELD_BYTES_MAX ? size : first + FIELD_BYTES_MAX;
    if (memcmp(a + last, b + last, size - last) != 0)
        return false;
    while (last > first && a[last - 1] == b[last - 1])
        last--;
    *ret_begin = first & ~(size_t)3;
    *ret_end = last + 3 < size ? (last + 3) & ~(size_t)3 : size;
    return last > first;
}

static psopack_status add_to_field(near_check *state, size_t begin, size_t end, uint32_t anchor,
                                   uint32_t component)
{
    const psopack_lint_component *components = state->check->collection->components;
    uint32_t known = state->fields.count;
    field_row *rows =
        psopack_lint_grow(state->rows, &state->row_capacity, (size_t)known + 1, sizeof *rows);
    if (!rows)
        return PSOPACK_E_NOMEM;
    state->rows = rows;
    uint64_t key[2] = {begin, end};
    uint32_t number;
    PSOPACK_TRY(psopack_intern(&state->fields, key, sizeof key, &number));
    field_row *row = &rows[number];
    if (number == known)
        *row = (field_row){.begin = begin, .end = end, .example = component};
    if (components[anchor].uses > row->anchor_uses) {
        row->anchor = anchor;
        row->anchor_uses = components[anchor].uses;
        row->example = component;
    }
    row->states++;
    row->bytes += components[component].size;
    return PSOPACK_OK;
}

/* Compares one state with the anchors of its size, most used first; the first near one counts. */
static psopack_status compare_state(near_check *state, size_t index, size_t first, size_t anchors)
{
    const psopack_lint_component *components = state->check->collection->components;
    const psopack_lint_component *own = &components[state->states[index]];
    for (size_t i = first; i < first + anchors && i < index; i++) {
        const psopack_lint_component *anchor = &components[state->states[i]];
        size_t begin, end;
        if (one_field(anchor->bytes, own->bytes, (size_t)own->size, &begin, &end))
            return add_to_field(state, begin, end, state->states[i], state->states[index]);
    }
    return PSOPACK_OK;
}

static psopack_status compare_all(near_check *state)
{
    const psopack_lint_component *components = state->check->collection->components;
    size_t first = 0;
    size_t anchors = 0;
    for (size_t i = 0; i < state->count; i++) {
        const psopack_lint_component *own = &components[state->states[i]];
        if (own->size != components[state->states[first]].size) {
            first = i;
            anchors = 0;
        }
        PSOPACK_TRY(compare_state(state, i, first, anchors));
        if (own->uses >= ANCHOR_USES_MIN && anchors < ANCHORS_PER_SIZE)
            anchors++;
    }
    return PSOPACK_OK;
}

static int compare_rows(const void *left, const void *right)
{
    const field_row *a = left;
    const field_row *b = right;
    if (a->states != b->states)
        return a->states > b->states ? -1 : 1;
    if (a->begin != b->begin)
        return a->begin < b->begin ? -1 : 1;
    return (a->end > b->end) - (a->end < b->end);
}

static psopack_status report(const near_check *state, const field_row *row)
{
    const psopack_check *check = state->check;
    const psopack_lint_component *components = check->collection->components;
    const char *slot = check->options->state_slot;
    char subject[64];
    snprintf(subject, sizeof subject, "bytes %zu to %zu", row->begin, row->end - 1);
    psopack_finding *finding =
        psopack_findings_new(check->findings, PSOPACK_RULE_SHARE_STATE, subject);
    if (!finding)
        return PSOPACK_E_NOMEM;
    finding->public.slot = slot;
    uint32_t one = components[row->anchor].pso;
    uint32_t other = components[row->example].pso;
    PSOPACK_TRY(psopack_finding_add_pso(finding, one < other ? one : other));
    PSOPACK_TRY(psopack_finding_add_pso(finding, one < other ? other : one));
    return psopack_finding_say(
        finding,
        "%u components of %s differ from a much used one in bytes %zu to %zu only: %llu "
        "bytes before compression; two PSOs that show it, one state is used %u times",
        (unsigned)row->states, slot, row->begin, row->end - 1, (unsigned long long)row->bytes,
        (unsigned)row->anchor_uses);
}

psopack_status psopack_check_near_states(const psopack_check *check)
{
    near_check state = {.check = check};
    psopack_status status = list_states(&state);
    if (status == PSOPACK_OK)
        status = compare_all(&state);
    if (status == PSOPACK_OK && state.fields.count)
        qsort(state.rows, state.fields.count, sizeof *state.rows, compare_rows);
    for (uint32_t i = 0; i < state.fields.count && i < FIELDS_REPORTED && status == PSOPACK_OK; i++)
        status = report(&state, &state.rows[i]);
    psopack_interner_free(&state.fields);
    free(state.rows);
    free(state.states);
    return status;
}
