/* SPDX-License-Identifier: MIT */
/*
 * What an archive will say, before anything is compressed: PSOs in byte order of their names, slots
 * in byte order of theirs, components filed under one kind each and numbered by kind, then first
 * use. It depends on names and bytes alone, never on the order of inputs or threads.
 */
#ifndef PSOPACK_PACKER_MODEL_H
#define PSOPACK_PACKER_MODEL_H

#include "packer/store.h"

typedef struct psopack_model_slot {
    psopack_string name;
    uint32_t align_log2;
    uint64_t references;
} psopack_model_slot;

typedef struct psopack_model_pso {
    psopack_string name;
    uint64_t key;             /* when given */
    uint32_t first_reference; /* its references end where the next PSO's begin */
    uint32_t tuple;
} psopack_model_pso;

typedef struct psopack_model_reference {
    uint32_t component;
    uint16_t slot;
} psopack_model_reference;

typedef struct psopack_model_component {
    XXH128_hash_t hash;
    uint64_t size;
    uint32_t crc;
    uint32_t item; /* in the store */
    uint32_t references;
    uint16_t kind;
    uint8_t align_log2;
} psopack_model_component;

/* Kinds in byte order of their names; empty ones are left out. */
typedef struct psopack_model_kind {
    psopack_string name;
    uint32_t components;
    uint64_t bytes;
} psopack_model_kind;

typedef struct psopack_model {
    psopack_model_slot *slots;
    uint32_t slot_count;
    psopack_model_pso *psos; /* one more at the end, for its first_reference */
    uint32_t pso_count;
    psopack_model_reference *references; /* by PSO, then slot */
    size_t reference_count;
    psopack_model_component *components;
    uint32_t component_count;
    psopack_model_kind *kinds;
    uint32_t kind_count;
    uint64_t reference_bytes;
    uint64_t component_bytes;
    uint64_t key_seed;
    bool keys_given;
    uint64_t skipped_psos;
    uint8_t content_id[16];
} psopack_model;

/* An alignment asked for a slot by name. */
typedef struct psopack_align_rule {
    const char *slot; /* a name that no input may have */
    uint32_t align_log2;
} psopack_align_rule;

typedef struct psopack_model_options {
    const char *target;
    uint64_t content_version;
    const psopack_string *kinds; /* that must exist, with or without components: blocks that are */
    size_t kind_count;           /* kept are filed under them. In byte order, each once */
    const psopack_string *slots; /* that must exist, with or without uses */
    size_t slot_count;
    const uint64_t *key_seed; /* NULL: chosen so that no two keys collide. Else this one, and a
                                 collision is an error */
    const psopack_align_rule *align;
    size_t align_count;
    psopack_prefer prefer;
    const psopack_build_events *events;
} psopack_model_options;

/* `inputs` and `store` are scanned, and must outlive the model. DUPLICATE for one PSO name or key
 * with two contents; both origins are named. */
psopack_status psopack_model_make(const psopack_inputs *inputs, const psopack_store *store,
                                  const psopack_model_options *options, psopack_model *ret_model,
                                  psopack_diag *diag);
void psopack_model_free(psopack_model *model);

/*
 * The PSOs of `whole` that `take` says, with their components numbered anew; slots, key seed and
 * content id stay those of the whole. For a layer's own rows.
 */
psopack_status psopack_model_subset(const psopack_model *whole, const bool *take,
                                    psopack_model *ret_model, psopack_diag *diag);

/* Parts of psopack_model_make, each in its own file. */
psopack_status psopack_model_choose_keys(psopack_model *model, const uint64_t *seed,
                                         psopack_diag *diag);
psopack_status psopack_model_content_id(psopack_model *model, const char *target,
                                        uint64_t content_version, psopack_diag *diag);
psopack_status psopack_model_file_kinds(psopack_model *model, const psopack_string *more,
                                        size_t more_count, psopack_diag *diag);
psopack_status psopack_model_number_by_kind(psopack_model *model, psopack_diag *diag);

#endif
