/* SPDX-License-Identifier: MIT */
/*
 * Which kinds share a base: those whose bytes repeat each other. Measured on windows of 16 bytes,
 * sampled by their hash, so that the same window is in every kind's sample or in none.
 */
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "packer/plan.h"

#define WINDOW 16u
#define STEP 4u
#define SAMPLE_MAX 65536u /* windows of the largest kind, about */

/* A kind joins a larger one when this share of its windows occurs there... */
#define OVERLAP_TWINS_PERCENT 50u
/* ...or this share, when it is too small (1/8 of the other) to pay for a base of its own. */
#define OVERLAP_SMALL_PERCENT 3u
#define SMALL_SHARE 8u

typedef struct window_set {
    uint64_t *hashes; /* sorted, distinct */
    size_t count, capacity;
} window_set;

static int compare_u64(const void *a, const void *b)
{
    uint64_t left, right;
    memcpy(&left, a, sizeof left);
    memcpy(&right, b, sizeof right);
    return (left > right) - (left < right);
}

static psopack_status sample_kind(const psopack_planner *planner, uint32_t kind, uint64_t every,
                                  window_set *set, psopack_diag *diag)
{
    const psopack_kind_members *members = &planner->members[kind];
    for (uint32_t i = 0; i < members->count; i++) {
        uint32_t component = members->components[i];
        uint64_t size = psopack_plan_stored_size(planner->model, planner->plan, component);
        for (uint64_t at = 0; at + WINDOW <= size; at += STEP) {
            uint64_t hash = XXH3_64bits(planner->bytes[component] + at, WINDOW);
            if (hash % every != 0)
                continue;
            PSOPACK_TRY(
                psopack_grow(&set->hashes, &set->capacity, set->count + 1, sizeof hash, diag));
            set->hashes[set->count++] = hash;
        }
    }
    size_t kept = 0;
    if (set->count != 0)
        qsort(set->hashes, set->count, sizeof *set->hashes, compare_u64);
    for (size_t i = 0; i < set->count; i++) {
        if (kept == 0 || set->hashes[kept - 1] != set->hashes[i])
            set->hashes[kept++] = set->hashes[i];
    }
    set->count = kept;
    return PSOPACK_OK;
}

/* Percent of `small`'s windows that `large` has too. */
static unsigned overlap(const window_set *small, const window_set *large)
{
    size_t common = 0;
    for (size_t i = 0, j = 0; i < small->count && j < large->count;) {
        if (small->hashes[i] == large->hashes[j]) {
            common++;
            i++;
            j++;
        } else if (small->hashes[i] < large->hashes[j]) {
            i++;
        } else {
            j++;
        }
    }
    return small->count == 0 ? 0 : (unsigned)(common * 100 / small->count);
}

/* Blocks of one base have one transform and one strip word. */
static bool can_share(const psopack_plan_kind *a, const psopack_plan_kind *b)
{
    return a->transform == b->transform &&
           (!a->strips || !b->strips || a->strip_word == b->strip_word);
}

/* Kinds by falling size; equal sizes by number. */
static void sort_by_size(const psopack_planner *planner, uint32_t *order)
{
    for (uint32_t i = 0; i < planner->model->kind_count; i++) {
        uint32_t at = i;
        for (; at > 0 && planner->members[order[at - 1]].bytes < planner->members[i].bytes; at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
}

static void join(const psopack_planner *planner, const window_set *sets, const uint32_t *order,
                 uint32_t place, uint32_t *ret_group)
{
    uint32_t kind = order[place], best = kind;
    unsigned best_overlap = 0;
    for (uint32_t i = 0; i < place; i++) {
        uint32_t other = order[i];
        if (ret_group[other] != other ||
            !can_share(&planner->plan->kinds[kind], &planner->plan->kinds[other]))
            continue;
        unsigned share = overlap(&sets[kind], &sets[other]);
        bool small = planner->members[kind].bytes <= planner->members[other].bytes / SMALL_SHARE;
        unsigned needed = small ? OVERLAP_SMALL_PERCENT : OVERLAP_TWINS_PERCENT;
        if (share >= needed && share > best_overlap) {
            best = other;
            best_overlap = share;
        }
    }
    ret_group[kind] = best;
}

psopack_status psopack_plan_groups(const psopack_planner *planner, uint32_t *ret_group,
                                   psopack_diag *diag)
{
    uint32_t count = planner->model->kind_count, *order;
    window_set *sets = NULL;
    PSOPACK_TRY(psopack_new_array(&order, count, sizeof *order, diag));
    psopack_status status = psopack_new_array(&sets, count, sizeof *sets, diag);
    sort_by_size(planner, order);
    uint64_t largest = count == 0 ? 0 : planner->members[order[0]].bytes;
    uint64_t every = largest / STEP / SAMPLE_MAX + 1;
    for (uint32_t kind = 0; kind < count && status == PSOPACK_OK; kind++)
        status = sample_kind(planner, kind, every, &sets[kind], diag);
    for (uint32_t place = 0; place < count && status == PSOPACK_OK; place++)
        join(planner, sets, order, place, ret_group);
    for (uint32_t kind = 0; sets && kind < count; kind++)
        free(sets[kind].hashes);
    free(sets);
    free(order);
    return status;
}
