/* SPDX-License-Identifier: MIT */
/*
 * PSOS: a column per slot, the tuple CRCs, and guesses. A slot that follows another one (metadata
 * follow instructions) is written as exceptions from a guess where that takes fewer bytes.
 */
#include "format/tuple.h"
#include "packer/column_write.h"
#include "packer/manifest.h"

/* The work on one slot. values[pso]: reference number + 1, 0 absent. */
typedef struct slot_values {
    uint64_t *values;  /* plain */
    uint64_t *coded;   /* with the best guess; NULL: none */
    uint64_t *guesses; /* by the leader's reference number */
    uint64_t guess_rows;
    uint64_t cost;
    uint32_t leader;
} slot_values;

typedef struct psos_state {
    const psopack_manifest_input *input;
    slot_values slots[PSOPACK_SLOTS_MAX];
    uint64_t *tuples;
} psos_state;

static void free_state(psos_state *state)
{
    for (uint32_t i = 0; i < state->input->model->slot_count; i++) {
        free(state->slots[i].values);
        free(state->slots[i].coded);
        free(state->slots[i].guesses);
    }
    free(state->tuples);
    free(state);
}

static psopack_status fill_values(psos_state *state, psopack_diag *diag)
{
    const psopack_model *model = state->input->model;
    for (uint32_t slot = 0; slot < model->slot_count; slot++)
        PSOPACK_TRY(psopack_new_array(&state->slots[slot].values, model->pso_count, 8, diag));
    for (uint32_t pso = 0; pso < model->pso_count; pso++) {
        uint32_t end = model->psos[pso + 1].first_reference;
        for (uint32_t at = model->psos[pso].first_reference; at < end; at++)
            state->slots[model->references[at].slot].values[pso] =
                (uint64_t)model->references[at].component + 1;
    }
    for (uint32_t slot = 0; slot < model->slot_count; slot++)
        state->slots[slot].cost = psopack_column_cost(state->slots[slot].values, model->pso_count);
    return PSOPACK_OK;
}

static uint64_t highest(const uint64_t *values, uint64_t rows)
{
    uint64_t high = 0;
    for (uint64_t i = 0; i < rows; i++)
        high = values[i] > high ? values[i] : high;
    return high;
}

/*
 * guesses[r]: the follower's value that won a majority vote (Boyer-Moore) over the PSOs whose
 * leader has reference number r. Values without a majority get whatever the vote left: right for
 * the format, only dearer.
 */
static void vote(const uint64_t *leader, const uint64_t *follower, uint64_t rows, uint64_t *guesses,
                 uint32_t *votes)
{
    for (uint64_t i = 0; i < rows; i++) {
        if (leader[i] == 0)
            continue;
        uint64_t at = leader[i] - 1;
        if (votes[at] == 0)
            guesses[at] = follower[i];
        if (guesses[at] == follower[i])
            votes[at]++;
        else
            votes[at]--;
    }
}

static void code_exceptions(const uint64_t *leader, const uint64_t *follower, uint64_t rows,
                            const uint64_t *guesses, uint64_t *coded)
{
    for (uint64_t i = 0; i < rows; i++) {
        uint64_t guess = leader[i] == 0 ? 0 : guesses[leader[i] - 1];
        coded[i] = follower[i] == guess ? 0 : follower[i] + 1;
    }
}

/*
 * Guesses for `slot` led by `leader`: what they cost, and with `keep` they become the slot's. A
 * leader's guesses are made of plain values, so it must not be guessed itself.
 */
static psopack_status guess(psos_state *state, uint32_t slot, uint32_t leader, bool keep,
                            uint64_t *ret_cost, psopack_diag *diag)
{
    uint64_t rows = state->input->model->pso_count;
    slot_values *follower = &state->slots[slot];
    const uint64_t *leading = state->slots[leader].values;
    uint64_t guess_rows = highest(leading, rows);
    uint64_t *guesses = NULL, *coded = NULL;
    uint32_t *votes = NULL;
    psopack_status status = psopack_new_array(&guesses, guess_rows, 8, diag);
    if (status == PSOPACK_OK)
        status = psopack_new_array(&coded, rows, 8, diag);
    if (status == PSOPACK_OK)
        status = psopack_new_array(&votes, guess_rows, 4, diag);
    if (status == PSOPACK_OK) {
        vote(leading, follower->values, rows, guesses, votes);
        code_exceptions(leading, follower->values, rows, guesses, coded);
        *ret_cost = psopack_column_cost(coded, rows) + psopack_column_cost(guesses, guess_rows) +
                    sizeof(psopack_disk_column) + 2 * PSOPACK_COLUMN_SLACK;
    }
    if (status == PSOPACK_OK && keep) {
        follower->coded = coded;
        follower->guesses = guesses;
        follower->guess_rows = guess_rows;
        follower->leader = leader;
    } else {
        free(guesses);
        free(coded);
    }
    free(votes);
    return status;
}

/* gains[slot][leader]: bytes saved; 0 when none, or when the slot is too cheap to look at. */
typedef uint64_t gain_table[PSOPACK_SLOTS_MAX][PSOPACK_SLOTS_MAX];

/* Slots below 1/64 of the dearest are left alone: few matter, and pairs are many. */
static psopack_status measure_pairs(psos_state *state, gain_table *gains, psopack_diag *diag)
{
    uint32_t count = state->input->model->slot_count;
    uint64_t dearest = 0, cost;
    for (uint32_t i = 0; i < count; i++)
        dearest = state->slots[i].cost > dearest ? state->slots[i].cost : dearest;
    for (uint32_t slot = 0; slot < count; slot++) {
        for (uint32_t leader = 0; leader < count; leader++) {
            if (leader == slot || state->slots[slot].cost <= dearest / 64 ||
                state->slots[leader].cost <= dearest / 64)
                continue;
            PSOPACK_TRY(guess(state, slot, leader, false, &cost, diag));
            if (cost < state->slots[slot].cost)
                (*gains)[slot][leader] = state->slots[slot].cost - cost;
        }
    }
    return PSOPACK_OK;
}

/* The pair that saves most is taken, again and again; who leads is not led, who is led leads none.
 */
static psopack_status choose_leaders(psos_state *state, psopack_diag *diag)
{
    uint32_t count = state->input->model->slot_count;
    bool leads[PSOPACK_SLOTS_MAX] = {false};
    gain_table *gains;
    PSOPACK_TRY(psopack_new_array(&gains, 1, sizeof *gains, diag));
    psopack_status status = measure_pairs(state, gains, diag);
    while (status == PSOPACK_OK) {
        uint64_t best = 0, cost;
        uint32_t best_slot = 0, best_leader = 0;
        for (uint32_t slot = 0; slot < count; slot++) {
            for (uint32_t leader = 0; leader < count; leader++) {
                if (leads[slot] || state->slots[slot].coded || state->slots[leader].coded ||
                    (*gains)[slot][leader] <= best)
                    continue;
                best = (*gains)[slot][leader];
                best_slot = slot;
                best_leader = leader;
            }
        }
        if (best == 0)
            break;
        leads[best_leader] = true;
        status = guess(state, best_slot, best_leader, true, &cost, diag);
    }
    free(gains);
    return status;
}

static psopack_status fill_tuples(psos_state *state, psopack_diag *diag)
{
    const psopack_model *model = state->input->model;
    PSOPACK_TRY(psopack_new_array(&state->tuples, model->pso_count, 8, diag));
    for (uint32_t pso = 0; pso < model->pso_count; pso++) {
        uint32_t derived = 0, end = model->psos[pso + 1].first_reference;
        for (uint32_t at = model->psos[pso].first_reference;
             psopack_manifest_has_tuple_delta(state->input) && at < end; at++) {
            const psopack_string *slot = &model->slots[model->references[at].slot].name;
            const psopack_model_component *component =
                &model->components[model->references[at].component];
            derived = psopack_tuple_add(derived, slot->bytes, slot->size, component->size,
                                        component->crc);
        }
        state->tuples[pso] = model->psos[pso].tuple ^ derived;
    }
    return PSOPACK_OK;
}

static psopack_status write_columns(const psos_state *state, psopack_bytes *section,
                                    psopack_diag *diag)
{
    psopack_column_input columns[2 * PSOPACK_SLOTS_MAX + 1];
    uint32_t count = 0, slots = state->input->model->slot_count;
    uint64_t rows = state->input->model->pso_count;
    for (uint32_t slot = 0; slot < slots; slot++) {
        const slot_values *values = &state->slots[slot];
        columns[count++] = (psopack_column_input){
            .values = values->coded ? values->coded : values->values,
            .rows = rows,
            .id = (uint16_t)slot,
        };
    }
    columns[count++] = (psopack_column_input){
        .values = state->tuples, .rows = rows, .id = PSOPACK_COLUMN_PSO_TUPLE};
    for (uint32_t slot = 0; slot < slots; slot++) {
        const slot_values *values = &state->slots[slot];
        if (!values->coded)
            continue;
        columns[count++] = (psopack_column_input){
            .values = values->guesses,
            .rows = values->guess_rows,
            .id = (uint16_t)(PSOPACK_COLUMN_PSO_GUESS + slot),
            .link = (uint16_t)values->leader,
        };
    }
    return psopack_columns_write(section, columns, count, diag);
}

psopack_status psopack_section_psos(const psopack_manifest_input *input, psopack_bytes *section,
                                    psopack_diag *diag)
{
    psos_state *state;
    PSOPACK_TRY(psopack_new_array(&state, 1, sizeof *state, diag));
    state->input = input;
    psopack_status status = fill_values(state, diag);
    if (status == PSOPACK_OK)
        status = choose_leaders(state, diag);
    if (status == PSOPACK_OK)
        status = fill_tuples(state, diag);
    if (status == PSOPACK_OK)
        status = write_columns(state, section, diag);
    free_state(state);
    return status;
}
