/* SPDX-License-Identifier: MIT */
/* Parts: which blocks belong to one, and the rows of what was compressed. */
#include <string.h>

#include "format/layout.h"
#include "packer/stages.h"

static uint64_t raw_bytes(const psopack_plan *plan)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < plan->block_count; i++)
        bytes += plan->blocks[i].raw_size;
    return bytes;
}

/* Where part `number` begins: at the first block behind its share of the bytes. */
static uint64_t part_begin(const psopack_plan *plan, uint64_t bytes, uint32_t number,
                           uint32_t count)
{
    uint64_t sum = 0, wanted = bytes / count * number + bytes % count * number / count;
    size_t block = 0;
    if (number == count)
        return plan->block_count;
    while (block < plan->block_count && sum < wanted)
        sum += plan->blocks[block++].raw_size;
    return block;
}

void psopack_part_range(const psopack_plan *plan, uint32_t number, uint32_t count,
                        uint64_t *ret_first, uint64_t *ret_end)
{
    uint64_t bytes = raw_bytes(plan);
    *ret_first = part_begin(plan, bytes, number - 1, count);
    *ret_end = part_begin(plan, bytes, number, count);
}

static void block_of(psopack_stage *stage, psopack_written_block *block)
{
    uint64_t limit = stage->reads ? (uint64_t)(stage->bytes - stage->map.data) : UINT64_MAX;
    psopack_stage_u64(stage, &block->offset);
    psopack_stage_u64(stage, &block->check);
    psopack_stage_u32(stage, &block->stored_size);
    psopack_stage_u32(stage, &block->raw_size);
    psopack_stage_u32(stage, &block->flags);
    psopack_stage_bound(stage, block->offset, limit + 1);
    psopack_stage_bound(stage, block->stored_size, limit - block->offset + 1);
    psopack_stage_bound(stage, block->flags, PSOPACK_BLOCK_KNOWN_FLAGS + 1);
}

psopack_status psopack_part_record_pass(psopack_stage *stage, psopack_part_record *part)
{
    uint64_t blocks = part->end - part->first, bases = part->base_count;
    psopack_stage_fixed(stage, part->scan_id, sizeof part->scan_id);
    psopack_stage_fixed(stage, part->plan_id, sizeof part->plan_id);
    psopack_stage_u32(stage, &part->number);
    psopack_stage_u32(stage, &part->count);
    psopack_stage_u64(stage, &part->first);
    psopack_stage_array(stage, &blocks, 28, &part->blocks, sizeof *part->blocks);
    if (stage->reads)
        part->end = part->first + blocks;
    for (uint64_t i = 0; i < blocks && stage->status == PSOPACK_OK; i++)
        block_of(stage, &part->blocks[i]);
    psopack_stage_array(stage, &bases, 16, &part->base_hashes, 16);
    part->base_count = (uint32_t)bases;
    for (uint32_t i = 0; i < part->base_count && stage->status == PSOPACK_OK; i++)
        psopack_stage_fixed(stage, part->base_hashes[i], 16);
    return stage->status;
}
