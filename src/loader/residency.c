/* SPDX-License-Identifier: MIT */
/* Residency: creating, references, pins, numbers. */
#include "loader/residency.h"

#include <string.h>

#include "loader/arena.h"

/* ---- the lock ------------------------------------------------------------------------------- */

void psopack_residency_lock(psopack_residency *residency)
{
    const psopack_wait *wait = &residency->archive->wait;
    if (atomic_exchange_explicit(&residency->lock, 1, memory_order_acquire) == 0)
        return;
    atomic_fetch_add_explicit(&residency->lock_waits, 1, memory_order_relaxed);
    do {
        wait->call(wait->user);
    } while (atomic_exchange_explicit(&residency->lock, 1, memory_order_acquire) != 0);
}

void psopack_residency_unlock(psopack_residency *residency)
{
    atomic_store_explicit(&residency->lock, 0, memory_order_release);
}

/* ---- memory of components ------------------------------------------------------------------- */

/*
 * The archive's allocator aligns to 64; what wants more gets room around it, and where the
 * allocation begins stands right in front of the bytes.
 */
static void *allocate_default(const psopack_allocator *allocator, size_t size, size_t alignment)
{
    if (alignment <= PSOPACK_ALLOCATION_ALIGNMENT)
        return allocator->allocate(allocator->user, size, PSOPACK_ALLOCATION_ALIGNMENT);
    uint8_t *start =
        size > SIZE_MAX - alignment
            ? NULL
            : allocator->allocate(allocator->user, size + alignment, PSOPACK_ALLOCATION_ALIGNMENT);
    if (!start)
        return NULL;
    uint8_t *bytes = start + (alignment - (uintptr_t)start % alignment);
    memcpy(bytes - sizeof start, &start, sizeof start);
    return bytes;
}

static void release_default(const psopack_allocator *allocator, uint8_t *bytes, size_t size,
                            size_t alignment)
{
    if (alignment > PSOPACK_ALLOCATION_ALIGNMENT) {
        memcpy(&bytes, bytes - sizeof bytes, sizeof bytes);
        size += alignment;
    }
    allocator->release(allocator->user, bytes, size);
}

void *psopack_residency_allocate(const psopack_residency *residency, uint32_t component,
                                 const psopack_component_row *row)
{
    const psopack_residency_options *options = &residency->options;
    size_t size = row->size ? (size_t)row->size : 1, alignment = (size_t)1 << row->align_log2;
    if (options->allocate)
        return options->allocate(options->user, component, size, alignment);
    return allocate_default(&residency->archive->allocator, size, alignment);
}

void psopack_residency_free(const psopack_residency *residency, uint32_t component,
                            const psopack_component_row *row, void *bytes)
{
    const psopack_residency_options *options = &residency->options;
    size_t size = row->size ? (size_t)row->size : 1, alignment = (size_t)1 << row->align_log2;
    if (options->release)
        options->release(options->user, component, bytes, size);
    else
        release_default(&residency->archive->allocator, bytes, size, alignment);
}

/* ---- create, destroy ------------------------------------------------------------------------ */

static psopack_status load_options(const psopack_archive *archive,
                                   const psopack_residency_options *options,
                                   psopack_residency_options *ret_options, psopack_diag *diag)
{
    psopack_residency_options own = PSOPACK_RESIDENCY_OPTIONS_INIT;
    if (options && options->struct_size < sizeof own)
        return psopack_fail(diag, PSOPACK_E_ARGUMENT,
                            "psopack_residency_options.struct_size is %zu: begin with "
                            "PSOPACK_RESIDENCY_OPTIONS_INIT",
                            options->struct_size);
    if (options)
        memcpy(&own, options, sizeof own);
    if (!own.allocate != !own.release)
        return psopack_fail(diag, PSOPACK_E_ARGUMENT,
                            "residency needs both allocate and release, or neither");
    if (!own.tables.allocate && !own.tables.release)
        own.tables = archive->allocator;
    *ret_options = own;
    return psopack_allocator_load(&own.tables, &ret_options->tables, diag);
}

psopack_status psopack_residency_create(const psopack_archive *archive,
                                        const psopack_residency_options *options,
                                        psopack_residency **ret_residency, psopack_diag *diag)
{
    if (!archive || !ret_residency)
        return psopack_fail(diag, PSOPACK_E_ARGUMENT, "archive and ret_residency must not be NULL");
    psopack_residency_options own;
    PSOPACK_TRY(load_options(archive, options, &own, diag));
    uint64_t psos = archive->psos, components = archive->components;
    psopack_arena arena = {0};
    psopack_arena_add(&arena, sizeof(psopack_residency));
    size_t psos_at = psopack_arena_add(&arena, psos * sizeof(resident_pso));
    size_t loading_at = psopack_arena_add(&arena, psos);
    size_t components_at = psopack_arena_add(&arena, components * sizeof(resident_component));
    size_t stages_at = psopack_arena_add(&arena, components);
    size_t heap_at = psopack_arena_add(&arena, psos * sizeof(eviction_entry));
    size_t given_at = psopack_arena_add(&arena, psos * sizeof(uint32_t));
    size_t marks_at = psopack_arena_add(&arena, components);
    uint8_t *memory = psopack_arena_allocate(&arena, &own.tables, diag);
    if (!memory)
        return PSOPACK_E_NOMEM;
    memset(memory, 0, arena.size);
    psopack_residency *residency = (psopack_residency *)(void *)memory;
    residency->archive = archive;
    residency->options = own;
    residency->size = arena.size;
    residency->psos = (resident_pso *)(void *)(memory + psos_at);
    residency->pso_loading = memory + loading_at;
    residency->components = (resident_component *)(void *)(memory + components_at);
    residency->stages = memory + stages_at;
    residency->heap = (eviction_entry *)(void *)(memory + heap_at);
    residency->given_back = (uint32_t *)(void *)(memory + given_at);
    residency->marks = memory + marks_at;
    *ret_residency = residency;
    return PSOPACK_OK;
}

void psopack_residency_destroy(psopack_residency **residency)
{
    if (!residency || !*residency)
        return;
    psopack_residency *old = *residency;
    for (uint32_t i = 0; i < old->archive->components; i++) {
        if (old->stages[i] != COMPONENT_OUT) {
            old->components[i].users = 1;
            psopack_residency_drop_component(old, i);
        }
    }
    psopack_allocator allocator = old->options.tables;
    allocator.release(allocator.user, old, old->size);
    *residency = NULL;
}

/* ---- references ----------------------------------------------------------------------------- */

/* Adds one reference if the PSO is in memory. */
static bool take_reference(resident_pso *pso)
{
    uint32_t old = atomic_fetch_add_explicit(&pso->word, 1, memory_order_acquire);
    if ((old & RESIDENT) != 0)
        return true;
    atomic_fetch_sub_explicit(&pso->word, 1, memory_order_relaxed);
    return false;
}

/* Holds the first `count` present slots of a PSO again no more. */
static void drop_slots(psopack_residency *residency, const uint32_t *components, uint32_t slots)
{
    psopack_residency_lock(residency);
    for (uint32_t slot = 0; slot < slots; slot++) {
        if (components[slot] != PSOPACK_ABSENT)
            psopack_residency_drop_component(residency, components[slot]);
    }
    psopack_residency_unlock(residency);
}

static psopack_status find_held(void *user, uint32_t slot, uint32_t component,
                                const void **ret_bytes, uint32_t *ret_crc)
{
    const psopack_residency *residency = user;
    (void)slot;
    *ret_bytes = residency->components[component].bytes;
    *ret_crc = residency->components[component].crc;
    return PSOPACK_OK;
}

/* Makes every component of the PSO resident, each with one user more. */
static psopack_status hold_parts(psopack_residency *residency, psopack_context *context,
                                 uint32_t pso, uint32_t *components, psopack_diag *diag)
{
    const psopack_view *view = &residency->archive->view;
    PSOPACK_TRY(psopack_pso_components(residency->archive, pso, components, diag));
    psopack_status status = PSOPACK_OK;
    uint32_t slot = 0;
    for (; slot < view->slots && status == PSOPACK_OK; slot++) {
        if (components[slot] != PSOPACK_ABSENT)
            status = psopack_residency_hold_component(residency, context, components[slot], diag);
    }
    if (status == PSOPACK_OK)
        status = psopack_pso_parts(residency->archive, pso, find_held, residency, NULL, diag);
    else
        slot--; /* the one that failed holds nothing */
    if (status != PSOPACK_OK)
        drop_slots(residency, components, slot);
    return status;
}

/* Claims a PSO that is not in memory; false: it has come into memory meanwhile. */
static bool claim_pso(psopack_residency *residency, uint32_t pso)
{
    const psopack_wait *wait = &residency->archive->wait;
    for (;;) {
        psopack_residency_lock(residency);
        uint32_t word = atomic_load_explicit(&residency->psos[pso].word, memory_order_acquire);
        bool is_loading = residency->pso_loading[pso] != 0;
        if ((word & RESIDENT) == 0 && !is_loading)
            residency->pso_loading[pso] = 1;
        psopack_residency_unlock(residency);
        if ((word & RESIDENT) != 0)
            return false;
        if (!is_loading)
            return true;
        wait->call(wait->user);
    }
}

/* The end of a load: with PSOPACK_OK the PSO is in memory and the caller has a reference. */
static void settle_pso(psopack_residency *residency, uint32_t pso, psopack_status status)
{
    psopack_residency_lock(residency);
    residency->pso_loading[pso] = 0;
    if (status == PSOPACK_OK) {
        atomic_fetch_add_explicit(&residency->moment, 1, memory_order_relaxed);
        psopack_residency_file(residency, pso);
        residency->stats.psos++;
        residency->stats.pso_loads++;
        /* Not a store: others may be adding and taking back a reference right now. */
        atomic_fetch_add_explicit(&residency->psos[pso].word, RESIDENT + 1, memory_order_release);
    } else {
        residency->stats.failures++;
    }
    psopack_residency_unlock(residency);
}

psopack_status psopack_residency_acquire(psopack_residency *residency, psopack_context *context,
                                         uint32_t pso, psopack_diag *diag)
{
    uint32_t components[PSOPACK_SLOTS_MAX];
    if (pso >= residency->archive->psos)
        return psopack_fail(diag, PSOPACK_E_NOT_FOUND, "PSO %u: there are %u", pso,
                            residency->archive->psos);
    while (!take_reference(&residency->psos[pso])) {
        if (!claim_pso(residency, pso))
            continue;
        psopack_status status = hold_parts(residency, context, pso, components, diag);
        settle_pso(residency, pso, status);
        return status;
    }
    return PSOPACK_OK;
}

/* Puts a PSO back into the eviction heap if nobody holds it by now. */
static void file_again(psopack_residency *residency, uint32_t pso)
{
    resident_pso *entry = &residency->psos[pso];
    psopack_residency_lock(residency);
    uint32_t alone = RESIDENT | UNFILED;
    if (atomic_compare_exchange_strong_explicit(&entry->word, &alone, RESIDENT,
                                                memory_order_relaxed, memory_order_relaxed))
        psopack_residency_file(residency, pso);
    psopack_residency_unlock(residency);
}

psopack_status psopack_residency_release(psopack_residency *residency, uint32_t pso)
{
    if (pso >= residency->archive->psos)
        return PSOPACK_E_NOT_FOUND;
    resident_pso *entry = &residency->psos[pso];
    uint32_t word = atomic_load_explicit(&entry->word, memory_order_relaxed);
    if ((word & RESIDENT) == 0 || (word & REFERENCES) == 0)
        return PSOPACK_E_ARGUMENT;
    /* Before the reference goes: without one it may be evicted at once. */
    uint32_t moment = atomic_load_explicit(&residency->moment, memory_order_relaxed);
    atomic_store_explicit(&entry->released, moment, memory_order_relaxed);
    word = atomic_fetch_sub_explicit(&entry->word, 1, memory_order_release);
    if ((word & REFERENCES) == 1 && (word & UNFILED) != 0)
        file_again(residency, pso);
    return PSOPACK_OK;
}

/* ---- pins ----------------------------------------------------------------------------------- */

psopack_status psopack_residency_pin(psopack_residency *residency, uint32_t pso)
{
    if (pso >= residency->archive->psos)
        return PSOPACK_E_NOT_FOUND;
    uint32_t word = atomic_load_explicit(&residency->psos[pso].word, memory_order_relaxed);
    if ((word & RESIDENT) == 0 || (word & REFERENCES) == 0)
        return PSOPACK_E_ARGUMENT;
    atomic_fetch_or_explicit(&residency->psos[pso].word, PINNED, memory_order_relaxed);
    return PSOPACK_OK;
}

psopack_status psopack_residency_unpin(psopack_residency *residency, uint32_t pso)
{
    if (pso >= residency->archive->psos)
        return PSOPACK_E_NOT_FOUND;
    uint32_t word =
        atomic_fetch_and_explicit(&residency->psos[pso].word, ~PINNED, memory_order_relaxed);
    if ((word & REFERENCES) == 0 && (word & UNFILED) != 0)
        file_again(residency, pso);
    return PSOPACK_OK;
}

void psopack_residency_tick(psopack_residency *residency)
{
    atomic_fetch_add_explicit(&residency->moment, 1, memory_order_relaxed);
}

/* ---- looking -------------------------------------------------------------------------------- */

psopack_status psopack_residency_parts(const psopack_residency *residency, uint32_t pso,
                                       psopack_part *ret_parts, psopack_diag *diag)
{
    if (pso >= residency->archive->psos ||
        (atomic_load_explicit(&residency->psos[pso].word, memory_order_acquire) & RESIDENT) == 0)
        return psopack_fail_at(diag, PSOPACK_E_NOT_FOUND, PSOPACK_OBJECT_PSO, pso,
                               PSOPACK_NO_OFFSET, "PSO %u is not in memory: acquire it", pso);
    return psopack_pso_parts(residency->archive, pso, find_held, (void *)(uintptr_t)residency,
                             ret_parts, diag);
}

int psopack_residency_is_resident(void *residency, uint32_t component)
{
    psopack_residency *self = residency;
    if (component >= self->archive->components)
        return 0;
    psopack_residency_lock(self);
    int is_in = self->stages[component] == COMPONENT_IN;
    psopack_residency_unlock(self);
    return is_in;
}

void psopack_residency_get_stats(psopack_residency *residency, psopack_residency_stats *ret_stats)
{
    psopack_residency_lock(residency);
    *ret_stats = residency->stats;
    psopack_residency_unlock(residency);
    ret_stats->lock_waits = atomic_load_explicit(&residency->lock_waits, memory_order_relaxed);
}
