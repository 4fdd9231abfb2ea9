/* SPDX-License-Identifier: MIT */
/* psopack diff: which PSOs two archives do not share, which slots differ, what a patch would cost.
 */
#include "command.h"
#include "failure.h"
#include "file_text.h"
#include "reader.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { GRIDS = 2 };
static const uint64_t grid_sizes[GRIDS] = {UINT64_C(64) << 10, UINT64_C(1) << 20};

typedef enum change { CHANGE_ADDED, CHANGE_REMOVED, CHANGE_CHANGED } change;

static const char *const change_words[] = {"added", "removed", "changed"};
static const char change_marks[] = {'+', '-', '~'};

typedef struct difference {
    psopack_output *output;
    psopack_reader sides[2]; /* old, new */
    uint32_t *slot_in_new;   /* by old slot; UINT32_MAX: not there */
    uint32_t *match;         /* by old component: the new one that it is known to equal */
    uint32_t *mismatch;      /* by old component: the last new one that it is known not to equal */
    uint64_t counts[3];
    uint64_t grid_bytes[GRIDS];
    json_t *rows; /* with --json */
} difference;

/* ---- components -------------------------------------------------------------------------------
 */

static psopack_status read_part(psopack_reader *side, uint32_t component, uint64_t size,
                                uint8_t **ret_bytes, psopack_diag *diag)
{
    uint8_t *bytes = malloc((size_t)size + 1);
    if (!bytes)
        return psopack_failure_memory(diag, "a component");
    psopack_status status = psopack_component_read(side->archive, side->context, component, bytes,
                                                   (size_t)size, NULL, diag);
    if (status != PSOPACK_OK)
        free(bytes);
    else
        *ret_bytes = bytes;
    return status;
}

/* Equal size and CRC are a reason to look; only equal bytes are equality. */
static psopack_status compare_parts(difference *d, uint32_t old_part, uint32_t new_part,
                                    bool *ret_equal, psopack_diag *diag)
{
    if (d->match[old_part] == new_part || d->mismatch[old_part] == new_part) {
        *ret_equal = d->match[old_part] == new_part;
        return PSOPACK_OK;
    }
    psopack_component_info old_info, new_info;
    psopack_status status = psopack_component_get(d->sides[0].archive, old_part, &old_info, diag);
    if (status == PSOPACK_OK)
        status = psopack_component_get(d->sides[1].archive, new_part, &new_info, diag);
    if (status != PSOPACK_OK)
        return status;
    *ret_equal = old_info.size == new_info.size && old_info.crc == new_info.crc;
    if (*ret_equal) {
        uint8_t *old_bytes = NULL, *new_bytes = NULL;
        status = read_part(&d->sides[0], old_part, old_info.size, &old_bytes, diag);
        if (status == PSOPACK_OK)
            status = read_part(&d->sides[1], new_part, new_info.size, &new_bytes, diag);
        if (status == PSOPACK_OK)
            *ret_equal = memcmp(old_bytes, new_bytes, (size_t)old_info.size) == 0;
        free(old_bytes);
        free(new_bytes);
    }
    if (status == PSOPACK_OK)
        (*ret_equal ? d->match : d->mismatch)[old_part] = new_part;
    return status;
}

/* ---- PSOs -------------------------------------------------------------------------------------
 */

static void report_pso(difference *d, change what, const psopack_reader *side, json_t *slots,
                       const char *slot_text)
{
    d->counts[what]++;
    if (d->output->json) {
        json_t *row = json_object();
        psopack_json_set_bytes_text(row, "pso", side->name, side->name_size);
        psopack_json_set_text(row, "change", change_words[what]);
        if (slots)
            psopack_json_set(row, "slots", slots);
        psopack_json_append(d->rows, row);
        return;
    }
    json_decref(slots);
    if (d->output->quiet)
        return;
    printf("%c ", change_marks[what]);
    psopack_output_name(side->name, side->name_size);
    if (slot_text && slot_text[0])
        printf("  %s", slot_text);
    putchar('\n');
}

static void add_slot(json_t *slots, char *text, size_t text_size, const char *name)
{
    psopack_json_append_message(slots, name);
    size_t used = strlen(text);
    if (used < text_size)
        snprintf(text + used, text_size - used, "%s%s", used ? " " : "", name);
}

/* Slots of the new side that no slot of the old side stands for. */
static void compare_new_slots(difference *d, const uint32_t *seen, json_t *slots, char *text,
                              size_t text_size)
{
    for (uint32_t slot = 0; slot < d->sides[1].info.slots; slot++) {
        if (!seen[slot] && d->sides[1].parts[slot] != PSOPACK_ABSENT)
            add_slot(slots, text, text_size, psopack_slot_name(d->sides[1].archive, slot));
    }
}

static psopack_status compare_psos(difference *d, psopack_diag *diag)
{
    uint32_t seen[256] = {0};
    char text[512] = "";
    json_t *slots = json_array();
    if (!slots)
        return psopack_failure_memory(diag, "the slots that differ");
    psopack_status status = PSOPACK_OK;
    for (uint32_t slot = 0; slot < d->sides[0].info.slots && status == PSOPACK_OK; slot++) {
        uint32_t other = d->slot_in_new[slot];
        uint32_t old_part = d->sides[0].parts[slot];
        uint32_t new_part = other == UINT32_MAX ? PSOPACK_ABSENT : d->sides[1].parts[other];
        bool equal = old_part == PSOPACK_ABSENT && new_part == PSOPACK_ABSENT;
        if (other != UINT32_MAX)
            seen[other] = 1;
        if (old_part != PSOPACK_ABSENT && new_part != PSOPACK_ABSENT)
            status = compare_parts(d, old_part, new_part, &equal, diag);
        if (status == PSOPACK_OK && !equal)
            add_slot(slots, text, sizeof text, psopack_slot_name(d->sides[0].archive, slot));
    }
    if (status == PSOPACK_OK)
        compare_new_slots(d, seen, slots, text, sizeof text);
    if (status == PSOPACK_OK && text[0] != '\0')
        report_pso(d, CHANGE_CHANGED, &d->sides[1], json_incref(slots), text);
    json_decref(slots);
    return status;
}

static psopack_status load(psopack_reader *side, uint32_t pso, psopack_diag *diag)
{
    if (pso >= side->info.psos)
        return PSOPACK_OK;
    psopack_status status = psopack_reader_name(side, pso, diag);
    return status == PSOPACK_OK ? psopack_reader_parts(side, pso, diag) : status;
}

static int compare_names(const psopack_reader *a, const psopack_reader *b)
{
    size_t common = a->name_size < b->name_size ? a->name_size : b->name_size;
    int order = memcmp(a->name, b->name, common);
    return order != 0 ? order : (a->name_size > b->name_size) - (a->name_size < b->name_size);
}

/* Both sides are in byte order of their names: one merge. */
static psopack_status merge(difference *d, psopack_diag *diag)
{
    psopack_reader *old_side = &d->sides[0], *new_side = &d->sides[1];
    uint32_t at[2] = {0, 0};
    psopack_status status = load(old_side, 0, diag);
    if (status == PSOPACK_OK)
        status = load(new_side, 0, diag);
    while (status == PSOPACK_OK && (at[0] < old_side->info.psos || at[1] < new_side->info.psos)) {
        int order = at[0] >= old_side->info.psos   ? 1
                    : at[1] >= new_side->info.psos ? -1
                                                   : compare_names(old_side, new_side);
        if (order < 0)
            report_pso(d, CHANGE_REMOVED, old_side, NULL, NULL);
        else if (order > 0)
            report_pso(d, CHANGE_ADDED, new_side, NULL, NULL);
        else
            status = compare_psos(d, diag);
        if (status == PSOPACK_OK && order <= 0)
            status = load(old_side, ++at[0], diag);
        if (status == PSOPACK_OK && order >= 0)
            status = load(new_side, ++at[1], diag);
    }
    return status;
}

/* ---- what a patch costs -----------------------------------------------------------------------
 */

static int compare_u64(const void *a, const void *b)
{
    uint64_t left, right;
    memcpy(&left, a, sizeof left);
    memcpy(&right, b, sizeof right);
    return (left > right) - (left < right);
}

/* Bytes of chunks of `grid` bytes in the new file whose content no chunk of the old file has. */
static bool measure_grid(const char *old_file, size_t old_size, const char *new_file,
                         size_t new_size, uint64_t grid, uint64_t *ret_bytes)
{
    size_t count = 0;
    uint64_t *known = malloc((old_size / grid + 1) * sizeof *known);
    if (!known)
        return false;
    for (uint64_t at = 0; at < old_size; at += grid)
        known[count++] = XXH3_64bits(old_file + at, old_size - at < grid ? old_size - at : grid);
    qsort(known, count, sizeof *known, compare_u64);
    *ret_bytes = 0;
    for (uint64_t at = 0; at < new_size; at += grid) {
        size_t size = new_size - at < grid ? new_size - at : grid;
        uint64_t hash = XXH3_64bits(new_file + at, size);
        if (!bsearch(&hash, known, count, sizeof *known, compare_u64))
            *ret_bytes += size;
    }
    free(known);
    return true;
}

static psopack_status measure_grids(difference *d, psopack_diag *diag)
{
    char *old_file = NULL, *new_file = NULL;
    size_t old_size = 0, new_size = 0;
    psopack_status status = psopack_file_text(d->sides[0].path, &old_file, &old_size, diag);
    if (status == PSOPACK_OK)
        status = psopack_file_text(d->sides[1].path, &new_file, &new_size, diag);
    for (int i = 0; i < GRIDS && status == PSOPACK_OK; i++) {
        if (!measure_grid(old_file, old_size, new_file, new_size, grid_sizes[i], &d->grid_bytes[i]))
            status = psopack_failure_memory(diag, "a chunk table");
    }
    free(old_file);
    free(new_file);
    return status;
}

/* ---- the command ------------------------------------------------------------------------------
 */

static psopack_status prepare(difference *d, psopack_diag *diag)
{
    uint32_t components = d->sides[0].info.components, slots = d->sides[0].info.slots;
    d->slot_in_new = malloc((slots + 1u) * sizeof *d->slot_in_new);
    d->match = malloc((components + 1u) * sizeof *d->match);
    d->mismatch = malloc((components + 1u) * sizeof *d->mismatch);
    d->rows = json_array();
    if (!d->slot_in_new || !d->match || !d->mismatch || !d->rows)
        return psopack_failure_memory(diag, "the comparison");
    memset(d->match, 0xff, (components + 1u) * sizeof *d->match);
    memset(d->mismatch, 0xff, (components + 1u) * sizeof *d->mismatch);
    for (uint32_t slot = 0; slot < slots; slot++) {
        const char *name = psopack_slot_name(d->sides[0].archive, slot);
        if (psopack_slot_find(d->sides[1].archive, name, &d->slot_in_new[slot]) != PSOPACK_OK)
            d->slot_in_new[slot] = UINT32_MAX;
    }
    return PSOPACK_OK;
}

static psopack_status need_names(const psopack_reader *side, psopack_diag *diag)
{
    if (side->info.has_names || side->info.psos == 0)
        return PSOPACK_OK;
    return psopack_failure(diag, PSOPACK_E_NO_NAMES,
                           "names not present: PSOs are compared by name, so both archives need "
                           "them");
}

static psopack_status run(difference *d, psopack_diag *diag)
{
    const psopack_info *old_info = &d->sides[0].info, *new_info = &d->sides[1].info;
    psopack_status status = prepare(d, diag);
    if (status == PSOPACK_OK && memcmp(old_info->content_id, new_info->content_id, 16) != 0) {
        status = need_names(&d->sides[0], diag);
        if (status == PSOPACK_OK)
            status = need_names(&d->sides[1], diag);
        if (status == PSOPACK_OK)
            status = merge(d, diag);
    }
    return status == PSOPACK_OK ? measure_grids(d, diag) : status;
}

static int print(difference *d)
{
    bool same = memcmp(d->sides[0].info.content_id, d->sides[1].info.content_id, 16) == 0;
    int exit_code = same ? 0 : 1;
    if (d->output->json) {
        json_t *object = psopack_json_begin(d->output->command);
        psopack_json_set_text(object, "old", d->sides[0].path);
        psopack_json_set_text(object, "new", d->sides[1].path);
        psopack_json_set_flag(object, "same_content", same);
        for (int i = 0; i < 3; i++)
            psopack_json_set_number(object, change_words[i], d->counts[i]);
        psopack_json_set_number(object, "grid_64k_bytes", d->grid_bytes[0]);
        psopack_json_set_number(object, "grid_1m_bytes", d->grid_bytes[1]);
        psopack_json_set(object, "psos", json_incref(d->rows));
        return psopack_output_json(d->output, object, exit_code);
    }
    psopack_output_summary(
        d->output,
        "%s; PSOs: %" PRIu64 " added, %" PRIu64 " removed, %" PRIu64 " changed; new bytes on a "
        "64 KiB grid %" PRIu64 ", on a 1 MiB grid %" PRIu64 " of %" PRIu64,
        same ? "same content" : "content differs", d->counts[0], d->counts[1], d->counts[2],
        d->grid_bytes[0], d->grid_bytes[1], d->sides[1].info.file_bytes);
    return exit_code;
}

/* Exit 0 same, 1 differ, 2 trouble of any kind, as cmp and diff do. */
int psopack_command_diff(psopack_output *output, const psopack_options *options)
{
    difference d = {.output = output};
    psopack_diag diag;
    const char *path = options->operands.items[0];
    psopack_status status =
        psopack_reader_open(path, options, &options->operands, &d.sides[0], &diag);
    if (status == PSOPACK_OK) {
        path = options->operands.items[1];
        status = psopack_reader_open(path, options, &options->operands, &d.sides[1], &diag);
    }
    if (status == PSOPACK_OK)
        status = run(&d, &diag);
    int exit_code = status == PSOPACK_OK ? print(&d) : psopack_output_fail(output, path, &diag);
    free(d.slot_in_new);
    free(d.match);
    free(d.mismatch);
    json_decref(d.rows);
    psopack_reader_close(&d.sides[0]);
    psopack_reader_close(&d.sides[1]);
    return exit_code == 1 && status != PSOPACK_OK ? 2 : exit_code;
}
