/* SPDX-License-Identifier: MIT */
#include "packer/output.h"

#include <string.h>
#include <zstd.h>

#include "packer/recipe.h"

/* Of an archive without hashes, signature, provenance: any other was not written by this build. */
#define PLAIN_SECTIONS 10u

static bool is_own(const psopack_view *view, const psopack_profile_settings *settings,
                   const uint8_t *order)
{
    char recipe[PSOPACK_RECIPE_SIZE];
    psopack_recipe_describe(settings, order, recipe, sizeof recipe);
    return view->ends.may_ignore == 0 && view->ends.may_not_append == 0 &&
           view->ends.must_refuse == 0 && view->profile == (uint32_t)settings->profile &&
           view->zstd_version == ZSTD_versionNumber() && strcmp(view->recipe, recipe) == 0;
}

psopack_old *psopack_output_open(const char *path, const psopack_profile_settings *settings,
                                 const uint8_t *order)
{
    psopack_old *output = NULL;
    if (psopack_old_open(path, NULL, &output, NULL) == PSOPACK_OK &&
        !is_own(&output->view, settings, order))
        psopack_old_close(&output);
    return output;
}

/* ---- the same content -------------------------------------------------------------------------
 */

static bool has_slots(const psopack_view *view, const psopack_model *model)
{
    psopack_slot_row row = {0};
    if (view->slots != model->slot_count)
        return false;
    for (uint32_t slot = 0; psopack_view_slot(view, slot, &row); slot++) {
        if (row.align_log2 != model->slots[slot].align_log2)
            return false;
    }
    return true;
}

/* Given keys are not in the content id; nor are CRCs, which cost little to compare as well. */
static bool has_psos(const psopack_view *view, const psopack_model *model)
{
    bool keys_given = (view->meta_flags & PSOPACK_META_KEYS_GIVEN) != 0;
    if (view->psos != model->pso_count || keys_given != model->keys_given)
        return false;
    for (uint32_t i = 0; i < view->psos; i++) {
        uint32_t tuple, pso = i;
        if (psopack_view_tuple(view, i, &tuple, NULL) != PSOPACK_OK ||
            tuple != model->psos[i].tuple)
            return false;
        if (keys_given &&
            (psopack_view_find_key(view, model->psos[i].key, &pso, NULL) != PSOPACK_OK || pso != i))
            return false;
    }
    return true;
}

static bool has_content(const psopack_view *view, const psopack_model *model, bool hashes)
{
    return memcmp(view->ends.content_id, model->content_id, sizeof model->content_id) == 0 &&
           view->section_count == PLAIN_SECTIONS + (hashes ? 1u : 0u) && view->name_section &&
           (view->hash_section != NULL) == hashes && view->ends.key_seed == model->key_seed &&
           has_slots(view, model) && has_psos(view, model);
}

/* ---- whole ------------------------------------------------------------------------------------
 */

static bool is_zero(const uint8_t *bytes, uint64_t from, uint64_t to)
{
    while (from < to && bytes[from] == 0)
        from++;
    return from == to;
}

/* Every block matches its check, and between them there is padding only. */
static bool has_whole_blocks(const psopack_old *output)
{
    const uint8_t *file = output->map.data;
    uint64_t at = sizeof(psopack_disk_header);
    for (uint32_t i = 0; i < output->view.blocks; i++) {
        const psopack_block_row *block = &output->blocks[i];
        if (block->offset < at || !is_zero(file, at, block->offset) ||
            psopack_old_block_check(output, i, NULL) != PSOPACK_OK)
            return false;
        at = block->offset + block->stored_size;
    }
    return at <= output->view.manifest_offset && is_zero(file, at, output->view.manifest_offset);
}

bool psopack_output_is_current(const psopack_old *output, const psopack_model *model, bool hashes)
{
    return has_content(&output->view, model, hashes) &&
           psopack_view_check_all(&output->view, NULL) == PSOPACK_OK && has_whole_blocks(output);
}
