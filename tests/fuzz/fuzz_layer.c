/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: a base and a layer on it, both forged. Input: the size of the base (u32, little-
 * endian), the base, the layer. Their checks are made right, and the layer is bound to the base as
 * it is now, so that whatever else they say is believed as far as it is not proved.
 */
#include "fuzz_archive.h"

#include <stdlib.h>
#include <string.h>

#include "format/layout.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

#define PREFIX sizeof(psopack_u32le)

static uint8_t *copy_of(const uint8_t *bytes, size_t size)
{
    uint8_t *copy = malloc(size ? size : 1);
    if (!copy)
        abort();
    memcpy(copy, bytes, size);
    return copy;
}

/* LAYR of a sealed archive; NULL when there is none. */
static uint8_t *find_layer(uint8_t *bytes, size_t size)
{
    psopack_disk_footer footer;
    if (size < sizeof(psopack_disk_header) + sizeof footer)
        return NULL;
    memcpy(&footer, bytes + size - sizeof footer, sizeof footer);
    uint64_t table = psopack_load64(footer.table_offset);
    uint32_t count = psopack_load32(footer.section_count);
    if (table > size || count * sizeof(psopack_disk_section) > size - table)
        return NULL;
    for (uint32_t i = 0; i < count; i++) {
        psopack_disk_section row;
        memcpy(&row, bytes + table + i * sizeof row, sizeof row);
        uint64_t offset = psopack_load64(row.offset);
        if (psopack_load32(row.id) == PSOPACK_SECTION_LAYR && offset <= size &&
            size - offset >= sizeof(psopack_disk_layer) &&
            psopack_load64(row.size) == sizeof(psopack_disk_layer))
            return bytes + offset;
    }
    return NULL;
}

static void bind(uint8_t *bytes, size_t size, const psopack_archive *base)
{
    psopack_disk_layer layer;
    psopack_info info;
    uint8_t *at = find_layer(bytes, size);
    if (!at)
        return;
    psopack_archive_info(base, &info);
    memcpy(&layer, at, sizeof layer);
    memcpy(layer.base_archive_id, info.archive_id, sizeof layer.base_archive_id);
    layer.depth = psopack_store32(1);
    layer.base_psos = psopack_store32(info.psos);
    layer.base_components = psopack_store32(info.components);
    memcpy(at, &layer, sizeof layer);
    fuzz_seal_archive(bytes, size);
}

static void read_both(uint8_t *base_bytes, size_t base_size, uint8_t *bytes, size_t size)
{
    fuzz_seal_archive(base_bytes, base_size);
    fuzz_seal_archive(bytes, size);
    psopack_archive *base = fuzz_open_archive(base_bytes, base_size, NULL);
    if (base) {
        bind(bytes, size, base);
        psopack_archive *layer = fuzz_open_archive(bytes, size, base);
        if (layer)
            fuzz_read_open(layer);
        psopack_archive_close(&layer);
    }
    psopack_archive_close(&base);
    fuzz_read_archive(bytes, size); /* alone */
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    psopack_u32le prefix;
    if (size < PREFIX)
        return 0;
    memcpy(&prefix, bytes, PREFIX);
    size_t base_size = psopack_load32(prefix);
    if (base_size > size - PREFIX)
        base_size = size - PREFIX;
    uint8_t *base = copy_of(bytes + PREFIX, base_size);
    uint8_t *layer = copy_of(bytes + PREFIX + base_size, size - PREFIX - base_size);
    read_both(base, base_size, layer, size - PREFIX - base_size);
    free(base);
    free(layer);
    return 0;
}
