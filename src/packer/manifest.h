/* SPDX-License-Identifier: MIT */
/* The tail of an archive: sections from the model and the written blocks, table, footer. */
#ifndef PSOPACK_PACKER_MANIFEST_H
#define PSOPACK_PACKER_MANIFEST_H

#include "packer/bytes.h"
#include "packer/compress.h"
#include "packer/layer.h"

typedef struct psopack_manifest_input {
    const psopack_model *model;
    const psopack_plan *plan;
    const psopack_written_block *blocks;
    const psopack_profile_settings *settings;
    const psopack_layer *layer; /* NULL: an archive of its own */
    const uint8_t *order;       /* hash of the load order, see recipe.h; NULL: none */
    const char *target;
    uint64_t content_version;
    bool hashes;
    bool no_names;
    bool is_stripped;
} psopack_manifest_input;

/* A layer's rows do not have all their components' CRCs at hand to take a difference from. */
static inline bool psopack_manifest_has_tuple_delta(const psopack_manifest_input *input)
{
    return input->settings->tuple_delta && !input->layer;
}

/* Keys that a list gave cannot be found by name, nor any where there are no names: they are kept.
 */
static inline bool psopack_manifest_has_paged_keys(const psopack_manifest_input *input)
{
    return input->settings->keys_paged && !input->model->keys_given && !input->no_names;
}

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
psopack_status psopack_section_key_pages(const psopack_manifest_input *input,
                                         psopack_bytes *section, psopack_diag *diag);
psopack_status psopack_section_layer(const psopack_manifest_input *input, psopack_bytes *section,
                                     psopack_diag *diag);
psopack_status psopack_section_layer_psos(const psopack_manifest_input *input,
                                          psopack_bytes *section, psopack_diag *diag);
psopack_status psopack_section_names(const psopack_manifest_input *input, psopack_bytes *section,
                                     psopack_diag *diag);

#endif
