/* SPDX-License-Identifier: MIT */
/* What scan, plan and part files hold, and how each is used by the stage behind it. */
#ifndef PSOPACK_PACKER_STAGES_H
#define PSOPACK_PACKER_STAGES_H

#include "packer/compress.h"
#include "packer/stage.h"

/* A scan file: options and the model, and where each component's bytes are. */
typedef struct psopack_scan_record {
    uint32_t profile;
    const char *target;
    uint64_t content_version;
    bool hashes;
    psopack_model model;
    const char **paths; /* by component */
} psopack_scan_record;

/* Pass: write or read, as the stage says. What is read is checked; free it also after a failure. */
psopack_status psopack_scan_record_pass(psopack_stage *stage, psopack_scan_record *scan);
psopack_status psopack_plan_record_pass(psopack_stage *stage, const psopack_model *model,
                                        psopack_plan *plan);

/* A part file: compressed blocks [first, end) of the plan, and their rows. */
typedef struct psopack_part_record {
    uint8_t scan_id[16];
    uint8_t plan_id[16];
    uint32_t number; /* 1 .. count */
    uint32_t count;
    uint64_t first, end;
    psopack_written_block *blocks; /* offsets are in the part file */
    uint8_t (*base_hashes)[16];    /* by base of the plan; zeros where its block is in another */
    uint32_t base_count;
} psopack_part_record;

psopack_status psopack_part_record_pass(psopack_stage *stage, psopack_part_record *part);

/* Which blocks part `number` of `count` has: about the same raw bytes in each. */
void psopack_part_range(const psopack_plan *plan, uint32_t number, uint32_t count,
                        uint64_t *ret_first, uint64_t *ret_end);

#endif
