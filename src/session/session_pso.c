/* SPDX-License-Identifier: MIT */
/*
 * A PSO as one value of a session:
 *
 *   head | a row per slot, by slot name | names, each with a zero | component | component ...
 *
 * Components start at multiples of 16; what lies between is zero.
 */
#include <psopack/session_pso.h>

#include <stdbool.h>
#include <string.h>

#include "format/crc32c.h"
#include "format/error.h"
#include "format/layout.h"
#include "format/tuple.h"
#include "session/session_host.h"

#define PSO_VALUE_MAGIC PSOPACK_FOURCC('P', 'S', 'O', 'V')
#define PSO_KEY_MAGIC PSOPACK_FOURCC('P', 'S', 'O', 1)
#define PART_ALIGNMENT 16u

typedef struct disk_pso_head {
    psopack_u32le magic;
    psopack_u32le slots;
    psopack_u32le tuple_crc;
    psopack_u32le reserved; /* zero */
} disk_pso_head;
static_assert(sizeof(disk_pso_head) == 16, "PSO value v1");

typedef struct disk_pso_row {
    psopack_u32le
        name_size;          /* 1 .. PSOPACK_SESSION_SLOT_NAME_MAX, the zero behind it not counted */
    psopack_u32le reserved; /* zero */
    psopack_u64le size;
} disk_pso_row;
static_assert(sizeof(disk_pso_row) == 16, "PSO value v1");

typedef struct disk_pso_key {
    psopack_u32le magic;
    psopack_u64le content_version;
    uint8_t name[PSOPACK_SESSION_PSO_NAME_MAX];
} disk_pso_key;

#define PSO_KEY_HEAD offsetof(disk_pso_key, name)

static uint64_t align_part(uint64_t offset)
{
    return (offset + PART_ALIGNMENT - 1) & ~(uint64_t)(PART_ALIGNMENT - 1);
}

/* Key ------------------------------------------------------------------------------------------ */

static psopack_status make_key(const psopack_session_pso_name *name, disk_pso_key *ret_key)
{
    if (!name || !name->name || name->size == 0 || name->size > PSOPACK_SESSION_PSO_NAME_MAX)
        return PSOPACK_E_NAME;
    ret_key->magic = psopack_store32(PSO_KEY_MAGIC);
    ret_key->content_version = psopack_store64(name->content_version);
    memcpy(ret_key->name, name->name, name->size);
    return PSOPACK_OK;
}

psopack_status psopack_session_pso_name_of(const void *key, size_t key_size,
                                           psopack_session_pso_name *ret_name)
{
    const disk_pso_key *pso_key = key;
    if (!key || key_size <= PSO_KEY_HEAD ||
        key_size - PSO_KEY_HEAD > PSOPACK_SESSION_PSO_NAME_MAX ||
        psopack_load32(pso_key->magic) != PSO_KEY_MAGIC)
        return PSOPACK_E_NOT_FOUND;
    *ret_name = (psopack_session_pso_name){pso_key->name, key_size - PSO_KEY_HEAD,
                                           psopack_load64(pso_key->content_version)};
    return PSOPACK_OK;
}

psopack_status psopack_session_find_pso(psopack_session *session,
                                        const psopack_session_pso_name *name, void *value,
                                        size_t *value_size)
{
    disk_pso_key key;
    PSOPACK_TRY(make_key(name, &key));
    return psopack_session_find(session, &key, PSO_KEY_HEAD + name->size, value, value_size);
}

/* Writing -------------------------------------------------------------------------------------- */

static uint32_t part_crc(const psopack_session_part *part)
{
    return part->size > 0 ? psopack_crc32c(0, part->bytes, part->size) : 0;
}

static psopack_status check_part(const psopack_session_part *part)
{
    if (!part->slot || (!part->bytes && part->size > 0))
        return PSOPACK_E_ARGUMENT;
    size_t name_size = strlen(part->slot);
    if (name_size == 0 || name_size > PSOPACK_SESSION_SLOT_NAME_MAX)
        return PSOPACK_E_NAME;
    return part->size > PSOPACK_SESSION_VALUE_MAX ? PSOPACK_E_LIMIT : PSOPACK_OK;
}

/* Pointers to the parts by slot name; at most 256, so insertion is fast enough. */
static psopack_status sort_parts(const psopack_session_part *parts, size_t count,
                                 const psopack_session_part **ret_sorted)
{
    for (size_t i = 0; i < count; i++) {
        PSOPACK_TRY(check_part(&parts[i]));
        size_t at = i;
        int order = 1;
        while (at > 0 && (order = strcmp(ret_sorted[at - 1]->slot, parts[i].slot)) > 0) {
            ret_sorted[at] = ret_sorted[at - 1];
            at--;
        }
        if (at > 0 && order == 0)
            return PSOPACK_E_DUPLICATE;
        ret_sorted[at] = &parts[i];
    }
    return PSOPACK_OK;
}

static uint64_t value_size_of(const psopack_session_part *const *sorted, size_t count)
{
    uint64_t size = sizeof(disk_pso_head) + count * sizeof(disk_pso_row);
    for (size_t i = 0; i < count; i++)
        size += strlen(sorted[i]->slot) + 1;
    for (size_t i = 0; i < count; i++)
        size = align_part(size) + sorted[i]->size;
    return size;
}

/* `value` is zeroed memory of value_size_of() bytes. */
static void fill_value(const psopack_session_part *const *sorted, size_t count, uint8_t *value)
{
    disk_pso_row *rows = (disk_pso_row *)(value + sizeof(disk_pso_head));
    char *names = (char *)(rows + count);
    uint32_t tuple = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t name_size = (uint32_t)strlen(sorted[i]->slot);
        rows[i].name_size = psopack_store32(name_size);
        rows[i].size = psopack_store64(sorted[i]->size);
        memcpy(names, sorted[i]->slot, name_size);
        names += name_size + 1;
        tuple = psopack_tuple_add(tuple, sorted[i]->slot, name_size, sorted[i]->size,
                                  part_crc(sorted[i]));
    }
    uint64_t at = (uint64_t)((uint8_t *)names - value);
    for (size_t i = 0; i < count; i++) {
        at = align_part(at);
        if (sorted[i]->size > 0)
            memcpy(value + at, sorted[i]->bytes, sorted[i]->size);
        at += sorted[i]->size;
    }
    disk_pso_head head = {psopack_store32(PSO_VALUE_MAGIC), psopack_store32((uint32_t)count),
                          psopack_store32(tuple), psopack_store32(0)};
    memcpy(value, &head, sizeof head);
}

psopack_status psopack_session_store_pso(psopack_session *session,
                                         const psopack_session_pso_name *name,
                                         const psopack_session_part *parts, size_t count)
{
    if (!session || (!parts && count > 0))
        return PSOPACK_E_ARGUMENT;
    if (count > PSOPACK_SESSION_SLOTS_MAX)
        return PSOPACK_E_LIMIT;
    disk_pso_key key;
    const psopack_session_part *sorted[PSOPACK_SESSION_SLOTS_MAX];
    PSOPACK_TRY(make_key(name, &key));
    PSOPACK_TRY(sort_parts(parts, count, sorted));
    uint64_t size = value_size_of(sorted, count);
    if (size > PSOPACK_SESSION_VALUE_MAX)
        return PSOPACK_E_LIMIT;
    const psopack_allocator *allocator = &session->host->allocator;
    uint8_t *value = psopack_session_allocate(allocator, (size_t)size);
    if (!value)
        return PSOPACK_E_NOMEM;
    memset(value, 0, (size_t)size);
    fill_value(sorted, count, value);
    psopack_status status =
        psopack_session_store(session, &key, PSO_KEY_HEAD + name->size, value, (size_t)size);
    psopack_session_release(allocator, value, (size_t)size);
    return status;
}

/* Reading -------------------------------------------------------------------------------------- */

typedef struct pso_view {
    const uint8_t *bytes;
    size_t size;
    const disk_pso_row *rows;
    uint32_t slots;
    uint32_t tuple_crc;
    size_t at; /* what is read next */
} pso_view;

static psopack_status view_head(const void *value, size_t size, pso_view *ret_view)
{
    const disk_pso_head *head = value;
    if (!value || size < sizeof *head || psopack_load32(head->magic) != PSO_VALUE_MAGIC)
        return PSOPACK_E_NOT_FOUND;
    uint32_t slots = psopack_load32(head->slots);
    if (slots > PSOPACK_SESSION_SLOTS_MAX || slots > (size - sizeof *head) / sizeof(disk_pso_row) ||
        psopack_load32(head->reserved) != 0)
        return PSOPACK_E_CORRUPT;
    *ret_view = (pso_view){value,
                           size,
                           (const disk_pso_row *)(head + 1),
                           slots,
                           psopack_load32(head->tuple_crc),
                           sizeof *head + slots * sizeof(disk_pso_row)};
    return PSOPACK_OK;
}

static psopack_status view_names(pso_view *view, psopack_session_part *parts)
{
    for (uint32_t i = 0; i < view->slots; i++) {
        const char *name = (const char *)view->bytes + view->at;
        uint32_t name_size = psopack_load32(view->rows[i].name_size);
        if (name_size == 0 || name_size > PSOPACK_SESSION_SLOT_NAME_MAX ||
            name_size >= view->size - view->at || name[name_size] != '\0' ||
            memchr(name, '\0', name_size) || psopack_load32(view->rows[i].reserved) != 0 ||
            (i > 0 && strcmp(parts[i - 1].slot, name) >= 0))
            return PSOPACK_E_CORRUPT;
        parts[i].slot = name;
        view->at += name_size + 1;
    }
    return PSOPACK_OK;
}

static bool skip_padding(pso_view *view)
{
    uint64_t end = align_part(view->at);
    if (end > view->size)
        return false;
    while (view->at < end) {
        if (view->bytes[view->at++] != 0)
            return false;
    }
    return true;
}

static psopack_status view_parts(pso_view *view, psopack_session_part *parts)
{
    uint32_t tuple = 0;
    for (uint32_t i = 0; i < view->slots; i++) {
        uint64_t size = psopack_load64(view->rows[i].size);
        if (!skip_padding(view) || size > view->size - view->at)
            return PSOPACK_E_CORRUPT;
        parts[i].bytes = view->bytes + view->at;
        parts[i].size = (size_t)size;
        view->at += (size_t)size;
        tuple = psopack_tuple_add(tuple, parts[i].slot, (uint32_t)strlen(parts[i].slot), size,
                                  part_crc(&parts[i]));
    }
    if (view->at != view->size)
        return PSOPACK_E_CORRUPT;
    return tuple == view->tuple_crc ? PSOPACK_OK : PSOPACK_E_TUPLE;
}

psopack_status psopack_session_pso_parts(const void *value, size_t value_size,
                                         psopack_session_part *ret_parts, size_t *count)
{
    if (!count || (!ret_parts && *count > 0))
        return PSOPACK_E_ARGUMENT;
    pso_view view;
    psopack_session_part parts[PSOPACK_SESSION_SLOTS_MAX];
    PSOPACK_TRY(view_head(value, value_size, &view));
    PSOPACK_TRY(view_names(&view, parts));
    PSOPACK_TRY(view_parts(&view, parts));
    size_t room = *count;
    *count = view.slots;
    if (view.slots > room)
        return PSOPACK_E_BUFFER;
    if (view.slots > 0)
        memcpy(ret_parts, parts, view.slots * sizeof *parts);
    return PSOPACK_OK;
}

psopack_status psopack_session_pso_tuple_crc(const void *value, size_t value_size,
                                             uint32_t *ret_crc)
{
    pso_view view;
    PSOPACK_TRY(view_head(value, value_size, &view));
    *ret_crc = view.tuple_crc;
    return PSOPACK_OK;
}
