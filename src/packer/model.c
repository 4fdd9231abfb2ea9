/* SPDX-License-Identifier: MIT */
/* From scanned inputs to the model: sort, merge equal PSOs, number components as they are met. */
#include "packer/model.h"

#include <stdlib.h>
#include <string.h>

#include "format/layout.h"
#include "format/tuple.h"

/* Scratch of one psopack_model_make. */
typedef struct maker {
    const psopack_inputs *inputs;
    const psopack_model_options *options;
    psopack_model *model;
    uint32_t *slot_rank;  /* by input slot */
    uint32_t *pso_order;  /* input PSOs by name, then origin */
    uint32_t *first_file; /* by input PSO, one more at the end: into file_order */
    uint32_t *file_order; /* files by input PSO, then slot rank */
    uint32_t *number;     /* by store item: component + 1 */
} maker;

static void free_maker(maker *make)
{
    free(make->slot_rank);
    free(make->pso_order);
    free(make->first_file);
    free(make->file_order);
    free(make->number);
}

static psopack_status allocate(maker *make, size_t item_count, psopack_diag *diag)
{
    const psopack_inputs *inputs = make->inputs;
    psopack_model *model = make->model;
    PSOPACK_TRY(psopack_new_array(&make->slot_rank, inputs->slots.count, 4, diag));
    PSOPACK_TRY(psopack_new_array(&make->pso_order, inputs->pso_count, 4, diag));
    PSOPACK_TRY(psopack_new_array(&make->first_file, inputs->pso_count + 1, 4, diag));
    PSOPACK_TRY(psopack_new_array(&make->file_order, inputs->file_count, 4, diag));
    PSOPACK_TRY(psopack_new_array(&make->number, item_count, 4, diag));
    PSOPACK_TRY(psopack_new_array(&model->slots, inputs->slots.count + make->options->slot_count,
                                  sizeof *model->slots, diag));
    PSOPACK_TRY(psopack_new_array(&model->psos, inputs->pso_count + 1, sizeof *model->psos, diag));
    PSOPACK_TRY(
        psopack_new_array(&model->references, inputs->file_count, sizeof *model->references, diag));
    return psopack_new_array(&model->components, item_count, sizeof *model->components, diag);
}

static void note(const maker *make, const psopack_diag *text)
{
    if (make->options->events->message)
        make->options->events->message(make->options->events->user, PSOPACK_NOTE, text->text);
}

/* ---- sorting without a context argument: keys carry what is compared --------------------------
 */

typedef struct sort_key {
    const psopack_string *name;
    uint32_t minor;
    uint32_t index;
} sort_key;

static int compare_keys(const void *a, const void *b)
{
    const sort_key *left = a, *right = b;
    int order = psopack_string_compare(left->name, right->name);
    if (order != 0)
        return order;
    return (left->minor > right->minor) - (left->minor < right->minor);
}

/* Slots that only dropped PSOs have do not exist. slot_rank is scratch for "used" first. */
static size_t list_used_slots(maker *make, sort_key *keys)
{
    const psopack_inputs *inputs = make->inputs;
    size_t count = 0;
    for (size_t i = 0; i < inputs->file_count; i++) {
        if (!inputs->psos[inputs->files[i].pso].dropped)
            make->slot_rank[inputs->files[i].slot] = 1;
    }
    for (size_t i = 0; i < inputs->slots.count; i++) {
        if (make->slot_rank[i] != 0)
            keys[count++] = (sort_key){&inputs->slots.items[i], 0, (uint32_t)i};
    }
    return count;
}

/* Named by the caller, so a slot that is not there may be misspelled. */
static void note_no_slot(const maker *make, const char *slot)
{
    psopack_diag text;
    psopack_fail(&text, PSOPACK_OK, "alignment of slot '%s': no input has that slot", slot);
    note(make, &text);
}

static void apply_alignment(maker *make)
{
    for (size_t i = 0; i < make->options->align_count; i++) {
        const psopack_align_rule *rule = &make->options->align[i];
        bool found = false;
        for (uint32_t slot = 0; slot < make->model->slot_count; slot++) {
            if (strcmp(make->model->slots[slot].name.bytes, rule->slot) != 0)
                continue;
            make->model->slots[slot].align_log2 = rule->align_log2;
            found = true;
        }
        if (!found)
            note_no_slot(make, rule->slot);
    }
}

/* Slots of the inputs, and those that must exist: an input's comes first among equal names. */
static psopack_status sort_slots(maker *make, psopack_diag *diag)
{
    const psopack_model_options *options = make->options;
    psopack_model *model = make->model;
    sort_key *keys;
    PSOPACK_TRY(psopack_new_array(&keys, make->inputs->slots.count + options->slot_count,
                                  sizeof *keys, diag));
    size_t count = list_used_slots(make, keys);
    for (size_t i = 0; i < options->slot_count; i++)
        keys[count++] = (sort_key){&options->slots[i], 1, 0};
    qsort(keys, count, sizeof *keys, compare_keys);
    for (size_t i = 0; i < count; i++) {
        bool known =
            model->slot_count != 0 &&
            psopack_string_compare(&model->slots[model->slot_count - 1].name, keys[i].name) == 0;
        if (!known)
            model->slots[model->slot_count++].name = *keys[i].name;
        if (keys[i].minor == 0)
            make->slot_rank[keys[i].index] = model->slot_count - 1;
    }
    free(keys);
    if (model->slot_count > PSOPACK_SLOTS_MAX)
        return psopack_fail(diag, PSOPACK_E_LIMIT,
                            "more than %u slots, with those of the older archive",
                            PSOPACK_SLOTS_MAX);
    apply_alignment(make);
    return PSOPACK_OK;
}

static psopack_status sort_psos(maker *make, psopack_diag *diag)
{
    const psopack_inputs *inputs = make->inputs;
    sort_key *keys;
    PSOPACK_TRY(psopack_new_array(&keys, inputs->pso_count, sizeof *keys, diag));
    for (size_t i = 0; i < inputs->pso_count; i++)
        keys[i] = (sort_key){&inputs->names.items[inputs->psos[i].name], inputs->psos[i].origin,
                             (uint32_t)i};
    qsort(keys, inputs->pso_count, sizeof *keys, compare_keys);
    for (size_t i = 0; i < inputs->pso_count; i++)
        make->pso_order[i] = keys[i].index;
    free(keys);
    return PSOPACK_OK;
}

/* Counting sort by PSO; a PSO's few files then by slot, by insertion. */
static void sort_files(maker *make)
{
    const psopack_inputs *inputs = make->inputs;
    uint32_t *first = make->first_file;
    for (size_t i = 0; i < inputs->file_count; i++)
        first[inputs->files[i].pso + 1]++;
    for (size_t i = 0; i < inputs->pso_count; i++)
        first[i + 1] += first[i];
    uint32_t *filled = make->pso_order; /* scratch: sorted afterwards */
    memset(filled, 0, inputs->pso_count * sizeof *filled);
    for (size_t i = 0; i < inputs->file_count; i++) {
        const psopack_input_file *file = &inputs->files[i];
        uint32_t *files = make->file_order + first[file->pso];
        uint32_t at = filled[file->pso]++;
        uint32_t rank = make->slot_rank[file->slot];
        for (; at > 0 && make->slot_rank[inputs->files[files[at - 1]].slot] > rank; at--)
            files[at] = files[at - 1];
        files[at] = (uint32_t)i;
    }
}

/* ---- PSOs -------------------------------------------------------------------------------------
 */

static const char *pso_name(const maker *make, uint32_t pso)
{
    return make->inputs->names.items[make->inputs->psos[pso].name].bytes;
}

static const char *origin_path(const maker *make, uint32_t pso)
{
    return make->inputs->origins[make->inputs->psos[pso].origin].path;
}

/* One slot named twice in one input: fine when the content is equal. */
static psopack_status merge_repeated_slots(maker *make, uint32_t pso, uint32_t *ret_count,
                                           psopack_diag *diag)
{
    const psopack_inputs *inputs = make->inputs;
    uint32_t *files = make->file_order + make->first_file[pso];
    uint32_t count = make->first_file[pso + 1] - make->first_file[pso], kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        const psopack_input_file *file = &inputs->files[files[i]];
        const psopack_input_file *last = kept ? &inputs->files[files[kept - 1]] : NULL;
        if (!last || last->slot != file->slot) {
            files[kept++] = files[i];
            continue;
        }
        const char *slot = inputs->slots.items[file->slot].bytes;
        if (last->component != file->component)
            return psopack_fail(diag, PSOPACK_E_DUPLICATE,
                                "PSO '%s': slot '%s' is given twice in %s, with different content",
                                pso_name(make, pso), slot, origin_path(make, pso));
        psopack_diag text;
        psopack_fail(&text, PSOPACK_OK,
                     "PSO '%s': slot '%s' is given twice in %s, with the same content",
                     pso_name(make, pso), slot, origin_path(make, pso));
        note(make, &text);
    }
    *ret_count = kept;
    return PSOPACK_OK;
}

static bool same_content(const maker *make, const psopack_model_pso *pso, const uint32_t *files,
                         uint32_t count)
{
    const psopack_model *model = make->model;
    if (model->reference_count - pso->first_reference != count)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        const psopack_input_file *file = &make->inputs->files[files[i]];
        const psopack_model_reference *reference = &model->references[pso->first_reference + i];
        if (reference->slot != make->slot_rank[file->slot] ||
            make->number[file->component] != reference->component + 1)
            return false;
    }
    return true;
}

static void add_reference(maker *make, const psopack_stored *items, const psopack_input_file *file)
{
    psopack_model *model = make->model;
    uint32_t slot = make->slot_rank[file->slot];
    uint32_t *number = &make->number[file->component];
    if (*number == 0) {
        const psopack_stored *item = &items[file->component];
        model->components[model->component_count] = (psopack_model_component){
            .hash = item->hash, .size = item->size, .crc = item->crc, .item = file->component};
        model->component_bytes += item->size;
        *number = ++model->component_count;
    }
    psopack_model_component *component = &model->components[*number - 1];
    component->references++;
    if (component->align_log2 < model->slots[slot].align_log2)
        component->align_log2 = (uint8_t)model->slots[slot].align_log2;
    model->slots[slot].references++;
    model->reference_bytes += file->size;
    model->references[model->reference_count++] =
        (psopack_model_reference){*number - 1, (uint16_t)slot};
}

static void add_pso(maker *make, const psopack_stored *items, uint32_t input, uint32_t count)
{
    psopack_model *model = make->model;
    const psopack_input_pso *source = &make->inputs->psos[input];
    psopack_model_pso *pso = &model->psos[model->pso_count++];
    *pso = (psopack_model_pso){
        .name = make->inputs->names.items[source->name],
        .key = source->key,
        .first_reference = (uint32_t)model->reference_count,
    };
    for (uint32_t i = 0; i < count; i++) {
        const psopack_input_file *file =
            &make->inputs->files[make->file_order[make->first_file[input] + i]];
        const psopack_string *slot = &make->inputs->slots.items[file->slot];
        add_reference(make, items, file);
        pso->tuple = psopack_tuple_add(pso->tuple, slot->bytes, slot->size, file->size, file->crc);
    }
}

static psopack_status refuse(const maker *make, const char *what, uint32_t first, uint32_t second,
                             psopack_diag *diag)
{
    return psopack_fail(diag, PSOPACK_E_DUPLICATE, "PSO '%s' has one %s in %s and another in %s",
                        pso_name(make, second), what, origin_path(make, first),
                        origin_path(make, second));
}

/* A name that was met before, in `first`: the content must be the same, unless one is preferred. */
static psopack_status take_again(maker *make, uint32_t first, uint32_t second, uint32_t count,
                                 psopack_diag *diag)
{
    const psopack_input_pso *psos = make->inputs->psos;
    psopack_model_pso *pso = &make->model->psos[make->model->pso_count - 1];
    bool same = same_content(make, pso, make->file_order + make->first_file[second], count);
    bool choose = make->options->prefer != PSOPACK_PREFER_NONE;
    psopack_diag text;
    if (!same && !choose)
        return refuse(make, "content", first, second, diag);
    if (psos[first].key != psos[second].key && !choose)
        return refuse(make, "key", first, second, diag);
    psopack_fail(&text, PSOPACK_OK, "PSO '%s' is in %s and in %s, %s", pso_name(make, second),
                 origin_path(make, first), origin_path(make, second),
                 same ? "with the same content"
                      : "with another content: the first named was taken");
    note(make, &text);
    return PSOPACK_OK;
}

static psopack_status take_pso(maker *make, const psopack_stored *items, uint32_t input,
                               uint32_t *last_input, psopack_diag *diag)
{
    uint32_t count;
    PSOPACK_TRY(merge_repeated_slots(make, input, &count, diag));
    if (*last_input != UINT32_MAX &&
        make->inputs->psos[*last_input].name == make->inputs->psos[input].name)
        return take_again(make, *last_input, input, count, diag);
    add_pso(make, items, input, count);
    *last_input = input;
    return PSOPACK_OK;
}

/* Where the run of PSOs of one name that begins at `first` ends, in pso_order. */
static size_t namesakes(const maker *make, size_t first, bool *ret_dropped)
{
    const psopack_inputs *inputs = make->inputs;
    uint32_t name = inputs->psos[make->pso_order[first]].name;
    size_t at = first;
    *ret_dropped = false;
    for (; at < inputs->pso_count && inputs->psos[make->pso_order[at]].name == name; at++)
        *ret_dropped |= inputs->psos[make->pso_order[at]].dropped;
    return at;
}

/* A dropped PSO takes its namesakes with it: which of them is right is not ours to say. */
static psopack_status take_psos(maker *make, const psopack_store *store, psopack_diag *diag)
{
    uint32_t last = UINT32_MAX;
    bool any_key = false, all_keys = true, dropped;
    for (size_t i = 0, end; i < make->inputs->pso_count; i = end) {
        end = namesakes(make, i, &dropped);
        make->model->skipped_psos += dropped;
        for (size_t at = i; !dropped && at < end; at++) {
            bool reverse = make->options->prefer == PSOPACK_PREFER_LAST;
            uint32_t input = make->pso_order[reverse ? end - 1 - (at - i) : at];
            const psopack_input_pso *pso = &make->inputs->psos[input];
            any_key |= pso->has_key;
            all_keys &= pso->has_key;
            PSOPACK_TRY(take_pso(make, store->items, input, &last, diag));
        }
    }
    if (any_key && !all_keys)
        return psopack_fail(diag, PSOPACK_E_DUPLICATE,
                            "some PSOs come with a key and some without: give all of them one");
    make->model->keys_given = any_key;
    make->model->psos[make->model->pso_count].first_reference =
        (uint32_t)make->model->reference_count;
    return PSOPACK_OK;
}

static psopack_status make_model(maker *make, const psopack_store *store, psopack_diag *diag)
{
    PSOPACK_TRY(allocate(make, store->count, diag));
    PSOPACK_TRY(sort_slots(make, diag));
    sort_files(make);
    PSOPACK_TRY(sort_psos(make, diag));
    PSOPACK_TRY(take_psos(make, store, diag));
    PSOPACK_TRY(psopack_model_file_kinds(make->model, make->options->kinds,
                                         make->options->kind_count, diag));
    PSOPACK_TRY(psopack_model_number_by_kind(make->model, diag));
    PSOPACK_TRY(psopack_model_choose_keys(make->model, make->options->key_seed, diag));
    return psopack_model_content_id(make->model, make->options->target,
                                    make->options->content_version, diag);
}

psopack_status psopack_model_make(const psopack_inputs *inputs, const psopack_store *store,
                                  const psopack_model_options *options, psopack_model *ret_model,
                                  psopack_diag *diag)
{
    *ret_model = (psopack_model){0};
    maker make = {.inputs = inputs, .options = options, .model = ret_model};
    psopack_status status = make_model(&make, store, diag);
    free_maker(&make);
    if (status != PSOPACK_OK)
        psopack_model_free(ret_model);
    return status;
}

void psopack_model_free(psopack_model *model)
{
    free(model->slots);
    free(model->psos);
    free(model->references);
    free(model->components);
    free(model->kinds);
    *model = (psopack_model){0};
}
