/* SPDX-License-Identifier: MIT */
/* Decodes blocks and compresses them again, each alone. */
#include "plain.h"
#include "failure.h"

#include <stdlib.h>
#include <zstd.h>

enum { LEVEL = 19, BYTES_TRIED = 4 << 20 };

typedef struct trial {
    psopack_reader *reader;
    uint8_t *raw, *packed;
    size_t capacity; /* of `raw` */
    size_t size;
} trial;

static bool is_tried(const psopack_block_info *block)
{
    return !block->is_base && !block->is_raw && !block->is_dead && block->components != 0;
}

static psopack_status reserve(trial *self, size_t size, psopack_diag *diag)
{
    if (size <= self->capacity)
        return PSOPACK_OK;
    free(self->raw);
    free(self->packed);
    self->capacity = 0;
    self->raw = malloc(size);
    self->packed = malloc(ZSTD_compressBound(size));
    if (!self->raw || !self->packed)
        return psopack_failure_memory(diag, "a block");
    self->capacity = size;
    return PSOPACK_OK;
}

/* Sizes first: components as delivered may be larger than the block that holds them stripped. */
static psopack_status read_block(trial *self, const psopack_block_info *block, psopack_diag *diag)
{
    const psopack_archive *archive = self->reader->archive;
    uint32_t end = block->first_component + block->components;
    uint64_t size = 0;
    psopack_component_info info;
    psopack_status status = PSOPACK_OK;
    for (uint32_t i = block->first_component; status == PSOPACK_OK && i < end; i++) {
        status = psopack_component_get(archive, i, &info, diag);
        size += status == PSOPACK_OK ? info.size : 0;
    }
    if (status == PSOPACK_OK)
        status = reserve(self, (size_t)size, diag);
    self->size = 0;
    for (uint32_t i = block->first_component; status == PSOPACK_OK && i < end; i++) {
        status = psopack_component_get(archive, i, &info, diag);
        if (status == PSOPACK_OK)
            status =
                psopack_component_read(archive, self->reader->context, i, self->raw + self->size,
                                       self->capacity - self->size, NULL, diag);
        self->size += info.size;
    }
    return status;
}

static psopack_status try_block(trial *self, const psopack_block_info *block,
                                psopack_plain_kind *kind, psopack_diag *diag)
{
    psopack_status status = read_block(self, block, diag);
    if (status != PSOPACK_OK)
        return status;
    size_t size =
        ZSTD_compress(self->packed, ZSTD_compressBound(self->size), self->raw, self->size, LEVEL);
    if (ZSTD_isError(size))
        return psopack_failure(diag, PSOPACK_E_INTERNAL, "zstd: %s", ZSTD_getErrorName(size));
    kind->blocks++;
    kind->stored += block->stored_size;
    kind->plain += size < self->size ? size : self->size;
    return PSOPACK_OK;
}

static psopack_status measure(trial *self, psopack_plain *plain, psopack_diag *diag)
{
    const psopack_info *info = &self->reader->info;
    uint64_t stride = info->component_bytes / BYTES_TRIED + 1;
    psopack_status status = PSOPACK_OK;
    for (uint32_t i = 0; status == PSOPACK_OK && i < info->blocks; i++) {
        psopack_block_info block;
        status = psopack_block_get(self->reader->archive, i, &block, diag);
        if (status == PSOPACK_OK && is_tried(&block) &&
            (i % stride == 0 || plain->kinds[block.kind].blocks == 0))
            status = try_block(self, &block, &plain->kinds[block.kind], diag);
    }
    return status;
}

psopack_status psopack_plain_measure(psopack_reader *reader, psopack_plain *plain,
                                     psopack_diag *diag)
{
    trial self = {.reader = reader};
    plain->kinds = calloc(reader->info.kinds + 1u, sizeof *plain->kinds);
    psopack_status status =
        plain->kinds ? measure(&self, plain, diag) : psopack_failure_memory(diag, "the report");
    free(self.raw);
    free(self.packed);
    return status;
}

void psopack_plain_free(psopack_plain *plain)
{
    free(plain->kinds);
    *plain = (psopack_plain){0};
}

uint64_t psopack_plain_estimate(const psopack_plain_kind *kind, uint64_t stored)
{
    if (kind->stored == 0)
        return stored;
    return (uint64_t)((double)stored * (double)kind->plain / (double)kind->stored);
}
