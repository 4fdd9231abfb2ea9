/* SPDX-License-Identifier: MIT */
/* Extraction in batches: decode what some PSOs need, check them, write them. */
#include "extract_batch.h"

#include "failure.h"
#include "signals.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

psopack_status psopack_extraction_begin(psopack_extraction *e, psopack_diag *diag)
{
    const psopack_info *info = &e->reader.info;
    e->psos = calloc((size_t)info->psos + 1, sizeof *e->psos);
    e->components = calloc((size_t)info->components + 1, sizeof *e->components);
    e->wanted = calloc((size_t)info->components + 1, sizeof *e->wanted);
    e->part_sizes = calloc((size_t)info->slots + 1, sizeof *e->part_sizes);
    e->part_crcs = calloc((size_t)info->slots + 1, sizeof *e->part_crcs);
    if (!e->psos || !e->components || !e->wanted || !e->part_sizes || !e->part_crcs)
        return psopack_failure_memory(diag, "some bytes per component");
    return PSOPACK_OK;
}

void psopack_extraction_end(psopack_extraction *e)
{
    psopack_tree_end(&e->tree);
    psopack_reader_close(&e->reader);
    free(e->psos);
    free(e->components);
    free(e->wanted);
    free(e->part_sizes);
    free(e->part_crcs);
    free(e->arena);
}

void psopack_extraction_leave_out(psopack_extraction *e, uint32_t pso, const char *name,
                                  const psopack_diag *diag)
{
    psopack_diag said;
    if (name)
        psopack_failure(&said, diag->code, "PSO '%s' is left out: %s", name, diag->text);
    else
        psopack_failure(&said, diag->code, "PSO %" PRIu32 " is left out: %s", pso, diag->text);
    said.offset = diag->offset;
    psopack_output_error(e->output, e->reader.path, &said);
    if (e->left_out == 0)
        e->worst = diag->code;
    e->left_out++;
    json_t *object = psopack_json_diag(diag);
    psopack_json_set_number(object, "pso_index", pso);
    if (name)
        psopack_json_set_text(object, "pso", name);
    psopack_json_append(e->left_out_list, object);
}

/* ---- which PSOs make a batch ----------------------------------------------------------------- */

/* Adds what a PSO needs and the batch does not have yet. False: it does not fit any more. A PSO
 * whose rows cannot be read adds nothing: writing it finds that again, and says so. */
static bool want_parts(psopack_extraction *e, uint32_t pso, bool first, uint64_t *total)
{
    psopack_diag diag;
    if (psopack_reader_parts(&e->reader, pso, &diag) != PSOPACK_OK)
        return true;
    uint32_t wanted_before = e->wanted_count;
    uint64_t sum = *total;
    for (uint32_t slot = 0; slot < e->reader.info.slots; slot++) {
        uint32_t index = e->reader.parts[slot];
        psopack_component_info component;
        if (index == PSOPACK_ABSENT || e->components[index].batch == e->batch ||
            psopack_component_get(e->reader.archive, index, &component, &diag) != PSOPACK_OK)
            continue;
        e->components[index] =
            (psopack_extracted){.place = sum, .size = component.size, .batch = e->batch};
        e->wanted[e->wanted_count++] = index;
        sum += component.size;
    }
    if (first || sum <= PSOPACK_EXTRACT_BUDGET) {
        *total = sum;
        return true;
    }
    while (e->wanted_count > wanted_before)
        e->components[e->wanted[--e->wanted_count]].batch = 0;
    return false;
}

static int ascending(const void *a, const void *b)
{
    uint32_t left = *(const uint32_t *)a;
    uint32_t right = *(const uint32_t *)b;
    return (left > right) - (left < right);
}

/* Returns the end of the batch in e->psos, with its components sorted and placed. */
static uint32_t plan(psopack_extraction *e, uint64_t *ret_total)
{
    uint32_t end = e->next;
    e->batch++;
    e->wanted_count = 0;
    *ret_total = 0;
    while (end < e->pso_count && want_parts(e, e->psos[end], end == e->next, ret_total))
        end++;
    qsort(e->wanted, e->wanted_count, sizeof *e->wanted, ascending);
    return end;
}

/* ---- decoding -------------------------------------------------------------------------------- */

static psopack_status make_room(psopack_extraction *e, uint64_t total, psopack_diag *diag)
{
    if (total < e->arena_size)
        return PSOPACK_OK;
    free(e->arena);
    e->arena_size = 0;
    e->arena = total < SIZE_MAX ? malloc((size_t)total + 1) : NULL;
    if (!e->arena)
        return psopack_failure_memory(diag, "the components of one PSO");
    e->arena_size = (size_t)total + 1;
    return PSOPACK_OK;
}

static psopack_status stopped(psopack_diag *diag)
{
    return psopack_failure(diag, PSOPACK_E_CANCELLED,
                           "stopped by a signal: what is there is whole");
}

static psopack_status decode(psopack_extraction *e, psopack_diag *diag)
{
    for (uint32_t i = 0; i < e->wanted_count; i++) {
        if (psopack_signals_stop())
            return stopped(diag);
        psopack_extracted *c = &e->components[e->wanted[i]];
        /* What is wrong with it is said with the PSO that needs it. */
        psopack_diag ignored;
        c->whole = psopack_component_read(e->reader.archive, e->reader.context, e->wanted[i],
                                          e->arena + c->place, (size_t)c->size, &c->crc,
                                          &ignored) == PSOPACK_OK;
    }
    return PSOPACK_OK;
}

/* ---- writing --------------------------------------------------------------------------------- */

/* Why a component is not whole: asks once more for the reason. */
static psopack_status reason_of(psopack_extraction *e, uint32_t index, psopack_diag *diag)
{
    psopack_extracted *c = &e->components[index];
    psopack_component_info component;
    psopack_status status = psopack_component_get(e->reader.archive, index, &component, diag);
    if (status == PSOPACK_OK && c->batch == e->batch)
        status = psopack_component_read(e->reader.archive, e->reader.context, index,
                                        e->arena + c->place, (size_t)c->size, &c->crc, diag);
    if (status != PSOPACK_OK)
        return status;
    return psopack_failure(diag, PSOPACK_E_IO, "component %" PRIu32 ": two reads gave two answers",
                           index);
}

/* Proves the parts of a PSO to be what was packed. */
static psopack_status check_parts(psopack_extraction *e, uint32_t pso, psopack_diag *diag)
{
    psopack_status status = psopack_reader_parts(&e->reader, pso, diag);
    for (uint32_t slot = 0; slot < e->reader.info.slots && status == PSOPACK_OK; slot++) {
        uint32_t index = e->reader.parts[slot];
        if (index == PSOPACK_ABSENT)
            continue;
        psopack_extracted *c = &e->components[index];
        if (c->batch != e->batch || !c->whole)
            status = reason_of(e, index, diag);
        e->part_sizes[slot] = c->size;
        e->part_crcs[slot] = c->crc;
    }
    if (status != PSOPACK_OK)
        return status;
    return psopack_pso_check(e->reader.archive, pso, e->reader.parts, e->part_sizes, e->part_crcs,
                             diag);
}

static psopack_status write_parts(psopack_extraction *e, psopack_diag *diag)
{
    psopack_status status = psopack_tree_enter(&e->tree, e->reader.name, e->reader.name_size, diag);
    for (uint32_t slot = 0; slot < e->reader.info.slots && status == PSOPACK_OK; slot++) {
        uint32_t index = e->reader.parts[slot];
        if (index == PSOPACK_ABSENT)
            continue;
        const psopack_extracted *c = &e->components[index];
        status = psopack_tree_write(&e->tree, psopack_slot_name(e->reader.archive, slot),
                                    e->arena + c->place, (size_t)c->size, diag);
        e->files += status == PSOPACK_OK;
        e->bytes += status == PSOPACK_OK ? c->size : 0;
    }
    return status;
}

/* Damage is the archive's and spares other PSOs; a write that fails is the disk's and ends it all.
 */
static psopack_status extract_pso(psopack_extraction *e, uint32_t pso, psopack_diag *diag)
{
    if (psopack_reader_name(&e->reader, pso, diag) != PSOPACK_OK) {
        psopack_extraction_leave_out(e, pso, NULL, diag);
        return PSOPACK_OK;
    }
    if (check_parts(e, pso, diag) != PSOPACK_OK) {
        psopack_extraction_leave_out(e, pso, e->reader.name, diag);
        return PSOPACK_OK;
    }
    psopack_status status = write_parts(e, diag);
    e->extracted += status == PSOPACK_OK;
    return status;
}

psopack_status psopack_extraction_batch(psopack_extraction *e, psopack_diag *diag)
{
    uint64_t total = 0;
    uint32_t end = plan(e, &total);
    psopack_status status = make_room(e, total, diag);
    if (status == PSOPACK_OK)
        status = decode(e, diag);
    for (; status == PSOPACK_OK && e->next < end; e->next++) {
        if (psopack_signals_stop())
            return stopped(diag);
        status = extract_pso(e, e->psos[e->next], diag);
        psopack_progress_update(&e->output->progress, "extract", e->next, e->pso_count);
    }
    return status;
}
