/* SPDX-License-Identifier: MIT */
/* The four listings of psopack list. */
#ifndef PSOPACK_TOOL_LIST_PARTS_H
#define PSOPACK_TOOL_LIST_PARTS_H

#include "output.h"
#include "sharing.h"
#include "table.h"

/* A listing fills `rows` with --json, else `table`. */
typedef struct psopack_listing {
    psopack_output *output;
    psopack_reader reader;
    psopack_sharing sharing; /* counted before all but psopack_list_blocks */
    psopack_table table;
    const char *json_key; /* of `rows` in the object */
    json_t *rows;
} psopack_listing;

psopack_status psopack_list_psos(psopack_listing *listing, char *const *patterns, size_t count,
                                 psopack_diag *diag);
psopack_status psopack_list_components(psopack_listing *listing, psopack_diag *diag);
psopack_status psopack_list_slots(psopack_listing *listing, psopack_diag *diag);
psopack_status psopack_list_blocks(psopack_listing *listing, psopack_diag *diag);

#endif
