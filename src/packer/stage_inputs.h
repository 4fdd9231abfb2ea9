/* SPDX-License-Identifier: MIT */
/* Where later stages get bytes from: components from their files, blocks from parts. */
#ifndef PSOPACK_PACKER_STAGE_INPUTS_H
#define PSOPACK_PACKER_STAGE_INPUTS_H

#include "packer/stages.h"

#define PSOPACK_PARTS_MAX 65536u

/* A path for each component of the model: some input file that has its bytes. */
psopack_status psopack_stage_list_paths(const psopack_inputs *inputs, const psopack_store *store,
                                        const psopack_model *model, char ***ret_paths,
                                        psopack_diag *diag);
void psopack_stage_free_paths(char **paths, uint32_t count);

/* A store whose items are the components of a scan, read from their files when asked for. */
typedef struct psopack_stage_inputs {
    psopack_inputs inputs;
    psopack_store store;
} psopack_stage_inputs;

psopack_status psopack_stage_inputs_open(psopack_stage_inputs *state,
                                         const psopack_scan_record *scan, psopack_diag *diag);
void psopack_stage_inputs_close(psopack_stage_inputs *state);

/* All parts of a plan, in order. */
typedef struct psopack_stage_parts {
    psopack_stage *files;
    psopack_part_record *parts;
    uint32_t count;
    const psopack_plan *plan;
} psopack_stage_parts;

/* Opens the parts and sets the hashes of the plan's bases. ARGUMENT when one is missing, there
 * twice, or from another plan. */
psopack_status psopack_stage_parts_open(psopack_stage_parts *state, const char *const *paths,
                                        uint32_t count, const uint8_t scan_id[16],
                                        const uint8_t plan_id[16], psopack_plan *plan,
                                        psopack_diag *diag);
void psopack_stage_parts_close(psopack_stage_parts *state);

/* A psopack_fetch_block: `user` is the parts. Compares the block's check. */
psopack_status psopack_stage_parts_fetch(void *user, uint64_t block, const uint8_t **ret_bytes,
                                         psopack_written_block *ret_written, psopack_diag *diag);

#endif
