/* SPDX-License-Identifier: MIT */
/* Making a load plan: which components, where each one goes. */
#include <psopack/load_plan.h>
#include <string.h>

#include "loader/arena.h"
#include "loader/layer.h"
#include "loader/load_plan.h"

/* ---- options -------------------------------------------------------------------------------- */

static psopack_status load_options(const psopack_archive *archive,
                                   const psopack_load_plan_options *options,
                                   psopack_load_plan_options *ret_options, psopack_diag *diag)
{
    psopack_load_plan_options own = PSOPACK_LOAD_PLAN_OPTIONS_INIT;
    if (options->struct_size < sizeof own)
        return psopack_fail(diag, PSOPACK_E_ARGUMENT,
                            "psopack_load_plan_options.struct_size is %zu: begin with "
                            "PSOPACK_LOAD_PLAN_OPTIONS_INIT",
                            options->struct_size);
    memcpy(&own, options, sizeof own);
    if (own.alignment == 0)
        own.alignment = 1;
    if ((own.alignment & (own.alignment - 1)) != 0 ||
        own.alignment > 1u << PSOPACK_ALIGN_LOG2_MAX ||
        (!own.all_psos && !own.psos && own.pso_count != 0) ||
        (!own.components && own.component_count != 0))
        return psopack_fail(diag, PSOPACK_E_ARGUMENT,
                            "a plan needs PSOs, and an alignment that is a power of two up to %u",
                            1u << PSOPACK_ALIGN_LOG2_MAX);
    for (uint32_t i = 0; own.slot_heaps && i < archive->view.slots; i++) {
        if (own.slot_heaps[i] >= PSOPACK_LOAD_PLAN_HEAPS_MAX &&
            own.slot_heaps[i] != PSOPACK_LOAD_PLAN_SKIP)
            return psopack_fail_at(diag, PSOPACK_E_ARGUMENT, PSOPACK_OBJECT_SLOT, i,
                                   PSOPACK_NO_OFFSET, "slot %u wants heap %u: there are %u", i,
                                   own.slot_heaps[i], PSOPACK_LOAD_PLAN_HEAPS_MAX);
    }
    for (uint32_t i = 0; own.component_heaps && i < own.component_count; i++) {
        if (own.component_heaps[i] >= PSOPACK_LOAD_PLAN_HEAPS_MAX)
            return psopack_fail(diag, PSOPACK_E_ARGUMENT, "a component wants heap %u: there are %u",
                                own.component_heaps[i], PSOPACK_LOAD_PLAN_HEAPS_MAX);
    }
    if (!own.allocator.allocate && !own.allocator.release)
        own.allocator = archive->allocator;
    *ret_options = own;
    return psopack_allocator_load(&own.allocator, &ret_options->allocator, diag);
}

/* ---- the set of components ------------------------------------------------------------------ */

/* One bit for each component and heap, so that gathering costs no sort and gives no repeats. */
typedef struct component_set {
    uint64_t *words; /* [heaps][words_per_heap] */
    size_t words_per_heap;
    uint32_t heaps;
    size_t size;
} component_set;

static psopack_status set_create(component_set *set, const psopack_archive *archive,
                                 const psopack_load_plan_options *options, psopack_diag *diag)
{
    uint32_t heaps = 1;
    for (uint32_t i = 0; options->slot_heaps && i < archive->view.slots; i++) {
        if (options->slot_heaps[i] != PSOPACK_LOAD_PLAN_SKIP && options->slot_heaps[i] >= heaps)
            heaps = options->slot_heaps[i] + 1u;
    }
    for (uint32_t i = 0; options->component_heaps && i < options->component_count; i++) {
        if (options->component_heaps[i] >= heaps)
            heaps = options->component_heaps[i] + 1u;
    }
    set->heaps = heaps;
    set->words_per_heap = (size_t)archive->components / 64 + 1;
    uint64_t size = (uint64_t)set->words_per_heap * heaps * sizeof(uint64_t);
    set->words = psopack_allocate(&options->allocator, size, diag);
    if (!set->words)
        return PSOPACK_E_NOMEM;
    set->size = (size_t)size;
    memset(set->words, 0, set->size);
    return PSOPACK_OK;
}

static void set_add(component_set *set, uint32_t component, uint32_t heap)
{
    set->words[heap * set->words_per_heap + component / 64] |= UINT64_C(1) << (component % 64);
}

static psopack_status gather_psos(component_set *set, const psopack_archive *archive,
                                  const psopack_load_plan_options *options, psopack_diag *diag)
{
    uint32_t count = options->all_psos ? archive->psos : options->pso_count;
    uint32_t components[PSOPACK_SLOTS_MAX];
    for (uint32_t i = 0; i < count; i++) {
        uint32_t pso = options->all_psos ? i : options->psos[i];
        PSOPACK_TRY(psopack_pso_components(archive, pso, components, diag));
        for (uint32_t slot = 0; slot < archive->view.slots; slot++) {
            uint32_t heap = options->slot_heaps ? options->slot_heaps[slot] : 0;
            if (heap != PSOPACK_LOAD_PLAN_SKIP && components[slot] != PSOPACK_ABSENT)
                set_add(set, components[slot], heap);
        }
    }
    return PSOPACK_OK;
}

static psopack_status gather(component_set *set, const psopack_archive *archive,
                             const psopack_load_plan_options *options, psopack_diag *diag)
{
    PSOPACK_TRY(gather_psos(set, archive, options, diag));
    for (uint32_t i = 0; i < options->component_count; i++) {
        uint32_t component = options->components[i];
        if (component >= archive->components)
            return psopack_fail(diag, PSOPACK_E_NOT_FOUND, "component %u: there are %u", component,
                                archive->components);
        set_add(set, component, options->component_heaps ? options->component_heaps[i] : 0);
    }
    return PSOPACK_OK;
}

/* The union over heaps of one word. */
static uint64_t any_heap(const component_set *set, size_t word)
{
    uint64_t bits = 0;
    for (uint32_t heap = 0; heap < set->heaps; heap++)
        bits |= set->words[heap * set->words_per_heap + word];
    return bits;
}

static void clear_component(component_set *set, uint32_t component)
{
    for (uint32_t heap = 0; heap < set->heaps; heap++)
        set->words[heap * set->words_per_heap + component / 64] &=
            ~(UINT64_C(1) << (component % 64));
}

/* Takes out what the caller has in memory; *ret_count of components. */
static void leave_out(component_set *set, const psopack_load_plan_options *options,
                      uint32_t *ret_count)
{
    *ret_count = 0;
    for (size_t word = 0; options->is_resident && word < set->words_per_heap; word++) {
        uint64_t bits = any_heap(set, word);
        for (uint32_t bit = 0; bits >> bit != 0; bit++) {
            uint32_t component = (uint32_t)(word * 64) + bit;
            if ((bits >> bit & 1) != 0 && options->is_resident(options->resident_user, component)) {
                clear_component(set, component);
                ++*ret_count;
            }
            if (bit == 63)
                break;
        }
    }
}

static uint64_t count_items(const component_set *set)
{
    uint64_t count = 0;
    for (size_t i = 0; i < set->words_per_heap * set->heaps; i++) {
        for (uint64_t bits = set->words[i]; bits != 0; bits &= bits - 1)
            count++;
    }
    return count;
}

/* ---- places --------------------------------------------------------------------------------- */

static psopack_status place_item(psopack_load_plan *plan, uint32_t component, uint32_t heap,
                                 uint32_t alignment, psopack_diag *diag)
{
    psopack_load_plan_info *info = &plan->info;
    psopack_component_row row;
    PSOPACK_TRY(psopack_archive_component_row(plan->archive, component, &row, diag));
    if (row.size > plan->archive->limits.component_size)
        return psopack_fail_at(diag, PSOPACK_E_LIMIT, PSOPACK_OBJECT_COMPONENT, component,
                               PSOPACK_NO_OFFSET,
                               "component %u has %llu bytes: raise limits.component_size",
                               component, (unsigned long long)row.size);
    uint32_t own = UINT32_C(1) << row.align_log2;
    if (own < alignment)
        own = alignment;
    if (own > info->heap_alignment[heap])
        info->heap_alignment[heap] = own;
    if (row.size == 0) { /* nothing to load, but the row must say so */
        const psopack_found empty = {.index = component, .row = row, .place = {UINT32_MAX, 0, 0}};
        PSOPACK_TRY(psopack_component_check(&empty, 0, diag));
    }
    uint64_t offset = psopack_align_up(info->heap_bytes[heap], own);
    plan->items[info->items++] = (plan_item){
        .offset = offset,
        .component = component,
        .size = (uint32_t)row.size,
        .heap = (uint8_t)heap,
        .state = row.size == 0 ? PLAN_ITEM_LOADED : PLAN_ITEM_WAITING,
    };
    info->heap_bytes[heap] = offset + row.size;
    info->component_bytes += row.size;
    return PSOPACK_OK;
}

static psopack_status place_items(psopack_load_plan *plan, const component_set *set,
                                  uint32_t alignment, psopack_diag *diag)
{
    for (uint32_t i = 0; i < PSOPACK_LOAD_PLAN_HEAPS_MAX; i++)
        plan->info.heap_alignment[i] = 1;
    for (size_t word = 0; word < set->words_per_heap; word++) {
        uint64_t bits = any_heap(set, word);
        for (uint32_t bit = 0; bits != 0 && bit < 64; bit++) {
            for (uint32_t heap = 0; heap < set->heaps; heap++) {
                uint64_t here = set->words[heap * set->words_per_heap + word];
                if ((here >> bit & 1) != 0)
                    PSOPACK_TRY(
                        place_item(plan, (uint32_t)(word * 64) + bit, heap, alignment, diag));
            }
        }
    }
    return PSOPACK_OK;
}

/* ---- create, destroy ------------------------------------------------------------------------ */

static psopack_status allocate_plan(const psopack_archive *archive,
                                    const psopack_load_plan_options *options, uint64_t items,
                                    psopack_load_plan **ret_plan, psopack_diag *diag)
{
    psopack_arena arena = {0};
    psopack_arena_add(&arena, sizeof(psopack_load_plan));
    size_t items_at = psopack_arena_add(&arena, items * sizeof(plan_item));
    uint8_t *memory =
        items < UINT32_MAX ? psopack_arena_allocate(&arena, &options->allocator, diag) : NULL;
    if (!memory)
        return PSOPACK_E_NOMEM;
    psopack_load_plan *plan = (psopack_load_plan *)(void *)memory;
    memset(plan, 0, sizeof *plan);
    plan->archive = archive;
    plan->allocator = options->allocator;
    plan->size = arena.size;
    plan->items = (plan_item *)(void *)(memory + items_at);
    for (uint32_t i = 0; options->slot_heaps && i < archive->view.slots; i++)
        plan->slot_heaps[i] = options->slot_heaps[i];
    *ret_plan = plan;
    return PSOPACK_OK;
}

static psopack_status allocate_jobs(psopack_load_plan *plan, psopack_diag *diag)
{
    PSOPACK_TRY(psopack_load_plan_cut(plan, NULL, diag));
    uint64_t size = plan->info.jobs * (uint64_t)sizeof(plan_job);
    plan->jobs = psopack_allocate(&plan->allocator, size ? size : 1, diag);
    if (!plan->jobs)
        return PSOPACK_E_NOMEM;
    plan->jobs_size = (size_t)(size ? size : 1);
    return psopack_load_plan_cut(plan, plan->jobs, diag);
}

static psopack_status make_plan(const psopack_archive *archive,
                                const psopack_load_plan_options *options, component_set *set,
                                psopack_load_plan **ret_plan, psopack_diag *diag)
{
    uint32_t left_out;
    psopack_load_plan *plan = NULL;
    PSOPACK_TRY(gather(set, archive, options, diag));
    leave_out(set, options, &left_out);
    PSOPACK_TRY(allocate_plan(archive, options, count_items(set), &plan, diag));
    plan->info.left_out = left_out;
    psopack_status status = place_items(plan, set, options->alignment, diag);
    if (status == PSOPACK_OK)
        status = allocate_jobs(plan, diag);
    if (status != PSOPACK_OK) {
        psopack_load_plan_destroy(&plan);
        return status;
    }
    *ret_plan = plan;
    return PSOPACK_OK;
}

psopack_status psopack_load_plan_create(const psopack_archive *archive,
                                        const psopack_load_plan_options *options,
                                        psopack_load_plan **ret_plan, psopack_diag *diag)
{
    if (!archive || !options || !ret_plan)
        return psopack_fail(diag, PSOPACK_E_ARGUMENT,
                            "archive, options and ret_plan must not be NULL");
    psopack_load_plan_options own;
    component_set set;
    PSOPACK_TRY(load_options(archive, options, &own, diag));
    PSOPACK_TRY(set_create(&set, archive, &own, diag));
    psopack_status status = make_plan(archive, &own, &set, ret_plan, diag);
    own.allocator.release(own.allocator.user, set.words, set.size);
    return status;
}

void psopack_load_plan_destroy(psopack_load_plan **plan)
{
    if (!plan || !*plan)
        return;
    psopack_allocator allocator = (*plan)->allocator;
    if ((*plan)->jobs)
        allocator.release(allocator.user, (*plan)->jobs, (*plan)->jobs_size);
    allocator.release(allocator.user, *plan, (*plan)->size);
    *plan = NULL;
}
