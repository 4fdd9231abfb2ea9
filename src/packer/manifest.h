/* SPDX-License-Identifier: MIT */
/* The tail of an archive: sections from the model and the written blocks, table, footer. */
#ifndef PSOPACK_PACKER_MANIFEST_H
#define PSOPACK_PACKER_MANIFEST_H

#include "packer/bytes.h"
#include "packer/compress.h"

typedef struct psopack_manifest_input {
    const psopack_model *model;
    const psopack_plan *plan;
    const psopack_written_block *blocks;
    const psopack_profile_settings *settings;
    const char *target;
    uint64_t content_version;
    bool hashes;
} psopack_manifest_input;

typedef struct psopack_manifest_result {
    uint8_t archive_id[16];
} psopack_manifest_result;

/* Writes the header; the first bytes of every archive, the same for all of one format version. */
psopack_status psopack_header_write(psopack_publish *publish, psopack_diag *diag);

/* Writes everything behind the last block. */
psopack_status psopack_manifest_write(const psopack_manifest_input *input, psopack_publish *publish,
                                      psopack_manifest_result *ret_result, psopack_diag *diag);

/* Sections, each in its own file; all append to an empty `section`. */
psopack_status psopack_section_psos(const psopack_manifest_input *input, psopack_bytes *section,
                                    psopack_diag *diag);
psopack_status psopack_section_keys(const psopack_manifest_input *input, psopack_bytes *section,
                                    psopack_diag *diag);
psopack_status psopack_section_names(const psopack_manifest_input *input, psopack_bytes *section,
                                     psopack_diag *diag);

#endif
