/* SPDX-License-Identifier: MIT */
/* LAYR and LPSO: what a layer is made on, and how its PSOs and the base's become one list. */
#include <string.h>

#include "packer/column_write.h"
#include "packer/manifest.h"

psopack_status psopack_section_layer(const psopack_manifest_input *input, psopack_bytes *section,
                                     psopack_diag *diag)
{
    const psopack_layer *layer = input->layer;
    psopack_disk_layer disk = {
        .depth = psopack_store32(layer->depth),
        .base_psos = psopack_store32(layer->base_psos),
        .base_components = psopack_store32(layer->base_components),
        .psos = psopack_store64(layer->psos),
        .components = psopack_store64(layer->components),
        .references = psopack_store64(layer->references),
        .reference_bytes = psopack_store64(layer->reference_bytes),
        .component_bytes = psopack_store64(layer->component_bytes),
    };
    memcpy(disk.base_content_id, layer->base->view.ends.content_id, 16);
    memcpy(disk.base_archive_id, layer->base->view.ends.archive_id, 16);
    return psopack_bytes_add(section, &disk, sizeof disk, diag);
}

psopack_status psopack_section_layer_psos(const psopack_manifest_input *input,
                                          psopack_bytes *section, psopack_diag *diag)
{
    const psopack_layer *layer = input->layer;
    const psopack_column_input columns[PSOPACK_LAYER_COLUMNS] = {
        {.values = layer->gone, .rows = layer->gone_count, .id = PSOPACK_COLUMN_LAYER_GONE},
        {.values = layer->place, .rows = layer->place_count, .id = PSOPACK_COLUMN_LAYER_PLACE},
    };
    return psopack_columns_write(section, columns, PSOPACK_LAYER_COLUMNS, diag);
}
