/* SPDX-License-Identifier: MIT */
/*
 * Rules about shader limits. Distinct values are few, so each gets one row of findings, and PSOs
 * are added to the findings of their value.
 */
#include "lint/checks.h"
#include "lint/grow.h"

#include <stdio.h>
#include <stdlib.h>

#define LATE_ALLOC_MAX 22u /* waves; more can deadlock the GPU */
#define BIT(stage) (UINT32_C(1) << (stage))

/* Members by stage, in the order of psopack_stage. PSOPACK_LIMITS_MEMBERS: there is none. */
static const struct {
    psopack_limits_member disable;
    psopack_limits_member waves;
    psopack_limits_member lock;
} stage_members[] = {
    [PSOPACK_STAGE_VS] = {PSOPACK_LIMITS_VS_DISABLE, PSOPACK_LIMITS_VS_WAVES,
                          PSOPACK_LIMITS_VS_LOCK},
    [PSOPACK_STAGE_HS] = {PSOPACK_LIMITS_MEMBERS, PSOPACK_LIMITS_HS_WAVES, PSOPACK_LIMITS_HS_LOCK},
    [PSOPACK_STAGE_DS] = {PSOPACK_LIMITS_DS_DISABLE, PSOPACK_LIMITS_DS_WAVES,
                          PSOPACK_LIMITS_DS_LOCK},
    [PSOPACK_STAGE_GS] = {PSOPACK_LIMITS_GS_DISABLE, PSOPACK_LIMITS_GS_WAVES,
                          PSOPACK_LIMITS_GS_LOCK},
    [PSOPACK_STAGE_PS] = {PSOPACK_LIMITS_PS_DISABLE, PSOPACK_LIMITS_PS_WAVES,
                          PSOPACK_LIMITS_PS_LOCK},
};

#define STAGES (sizeof stage_members / sizeof stage_members[0])

/* One distinct limits value and the findings about it; NULL until the first PSO. */
typedef struct value_row {
    psopack_finding *late_alloc;
    psopack_finding *stage_off[STAGES];
    psopack_finding *cu_locking[STAGES];
} value_row;

typedef struct limits_check {
    const psopack_check *check;
    psopack_interner values; /* 60-byte blobs */
    value_row *rows;         /* by number of value */
    size_t row_capacity;
    uint32_t *value_of;          /* by PSO: number of its value, or PSOPACK_NO_INDEX */
    psopack_finding **size_rows; /* by component: finding about its size */
} limits_check;

static psopack_limits limits_of(const limits_check *state, uint32_t value)
{
    psopack_limits limits = {{0}};
    psopack_limits_decode(psopack_intern_bytes(&state->values, value), PSOPACK_LIMITS_SIZE, &limits,
                          NULL);
    return limits;
}

/* What findings about a value are about: its 15 words. */
static psopack_finding *new_finding(const limits_check *state, uint32_t value,
                                    psopack_rule_number rule)
{
    char subject[32 + 11 * PSOPACK_LIMITS_MEMBERS] = "limits";
    size_t used = 6;
    psopack_limits limits = limits_of(state, value);
    for (unsigned i = 0; i < PSOPACK_LIMITS_MEMBERS; i++)
        used += (size_t)snprintf(subject + used, sizeof subject - used, " %u",
                                 (unsigned)limits.member[i]);
    return psopack_findings_new(state->check->findings, rule, subject);
}

static psopack_status say_late_alloc(const limits_check *state, uint32_t value, bool masked,
                                     psopack_finding **finding)
{
    psopack_limits limits = limits_of(state, value);
    uint32_t waves = limits.member[PSOPACK_LIMITS_LATE_ALLOC_WAVES];
    uint32_t mask = limits.member[PSOPACK_LIMITS_VS_DISABLE];
    *finding = new_finding(state, value,
                           masked ? PSOPACK_RULE_LATE_ALLOC_MASKED : PSOPACK_RULE_LATE_ALLOC);
    if (*finding)
        psopack_finding_measure(*finding, waves, LATE_ALLOC_MAX);
    if (masked)
        return psopack_finding_say(*finding,
                                   "MaxWavesWithLateAllocParameterCache is %u, above %u; safe with "
                                   "VSDisableFlags 0x%x",
                                   (unsigned)waves, LATE_ALLOC_MAX, (unsigned)mask);
    return psopack_finding_say(*finding,
                               "MaxWavesWithLateAllocParameterCache is %u, above %u, and "
                               "VSDisableFlags 0x%x masks no vertex-shader unit: the GPU can hang",
                               (unsigned)waves, LATE_ALLOC_MAX, (unsigned)mask);
}

static psopack_status check_late_alloc(const limits_check *state, const psopack_limits *limits,
                                       uint32_t value, uint32_t pso)
{
    if (limits->member[PSOPACK_LIMITS_LATE_ALLOC_WAVES] <= LATE_ALLOC_MAX)
        return PSOPACK_OK;
    uint32_t units = state->check->options->units ? state->check->options->units : UINT32_MAX;
    bool masked = limits->member[PSOPACK_LIMITS_VS_DISABLE] & units;
    psopack_finding **finding = &state->rows[value].late_alloc;
    if (!*finding)
        PSOPACK_TRY(say_late_alloc(state, value, masked, finding));
    return psopack_finding_add_pso(*finding, pso);
}

static const char *stage_word(unsigned stage)
{
    static const char words[STAGES][3] = {"VS", "HS", "DS", "GS", "PS"};
    return words[stage];
}

static psopack_status check_stage_off(const limits_check *state, const psopack_limits *limits,
                                      uint32_t value, uint32_t pso, unsigned stage)
{
    uint32_t units = state->check->options->units;
    uint32_t stages = state->check->collection->psos[pso].stages;
    psopack_limits_member member = stage_members[stage].disable;
    if (!units || member == PSOPACK_LIMITS_MEMBERS || !(stages & BIT(stage)) ||
        (limits->member[member] & units) != units)
        return PSOPACK_OK;
    psopack_finding **finding = &state->rows[value].stage_off[stage];
    if (!*finding) {
        *finding = new_finding(state, value, PSOPACK_RULE_STAGE_OFF);
        PSOPACK_TRY(psopack_finding_say(*finding,
                                        "%s 0x%x disables every unit of 0x%x, yet the PSO has "
                                        "that stage",
                                        psopack_limits_member_name(member),
                                        (unsigned)limits->member[member], (unsigned)units));
    }
    return psopack_finding_add_pso(*finding, pso);
}

static psopack_status check_cu_locking(const limits_check *state, const psopack_limits *limits,
                                       uint32_t value, uint32_t pso, unsigned stage)
{
    uint32_t waves = limits->member[stage_members[stage].waves];
    uint32_t lock = limits->member[stage_members[stage].lock];
    if (!waves || lock <= waves)
        return PSOPACK_OK;
    psopack_finding **finding = &state->rows[value].cu_locking[stage];
    if (!*finding) {
        *finding = new_finding(state, value, PSOPACK_RULE_CU_LOCKING);
        if (*finding)
            psopack_finding_measure(*finding, lock, waves);
        PSOPACK_TRY(psopack_finding_say(
            *finding, "%sMaxWavesForCuLocking is %u, above %sMaxWaves %u", stage_word(stage),
            (unsigned)lock, stage_word(stage), (unsigned)waves));
    }
    return psopack_finding_add_pso(*finding, pso);
}

static psopack_status check_value(const limits_check *state, uint32_t value, uint32_t pso)
{
    psopack_limits limits = limits_of(state, value);
    PSOPACK_TRY(check_late_alloc(state, &limits, value, pso));
    for (unsigned stage = 0; stage < STAGES; stage++) {
        PSOPACK_TRY(check_stage_off(state, &limits, value, pso, stage));
        PSOPACK_TRY(check_cu_locking(state, &limits, value, pso, stage));
    }
    return PSOPACK_OK;
}

static psopack_status report_size(const limits_check *state, uint32_t index, uint32_t pso,
                                  uint32_t slot, bool inside)
{
    const psopack_collection *collection = state->check->collection;
    const psopack_lint_component *component = &collection->components[index];
    const char *slot_name = psopack_collection_slot_name(collection, slot);
    psopack_finding **finding = &state->size_rows[index];
    if (!*finding) {
        char subject[64];
        snprintf(subject, sizeof subject, "limits of %llu bytes",
                 (unsigned long long)component->size);
        *finding = psopack_findings_new(state->check->findings, PSOPACK_RULE_LIMITS_SIZE, subject);
        if (!*finding)
            return PSOPACK_E_NOMEM;
        (*finding)->public.slot = slot_name;
        uint64_t offset = state->check->options->limits_at_offset;
        PSOPACK_TRY(inside ? psopack_finding_say(*finding,
                                                 "slot %s has %llu bytes: %u bytes of limits at "
                                                 "offset %llu do not fit, or it passes the %u MiB "
                                                 "that lint reads",
                                                 slot_name, (unsigned long long)component->size,
                                                 PSOPACK_LIMITS_SIZE, (unsigned long long)offset,
                                                 (unsigned)(PSOPACK_LINT_FETCH_MAX >> 20))
                           : psopack_finding_say(*finding,
                                                 "slot %s has %llu bytes, shader limits are %u",
                                                 slot_name, (unsigned long long)component->size,
                                                 PSOPACK_LIMITS_SIZE));
    }
    return psopack_finding_add_pso(*finding, pso);
}

/* Gives a value its number and its row. */
static psopack_status number_value(limits_check *state, const uint8_t *blob, uint32_t *ret_value)
{
    uint32_t known = state->values.count;
    value_row *rows =
        psopack_lint_grow(state->rows, &state->row_capacity, (size_t)known + 1, sizeof *rows);
    if (!rows)
        return PSOPACK_E_NOMEM;
    state->rows = rows;
    PSOPACK_TRY(psopack_intern(&state->values, blob, PSOPACK_LIMITS_SIZE, ret_value));
    if (*ret_value == known)
        rows[known] = (value_row){0};
    return PSOPACK_OK;
}

/* The limits that one reference of a PSO holds, if its slot is one for limits. */
static psopack_status check_reference(limits_check *state, uint32_t pso,
                                      const psopack_lint_reference *reference)
{
    const psopack_collection *collection = state->check->collection;
    const psopack_lint_component *component = &collection->components[reference->component];
    uint32_t roles = collection->slots[reference->slot].roles;
    bool inside = roles & PSOPACK_ROLE_LIMITS_AT;
    if (!inside && !(roles & PSOPACK_ROLE_LIMITS))
        return PSOPACK_OK;
    uint64_t offset = inside ? state->check->options->limits_at_offset : 0;
    bool fits = inside
                    ? offset <= component->size && PSOPACK_LIMITS_SIZE <= component->size - offset
                    : component->size == PSOPACK_LIMITS_SIZE;
    if (!fits || !component->bytes)
        return report_size(state, reference->component, pso, reference->slot, inside);
    uint32_t value;
    PSOPACK_TRY(number_value(state, component->bytes + offset, &value));
    state->value_of[pso] = value;
    return check_value(state, value, pso);
}

static psopack_status check_psos(limits_check *state)
{
    const psopack_collection *collection = state->check->collection;
    for (uint32_t pso = 0; pso < psopack_collection_pso_count(collection); pso++) {
        const psopack_lint_pso *row = &collection->psos[pso];
        state->value_of[pso] = PSOPACK_NO_INDEX;
        for (uint32_t i = 0; i < row->reference_count; i++)
            PSOPACK_TRY(
                check_reference(state, pso, &collection->references[row->first_reference + i]));
    }
    return PSOPACK_OK;
}

psopack_status psopack_check_limits(const psopack_check *check)
{
    const psopack_collection *collection = check->collection;
    limits_check state = {.check = check};
    state.value_of = calloc((size_t)psopack_collection_pso_count(collection) + 1, sizeof(uint32_t));
    state.size_rows = calloc((size_t)collection->component_ids.count + 1, sizeof *state.size_rows);
    psopack_status status = PSOPACK_E_NOMEM;
    if (state.value_of && state.size_rows)
        status = check_psos(&state);
    if (status == PSOPACK_OK)
        status = psopack_check_limits_differ(check, state.value_of);
    check->summary->limits_values = state.values.count;
    psopack_interner_free(&state.values);
    free(state.rows);
    free(state.value_of);
    free(state.size_rows);
    return status;
}
