/* SPDX-License-Identifier: MIT */
/* Counts the descriptors that the stages of a PSO see through a root signature. */
#include "lint/binding.h"

#include "lint/span_set.h"

#include <stdlib.h>

#define BIT(stage) (UINT32_C(1) << (stage))

/* The stages that a root signature denies access; compute cannot be denied. */
static uint32_t denied_stages(uint32_t flags)
{
    static const uint32_t deny_flags[] = {
        [PSOPACK_STAGE_VS] = PSOPACK_ROOTSIG_DENY_VS, [PSOPACK_STAGE_HS] = PSOPACK_ROOTSIG_DENY_HS,
        [PSOPACK_STAGE_DS] = PSOPACK_ROOTSIG_DENY_DS, [PSOPACK_STAGE_GS] = PSOPACK_ROOTSIG_DENY_GS,
        [PSOPACK_STAGE_PS] = PSOPACK_ROOTSIG_DENY_PS, [PSOPACK_STAGE_AS] = PSOPACK_ROOTSIG_DENY_AS,
        [PSOPACK_STAGE_MS] = PSOPACK_ROOTSIG_DENY_MS,
    };
    uint32_t denied = 0;
    for (unsigned stage = 0; stage < sizeof deny_flags / sizeof deny_flags[0]; stage++) {
        if (flags & deny_flags[stage])
            denied |= BIT(stage);
    }
    return denied;
}

/* The stages that see a range or sampler of this visibility. */
static uint32_t seen_by(uint8_t visibility, uint32_t stages)
{
    if (visibility == PSOPACK_VISIBILITY_ALL)
        return stages;
    return stages & BIT(visibility - 1u);
}

static psopack_span place_span(const psopack_rootsig_range *range)
{
    return (psopack_span){range->table, range->offset, range->offset + range->count};
}

/* Registers of one space; an extra key keeps apart what different stages see. */
static psopack_span register_span(const psopack_rootsig_range *range, uint8_t key)
{
    uint64_t group = (uint64_t)key << 32 | range->space;
    return (psopack_span){group, range->base, (uint64_t)range->base + range->count};
}

/* Bounded ranges of a type that any of the stages sees, by their place in the tables. */
static uint64_t count_places(const psopack_rootsig *rootsig, psopack_range_type type,
                             uint32_t stages, psopack_span *scratch)
{
    size_t count = 0;
    for (size_t i = 0; i < rootsig->range_count; i++) {
        const psopack_rootsig_range *range = &rootsig->ranges[i];
        if (range->type == type && !range->unbounded && seen_by(range->visibility, stages))
            scratch[count++] = place_span(range);
    }
    return psopack_span_union(scratch, count, NULL);
}

/* The registers that a mask of visibilities gives, all in one group per space. */
static uint64_t count_registers(const psopack_rootsig *rootsig, psopack_range_type type,
                                uint32_t visibilities, psopack_span *scratch)
{
    size_t count = 0;
    for (size_t i = 0; i < rootsig->range_count; i++) {
        const psopack_rootsig_range *range = &rootsig->ranges[i];
        if (range->type == type && !range->unbounded && visibilities & BIT(range->visibility))
            scratch[count++] = register_span(range, 0);
    }
    return psopack_span_union(scratch, count, NULL);
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t count_stage(const psopack_rootsig *rootsig, psopack_range_type type,
                            psopack_stage stage, psopack_span *scratch)
{
    uint32_t visibilities = BIT(PSOPACK_VISIBILITY_ALL);
    if (stage != PSOPACK_STAGE_CS)
        visibilities |= BIT(stage + 1u);
    return smaller(count_places(rootsig, type, BIT(stage), scratch),
                   count_registers(rootsig, type, visibilities, scratch));
}

/*
 * Across stages, a register that two stages see through ranges of their own is two descriptors, but
 * one that all see is one: the registers of ALL, plus for each stage what its own ranges add.
 */
static uint64_t count_all_stages(const psopack_rootsig *rootsig, psopack_range_type type,
                                 uint32_t stages, psopack_span *scratch)
{
    if (!stages)
        return 0;
    uint32_t all = BIT(PSOPACK_VISIBILITY_ALL);
    uint64_t common = count_registers(rootsig, type, all, scratch);
    uint64_t registers = common;
    for (unsigned stage = 0; stage < PSOPACK_STAGE_CS; stage++) {
        if (stages & BIT(stage))
            registers += count_registers(rootsig, type, all | BIT(stage + 1), scratch) - common;
    }
    return smaller(count_places(rootsig, type, stages, scratch), registers);
}

static void look_at_range(const psopack_rootsig_range *range, uint32_t stages,
                          psopack_binding *binding)
{
    uint32_t seen = seen_by(range->visibility, stages);
    if (!seen)
        return;
    if (range->unbounded) {
        binding->unbounded[range->type] |= seen;
        return;
    }
    uint64_t end = range->offset + range->count;
    uint64_t *longest =
        range->type == PSOPACK_RANGE_SAMPLER ? &binding->sampler_table : &binding->resource_table;
    if (end > *longest)
        *longest = end;
}

static psopack_span *new_spans(const psopack_rootsig *rootsig)
{
    return malloc((rootsig->range_count + 1) * sizeof(psopack_span));
}

psopack_status psopack_binding_count(const psopack_rootsig *rootsig, uint32_t stages,
                                     psopack_binding *ret_binding)
{
    psopack_span *scratch = new_spans(rootsig);
    if (!scratch)
        return PSOPACK_E_NOMEM;
    psopack_binding binding = {0};
    stages &= ~denied_stages(rootsig->flags);
    for (size_t i = 0; i < rootsig->range_count; i++)
        look_at_range(&rootsig->ranges[i], stages, &binding);
    for (unsigned type = 0; type < PSOPACK_RANGE_TYPES; type++) {
        for (unsigned stage = 0; stage < PSOPACK_STAGE_COUNT; stage++) {
            if (stages & BIT(stage))
                binding.count[type][stage] =
                    count_stage(rootsig, (psopack_range_type)type, (psopack_stage)stage, scratch);
        }
    }
    binding.uav_all_stages = count_all_stages(rootsig, PSOPACK_RANGE_UAV, stages, scratch);
    free(scratch);
    *ret_binding = binding;
    return PSOPACK_OK;
}

psopack_longest_table psopack_binding_longest(const psopack_rootsig *rootsig, bool samplers)
{
    psopack_longest_table longest = {0, false};
    for (size_t i = 0; i < rootsig->range_count; i++) {
        const psopack_rootsig_range *range = &rootsig->ranges[i];
        if ((range->type == PSOPACK_RANGE_SAMPLER) != samplers)
            continue;
        uint64_t end = range->offset + (range->unbounded ? 0 : range->count);
        longest.unbounded |= range->unbounded;
        if (end > longest.descriptors)
            longest.descriptors = end;
    }
    return longest;
}

/* Registers that a stage with ranges of its own, or any stage, is given twice. */
static bool registers_overlap(const psopack_rootsig *rootsig, uint8_t visibility,
                              psopack_span *scratch)
{
    size_t count = 0;
    for (size_t i = 0; i < rootsig->range_count; i++) {
        const psopack_rootsig_range *range = &rootsig->ranges[i];
        if (range->visibility != PSOPACK_VISIBILITY_ALL && range->visibility != visibility)
            continue;
        scratch[count] = register_span(range, range->type);
        if (range->unbounded)
            scratch[count].end = UINT64_C(1) << 32;
        count++;
    }
    bool overlap;
    psopack_span_union(scratch, count, &overlap);
    return overlap;
}

static uint32_t range_problems(const psopack_rootsig *rootsig)
{
    uint32_t problems = 0;
    for (size_t i = 0; i < rootsig->range_count; i++) {
        const psopack_rootsig_range *range = &rootsig->ranges[i];
        const psopack_rootsig_range *before = i ? range - 1 : range;
        if (!range->count)
            problems |= PSOPACK_ROOTSIG_EMPTY_RANGE;
        if (range->after_unbounded)
            problems |= PSOPACK_ROOTSIG_AFTER_UNBOUNDED;
        if (!range->unbounded && (uint64_t)range->base + range->count > UINT64_C(1) << 32)
            problems |= PSOPACK_ROOTSIG_REGISTER_END;
        if (before->table == range->table &&
            (before->type == PSOPACK_RANGE_SAMPLER) != (range->type == PSOPACK_RANGE_SAMPLER))
            problems |= PSOPACK_ROOTSIG_MIXED_TABLE;
    }
    return problems;
}

psopack_status psopack_rootsig_problems(const psopack_rootsig *rootsig, uint32_t *ret_problems)
{
    psopack_span *scratch = new_spans(rootsig);
    if (!scratch)
        return PSOPACK_E_NOMEM;
    uint32_t problems = range_problems(rootsig);
    for (uint8_t visibility = 0; visibility < PSOPACK_VISIBILITY_COUNT; visibility++) {
        if (registers_overlap(rootsig, visibility, scratch))
            problems |= PSOPACK_ROOTSIG_REGISTER_OVERLAP;
    }
    free(scratch);
    *ret_problems = problems;
    return PSOPACK_OK;
}

const char *psopack_rootsig_problem_text(uint32_t problems)
{
    if (problems & PSOPACK_ROOTSIG_EMPTY_RANGE)
        return "a descriptor range has no descriptors";
    if (problems & PSOPACK_ROOTSIG_AFTER_UNBOUNDED)
        return "a descriptor range is appended behind an unbounded one";
    if (problems & PSOPACK_ROOTSIG_REGISTER_END)
        return "a descriptor range goes past the last shader register";
    if (problems & PSOPACK_ROOTSIG_MIXED_TABLE)
        return "a descriptor table mixes samplers with other descriptors";
    return "two descriptor ranges give one stage the same register";
}
