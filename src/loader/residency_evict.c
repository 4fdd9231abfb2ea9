/* SPDX-License-Identifier: MIT */
/*
 * Giving memory back: PSOs in a heap by the moment of their last release.
 *
 * Releasing takes no lock, so an entry may be older than its PSO. Moments only grow, so the top is
 * either right or, brought up to date, sinks: what is evicted was released longest ago.
 */
#include "loader/component.h"
#include "loader/layer.h"
#include "loader/residency.h"

static bool goes_before(eviction_entry a, eviction_entry b)
{
    return a.moment != b.moment ? a.moment < b.moment : a.pso < b.pso;
}

static void sift_up(eviction_entry *heap, uint32_t at)
{
    eviction_entry entry = heap[at];
    while (at != 0 && goes_before(entry, heap[(at - 1) / 2])) {
        heap[at] = heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    heap[at] = entry;
}

static void sift_down(eviction_entry *heap, uint32_t count, uint32_t at)
{
    eviction_entry entry = heap[at];
    for (;;) {
        uint32_t child = 2 * at + 1;
        if (child + 1 < count && goes_before(heap[child + 1], heap[child]))
            child++;
        if (child >= count || !goes_before(heap[child], entry))
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = entry;
}

void psopack_residency_file(psopack_residency *residency, uint32_t pso)
{
    uint32_t moment = atomic_load_explicit(&residency->moment, memory_order_relaxed);
    uint32_t at = residency->heap_count++;
    atomic_store_explicit(&residency->psos[pso].released, moment, memory_order_relaxed);
    residency->heap[at] = (eviction_entry){moment, pso};
    sift_up(residency->heap, at);
}

void psopack_residency_drop_component(psopack_residency *residency, uint32_t component)
{
    resident_component *entry = &residency->components[component];
    if (--entry->users != 0)
        return;
    psopack_component_row row = {0};
    psopack_archive_component_row(residency->archive, component, &row, NULL);
    psopack_residency_free(residency, component, &row, entry->bytes);
    entry->bytes = NULL;
    residency->stages[component] = COMPONENT_OUT;
    residency->stats.components--;
    residency->stats.bytes -= row.size;
}

static void drop_parts(psopack_residency *residency, uint32_t pso)
{
    const psopack_view *view = &residency->archive->view;
    uint32_t components[PSOPACK_SLOTS_MAX];
    /* It was read when the PSO was loaded, and pages that were good stay good. */
    if (psopack_pso_components(residency->archive, pso, components, NULL) != PSOPACK_OK)
        return;
    for (uint32_t slot = 0; slot < view->slots; slot++) {
        if (components[slot] != PSOPACK_ABSENT)
            psopack_residency_drop_component(residency, components[slot]);
    }
}

/* Puts `entry` on top in place of what was there. */
static void replace_top(psopack_residency *residency, eviction_entry entry)
{
    residency->heap[0] = entry;
    if (residency->heap_count != 0)
        sift_down(residency->heap, residency->heap_count, 0);
}

static void remove_top(psopack_residency *residency)
{
    residency->heap_count--;
    replace_top(residency, residency->heap[residency->heap_count]);
}

static void evict(psopack_residency *residency, uint32_t pso)
{
    uint64_t before = residency->stats.bytes;
    remove_top(residency);
    drop_parts(residency, pso);
    residency->stats.psos--;
    residency->stats.evicted_psos++;
    residency->stats.evicted_bytes += before - residency->stats.bytes;
}

/* One look at the top: brings it up to date, evicts it (true), or takes it out while it is held. */
static bool try_top(psopack_residency *residency)
{
    uint32_t pso = residency->heap[0].pso;
    resident_pso *entry = &residency->psos[pso];
    uint32_t released = atomic_load_explicit(&entry->released, memory_order_relaxed);
    uint32_t nobody = RESIDENT;
    if (released != residency->heap[0].moment) {
        replace_top(residency, (eviction_entry){released, pso});
        return false;
    }
    if (atomic_compare_exchange_strong_explicit(&entry->word, &nobody, 0, memory_order_acquire,
                                                memory_order_relaxed)) {
        evict(residency, pso);
        return true;
    }
    uint32_t word = atomic_fetch_or_explicit(&entry->word, UNFILED, memory_order_relaxed);
    if ((word & (REFERENCES | PINNED)) == 0) /* let go just now, and UNFILED was not seen */
        atomic_fetch_and_explicit(&entry->word, ~UNFILED, memory_order_relaxed);
    else
        remove_top(residency);
    return false;
}

bool psopack_residency_evict_one(psopack_residency *residency)
{
    /* Ends: each look makes an entry newer or takes one out. The bound is for PSOs that other
     * threads take and let go all the time. */
    for (uint64_t tries = 4 * (uint64_t)residency->heap_count; tries != 0; tries--) {
        if (residency->heap_count == 0)
            return false;
        if (try_top(residency))
            return true;
    }
    return false;
}

psopack_status psopack_residency_make_room(psopack_residency *residency, uint64_t size,
                                           psopack_diag *diag)
{
    const psopack_residency_options *options = &residency->options;
    for (;;) {
        bool bytes_fit =
            options->byte_budget == 0 ||
            (size <= options->byte_budget && residency->stats.bytes <= options->byte_budget - size);
        bool entries_fit =
            options->entry_budget == 0 || residency->stats.components < options->entry_budget;
        if (bytes_fit && entries_fit)
            return PSOPACK_OK;
        if (!psopack_residency_evict_one(residency))
            return psopack_fail(diag, PSOPACK_E_FULL,
                                "the budget (%llu bytes, %u components; 0: none) is taken up by "
                                "PSOs that are held",
                                (unsigned long long)options->byte_budget, options->entry_budget);
    }
}

uint64_t psopack_residency_trim(psopack_residency *residency, uint64_t bytes)
{
    psopack_residency_lock(residency);
    uint64_t before = residency->stats.bytes;
    while ((bytes == 0 || residency->stats.bytes > bytes) && psopack_residency_evict_one(residency))
        continue;
    uint64_t freed = before - residency->stats.bytes;
    psopack_residency_unlock(residency);
    return freed;
}

/* ---- what if -------------------------------------------------------------------------------- */

enum { MARK_KEPT = 1, MARK_COUNTED = 2 };

/* True when the PSO would still be held, or pinned, after the references are given back. */
static bool stays_held(uint32_t word, uint32_t given_back)
{
    return (word & PINNED) != 0 || (word & REFERENCES) > given_back;
}

static psopack_status mark_parts(psopack_residency *residency, uint32_t pso, uint8_t mark,
                                 psopack_residency_gain *gain, psopack_diag *diag)
{
    const psopack_view *view = &residency->archive->view;
    uint32_t components[PSOPACK_SLOTS_MAX];
    PSOPACK_TRY(psopack_pso_components(residency->archive, pso, components, diag));
    for (uint32_t slot = 0; slot < view->slots; slot++) {
        psopack_component_row row;
        if (components[slot] == PSOPACK_ABSENT)
            continue;
        uint8_t *marks = &residency->marks[components[slot]];
        if (mark == MARK_COUNTED && *marks == 0) {
            PSOPACK_TRY(
                psopack_archive_component_row(residency->archive, components[slot], &row, diag));
            gain->components++;
            gain->bytes += row.size;
        }
        *marks |= mark;
    }
    return PSOPACK_OK;
}

/* First marks what stays, then counts what is left. */
static psopack_status measure_gain(psopack_residency *residency, psopack_residency_gain *gain,
                                   psopack_diag *diag)
{
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t pso = 0; pso < residency->archive->psos; pso++) {
            uint32_t word = atomic_load_explicit(&residency->psos[pso].word, memory_order_relaxed);
            if ((word & RESIDENT) == 0)
                continue;
            bool stays = stays_held(word, residency->given_back[pso]);
            if (pass == 1 && !stays)
                gain->psos++;
            if (stays == (pass == 0))
                PSOPACK_TRY(
                    mark_parts(residency, pso, pass == 0 ? MARK_KEPT : MARK_COUNTED, gain, diag));
        }
    }
    return PSOPACK_OK;
}

psopack_status psopack_residency_would_free(psopack_residency *residency, const uint32_t *psos,
                                            uint32_t count, psopack_residency_gain *ret_gain,
                                            psopack_diag *diag)
{
    const psopack_archive *archive = residency->archive;
    psopack_residency_gain gain = {0};
    for (uint32_t i = 0; i < count; i++) {
        if (psos[i] >= archive->psos)
            return psopack_fail(diag, PSOPACK_E_NOT_FOUND, "PSO %u: there are %u", psos[i],
                                archive->psos);
    }
    psopack_residency_lock(residency);
    for (uint32_t i = 0; i < count; i++)
        residency->given_back[psos[i]]++;
    psopack_status status = measure_gain(residency, &gain, diag);
    for (uint32_t i = 0; i < count; i++)
        residency->given_back[psos[i]] = 0;
    for (uint32_t i = 0; i < archive->components; i++)
        residency->marks[i] = 0;
    psopack_residency_unlock(residency);
    if (status == PSOPACK_OK)
        *ret_gain = gain;
    return status;
}
