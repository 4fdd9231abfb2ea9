/* SPDX-License-Identifier: MIT */
/*
 * Components that are damaged in one archive and whole in another. What an archive stores about a
 * component survives its damage: the PSOs and slots that use it, its size and its CRC32C. Where
 * another input has a whole component under the same PSO and slot, of the same size and CRC, it is
 * that one, for all PSOs that use it.
 */
#include <stdlib.h>

#include "packer/events.h"
#include "packer/old_archive.h"

typedef struct known_part {
    uint64_t where; /* PSO name, slot: both as input numbers */
    uint32_t file;
} known_part;

static int compare_parts(const void *a, const void *b)
{
    const known_part *left = a, *right = b;
    if (left->where != right->where)
        return left->where < right->where ? -1 : 1;
    return (left->file > right->file) - (left->file < right->file);
}

static uint64_t where_is(const psopack_inputs *inputs, const psopack_input_file *file)
{
    return (uint64_t)inputs->psos[file->pso].name << 32 | file->slot;
}

static uint32_t *item_of(const psopack_inputs *inputs, const psopack_input_file *file)
{
    return &inputs->olds[file->source.part.archive]->item[file->source.part.component];
}

static bool is_archive_file(const psopack_inputs *inputs, const psopack_input_file *file)
{
    return inputs->origins[inputs->psos[file->pso].origin].type == PSOPACK_ORIGIN_ARCHIVE;
}

/* Whole parts by PSO and slot. */
static psopack_status list_parts(const psopack_inputs *inputs, known_part **ret_parts,
                                 size_t *ret_count, psopack_diag *diag)
{
    known_part *parts;
    size_t count = 0;
    PSOPACK_TRY(psopack_new_array(&parts, inputs->file_count, sizeof *parts, diag));
    for (size_t i = 0; i < inputs->file_count; i++) {
        const psopack_input_file *file = &inputs->files[i];
        if (is_archive_file(inputs, file) && *item_of(inputs, file) != PSOPACK_NO_ITEM)
            parts[count++] = (known_part){where_is(inputs, file), (uint32_t)i};
    }
    qsort(parts, count, sizeof *parts, compare_parts);
    *ret_parts = parts;
    *ret_count = count;
    return PSOPACK_OK;
}

static size_t first_part(const known_part *parts, size_t count, uint64_t where)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (parts[middle].where < where)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void tell(const psopack_inputs *inputs, const psopack_build_events *events,
                 const psopack_input_file *bad, const psopack_input_file *good)
{
    psopack_diag text;
    if (!events->message)
        return;
    psopack_fail(
        &text, PSOPACK_OK, "PSO '%.100s': slot '%.60s' is damaged in %.120s and taken from %.120s",
        inputs->names.items[inputs->psos[bad->pso].name].bytes,
        inputs->slots.items[bad->slot].bytes, inputs->origins[inputs->psos[bad->pso].origin].path,
        inputs->origins[inputs->psos[good->pso].origin].path);
    events->message(events->user, PSOPACK_NOTE, text.text);
}

static void repair(const psopack_inputs *inputs, const psopack_store *store,
                   const psopack_build_events *events, const known_part *parts, size_t count,
                   const psopack_input_file *bad)
{
    const psopack_archive_part *part = &bad->source.part;
    const psopack_component_row *row = &inputs->olds[part->archive]->components[part->component];
    uint64_t where = where_is(inputs, bad);
    for (size_t i = first_part(parts, count, where); i < count && parts[i].where == where; i++) {
        const psopack_input_file *good = &inputs->files[parts[i].file];
        const psopack_stored *item = &store->items[*item_of(inputs, good)];
        if (item->size != row->size || item->crc != row->crc)
            continue;
        *item_of(inputs, bad) = *item_of(inputs, good);
        tell(inputs, events, bad, good);
        return;
    }
}

psopack_status psopack_scan_repair(const psopack_inputs *inputs, const psopack_store *store,
                                   const psopack_build_events *events, psopack_diag *diag)
{
    known_part *parts = NULL;
    size_t count = 0;
    for (size_t i = 0; i < inputs->file_count; i++) {
        const psopack_input_file *file = &inputs->files[i];
        if (!is_archive_file(inputs, file) || *item_of(inputs, file) != PSOPACK_NO_ITEM)
            continue;
        if (!parts)
            PSOPACK_TRY(list_parts(inputs, &parts, &count, diag));
        repair(inputs, store, events, parts, count, file);
    }
    free(parts);
    return PSOPACK_OK;
}
