/* SPDX-License-Identifier: MIT */
/* Everything that a game or a tool may ask of an archive, in one go. */
#include "fuzz_archive.h"

#include <psopack/load_plan.h>
#include <stdlib.h>
#include <string.h>

#include "format/crc32c.h"
#include "format/layout.h"

#define ROWS_MOST 300u /* of a kind that are read one by one: forged counts are large */
#define HEAP_MOST (16u << 20)

typedef struct reader {
    const psopack_archive *archive;
    psopack_context *context;
    psopack_info info;
    int all_good; /* every read so far gave what it should */
} reader;

static uint32_t at_most(uint32_t count)
{
    return count < ROWS_MOST ? count : ROWS_MOST;
}

static void note(reader *now, psopack_status status)
{
    now->all_good = now->all_good && status == PSOPACK_OK;
}

/* Into a block of exactly the component's size. */
static psopack_status read_component(reader *now, uint32_t index, uint64_t *ret_size,
                                     uint32_t *ret_crc)
{
    psopack_component_info info;
    const void *pointer;
    uint64_t size;
    uint8_t hash[16];
    psopack_status status = psopack_component_get(now->archive, index, &info, NULL);
    if (status != PSOPACK_OK)
        return status;
    psopack_component_hash(now->archive, index, hash, NULL);
    uint8_t *bytes = malloc(info.size ? (size_t)info.size : 1);
    if (!bytes)
        abort();
    status = psopack_component_read(now->archive, now->context, index, bytes, (size_t)info.size,
                                    ret_crc, NULL);
    if (status == PSOPACK_OK &&
        (psopack_crc32c(0, bytes, (size_t)info.size) != info.crc || *ret_crc != info.crc))
        abort();
    if (psopack_component_pointer(now->archive, index, &pointer, &size, NULL) == PSOPACK_OK &&
        (size != info.size || psopack_crc32c(0, pointer, (size_t)size) != info.crc))
        abort();
    free(bytes);
    *ret_size = info.size;
    return status;
}

static void read_components(reader *now)
{
    uint64_t size;
    uint32_t crc;
    for (uint32_t i = 0; i < at_most(now->info.components); i++)
        note(now, read_component(now, i, &size, &crc));
}

static void read_name(reader *now, uint32_t pso)
{
    char name[PSOPACK_PSO_NAME_MAX + 1];
    size_t size;
    uint32_t found;
    if (psopack_pso_name(now->archive, now->context, pso, name, sizeof name, &size, NULL) !=
        PSOPACK_OK)
        return;
    psopack_pso_find(now->archive, now->context, name, size, &found, NULL);
    psopack_pso_find_key(now->archive, now->context, psopack_pso_key(now->archive, name, size),
                         &found);
}

static void read_pso(reader *now, uint32_t pso)
{
    uint32_t components[PSOPACK_SLOTS_MAX], crcs[PSOPACK_SLOTS_MAX] = {0}, tuple;
    uint64_t sizes[PSOPACK_SLOTS_MAX] = {0};
    read_name(now, pso);
    psopack_status status = psopack_pso_components(now->archive, pso, components, NULL);
    for (uint32_t slot = 0; status == PSOPACK_OK && slot < now->info.slots; slot++) {
        if (components[slot] == PSOPACK_ABSENT)
            continue;
        if (components[slot] >= now->info.components)
            abort();
        status = read_component(now, components[slot], &sizes[slot], &crcs[slot]);
    }
    if (status == PSOPACK_OK)
        status = psopack_pso_check(now->archive, pso, components, sizes, crcs, NULL);
    psopack_pso_tuple_crc(now->archive, pso, &tuple, NULL);
    note(now, status);
}

/* What tools show; strings must end. */
static void look_closer(const reader *now)
{
    psopack_kind_info kind;
    psopack_block_info block;
    psopack_section_info section;
    size_t sum = strlen(now->info.target) + strlen(now->info.recipe) + strlen(now->info.profile);
    for (uint32_t i = 0; i < now->info.slots; i++)
        sum += strlen(psopack_slot_name(now->archive, i));
    for (uint32_t i = 0; psopack_kind_get(now->archive, i, &kind) == PSOPACK_OK; i++)
        sum += strlen(kind.name) + strlen(kind.transform_name);
    for (uint32_t i = 0; i < at_most(now->info.blocks); i++)
        psopack_block_get(now->archive, i, &block, NULL);
    for (uint32_t i = 0; psopack_section_get(now->archive, i, &section) == PSOPACK_OK; i++)
        sum += strlen(section.name);
    if (sum > 16 << 20)
        abort();
}

static void read_all(reader *now)
{
    psopack_verify_result result;
    look_closer(now);
    read_components(now);
    for (uint32_t i = 0; i < at_most(now->info.psos); i++)
        read_pso(now, i);
    psopack_status status = psopack_archive_verify(now->archive, 0, NULL, NULL, &result, NULL);
    if (status == PSOPACK_OK && !now->all_good)
        abort();
}

/* Through a plan, where what it loads is no more than a fuzzer has memory for. */
static void load_all(const reader *now)
{
    psopack_load_plan_options options = PSOPACK_LOAD_PLAN_OPTIONS_INIT;
    psopack_load_plan_info info;
    psopack_load_plan *plan;
    options.all_psos = 1;
    if (now->info.psos > ROWS_MOST ||
        psopack_load_plan_create(now->archive, &options, &plan, NULL) != PSOPACK_OK)
        return;
    psopack_load_plan_get_info(plan, &info);
    void *heaps[PSOPACK_LOAD_PLAN_HEAPS_MAX] = {NULL};
    if (info.heap_bytes[0] <= HEAP_MOST) {
        heaps[0] = malloc(info.heap_bytes[0] ? (size_t)info.heap_bytes[0] : 1);
        if (!heaps[0])
            abort();
        psopack_load_plan_execute(plan, now->context, heaps, NULL, NULL);
        for (uint32_t i = 0; i < now->info.psos; i++)
            psopack_load_plan_parts(plan, i, heaps, NULL, NULL);
    }
    free(heaps[0]);
    psopack_load_plan_destroy(&plan);
}

psopack_archive *fuzz_open_archive(const uint8_t *bytes, size_t size, const psopack_archive *base)
{
    psopack_open_options options = PSOPACK_OPEN_OPTIONS_INIT;
    psopack_archive *archive = NULL;
    options.base = base;
    options.flags = base ? 0 : PSOPACK_OPEN_ALONE;
    options.limits = (psopack_open_limits){.component_size = 1 << 20,
                                           .block_size = 1 << 20,
                                           .base_memory = 4 << 20,
                                           .manifest_size = 1 << 20,
                                           .psos = 1 << 20,
                                           .components = 1 << 20};
    if (psopack_archive_open_memory(bytes, size, &options, &archive, NULL) != PSOPACK_OK && archive)
        abort();
    return archive;
}

void fuzz_read_open(const psopack_archive *archive)
{
    reader now = {.archive = archive, .all_good = 1};
    psopack_archive_info(archive, &now.info);
    if (psopack_context_create(archive, NULL, &now.context) == PSOPACK_OK) {
        read_all(&now);
        load_all(&now);
        psopack_context_destroy(&now.context);
    }
}

void fuzz_read_archive(const uint8_t *bytes, size_t size)
{
    psopack_archive *archive = fuzz_open_archive(bytes, size, NULL);
    if (archive)
        fuzz_read_open(archive);
    psopack_archive_close(&archive);
}
