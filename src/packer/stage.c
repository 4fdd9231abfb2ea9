/* SPDX-License-Identifier: MIT */
/* Records that are written and read by one description. */
#include "packer/stage.h"

#include <xxhash.h>

#include "format/layout.h"

#define MAGIC_SIZE 8u

static const uint8_t magic[MAGIC_SIZE] = {'P', 'S', 'O', 'S', 'T', 'G', '1', 0x1a};

typedef struct stage_end {
    psopack_u64le record_size;
    uint8_t id[16];
    psopack_u64le kind;
    uint8_t magic[MAGIC_SIZE];
} stage_end;

static void identify(const uint8_t *bytes, size_t size, uint8_t ret_id[16])
{
    XXH128_canonical_t id;
    XXH128_canonicalFromHash(&id, XXH3_128bits(bytes, size));
    memcpy(ret_id, id.digest, sizeof id.digest);
}

/* ---- files ------------------------------------------------------------------------------------
 */

void psopack_stage_begin(psopack_stage *stage, psopack_diag *diag)
{
    *stage = (psopack_stage){.diag = diag, .map = PSOPACK_MAP_NONE};
}

psopack_status psopack_stage_magic(psopack_publish *publish, psopack_diag *diag)
{
    return psopack_publish_write(publish, magic, sizeof magic, diag);
}

psopack_status psopack_stage_end(psopack_stage *stage, psopack_publish *publish,
                                 psopack_stage_kind kind, psopack_diag *diag)
{
    PSOPACK_TRY(stage->status);
    stage_end end = {.record_size = psopack_store64(stage->record.size),
                     .kind = psopack_store64((uint64_t)kind)};
    memcpy(end.magic, magic, sizeof magic);
    identify(stage->record.data, stage->record.size, stage->id);
    memcpy(end.id, stage->id, sizeof end.id);
    PSOPACK_TRY(psopack_publish_write(publish, stage->record.data, stage->record.size, diag));
    return psopack_publish_write(publish, &end, sizeof end, diag);
}

static psopack_status check_end(psopack_stage *stage, psopack_stage_kind kind, psopack_diag *diag)
{
    static const char *const names[] = {"", "scan", "plan", "part"};
    const psopack_map *map = &stage->map;
    stage_end end;
    if (map->size < MAGIC_SIZE + sizeof end || memcmp(map->data, magic, MAGIC_SIZE) != 0)
        return psopack_fail(diag, PSOPACK_E_NOT_ARCHIVE, "%s: not a file between build stages",
                            stage->path);
    memcpy(&end, map->data + map->size - sizeof end, sizeof end);
    uint64_t size = psopack_load64(end.record_size);
    if (memcmp(end.magic, magic, MAGIC_SIZE) != 0 || size > map->size - MAGIC_SIZE - sizeof end)
        return psopack_fail(diag, PSOPACK_E_TRUNCATED, "%s: it was cut; make it again",
                            stage->path);
    if (psopack_load64(end.kind) != (uint64_t)kind)
        return psopack_fail(diag, PSOPACK_E_NOT_ARCHIVE, "%s: not a %s file", stage->path,
                            names[kind]);
    stage->size = (size_t)size;
    stage->bytes = map->data + map->size - sizeof end - stage->size;
    identify(stage->bytes, stage->size, stage->id);
    if (memcmp(stage->id, end.id, sizeof end.id) != 0)
        return psopack_fail(diag, PSOPACK_E_CHECKSUM, "%s: it is damaged; make it again",
                            stage->path);
    return PSOPACK_OK;
}

psopack_status psopack_stage_open(psopack_stage *stage, const char *path, psopack_stage_kind kind,
                                  psopack_diag *diag)
{
    psopack_file file;
    psopack_file_stat stat;
    *stage = (psopack_stage){.reads = true, .diag = diag, .path = path, .map = PSOPACK_MAP_NONE};
    PSOPACK_TRY(psopack_file_open_read(path, &file, &stat, diag));
    psopack_status status = psopack_map_file(&file, &stage->map, diag);
    psopack_file_close(&file, NULL);
    if (status == PSOPACK_OK)
        status = check_end(stage, kind, diag);
    if (status != PSOPACK_OK)
        psopack_stage_close(stage);
    return status;
}

void psopack_stage_close(psopack_stage *stage)
{
    psopack_map_unmap(&stage->map);
    psopack_bytes_free(&stage->record);
}

/* ---- values -----------------------------------------------------------------------------------
 */

static void fail_short(psopack_stage *stage)
{
    stage->status =
        psopack_fail(stage->diag, PSOPACK_E_CORRUPT,
                     "%s: its record makes no sense: was it made by another version?", stage->path);
}

void psopack_stage_fixed(psopack_stage *stage, void *bytes, size_t size)
{
    if (stage->status != PSOPACK_OK || size == 0)
        return;
    if (!stage->reads) {
        stage->status = psopack_bytes_add(&stage->record, bytes, size, stage->diag);
        return;
    }
    if (size > stage->size - stage->at) {
        fail_short(stage);
        return;
    }
    memcpy(bytes, stage->bytes + stage->at, size);
    stage->at += size;
}

void psopack_stage_u64(psopack_stage *stage, uint64_t *value)
{
    psopack_u64le disk = psopack_store64(*value);
    psopack_stage_fixed(stage, &disk, sizeof disk);
    if (stage->reads)
        *value = psopack_load64(disk);
}

void psopack_stage_u32(psopack_stage *stage, uint32_t *value)
{
    psopack_u32le disk = psopack_store32(*value);
    psopack_stage_fixed(stage, &disk, sizeof disk);
    if (stage->reads)
        *value = psopack_load32(disk);
}

void psopack_stage_u16(psopack_stage *stage, uint16_t *value)
{
    psopack_u16le disk = psopack_store16(*value);
    psopack_stage_fixed(stage, &disk, sizeof disk);
    if (stage->reads)
        *value = psopack_load16(disk);
}

void psopack_stage_u8(psopack_stage *stage, uint8_t *value)
{
    psopack_stage_fixed(stage, value, 1);
}

void psopack_stage_flag(psopack_stage *stage, bool *value)
{
    uint8_t disk = *value;
    psopack_stage_fixed(stage, &disk, 1);
    if (stage->reads)
        *value = disk != 0;
}

void psopack_stage_text(psopack_stage *stage, const char **bytes, uint32_t *size)
{
    psopack_stage_u32(stage, size);
    if (stage->status != PSOPACK_OK)
        return;
    if (!stage->reads) {
        stage->status = psopack_bytes_add(&stage->record, *bytes, (size_t)*size + 1, stage->diag);
        return;
    }
    if (*size >= stage->size - stage->at || stage->bytes[stage->at + *size] != '\0') {
        fail_short(stage);
        return;
    }
    *bytes = (const char *)stage->bytes + stage->at;
    stage->at += (size_t)*size + 1;
}

void psopack_stage_array(psopack_stage *stage, uint64_t *count, size_t row_size, void *array,
                         size_t element)
{
    psopack_stage_u64(stage, count);
    if (stage->status != PSOPACK_OK || !stage->reads)
        return;
    if (*count > (stage->size - stage->at) / row_size)
        fail_short(stage);
    else
        stage->status = psopack_new_array(array, (size_t)*count + 1, element, stage->diag);
    if (stage->status != PSOPACK_OK)
        *count = 0;
}

void psopack_stage_bound(psopack_stage *stage, uint64_t index, uint64_t limit)
{
    if (stage->status == PSOPACK_OK && stage->reads && index >= limit)
        fail_short(stage);
}
