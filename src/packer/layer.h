/* SPDX-License-Identifier: MIT */
/* What a layer must say: which PSOs differ from its base, and which of the base's are gone. */
#ifndef PSOPACK_PACKER_LAYER_H
#define PSOPACK_PACKER_LAYER_H

#include "packer/keep.h"
#include "packer/model.h"

typedef struct psopack_layer {
    const psopack_old *base; /* the top of the chain it is made on */
    uint32_t depth;
    uint32_t base_psos;
    uint32_t base_components;
    uint64_t psos, components, references, reference_bytes, component_bytes; /* of the whole */
    bool *take;      /* by PSO of the whole: the layer holds it */
    uint64_t *place; /* by own PSO: its index in the whole */
    uint32_t place_count;
    uint64_t *gone; /* PSOs of the base that are replaced or removed, ascending */
    uint32_t gone_count;
    uint32_t removed_count; /* of these: not replaced */
} psopack_layer;

/* Compares the whole, as `model` has it, with the chain `keep->olds`, which is matched. */
psopack_status psopack_layer_make(const psopack_keep *keep, const psopack_model *model,
                                  size_t store_items, psopack_layer *ret_layer, psopack_diag *diag);
void psopack_layer_free(psopack_layer *layer);

#endif
