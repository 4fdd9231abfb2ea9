/* SPDX-License-Identifier: MIT */
/* Who shares what: one walk over all PSOs that counts the uses of each component. */
#ifndef PSOPACK_TOOL_SHARING_H
#define PSOPACK_TOOL_SHARING_H

#include "reader.h"

typedef struct psopack_slot_sharing {
    uint32_t present; /* PSOs with a component in the slot */
    uint32_t empty;   /* of these: components of size 0 */
    uint32_t components;
    uint64_t reference_bytes; /* over all PSOs */
    uint64_t component_bytes; /* each component once; one that is in two slots counts in both */
} psopack_slot_sharing;

typedef struct psopack_sharing {
    uint32_t *uses;              /* per component: PSO slots that name it */
    uint64_t *sizes;             /* per component, bytes */
    psopack_slot_sharing *slots; /* per slot */
} psopack_sharing;

/* Free it also after a failure. Cost: some nanoseconds per reference. */
psopack_status psopack_sharing_count(psopack_reader *reader, psopack_sharing *sharing,
                                     psopack_diag *diag);
void psopack_sharing_free(psopack_sharing *sharing);

#endif
