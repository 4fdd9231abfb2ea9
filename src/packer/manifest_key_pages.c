/* SPDX-License-Identifier: MIT */
/*
 * KEYS of profile `small`: cells whose xor is the page that a key's name is in (format/keys.h). A
 * cell that one key alone has is set last, so that key is taken away first; then others are alone
 * somewhere, until none is left. When some never are, the table grows and all begins again.
 */
#include "format/keys.h"
#include "packer/column_write.h"
#include "packer/manifest.h"

/* 1.23 cells a key are where it succeeds at the first try, nearly always. */
#define CELLS_A_HUNDRED_KEYS 123
#define CELLS_SPARE 32
#define TRIES_MAX 64u /* each with 1/32 more cells: far past what distinct keys need */

typedef struct cell {
    uint32_t keys;   /* that have it and were not taken yet */
    uint32_t joined; /* their numbers, xored: the number when it is one key */
} cell;

typedef struct taken_key {
    uint64_t cell; /* that it had alone */
    uint32_t key;
} taken_key;

typedef struct peeling {
    const psopack_model_pso *psos; /* a key's number is its PSO's */
    uint32_t count;
    uint64_t cell_count;
    cell *cells;
    uint64_t *alone; /* [cell_count] cells that one key has, or had */
    uint64_t alone_count;
    taken_key *taken; /* [count] in the order of taking */
    uint32_t taken_count;
} peeling;

static uint64_t cell_of(const peeling *state, uint32_t key, unsigned which)
{
    return psopack_key_cell(psopack_key_mix(state->psos[key].key), which, state->cell_count);
}

static void add_key(peeling *state, uint32_t key)
{
    for (unsigned i = 0; i < PSOPACK_KEY_CELLS; i++) {
        cell *at = &state->cells[cell_of(state, key, i)];
        at->keys++;
        at->joined ^= key;
    }
}

static void take_key(peeling *state, uint32_t key, uint64_t its_cell)
{
    state->taken[state->taken_count++] = (taken_key){its_cell, key};
    for (unsigned i = 0; i < PSOPACK_KEY_CELLS; i++) {
        uint64_t number = cell_of(state, key, i);
        cell *at = &state->cells[number];
        at->joined ^= key;
        if (--at->keys == 1)
            state->alone[state->alone_count++] = number;
    }
}

/* True when all keys were taken. */
static bool peel(peeling *state)
{
    state->alone_count = state->taken_count = 0;
    for (uint32_t key = 0; key < state->count; key++)
        add_key(state, key);
    for (uint64_t number = 0; number < state->cell_count; number++) {
        if (state->cells[number].keys == 1)
            state->alone[state->alone_count++] = number;
    }
    while (state->alone_count != 0) {
        uint64_t number = state->alone[--state->alone_count];
        if (state->cells[number].keys == 1)
            take_key(state, state->cells[number].joined, number);
    }
    return state->taken_count == state->count;
}

/* Backwards: what a key's other cells hold by now stays. */
static void fill(const peeling *state, uint64_t *values)
{
    for (uint32_t i = state->count; i-- > 0;) {
        uint32_t key = state->taken[i].key;
        uint64_t value = key / PSOPACK_NAMES_PER_PAGE;
        for (unsigned which = 0; which < PSOPACK_KEY_CELLS; which++)
            value ^= values[cell_of(state, key, which)];
        values[state->taken[i].cell] = value; /* it was 0 */
    }
}

static unsigned page_bits(uint32_t psos)
{
    unsigned bits = 0;
    while (psos != 0 && (psos - 1) / PSOPACK_NAMES_PER_PAGE >> bits != 0)
        bits++;
    return bits;
}

/* One try with state->cell_count cells. */
static psopack_status try_cells(peeling *state, psopack_bytes *section, bool *ret_done,
                                psopack_diag *diag)
{
    uint64_t *values = NULL;
    psopack_status status =
        psopack_new_array(&state->cells, (size_t)state->cell_count, sizeof *state->cells, diag);
    if (status == PSOPACK_OK)
        status = psopack_new_array(&state->alone, (size_t)state->cell_count, 8, diag);
    if (status == PSOPACK_OK)
        status = psopack_new_array(&values, (size_t)state->cell_count, 8, diag);
    if (status == PSOPACK_OK)
        *ret_done = peel(state);
    if (status == PSOPACK_OK && *ret_done) {
        fill(state, values);
        const psopack_column_input column = {.values = values,
                                             .rows = state->cell_count,
                                             .id = PSOPACK_COLUMN_KEY_PAGE,
                                             .flat_from_zero = true,
                                             .width = (uint8_t)page_bits(state->count)};
        status = psopack_columns_write(section, &column, 1, diag);
    }
    free(values);
    free(state->alone);
    free(state->cells);
    return status;
}

psopack_status psopack_section_key_pages(const psopack_manifest_input *input,
                                         psopack_bytes *section, psopack_diag *diag)
{
    const psopack_model *model = input->model;
    uint64_t cells = (uint64_t)model->pso_count * CELLS_A_HUNDRED_KEYS / 100 + CELLS_SPARE;
    peeling state = {.psos = model->psos, .count = model->pso_count};
    psopack_status status =
        psopack_new_array(&state.taken, model->pso_count, sizeof *state.taken, diag);
    bool done = false;
    for (unsigned tries = 0; status == PSOPACK_OK && !done && tries < TRIES_MAX; tries++) {
        state.cell_count = cells / PSOPACK_KEY_CELLS * PSOPACK_KEY_CELLS;
        cells += cells / 32;
        status = try_cells(&state, section, &done, diag);
    }
    free(state.taken);
    if (status == PSOPACK_OK && !done)
        return psopack_fail(diag, PSOPACK_E_INTERNAL, "no table of cells takes all keys");
    return status;
}
