/* SPDX-License-Identifier: MIT */
/* The records of scan and plan files. */
#include "packer/stages.h"

#include <stdlib.h>
#include <string.h>

#include "format/layout.h"

/* ---- scan -------------------------------------------------------------------------------------
 */

static void name_of(psopack_stage *stage, psopack_string *name)
{
    psopack_stage_text(stage, &name->bytes, &name->size);
}

static void options_of(psopack_stage *stage, psopack_scan_record *scan)
{
    uint32_t target_size = scan->target ? (uint32_t)strlen(scan->target) : 0;
    psopack_stage_u32(stage, &scan->profile);
    psopack_stage_text(stage, &scan->target, &target_size);
    psopack_stage_u64(stage, &scan->content_version);
    psopack_stage_flag(stage, &scan->hashes);
}

static void slots_and_kinds(psopack_stage *stage, psopack_model *model)
{
    uint64_t slots = model->slot_count, kinds = model->kind_count;
    psopack_stage_array(stage, &slots, 17, &model->slots, sizeof *model->slots);
    psopack_stage_bound(stage, slots, PSOPACK_SLOTS_MAX + 1);
    model->slot_count = (uint32_t)slots;
    for (uint32_t i = 0; i < model->slot_count && stage->status == PSOPACK_OK; i++) {
        name_of(stage, &model->slots[i].name);
        psopack_stage_u32(stage, &model->slots[i].align_log2);
        psopack_stage_bound(stage, model->slots[i].align_log2, PSOPACK_ALIGN_LOG2_MAX + 1);
        psopack_stage_u64(stage, &model->slots[i].references);
    }
    psopack_stage_array(stage, &kinds, 17, &model->kinds, sizeof *model->kinds);
    psopack_stage_bound(stage, kinds, PSOPACK_KINDS_MAX + 1);
    model->kind_count = (uint32_t)kinds;
    for (uint32_t i = 0; i < model->kind_count && stage->status == PSOPACK_OK; i++) {
        name_of(stage, &model->kinds[i].name);
        psopack_stage_u32(stage, &model->kinds[i].components);
        psopack_stage_u64(stage, &model->kinds[i].bytes);
    }
}

/* A PSO's references end where the next one's begin: the last has an end of its own. */
static void psos_of(psopack_stage *stage, psopack_model *model)
{
    uint64_t psos = model->pso_count, references = model->reference_count, last = 0;
    psopack_stage_array(stage, &references, 6, &model->references, sizeof *model->references);
    model->reference_count = (size_t)references;
    for (size_t i = 0; i < model->reference_count && stage->status == PSOPACK_OK; i++) {
        psopack_stage_u32(stage, &model->references[i].component);
        psopack_stage_u16(stage, &model->references[i].slot);
        psopack_stage_bound(stage, model->references[i].component, model->component_count);
        psopack_stage_bound(stage, model->references[i].slot, model->slot_count);
    }
    psopack_stage_array(stage, &psos, 21, &model->psos, sizeof *model->psos);
    psopack_stage_bound(stage, psos, UINT32_MAX);
    model->pso_count = (uint32_t)psos;
    for (uint32_t i = 0; i < model->pso_count && stage->status == PSOPACK_OK; i++) {
        psopack_model_pso *pso = &model->psos[i];
        name_of(stage, &pso->name);
        psopack_stage_u64(stage, &pso->key);
        psopack_stage_u32(stage, &pso->first_reference);
        psopack_stage_u32(stage, &pso->tuple);
        psopack_stage_bound(stage, last, (uint64_t)pso->first_reference + 1);
        psopack_stage_bound(stage, pso->first_reference, references + 1);
        last = pso->first_reference;
    }
    if (stage->status == PSOPACK_OK)
        model->psos[model->pso_count].first_reference = (uint32_t)references;
}

static void components_of(psopack_stage *stage, psopack_scan_record *scan)
{
    psopack_model *model = &scan->model;
    uint64_t count = model->component_count;
    if (!stage->reads) {
        psopack_stage_u64(stage, &count);
    } else {
        psopack_stage_array(stage, &count, 40, &model->components, sizeof *model->components);
        psopack_stage_bound(stage, count, UINT32_MAX);
        if (stage->status == PSOPACK_OK)
            stage->status =
                psopack_new_array(&scan->paths, (size_t)count, sizeof *scan->paths, stage->diag);
    }
    model->component_count = stage->status == PSOPACK_OK ? (uint32_t)count : 0;
    for (uint32_t i = 0; i < model->component_count && stage->status == PSOPACK_OK; i++) {
        psopack_model_component *component = &model->components[i];
        uint32_t path_size = stage->reads ? 0 : (uint32_t)strlen(scan->paths[i]);
        psopack_stage_text(stage, &scan->paths[i], &path_size);
        psopack_stage_u64(stage, &component->hash.low64);
        psopack_stage_u64(stage, &component->hash.high64);
        psopack_stage_u64(stage, &component->size);
        psopack_stage_u32(stage, &component->crc);
        psopack_stage_u32(stage, &component->references);
        psopack_stage_u16(stage, &component->kind);
        psopack_stage_u8(stage, &component->align_log2);
        psopack_stage_bound(stage, component->kind, model->kind_count);
        psopack_stage_bound(stage, component->size, UINT64_C(1) << 32);
        component->item = stage->reads ? i : component->item;
    }
}

psopack_status psopack_scan_record_pass(psopack_stage *stage, psopack_scan_record *scan)
{
    psopack_model *model = &scan->model;
    options_of(stage, scan);
    psopack_stage_u64(stage, &model->reference_bytes);
    psopack_stage_u64(stage, &model->component_bytes);
    psopack_stage_u64(stage, &model->key_seed);
    psopack_stage_flag(stage, &model->keys_given);
    psopack_stage_u64(stage, &model->skipped_psos);
    psopack_stage_fixed(stage, model->content_id, sizeof model->content_id);
    slots_and_kinds(stage, model);
    components_of(stage, scan);
    psos_of(stage, model);
    return stage->status;
}

/* ---- plan -------------------------------------------------------------------------------------
 */

static void params_of(psopack_stage *stage, psopack_codec_params *params)
{
    uint32_t level = (uint32_t)params->level;
    psopack_stage_u32(stage, &level);
    psopack_stage_u32(stage, &params->window_log);
    psopack_stage_u32(stage, &params->hash_log);
    psopack_stage_u32(stage, &params->chain_log);
    psopack_stage_u32(stage, &params->search_log);
    psopack_stage_u32(stage, &params->target_length);
    params->level = (int)level;
}

static void bases_of(psopack_stage *stage, psopack_plan *plan, uint32_t kinds)
{
    uint64_t count = plan->base_count;
    psopack_stage_array(stage, &count, 36, &plan->bases, sizeof *plan->bases);
    psopack_stage_bound(stage, count, PSOPACK_BASES_MAX + 1);
    plan->base_count = stage->status == PSOPACK_OK ? (uint32_t)count : 0;
    for (uint32_t i = 0; i < plan->base_count && stage->status == PSOPACK_OK; i++) {
        psopack_plan_base *base = &plan->bases[i];
        uint64_t tables = base->tables_size;
        psopack_stage_u32(stage, &base->block);
        psopack_stage_u32(stage, &base->kind);
        psopack_stage_bound(stage, base->block, plan->block_count);
        psopack_stage_bound(stage, base->kind, kinds);
        params_of(stage, &base->params);
        psopack_stage_array(stage, &tables, 1, &base->tables, 1);
        psopack_stage_bound(stage, tables, PSOPACK_BASE_TABLES_MAX + 1);
        base->tables_size = (uint32_t)tables;
        psopack_stage_fixed(stage, base->tables, base->tables_size);
    }
}

static void blocks_of(psopack_stage *stage, psopack_plan *plan, uint32_t kinds)
{
    uint64_t count = plan->block_count;
    psopack_stage_array(stage, &count, 28, &plan->blocks, sizeof *plan->blocks);
    plan->block_count = (size_t)count;
    for (size_t i = 0; i < plan->block_count && stage->status == PSOPACK_OK; i++) {
        psopack_plan_block *block = &plan->blocks[i];
        psopack_stage_u32(stage, &block->first);
        psopack_stage_u32(stage, &block->count);
        psopack_stage_u64(stage, &block->piece_offset);
        psopack_stage_u32(stage, &block->raw_size);
        psopack_stage_u32(stage, &block->base);
        psopack_stage_u16(stage, &block->kind);
        psopack_stage_flag(stage, &block->is_base);
        psopack_stage_flag(stage, &block->is_piece);
        psopack_stage_bound(stage, block->first, (uint64_t)plan->row_count + 1);
        psopack_stage_bound(stage, block->count, (uint64_t)plan->row_count - block->first + 1);
        psopack_stage_bound(stage, block->kind, kinds);
    }
}

static void kinds_of(psopack_stage *stage, psopack_plan *plan, uint32_t kinds)
{
    uint64_t count = kinds;
    psopack_stage_array(stage, &count, 40, &plan->kinds, sizeof *plan->kinds);
    psopack_stage_bound(stage, kinds, count + 1);
    for (uint32_t i = 0; i < kinds && stage->status == PSOPACK_OK; i++) {
        psopack_plan_kind *kind = &plan->kinds[i];
        psopack_stage_u32(stage, &kind->transform);
        psopack_stage_u32(stage, &kind->strip_word);
        psopack_stage_flag(stage, &kind->strips);
        psopack_stage_u32(stage, &kind->base);
        psopack_stage_u32(stage, &kind->block_target);
        params_of(stage, &kind->params);
    }
}

static void rows_of(psopack_stage *stage, psopack_plan *plan, const psopack_model *model)
{
    uint64_t rows = plan->row_count, strips = model->component_count;
    psopack_stage_array(stage, &rows, 4, &plan->order, sizeof *plan->order);
    psopack_stage_bound(stage, rows, (uint64_t)model->component_count + 1);
    plan->row_count = stage->status == PSOPACK_OK ? (uint32_t)rows : 0;
    for (uint32_t i = 0; i < plan->row_count; i++) {
        psopack_stage_u32(stage, &plan->order[i]);
        psopack_stage_bound(stage, plan->order[i], model->component_count);
    }
    psopack_stage_array(stage, &strips, 4, &plan->strip, sizeof *plan->strip);
    psopack_stage_bound(stage, model->component_count, strips + 1);
    for (uint32_t i = 0; i < model->component_count && stage->status == PSOPACK_OK; i++) {
        psopack_stage_u32(stage, &plan->strip[i]);
        psopack_stage_bound(stage, plan->strip[i], model->components[i].size / 4 + 1);
    }
}

/* Blocks that name a base, bases that name a block: proved once both are there. */
static void check_bases(psopack_stage *stage, const psopack_plan *plan, uint32_t kinds)
{
    for (size_t i = 0; i < plan->block_count; i++) {
        if (plan->blocks[i].base != PSOPACK_NO_BASE)
            psopack_stage_bound(stage, plan->blocks[i].base, plan->base_count);
    }
    for (uint32_t i = 0; i < kinds && stage->status == PSOPACK_OK; i++) {
        if (plan->kinds[i].base != PSOPACK_NO_BASE)
            psopack_stage_bound(stage, plan->kinds[i].base, plan->base_count);
    }
}

psopack_status psopack_plan_record_pass(psopack_stage *stage, const psopack_model *model,
                                        psopack_plan *plan)
{
    psopack_stage_u64(stage, &plan->split_size);
    rows_of(stage, plan, model);
    kinds_of(stage, plan, model->kind_count);
    blocks_of(stage, plan, model->kind_count);
    bases_of(stage, plan, model->kind_count);
    check_bases(stage, plan, model->kind_count);
    return stage->status;
}
