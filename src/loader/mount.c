/* SPDX-License-Identifier: MIT */
/* Mounting: which archive a PSO is taken from, and where a shared component is at home. */
#include "loader/mount.h"

#include <string.h>

#include "loader/arena.h"
#include "loader/layer.h"

/* ---- homes ---------------------------------------------------------------------------------- */

/* Slots that a search looks at. Honest hashes spread; forged ones shall not make it quadratic. */
#define PROBES_MAX 64

/* Components by content hash, open addressing; a slot holds a number + 1, 0 is free. */
typedef struct home_table {
    uint32_t *slots;
    uint32_t mask;
    size_t size;
} home_table;

static psopack_status create_table(home_table *table, const psopack_mount *mount,
                                   psopack_diag *diag)
{
    uint64_t slots = 16;
    while (slots < 2 * (uint64_t)mount->first[mount->count])
        slots *= 2;
    if (slots > UINT32_MAX)
        return psopack_fail(diag, PSOPACK_E_LIMIT, "a mount holds at most 2^30 components");
    table->size = (size_t)slots * sizeof *table->slots;
    table->slots = psopack_allocate(&mount->allocator, table->size, diag);
    if (!table->slots)
        return PSOPACK_E_NOMEM;
    memset(table->slots, 0, table->size);
    table->mask = (uint32_t)slots - 1;
    return PSOPACK_OK;
}

static uint32_t archive_of(const psopack_mount *mount, uint32_t number)
{
    uint32_t archive = 0;
    while (number >= mount->first[archive + 1])
        archive++;
    return archive;
}

/* What two components must have in common to be one. */
typedef struct identity {
    uint8_t hash[16];
    uint64_t size;
    uint32_t crc;
    uint32_t align_log2;
} identity;

static bool load_identity(const psopack_mount *mount, uint32_t number, identity *ret_identity)
{
    uint32_t archive = archive_of(mount, number), component = number - mount->first[archive];
    psopack_component_row row;
    if (psopack_component_hash(mount->archives[archive], component, ret_identity->hash, NULL) !=
            PSOPACK_OK ||
        psopack_archive_component_row(mount->archives[archive], component, &row, NULL) !=
            PSOPACK_OK)
        return false;
    ret_identity->size = row.size;
    ret_identity->crc = row.crc;
    ret_identity->align_log2 = row.align_log2;
    return !row.dead;
}

/* A home must be aligned at least as its guests ask. */
static bool can_house(const identity *home, const identity *guest)
{
    return memcmp(home->hash, guest->hash, sizeof home->hash) == 0 && home->size == guest->size &&
           home->crc == guest->crc && home->align_log2 >= guest->align_log2;
}

static uint32_t find_home(const home_table *table, const psopack_mount *mount, uint32_t number,
                          const identity *own)
{
    psopack_u64le word;
    memcpy(&word, own->hash, sizeof word);
    uint32_t at = (uint32_t)psopack_load64(word) & table->mask;
    for (int probe = 0; probe < PROBES_MAX; probe++) {
        identity other;
        uint32_t slot = table->slots[at];
        if (slot == 0) {
            table->slots[at] = number + 1;
            break;
        }
        if (load_identity(mount, slot - 1, &other) && can_house(&other, own))
            return slot - 1;
        at = (at + 1) & table->mask;
    }
    return number;
}

static psopack_status fill_homes(psopack_mount *mount, psopack_diag *diag)
{
    home_table table;
    PSOPACK_TRY(create_table(&table, mount, diag));
    for (uint32_t i = 0; i < mount->first[mount->count]; i++) {
        identity own;
        /* Without a hash, or with a damaged one, a component is at home where it is. */
        mount->homes[i] = load_identity(mount, i, &own) ? find_home(&table, mount, i, &own) : i;
    }
    mount->allocator.release(mount->allocator.user, table.slots, table.size);
    return PSOPACK_OK;
}

/* ---- create, destroy ------------------------------------------------------------------------ */

static psopack_status check_archives(const psopack_archive *const *archives, uint32_t count,
                                     uint64_t *ret_components, psopack_diag *diag)
{
    uint64_t components = 0;
    if (!archives || count == 0 || count > PSOPACK_MOUNT_ARCHIVES_MAX)
        return psopack_fail(diag, PSOPACK_E_ARGUMENT, "a mount takes 1 to %u archives",
                            PSOPACK_MOUNT_ARCHIVES_MAX);
    for (uint32_t i = 0; i < count; i++) {
        if (!archives[i])
            return psopack_fail(diag, PSOPACK_E_ARGUMENT, "archive %u of the mount is NULL", i);
        components += archives[i]->components;
    }
    if (components > UINT32_C(1) << 30)
        return psopack_fail(diag, PSOPACK_E_LIMIT, "a mount holds at most 2^30 components");
    *ret_components = components;
    return PSOPACK_OK;
}

psopack_status psopack_mount_create(const psopack_archive *const *archives, uint32_t count,
                                    const psopack_allocator *allocator, psopack_mount **ret_mount,
                                    psopack_diag *diag)
{
    uint64_t components = 0;
    psopack_arena arena = {0};
    PSOPACK_TRY(check_archives(archives, count, &components, diag));
    psopack_allocator own = archives[0]->allocator;
    if (allocator)
        PSOPACK_TRY(psopack_allocator_load(allocator, &own, diag));
    psopack_arena_add(&arena, sizeof(psopack_mount));
    size_t homes_at = psopack_arena_add(&arena, components * sizeof(uint32_t));
    uint8_t *memory = psopack_arena_allocate(&arena, &own, diag);
    if (!memory)
        return PSOPACK_E_NOMEM;
    psopack_mount *mount = (psopack_mount *)(void *)memory;
    memset(mount, 0, sizeof *mount);
    mount->allocator = own;
    mount->size = arena.size;
    mount->count = count;
    mount->homes = (uint32_t *)(void *)(memory + homes_at);
    for (uint32_t i = 0; i < count; i++) {
        mount->archives[i] = archives[i];
        mount->first[i + 1] = mount->first[i] + archives[i]->components;
    }
    psopack_status status = fill_homes(mount, diag);
    if (status != PSOPACK_OK) {
        psopack_mount_destroy(&mount);
        return status;
    }
    *ret_mount = mount;
    return PSOPACK_OK;
}

void psopack_mount_destroy(psopack_mount **mount)
{
    if (!mount || !*mount)
        return;
    psopack_allocator allocator = (*mount)->allocator;
    allocator.release(allocator.user, *mount, (*mount)->size);
    *mount = NULL;
}

/* ---- looking -------------------------------------------------------------------------------- */

void psopack_mount_get_info(const psopack_mount *mount, psopack_mount_info *ret_info)
{
    psopack_mount_info info = {.archives = mount->count, .components = mount->first[mount->count]};
    for (uint32_t i = 0; i < info.components; i++) {
        identity own;
        if (mount->homes[i] == i || !load_identity(mount, i, &own))
            continue;
        info.shared_components++;
        info.shared_bytes += own.size;
    }
    *ret_info = info;
}

psopack_status psopack_mount_find(const psopack_mount *mount, psopack_context *const *contexts,
                                  const void *name, size_t size, psopack_mounted *ret_pso,
                                  psopack_diag *diag)
{
    psopack_status status = PSOPACK_E_NOT_FOUND;
    for (uint32_t i = 0; i < mount->count && status == PSOPACK_E_NOT_FOUND; i++) {
        uint32_t pso;
        status = psopack_pso_find(mount->archives[i], contexts[i], name, size, &pso, diag);
        if (status == PSOPACK_OK)
            *ret_pso = (psopack_mounted){i, pso};
    }
    return status;
}

psopack_status psopack_mount_home(const psopack_mount *mount, psopack_mounted component,
                                  psopack_mounted *ret_home)
{
    if (component.archive >= mount->count ||
        component.index >= mount->archives[component.archive]->components)
        return PSOPACK_E_NOT_FOUND;
    uint32_t home = mount->homes[mount->first[component.archive] + component.index];
    uint32_t archive = archive_of(mount, home);
    *ret_home = (psopack_mounted){archive, home - mount->first[archive]};
    return PSOPACK_OK;
}
