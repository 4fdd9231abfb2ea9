/* SPDX-License-Identifier: MIT */
/* Kinds, keys and the content id of a model. */
#include <stdlib.h>
#include <string.h>

#include "format/keys.h"
#include "format/layout.h"
#include "packer/model.h"

/* ---- kinds: one per slot; a shared component goes where most references are --------------------
 */

typedef struct slot_use {
    uint32_t component;
    uint16_t slot;
} slot_use;

static int compare_uses(const void *a, const void *b)
{
    const slot_use *left = a, *right = b;
    if (left->component != right->component)
        return left->component < right->component ? -1 : 1;
    return (left->slot > right->slot) - (left->slot < right->slot);
}

/* Uses of one component, sorted by slot: the slot with the longest run, the first among equals
 * (slots are in byte order of their names, so ties go to the lower name). */
static uint16_t most_used_slot(const slot_use *uses, size_t count)
{
    uint16_t best = uses[0].slot;
    size_t best_count = 0;
    for (size_t i = 0; i < count;) {
        size_t end = i;
        while (end < count && uses[end].slot == uses[i].slot)
            end++;
        if (end - i > best_count) {
            best = uses[i].slot;
            best_count = end - i;
        }
        i = end;
    }
    return best;
}

/* Only components that two slots use need counting: find them first, they are few. */
static psopack_status collect_shared(const psopack_model *model, const uint8_t *shared,
                                     slot_use **ret_uses, size_t *ret_count, psopack_diag *diag)
{
    size_t count = 0;
    for (size_t i = 0; i < model->reference_count; i++)
        count += shared[model->references[i].component];
    slot_use *uses;
    PSOPACK_TRY(psopack_new_array(&uses, count, sizeof *uses, diag));
    count = 0;
    for (size_t i = 0; i < model->reference_count; i++) {
        const psopack_model_reference *reference = &model->references[i];
        if (shared[reference->component])
            uses[count++] = (slot_use){reference->component, reference->slot};
    }
    qsort(uses, count, sizeof *uses, compare_uses);
    *ret_uses = uses;
    *ret_count = count;
    return PSOPACK_OK;
}

static psopack_status settle_shared(psopack_model *model, uint16_t *slot_of, psopack_diag *diag)
{
    uint8_t *shared;
    slot_use *uses;
    size_t count;
    PSOPACK_TRY(psopack_new_array(&shared, model->component_count, 1, diag));
    memset(slot_of, 0xff, model->component_count * sizeof *slot_of);
    for (size_t i = 0; i < model->reference_count; i++) {
        const psopack_model_reference *reference = &model->references[i];
        uint16_t *slot = &slot_of[reference->component];
        if (*slot != UINT16_MAX && *slot != reference->slot)
            shared[reference->component] = 1;
        *slot = reference->slot;
    }
    psopack_status status = collect_shared(model, shared, &uses, &count, diag);
    free(shared);
    PSOPACK_TRY(status);
    for (size_t i = 0; i < count;) {
        size_t end = i;
        while (end < count && uses[end].component == uses[i].component)
            end++;
        slot_of[uses[i].component] = most_used_slot(uses + i, end - i);
        i = end;
    }
    free(uses);
    return PSOPACK_OK;
}

/* Kinds of used slots and those in `more`, in byte order; kind_of[slot] for used slots. */
static psopack_status name_kinds(psopack_model *model, const bool *used, const psopack_string *more,
                                 size_t more_count, uint16_t *kind_of, psopack_diag *diag)
{
    size_t at = 0;
    for (uint32_t slot = 0; slot < model->slot_count || at < more_count;) {
        int order = slot == model->slot_count ? 1 : -1;
        if (slot < model->slot_count && !used[slot]) {
            slot++;
            continue;
        }
        if (slot < model->slot_count && at < more_count)
            order = psopack_string_compare(&model->slots[slot].name, &more[at]);
        if (model->kind_count == PSOPACK_KINDS_MAX)
            return psopack_fail(diag, PSOPACK_E_LIMIT,
                                "more than %u kinds, with those of the older archive: build "
                                "without it",
                                PSOPACK_KINDS_MAX);
        if (order <= 0)
            kind_of[slot] = (uint16_t)model->kind_count;
        model->kinds[model->kind_count++].name = order <= 0 ? model->slots[slot].name : more[at];
        slot += order <= 0;
        at += order >= 0;
    }
    return PSOPACK_OK;
}

static void count_kinds(psopack_model *model, const uint16_t *slot_of, const uint16_t *kind_of)
{
    for (uint32_t i = 0; i < model->component_count; i++) {
        psopack_model_component *component = &model->components[i];
        component->kind = kind_of[slot_of[i]];
        model->kinds[component->kind].components++;
        model->kinds[component->kind].bytes += component->size;
    }
}

psopack_status psopack_model_file_kinds(psopack_model *model, const psopack_string *more,
                                        size_t more_count, psopack_diag *diag)
{
    uint16_t *slot_of, kind_of[PSOPACK_SLOTS_MAX];
    bool used[PSOPACK_SLOTS_MAX] = {false};
    PSOPACK_TRY(psopack_new_array(&model->kinds, model->slot_count + more_count,
                                  sizeof *model->kinds, diag));
    PSOPACK_TRY(psopack_new_array(&slot_of, model->component_count, sizeof *slot_of, diag));
    psopack_status status = settle_shared(model, slot_of, diag);
    for (uint32_t i = 0; status == PSOPACK_OK && i < model->component_count; i++)
        used[slot_of[i]] = true;
    if (status == PSOPACK_OK)
        status = name_kinds(model, used, more, more_count, kind_of, diag);
    if (status == PSOPACK_OK)
        count_kinds(model, slot_of, kind_of);
    free(slot_of);
    return status;
}

/* By kind, then first use: a slot's numbers then rise by small steps along the PSOs, which its
 * column's groups turn into few bits. */
psopack_status psopack_model_number_by_kind(psopack_model *model, psopack_diag *diag)
{
    uint32_t next[PSOPACK_SLOTS_MAX], *number;
    psopack_model_component *sorted;
    PSOPACK_TRY(psopack_new_array(&number, model->component_count, sizeof *number, diag));
    psopack_status status =
        psopack_new_array(&sorted, model->component_count, sizeof *sorted, diag);
    if (status != PSOPACK_OK) {
        free(number);
        return status;
    }
    for (uint32_t kind = 0, at = 0; kind < model->kind_count; kind++) {
        next[kind] = at;
        at += model->kinds[kind].components;
    }
    for (uint32_t i = 0; i < model->component_count; i++) {
        number[i] = next[model->components[i].kind]++;
        sorted[number[i]] = model->components[i];
    }
    for (size_t i = 0; i < model->reference_count; i++)
        model->references[i].component = number[model->references[i].component];
    free(model->components);
    free(number);
    model->components = sorted;
    return PSOPACK_OK;
}

/* ---- keys -------------------------------------------------------------------------------------
 */

static int compare_u64(const void *a, const void *b)
{
    uint64_t left, right;
    memcpy(&left, a, sizeof left);
    memcpy(&right, b, sizeof right);
    return (left > right) - (left < right);
}

static void fill_keys(psopack_model *model, uint64_t seed)
{
    for (uint32_t i = 0; i < model->pso_count; i++)
        model->psos[i].key =
            psopack_name_key(model->psos[i].name.bytes, model->psos[i].name.size, seed);
}

/* Whether two PSOs share a key; *ret_key is one that is shared. `scratch` has pso_count elements.
 */
static bool keys_collide(const psopack_model *model, uint64_t *scratch, uint64_t *ret_key)
{
    for (uint32_t i = 0; i < model->pso_count; i++)
        scratch[i] = model->psos[i].key;
    qsort(scratch, model->pso_count, sizeof *scratch, compare_u64);
    for (uint32_t i = 1; i < model->pso_count; i++) {
        if (scratch[i - 1] == scratch[i]) {
            *ret_key = scratch[i];
            return true;
        }
    }
    return false;
}

static psopack_status report_key(const psopack_model *model, uint64_t key, psopack_diag *diag)
{
    const char *names[2] = {"", ""};
    for (uint32_t i = 0, found = 0; i < model->pso_count && found < 2; i++) {
        if (model->psos[i].key == key)
            names[found++] = model->psos[i].name.bytes;
    }
    return psopack_fail(diag, PSOPACK_E_DUPLICATE, "PSOs '%s' and '%s' have the same key 0x%llx",
                        names[0], names[1], (unsigned long long)key);
}

psopack_status psopack_model_choose_keys(psopack_model *model, const uint64_t *seed,
                                         psopack_diag *diag)
{
    uint64_t *scratch, shared;
    psopack_status status = PSOPACK_OK;
    PSOPACK_TRY(psopack_new_array(&scratch, model->pso_count, sizeof *scratch, diag));
    if (seed && !model->keys_given)
        fill_keys(model, model->key_seed = *seed);
    if (seed || model->keys_given) {
        if (keys_collide(model, scratch, &shared))
            status = report_key(model, shared, diag);
    } else {
        for (model->key_seed = 0;; model->key_seed++) {
            fill_keys(model, model->key_seed);
            if (!keys_collide(model, scratch, &shared))
                break;
        }
    }
    free(scratch);
    return status;
}

/* ---- content id -------------------------------------------------------------------------------
 */

static void hash_u64(XXH3_state_t *state, uint64_t value)
{
    psopack_u64le little = psopack_store64(value);
    XXH3_128bits_update(state, &little, sizeof little);
}

static void hash_string(XXH3_state_t *state, const void *bytes, size_t size)
{
    hash_u64(state, size);
    XXH3_128bits_update(state, bytes, size);
}

/* Serialization, see the format page: sizes as u64, then bytes; the slot count in front of slots.
 */
psopack_status psopack_model_content_id(psopack_model *model, const char *target,
                                        uint64_t content_version, psopack_diag *diag)
{
    XXH3_state_t *state = XXH3_createState();
    if (!state)
        return psopack_no_memory(diag);
    XXH3_128bits_reset(state);
    hash_string(state, target, strlen(target));
    hash_u64(state, content_version);
    for (uint32_t i = 0; i < model->pso_count; i++) {
        const psopack_model_pso *pso = &model->psos[i];
        uint32_t end = pso[1].first_reference;
        hash_string(state, pso->name.bytes, pso->name.size);
        hash_u64(state, end - pso->first_reference);
        for (uint32_t at = pso->first_reference; at < end; at++) {
            const psopack_model_component *component =
                &model->components[model->references[at].component];
            const psopack_string *slot = &model->slots[model->references[at].slot].name;
            XXH128_canonical_t hash;
            XXH128_canonicalFromHash(&hash, component->hash);
            hash_string(state, slot->bytes, slot->size);
            hash_u64(state, component->size);
            XXH3_128bits_update(state, hash.digest, sizeof hash.digest);
        }
    }
    XXH128_canonical_t id;
    XXH128_canonicalFromHash(&id, XXH3_128bits_digest(state));
    memcpy(model->content_id, id.digest, sizeof id.digest);
    XXH3_freeState(state);
    return PSOPACK_OK;
}
